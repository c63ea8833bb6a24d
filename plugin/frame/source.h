/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The source of a result: the kind of data that was measured, for the schema. */

#pragma once

#include <gst/video/video.h>

#include "frame/frame.h"
#include "result/result.h"

G_BEGIN_DECLS

/* Describes video in the format `info` with the visible size of `frame` (NULL: of `info`). */
void gst_cuda_histo_source_init_video (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame);

/* Describes fields in the format `info` that are counted as frames: half the rows, and twice the frame rate. */
void gst_cuda_histo_source_init_fields (GstCudaHistoSource *source, const GstVideoInfo *info);

/* Sets the visible size of video and the position of its chroma to those of `frame`, and the frame rate. `is_field`: it is a
 * field that is counted as a frame. */
void gst_cuda_histo_source_set_frame (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame,
                                      gboolean is_field);

/* Returns the visible rows of the whole frame to which a picture of a buffer belongs: twice those of a field with its own
 * memory. */
guint gst_cuda_histo_source_get_frame_height (const GstVideoInfo *info, const GstCudaHistoFrame *picture);

/* Sets the number of derived components: 0, 1 or 3. `reports_luma`: results have the first of them, as "luma". */
void gst_cuda_histo_source_set_derived (GstCudaHistoSource *source, guint n_derived, gboolean reports_luma);

/* Describes a byte stream. */
void gst_cuda_histo_source_init_bytes (GstCudaHistoSource *source);

G_END_DECLS
