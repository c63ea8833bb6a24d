/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields of interlaced video: which ones a buffer has, in which order, and their samples. */

#pragma once

#include <gst/video/video.h>

#include "frame/frame.h"
#include "result/result.h"

G_BEGIN_DECLS

/* How the fields of interlaced video are counted. */
typedef enum { GST_CUDA_HISTO_FIELDS_TOGETHER, GST_CUDA_HISTO_FIELDS_APART } GstCudaHistoFields;

/* The fields of a buffer that are counted as frames, in the order in which they are counted. */
typedef struct {
  guint count;                 /* 1 or 2 */
  gboolean are_interleaved;    /* each picture of the buffer has the rows of both fields */
  gboolean shares_timestamp;   /* it is a single field, and the buffer before it has the other field with the same timestamp */
  GstCudaHistoField fields[2]; /* GST_CUDA_HISTO_FIELD_NONE: not a field but a whole frame, which is the only one */
  GstClockTime timestamps[2], durations[2]; /* GST_CLOCK_TIME_NONE: unknown */
} GstCudaHistoFieldOrder;

/* Finds the fields of a buffer. They are in the order of display; if `runs_back`, the last one is first. The second field
 * begins when half of the buffer's duration has passed (a third if the first field is repeated, GST_VIDEO_BUFFER_FLAG_RFF).
 * Without a duration, the frame rate gives it. A repeated field is not counted again. With GST_VIDEO_BUFFER_FLAG_ONEFIELD, the
 * first field is the only one.
 *
 * interlace-mode=alternate: two buffers can share the timestamp or have the duration of their frame, which is then divided.
 * *order is that of the buffer before. `repeats`: the number of buffers directly before with the same timestamp. */
void gst_cuda_histo_field_order_find (GstCudaHistoFieldOrder *order, GstCudaHistoFields fields, const GstVideoInfo *info,
                                      GstBuffer *buffer, guint repeats, gboolean runs_back);

/* Whether each result is of fields, whatever the flags of the buffers. */
gboolean gst_cuda_histo_fields_are_certain (const GstVideoInfo *info, GstCudaHistoFields fields);

/* Whether the top and the bottom field of frames with that many visible rows differ in the rows of a plane. FALSE if fields are
 * not counted, or if all have the same size (interlace-mode=alternate). */
gboolean gst_cuda_histo_fields_are_unequal (const GstVideoInfo *info, GstCudaHistoFields fields, guint frame_height);

/* FALSE with @error (GST_STREAM_ERROR_NOT_IMPLEMENTED) if a picture of interleaved fields, mapped from `buffer`, cannot be
 * divided: its crop begins between rows that belong together, or a plane has a single row. */
gboolean gst_cuda_histo_fields_check (const GstVideoInfo *info, GstBuffer *buffer, const GstCudaHistoFrame *frame,
                                      GError **error);

/* Returns a field of a picture of interleaved fields as a separate frame, without a copy. It keeps `frame`. */
GstCudaHistoFrame *gst_cuda_histo_frame_get_field (GstCudaHistoFrame *frame, GstCudaHistoField field);

G_END_DECLS
