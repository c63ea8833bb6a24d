/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/position.h"

void
gst_cuda_histo_position_init (GstCudaHistoPosition *position, const GstSegment *segment, GstBuffer *buffer, guint64 frame)
{
  position->frame = frame;
  position->offset = 0;
  position->arrival = 0;
  position->timestamp = GST_BUFFER_PTS (buffer);
  position->duration = GST_BUFFER_DURATION (buffer);
  position->stream_time = position->running_time = position->running_duration = GST_CLOCK_TIME_NONE;
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (position->timestamp)) {
    position->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, position->timestamp);
    position->running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, position->timestamp);
    if (GST_CLOCK_TIME_IS_VALID (position->duration))
      position->running_duration = (GstClockTime)((gdouble)position->duration / ABS (segment->rate));
  }
}

gboolean
gst_cuda_histo_position_segments_agree (const GstSegment *left, const GstSegment *right, guint64 next_offset)
{
  guint64 running_times[2] = { 0 }, stream_times[2] = { 0 }, timestamp = right->start;
  GstSegment moved = *left;

  moved.position = right->position; /* where its sender is: it says nothing about what follows */
  if (left->format != GST_FORMAT_TIME || right->format != GST_FORMAT_TIME)
    return left->format == right->format
           && (right->format != GST_FORMAT_BYTES || right->start == next_offset || gst_segment_is_equal (&moved, right));
  /* Both segments are straight lines of equal slope: one point in common is enough. */
  return left->rate == right->rate && left->applied_rate == right->applied_rate
         && gst_segment_to_running_time_full (left, GST_FORMAT_TIME, timestamp, &running_times[0])
                == gst_segment_to_running_time_full (right, GST_FORMAT_TIME, timestamp, &running_times[1])
         && gst_segment_to_stream_time_full (left, GST_FORMAT_TIME, timestamp, &stream_times[0])
                == gst_segment_to_stream_time_full (right, GST_FORMAT_TIME, timestamp, &stream_times[1])
         && running_times[0] == running_times[1] && stream_times[0] == stream_times[1];
}
