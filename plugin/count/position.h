/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Positions: place and time of a buffer in the stream. */

#pragma once

#include <gst/gst.h>

#include "result/result.h"

/* The position of the frame, or the piece of a byte stream, that is being added. */
typedef struct {
  guint64 frame;  /* index of its buffer */
  guint64 offset; /* bytes: position of the piece's first byte in the stream; 0 for video */
  /* Of the whole buffer, also for its pieces. GST_CLOCK_TIME_NONE: unknown. */
  GstClockTime timestamp, stream_time, running_time, duration;
  GstClockTime running_duration; /* `duration` in running time: half of it at rate 2 */
  gboolean is_damaged;           /* video: the frame is damaged */
  guint64 missing;               /* video: frames missing before it */
  GstCudaHistoField field;       /* video: NONE: a whole frame */
  GstClockTime arrival;          /* arrival, by a monotonic clock; 0: not needed by the window */
} GstCudaHistoPosition;

/* Sets the times of a frame in `segment`, as `level` reports those of a buffer, its index, and everything else to 0. */
void gst_cuda_histo_position_init (GstCudaHistoPosition *position, const GstSegment *segment, GstClockTime timestamp,
                                   GstClockTime duration, guint64 frame);

/* Whether segment `next` continues the timeline of `segment`, whose last buffer was at `latest`. It does in three cases:
 * - A timestamp has the same running time and stream time in both. Start and stop may differ. But a different segment in bytes
 *   has to begin at `next_offset`, the offset of the next buffer.
 * - Both times of a timestamp are later in `next`, by the same distance of at most half a second. matroskademux begins its
 *   first segment at the first frame, and sends another, earlier one when it reads an earlier audio sample.
 * - `next` begins at the end of the last buffer, or up to half a second later, in both times. The edits of an edit list do. */
gboolean gst_cuda_histo_position_segment_continues (const GstSegment *segment, const GstSegment *next,
                                                    const GstCudaHistoPosition *latest, guint64 next_offset);
