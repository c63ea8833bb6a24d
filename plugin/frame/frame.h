/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame: samples that the engine can count as a whole, and what has to be let go when it has. Made by framemap.h from
 * pictures in buffers, and here from bytes. */

#ifndef GST_CUDA_HISTO_FRAME_H
#define GST_CUDA_HISTO_FRAME_H

#include <cudahisto/histo.h>
#include <glib.h>

#include "frame/pinner.h"

G_BEGIN_DECLS

/* A mapped picture, or a mapped piece of a byte stream. Reference counted, because the previous frame is the next one's
 * operand; the last reference unmaps. Any thread may drop it. */
typedef struct _GstCudaHistoFrame GstCudaHistoFrame;
struct _GstCudaHistoFrame {
  gatomicrefcount ref_count;
  struct histo_frame frame; /* ready to submit; `operand` is NULL; `id` is unique in the process */
  guint64 size;             /* bytes: length of the piece; 0 for video */

  /* private */
  guint bottom_up; /* video: bit p is set where plane p is stored from its last row to its first, and `frame` has it so */
  guint8 phase_y;  /* video: of `frame.chroma`, in the order of the picture's rows */
  GstCudaHistoFrame *(*download) (const GstCudaHistoFrame *frame, GError **error); /* of frames on the GPU */
  void (*unmap) (gpointer mapping);
  gpointer mapping;
};

/* Gives a frame of zeros one reference and an id; its samples are in system memory. For those that make frames. */
void gst_cuda_histo_frame_init (GstCudaHistoFrame *frame);

GstCudaHistoFrame *gst_cuda_histo_frame_ref (GstCudaHistoFrame *frame);
void gst_cuda_histo_frame_unref (GstCudaHistoFrame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoFrame, gst_cuda_histo_frame_unref)

/* Wraps `size` bytes of somebody else's memory. The last unref calls `release` (owner), on its thread; `release` may be
 * NULL. */
GstCudaHistoFrame *gst_cuda_histo_frame_wrap_bytes (gconstpointer data, gsize size, GDestroyNotify release, gpointer owner);

/* A copy of a frame in system memory, in a block of `pinner`, with the same strides and the same `id`: it is the same
 * samples. NULL where there is no memory. */
GstCudaHistoFrame *gst_cuda_histo_frame_copy (const GstCudaHistoFrame *frame, GstCudaHistoPinner *pinner);

/* A frame on the GPU once more, in system memory, for an engine that is not there. That costs a copy, and needs a GPU that
 * still gives its memory away. NULL with @error (GST_RESOURCE_ERROR_READ) where it does not. */
GstCudaHistoFrame *gst_cuda_histo_frame_download (const GstCudaHistoFrame *frame, GError **error);

/* Has `frame.chroma`, which says which chroma belongs to which luma in the order of the picture's rows, say so in that of the
 * frame's. For those that make frames. */
void gst_cuda_histo_frame_turn_chroma (GstCudaHistoFrame *frame);

/* Another frame with the same samples and the same `id`, to be asked for something else. It keeps `frame`. */
GstCudaHistoFrame *gst_cuda_histo_frame_share (GstCudaHistoFrame *frame);

/* Whether all planes are stored from the first row to the last, or all the other way round. */
gboolean gst_cuda_histo_frame_has_one_direction (const GstCudaHistoFrame *frame);

/* Whether `frame` can be measured against `operand`: same planes and components, rows in the same order, and chroma samples
 * that belong to the same pixels of the visible picture. Addresses and strides may differ. */
gboolean gst_cuda_histo_frame_matches (const GstCudaHistoFrame *frame, const GstCudaHistoFrame *operand);

G_END_DECLS

#endif
