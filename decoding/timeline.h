/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stream time as segments have it, but for two cases. matroskademux has its first segment begin with the first frame, and the
 * next one at 0, so that the first frame alone has stream time 0 and all others have their timestamps. Timestamps go on, and
 * then so does this: the first frame stays at 0. tsdemux gives the first frame, after a seek to before it, the stream time that
 * was sought, and all behind it are as much too early; here it has that of before the seek. */

#ifndef CUDAHISTO_DECODING_TIMELINE_H
#define CUDAHISTO_DECODING_TIMELINE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* All zeros: nothing is known yet. */
typedef struct {
  guint n_frames;          /* that have come: 0, 1, or 2 for more */
  GstClockTimeDiff shift;  /* from a timestamp to its time, where the segment has none; unknown before the second frame */
  GstClockTime first_time; /* of the first frame, where timestamps are stream times; else 0 */
  GstClockTime lag;        /* by which the segment is too early; 0: it is right */
} DecodingTimeline;

/* The stream time of a timestamp, in ns, of which its segment says `stream_time`; where either is GST_CLOCK_TIME_NONE, that. */
GstClockTime decoding_timeline_follow (DecodingTimeline *line, GstClockTime timestamp, GstClockTime stream_time);

G_END_DECLS

#endif
