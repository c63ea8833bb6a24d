/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stream time from segments, corrected in two cases:
 *
 * - matroskademux starts its first segment at the first frame, and the next one at 0, so that only the first frame has stream
 *   time 0 and all others have their timestamps. Here the first frame stays at 0, and the others follow by their timestamps.
 * - After a seek to before the first frame, tsdemux gives that frame the requested stream time, and all others are early by the
 *   same amount. Here the frames have the times from before the seek. */

#pragma once

#include <gst/gst.h>

/* All zeros: nothing is known yet. */
typedef struct {
  guint n_frames;          /* number of frames so far: 0, 1, or 2 for more */
  GstClockTimeDiff shift;  /* from a timestamp to its time if the segment has none; unknown before the second frame */
  GstClockTime first_time; /* of the first frame if timestamps are stream times; otherwise 0 */
  GstClockTime lag;        /* by which the segment is too early; 0: it is right */
} DecodingTimeline;

/* Returns the stream time of a timestamp, in ns. `stream_time`: the segment's. GST_CLOCK_TIME_NONE if either is. */
GstClockTime decoding_timeline_follow (DecodingTimeline *line, GstClockTime timestamp, GstClockTime stream_time);
