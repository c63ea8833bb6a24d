/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/timeline.h"

/* The latest start of a stream whose first frame is taken for stream time 0. */
#define MAX_SHIFT ((GstClockTimeDiff)GST_SECOND)

GstClockTime
decoding_timeline_follow (DecodingTimeline *line, GstClockTime timestamp, GstClockTime stream_time)
{
  if (timestamp > G_MAXINT64 || stream_time > G_MAXINT64) /* unknown, or too large to shift */
    return stream_time;
  if (line->n_frames == 0)
    *line = (DecodingTimeline){
      .shift = stream_time == 0 ? -(GstClockTimeDiff)timestamp : 0,
      .first_time = stream_time == timestamp ? timestamp : 0,
    };
  else if (line->n_frames == 1 && (stream_time != timestamp || line->shift < -MAX_SHIFT))
    line->shift = 0;
  line->n_frames = MIN (line->n_frames + 1, 2);
  if (timestamp == line->first_time && stream_time < timestamp)
    line->lag = timestamp - stream_time;
  if (line->lag > 0 && timestamp == stream_time + line->lag)
    return timestamp;
  line->lag = 0;
  return stream_time == timestamp ? (GstClockTime)MAX ((GstClockTimeDiff)timestamp + line->shift, 0) : stream_time;
}
