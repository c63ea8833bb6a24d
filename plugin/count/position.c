/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/position.h"

/* The largest jump in time within a timeline, in ns. */
#define MAX_JUMP (500 * (gint64)GST_MSECOND)

/* The largest rounding of times in containers, in ns. */
#define ROUNDING ((gint64)GST_MSECOND)

void
gst_cuda_histo_position_init (GstCudaHistoPosition *position, const GstSegment *segment, GstClockTime timestamp,
                              GstClockTime duration, guint64 frame)
{
  *position = (GstCudaHistoPosition){
    .frame = frame,
    .timestamp = timestamp,
    .duration = duration,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .running_duration = GST_CLOCK_TIME_NONE,
  };
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (position->timestamp)) {
    position->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, position->timestamp);
    position->running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, position->timestamp);
    if (GST_CLOCK_TIME_IS_VALID (position->duration) && (gdouble)position->duration / ABS (segment->rate) < (gdouble)G_MAXINT64)
      position->running_duration = (GstClockTime)((gdouble)position->duration / ABS (segment->rate));
  }
}

/* Whether a time is valid, and small enough for sums and differences. */
static gboolean
gst_cuda_histo_position_is_usable (GstClockTime time)
{
  return time < G_MAXINT64 / 4;
}

/* Returns both times of a timestamp, in ns; negative: before 0. FALSE: they are unknown or too large. */
static gboolean
gst_cuda_histo_position_get_times (const GstSegment *segment, GstClockTime timestamp, gint64 *running_time, gint64 *stream_time)
{
  guint64 running, stream;
  const gint running_sign = gst_segment_to_running_time_full (segment, GST_FORMAT_TIME, timestamp, &running);
  const gint stream_sign = gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME, timestamp, &stream);

  if (running_sign == 0 || stream_sign == 0 || !gst_cuda_histo_position_is_usable (running)
      || !gst_cuda_histo_position_is_usable (stream))
    return FALSE;
  *running_time = running_sign * (gint64)running;
  *stream_time = stream_sign * (gint64)stream;
  return TRUE;
}

static gboolean
gst_cuda_histo_position_runs_back (const GstSegment *segment)
{
  return (segment->rate < 0) != (segment->applied_rate < 0);
}

/* Whether both times continue by distances that a timeline may have. */
static gboolean
gst_cuda_histo_position_is_jump_small (const GstSegment *segment, gint64 running_distance, gint64 stream_distance)
{
  if (gst_cuda_histo_position_runs_back (segment))
    stream_distance = -stream_distance;
  return running_distance >= 0 && running_distance <= MAX_JUMP && stream_distance >= 0 && stream_distance <= MAX_JUMP;
}

/* Whether both times of a timestamp are the same, or later by the same distance. Then a buffer that is later in running time is
 * not earlier in stream time. If only running time advances, the stream repeats a place, as in a loop. */
static gboolean
gst_cuda_histo_position_is_shift_small (const GstSegment *segment, gint64 running_distance, gint64 stream_distance)
{
  const gdouble expected = (gdouble)running_distance * segment->rate * segment->applied_rate;

  return gst_cuda_histo_position_is_jump_small (segment, running_distance, stream_distance)
         && ABS (expected - (gdouble)stream_distance) <= (gdouble)ROUNDING;
}

/* Whether the segment begins at the end of the buffer at `latest`. In a segment with a negative rate, a buffer's end comes
 * first. */
static gboolean
gst_cuda_histo_position_begins_at_end (const GstSegment *segment, const GstCudaHistoPosition *latest)
{
  const GstClockTime begin = segment->rate < 0 ? segment->stop : segment->start;
  const GstClockTime duration = latest->duration, running_duration = latest->running_duration;
  gint64 running_time, stream_time, running_end, stream_end;
  gdouble stream_duration;

  if (!GST_CLOCK_TIME_IS_VALID (begin) || !gst_cuda_histo_position_is_usable (duration)
      || !gst_cuda_histo_position_is_usable (running_duration) || !gst_cuda_histo_position_is_usable (latest->running_time)
      || !gst_cuda_histo_position_is_usable (latest->stream_time)
      || !gst_cuda_histo_position_get_times (segment, begin, &running_time, &stream_time))
    return FALSE;
  stream_duration = segment->rate < 0 ? 0 : (gdouble)duration * segment->applied_rate;
  if (ABS (stream_duration) >= (gdouble)(G_MAXINT64 / 4))
    return FALSE;
  running_end = (gint64)latest->running_time + (segment->rate < 0 ? 0 : (gint64)running_duration);
  stream_end = (gint64)latest->stream_time + (gint64)stream_duration;
  return gst_cuda_histo_position_is_jump_small (segment, running_time - running_end + ROUNDING,
                                                stream_time - stream_end
                                                    + (gst_cuda_histo_position_runs_back (segment) ? -ROUNDING : ROUNDING));
}

gboolean
gst_cuda_histo_position_segment_continues (const GstSegment *segment, const GstSegment *next,
                                           const GstCudaHistoPosition *latest, guint64 next_offset)
{
  gint64 running_times[2], stream_times[2];
  GstSegment moved = *segment;

  moved.position = next->position; /* the source's position, which does not affect later buffers */
  if (segment->format != GST_FORMAT_TIME || next->format != GST_FORMAT_TIME)
    return segment->format == next->format
           && (next->format != GST_FORMAT_BYTES || next->start == next_offset || gst_segment_is_equal (&moved, next));
  if (segment->rate != next->rate || segment->applied_rate != next->applied_rate)
    return FALSE;
  /* Both segments are lines of equal slope: their distance is the same everywhere. */
  if (gst_cuda_histo_position_get_times (segment, next->start, &running_times[0], &stream_times[0])
      && gst_cuda_histo_position_get_times (next, next->start, &running_times[1], &stream_times[1])
      && gst_cuda_histo_position_is_shift_small (next, running_times[1] - running_times[0], stream_times[1] - stream_times[0]))
    return TRUE;
  return gst_cuda_histo_position_begins_at_end (next, latest);
}
