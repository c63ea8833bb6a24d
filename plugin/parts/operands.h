/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operands: the frames of earlier buffers with which the pictures of the next buffer are compared. For the streaming thread. */

#pragma once

#include "frame/frame.h"
#include "frame/pictureformat.h"
#include "frame/pinner.h"
#include "result/result.h"

/* For each picture of a buffer. Initialise with zeros. */
typedef struct {
  GstCudaHistoFrame *previous[GST_CUDA_HISTO_MAX_PICTURES]; /* that of the previous buffer, or NULL */
  /* The frame at which a freeze may have begun, or NULL. */
  GstCudaHistoFrame *freeze_starts[GST_CUDA_HISTO_MAX_PICTURES];
  GstCudaHistoRegions regions; /* counted in `previous` */
} GstCudaHistoOperands;

/* Drops all operands. */
void gst_cuda_histo_operands_forget (GstCudaHistoOperands *operands);

/* Returns the frame with which picture `index` is to be compared besides `previous`, because `previous` equals it. NULL: none.
 * The caller owns a reference. `is_like_start`: `previous` equals the frame at which a freeze may have begun. Otherwise a
 * freeze may begin at `previous`, which may be NULL. */
GstCudaHistoFrame *gst_cuda_histo_operands_follow_freeze (GstCudaHistoOperands *operands, GstCudaHistoFrame *previous,
                                                          guint index, gboolean is_like_start);

/* Returns a frame in system memory as a copy in a block of `pinner`: by the time of the next frame the buffer may have been
 * overwritten, or its pool may need it. Returns the frame itself if it is on the GPU, or without memory for a copy; its buffer
 * is then held. Takes `frame`. */
GstCudaHistoFrame *gst_cuda_histo_operands_copy (GstCudaHistoFrame *frame, GstCudaHistoPinner *pinner);
