/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes of a buffer, mapped once for all readers: counted as one frame, or gathered with other bytes. The whole buffer is held
 * while it is counted, as for video. Otherwise its pool would reuse it and overwrite the bytes. Bytes that wait for other
 * buffers hold only their GstMemory, locked for reading. An element that then maps the buffer for writing gets a copy of the
 * memory. */

#pragma once

#include <gst/gst.h>

#include "frame/frame.h"

typedef struct {
  const guint8 *data;
  gsize size;
  /* The allocator's block that contains this memory, if the memory may be held until the next bytes arrive. NULL for other
   * memory, and for buffers of a pool. */
  gconstpointer block;
  gboolean is_ours; /* memory of our allocator */

  gatomicrefcount ref_count;
  gboolean is_borrowed;
  GstBuffer *buffer; /* NULL if the buffer is not held */
  GstMemory *memory;
  GstMapInfo map; /* memory of another allocator */
} GstCudaHistoBytes;

/* Maps memory of another allocator for a caller that copies from it. `bytes` is the caller's own variable and has no
 * references. FALSE if the memory cannot be read. Otherwise release it with gst_cuda_histo_bytes_give_back(). */
gboolean gst_cuda_histo_bytes_borrow (GstCudaHistoBytes *bytes, GstMemory *memory);
void gst_cuda_histo_bytes_give_back (GstCudaHistoBytes *bytes);
gboolean gst_cuda_histo_bytes_are_borrowed (const GstCudaHistoBytes *bytes);

/* Maps one memory of a buffer, or `memory` merged from several. `hold`: it may be held until other bytes arrive. NULL if it
 * cannot be read. */
GstCudaHistoBytes *gst_cuda_histo_bytes_new (GstBuffer *buffer, GstMemory *memory, gboolean hold);

GstCudaHistoBytes *gst_cuda_histo_bytes_ref (GstCudaHistoBytes *bytes);
void gst_cuda_histo_bytes_unref (gpointer bytes); /* any thread */

/* Returns bytes [offset, offset + size) as a frame that keeps `bytes`. The range lies inside. */
GstCudaHistoFrame *gst_cuda_histo_bytes_get_frame (GstCudaHistoBytes *bytes, gsize offset, gsize size);
