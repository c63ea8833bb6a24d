/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame: samples that the engine can count as a whole, and the release of their memory. framemap.h makes frames of pictures
 * in buffers. This file makes frames of bytes. */

#pragma once

#include <cudahisto/histo.h>
#include <glib.h>

#include "frame/pinner.h"

G_BEGIN_DECLS

/* A mapped picture, or a mapped piece of a byte stream. Reference counted, because a frame is also the operand of the next one.
 * The last reference unmaps it, on any thread. */
typedef struct _GstCudaHistoFrame GstCudaHistoFrame;
struct _GstCudaHistoFrame {
  gatomicrefcount ref_count;
  struct histo_frame frame; /* ready to submit; `operand` is NULL; `id` is unique in the process */
  guint64 size;             /* bytes: length of the piece; 0 for video */

  /* private */
  guint bottom_up; /* video: bit p is set if plane p, and so `frame`, is in order from the last row to the first */
  guint8 phase_y;  /* video: that of `frame.chroma` in picture order */
  GstCudaHistoFrame *(*download) (const GstCudaHistoFrame *frame, GError **error); /* for frames on the GPU */
  void (*unmap) (gpointer mapping);
  gpointer mapping;
};

/* Sets the reference count and the id of a zeroed frame in system memory. For functions that make frames. */
void gst_cuda_histo_frame_init (GstCudaHistoFrame *frame);

GstCudaHistoFrame *gst_cuda_histo_frame_ref (GstCudaHistoFrame *frame);
void gst_cuda_histo_frame_unref (GstCudaHistoFrame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoFrame, gst_cuda_histo_frame_unref)

/* Wraps `size` bytes owned by `owner`. The last unref calls `release` (owner), which may be NULL, on its thread. */
GstCudaHistoFrame *gst_cuda_histo_frame_wrap_bytes (gconstpointer data, gsize size, GDestroyNotify release, gpointer owner);

/* Returns a copy of a frame in system memory, in a block of `pinner`, with the same strides and, since the samples are the
 * same, the same `id`. NULL if there is no memory. */
GstCudaHistoFrame *gst_cuda_histo_frame_copy (const GstCudaHistoFrame *frame, GstCudaHistoPinner *pinner);

/* Returns a copy in system memory of a frame on the GPU, for another engine. Copying needs a GPU that still works. NULL with
 * @error (GST_RESOURCE_ERROR_READ) if it does not. */
GstCudaHistoFrame *gst_cuda_histo_frame_download (const GstCudaHistoFrame *frame, GError **error);

/* Converts `frame.chroma` from picture order to the order of the frame's rows. For functions that make frames. */
void gst_cuda_histo_frame_turn_chroma (GstCudaHistoFrame *frame);

/* Returns another frame with the same samples and the same `id`, for other statistics. It keeps `frame`. */
GstCudaHistoFrame *gst_cuda_histo_frame_share (GstCudaHistoFrame *frame);

/* Whether all planes are stored in the same direction: from the first row to the last, or the reverse. */
gboolean gst_cuda_histo_frame_has_one_direction (const GstCudaHistoFrame *frame);

/* Whether `frame` can be compared with `operand`: same planes and components, rows in the same order, and chroma samples that
 * belong to the same visible pixels. Addresses and strides may differ. */
gboolean gst_cuda_histo_frame_matches (const GstCudaHistoFrame *frame, const GstCudaHistoFrame *operand);

G_END_DECLS
