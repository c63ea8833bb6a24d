/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A buffer's way through the element. On the streaming thread. */

#pragma once

#include "count/counter.h"
#include "element.h"
#include "frame/fieldorder.h"

/* The buffer that is being counted. */
typedef struct {
  GstBuffer *input;             /* borrowed: the buffer as it arrived, while it is transformed */
  guint64 number;               /* its index since the start */
  GstClockTime line_time;       /* its stream time in the stream's timeline */
  guint repeats;                /* buffers directly before it with the same timestamp */
  GstCudaHistoFieldOrder order; /* the frames of it that are counted */
  guint next_field;             /* index in `order` of the next one; the one before is being counted */
  gboolean is_matched;          /* its counterpart in the reference is known, or there is none */
  GstCudaHistoCounted counting; /* description of the frame for the counter */
  gboolean is_unaccounted;      /* the frame is not yet in a window or skipped */
  gboolean holds_buffers;       /* the counter may still hold it when it is pushed */
  gboolean awaits_release;      /* the counter has to release it before it is pushed */
} GstCudaHistoBufferUse;

GstFlowReturn gst_cuda_histo_prepare_output_buffer (GstBaseTransform *base, GstBuffer *input, GstBuffer **output);
GstFlowReturn gst_cuda_histo_transform_ip (GstBaseTransform *base, GstBuffer *output);
