/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The place in the stream. For the streaming thread. */

#pragma once

#include "common/timestamps.h"
#include "compare/reference.h"
#include "count/position.h"
#include "element.h"

typedef struct {
  gboolean has_begun;                /* buffers that upstream sent before a stop can no longer arrive */
  guint64 next_frame;                /* index of the next frame: of bytes, of the next buffer */
  guint64 next_buffer;               /* index of the next buffer */
  guint64 next_offset;               /* bytes: position of the next buffer, if the buffer has none */
  GstCudaHistoPosition latest;       /* of the last frame */
  GstCudaHistoTimestamps timestamps; /* of the timeline's buffers */
  /* These outlive a stop. */
  guint32 seqnum;        /* of the stream's STREAM_START; 0: none yet */
  guint64 frames;        /* number of its buffers */
  DecodingTimeline line; /* their timeline */
} GstCudaHistoStream;

/* A restarted element receives the STREAM_START of the current stream again. */
void gst_cuda_histo_begin_stream (GstCudaHisto *self, GstEvent *event);

/* Finds the place in the stream of the buffer's next frame, in the order of `buffer.order`, and describes the frame for the
 * counter. From here on the frame is in the ledger. */
void gst_cuda_histo_begin_frame (GstCudaHisto *self, GstCudaHistoPosition *position);

/* Warns once if timestamps do not give the ends of events. Call it before each frame with its timestamp, `next`, and at the end
 * with GST_CLOCK_TIME_NONE. */
void gst_cuda_histo_check_time (GstCudaHisto *self, GstClockTime next);

/* No later buffer continues the timeline. */
void gst_cuda_histo_end_timeline (GstCudaHisto *self);
