/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes of a buffer, mapped once for all who read them later: as frames of their own, or gathered with others. The whole buffer
 * is held while it is counted, as for video: otherwise its pool would hand it out again, to be overwritten. Of bytes that wait
 * for other buffers the GstMemory alone is held, locked for reading: whoever maps the buffer for writing meanwhile gets a copy
 * of the memory. */

#ifndef GST_CUDA_HISTO_BYTES_H
#define GST_CUDA_HISTO_BYTES_H

#include <gst/gst.h>

#include "frame/frame.h"

G_BEGIN_DECLS

typedef struct {
  const guint8 *data;
  gsize size;
  /* The block that the allocator cut this memory from, if the memory may be held until the bytes come that follow it; NULL for
   * other memory, and for buffers of a pool. */
  gconstpointer block;
  gboolean is_ours; /* memory of our allocator */

  gatomicrefcount ref_count;
  gboolean is_borrowed;
  GstBuffer *buffer; /* NULL: not held */
  GstMemory *memory;
  GstMapInfo map; /* of a memory that is not ours */
} GstCudaHistoBytes;

/* Maps a memory that is not the allocator's for a caller who copies from it: there is nothing to keep, and `bytes`, which is
 * the caller's own, has no references. FALSE where it cannot be read; else it goes with gst_cuda_histo_bytes_give_back(). */
gboolean gst_cuda_histo_bytes_borrow (GstCudaHistoBytes *bytes, GstMemory *memory);
void gst_cuda_histo_bytes_give_back (GstCudaHistoBytes *bytes);
gboolean gst_cuda_histo_bytes_are_borrowed (const GstCudaHistoBytes *bytes);

/* Maps one memory of a buffer, or `memory` that was made of several. `hold`: it may be held until others come. NULL where it
 * cannot be read. */
GstCudaHistoBytes *gst_cuda_histo_bytes_new (GstBuffer *buffer, GstMemory *memory, gboolean hold);

GstCudaHistoBytes *gst_cuda_histo_bytes_ref (GstCudaHistoBytes *bytes);
void gst_cuda_histo_bytes_unref (gpointer bytes); /* on any thread */

/* Bytes [offset, offset + size), which are there, as a frame that keeps them. */
GstCudaHistoFrame *gst_cuda_histo_bytes_get_frame (GstCudaHistoBytes *bytes, gsize offset, gsize size);

G_END_DECLS

#endif
