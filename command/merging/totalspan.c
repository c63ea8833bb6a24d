/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "merging/totalspan.h"

#include "lines/values.h"

/* Adds to a number, and omits it on overflow. */
static void
total_span_add_number (guint64 *sum, guint64 number, Why *why)
{
  if (__builtin_add_overflow (*sum, number, sum) && *why == WHY_NOT)
    *why = WHY_SIZE;
}

/* Returns GST_CLOCK_TIME_NONE on overflow. */
static GstClockTime
total_span_add_times (GstClockTime time, GstClockTime duration)
{
  guint64 sum;

  return __builtin_add_overflow (time, duration, &sum) ? GST_CLOCK_TIME_NONE : sum;
}

void
total_span_add (Span *span, const GstStructure *result, gboolean is_first)
{
  const GstClockTime timestamp = values_get_time (result, "timestamp"), duration = values_get_time (result, "duration");
  guint64 frame = 0, frames = 0, offset = 0, size = 0;
  gboolean follows, is_same_buffer, is_in_order;

  values_get_uint64 (result, NULL, "frame", &frame);
  span->is_bytes = values_get_uint64 (result, NULL, "offset", &offset);
  values_get_uint64 (result, NULL, "size", &size);
  if (!values_get_uint64 (result, NULL, "frames", &frames))
    span->why_no_frames = WHY_LINES;
  if (is_first) {
    span->frame = frame;
    span->frames = frames;
    span->offset = offset;
    span->size = size;
    span->timestamp = timestamp;
    span->duration = duration;
    if (!gst_structure_has_field (result, "duration"))
      span->why_no_duration = WHY_TIMES;
    return;
  }
  follows = !span->is_bytes || (span->why_no_size == WHY_NOT && span->offset + span->size == offset);
  is_same_buffer = span->is_bytes && follows && span->why_no_frames == WHY_NOT && frame == span->frame + span->frames - 1;
  is_in_order = is_same_buffer;
  if (GST_CLOCK_TIME_IS_VALID (timestamp) && GST_CLOCK_TIME_IS_VALID (span->timestamp)) {
    is_in_order
        |= GST_CLOCK_TIME_IS_VALID (span->duration) && timestamp >= total_span_add_times (span->timestamp, span->duration);
    is_in_order |= span->why_no_frames == WHY_NOT && span->frames == 1 && timestamp >= span->timestamp;
  }
  if (!gst_structure_has_field (result, "duration"))
    span->why_no_duration = WHY_TIMES;
  if (span->why_no_duration == WHY_NOT && GST_CLOCK_TIME_IS_VALID (span->timestamp)) {
    if (!is_in_order || !GST_CLOCK_TIME_IS_VALID (timestamp))
      span->why_no_duration = WHY_TIMES;
    else if (!GST_CLOCK_TIME_IS_VALID (duration))
      span->duration = GST_CLOCK_TIME_NONE;
    else if (!GST_CLOCK_TIME_IS_VALID (total_span_add_times (timestamp, duration)))
      span->why_no_duration = WHY_SIZE;
    else
      span->duration = timestamp + duration - span->timestamp;
  }
  if (!follows && span->why_no_frames == WHY_NOT)
    span->why_no_frames = WHY_TIMES;
  total_span_add_number (&span->frames, frames - (is_same_buffer && frames > 0 ? 1 : 0), &span->why_no_frames);
  total_span_add_number (&span->size, size, &span->why_no_size);
}
