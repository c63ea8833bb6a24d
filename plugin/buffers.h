/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A buffer's way through the element. On the streaming thread. */

#ifndef GST_CUDA_HISTO_BUFFERS_H
#define GST_CUDA_HISTO_BUFFERS_H

#include "count/counter.h"
#include "element.h"

G_BEGIN_DECLS

/* The buffer that is being counted. */
typedef struct {
  GstBuffer *input;             /* borrowed: the buffer as it arrived, while it is transformed */
  GstCudaHistoCounted counting; /* description of its frames for the counter */
  GstClockTime line_time;       /* its stream time in the stream's timeline */
  gboolean is_unaccounted;      /* not yet in a window or skipped */
  gboolean holds_buffers;       /* the counter may still hold it when it is pushed */
  gboolean awaits_release;      /* the counter has to release it before it is pushed */
} GstCudaHistoBufferUse;

GstFlowReturn gst_cuda_histo_prepare_output_buffer (GstBaseTransform *base, GstBuffer *input, GstBuffer **output);
GstFlowReturn gst_cuda_histo_transform_ip (GstBaseTransform *base, GstBuffer *output);

G_END_DECLS

#endif
