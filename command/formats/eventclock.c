/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/eventclock.h"

#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>

#include "lines/sampled.h"
#include "lines/values.h"

#define MOST_FRAMES 1000 /* largest frame rate of a time code */

void
event_clock_clear (EventClock *clock)
{
  g_free (clock->timecode);
  g_clear_pointer (&clock->spans, g_array_unref);
  *clock = (EventClock){ 0 };
}

/* ---- frames and fields ------------------------------------------------------------------------------------------------ */

/* Returns the span with this index; before the first one, that one. NULL: there is none. */
static const EventClockSpan *
event_clock_find_span (const EventClock *clock, guint64 index)
{
  guint first = 0, end = clock->spans != NULL ? clock->spans->len : 0;

  if (end == 0)
    return NULL;
  while (end - first > 1) {
    const guint middle = first + (end - first) / 2;

    if (g_array_index (clock->spans, EventClockSpan, middle).begin <= index)
      first = middle;
    else
      end = middle;
  }
  return &g_array_index (clock->spans, EventClockSpan, first);
}

/* Returns the half frames of the film before this index. */
static guint64
event_clock_count_halves (const EventClock *clock, guint64 index)
{
  const EventClockSpan *span = event_clock_find_span (clock, index);

  if (span == NULL || index < span->begin)
    return index * (span != NULL ? span->each : 2);
  return span->halves + (index - span->begin) * span->each;
}

guint64
event_clock_find_frame (const EventClock *clock, guint64 index)
{
  return clock->has_fields ? event_clock_count_halves (clock, index) / 2 : index;
}

guint64
event_clock_count_frames (const EventClock *clock, guint64 index, guint64 count)
{
  if (!clock->has_fields || count == 0)
    return count;
  return (event_clock_count_halves (clock, index + count) + 1) / 2 - event_clock_find_frame (clock, index);
}

/* Begins a span if frames follow fields, fields follow frames, or if a field lacks the other one. */
static void
event_clock_take_span (EventClock *clock, guint64 index, const gchar *field)
{
  const EventClockSpan *last = event_clock_find_span (clock, G_MAXUINT64);
  const gboolean is_top = g_strcmp0 (field, "top") == 0, is_alone = is_top || g_strcmp0 (field, "bottom") == 0;
  const EventClockSpan span = {
    .begin = index,
    .halves = (event_clock_count_halves (clock, index) + 1) / 2 * 2,
    .each = field != NULL ? 1 : 2,
  };

  if (clock->spans == NULL)
    clock->spans = g_array_new (FALSE, FALSE, sizeof (EventClockSpan));
  if (last == NULL)
    g_array_append_vals (clock->spans, &(const EventClockSpan){ index, index * span.each, span.each }, 1);
  else if (index > last->begin
           && (last->each != span.each || (is_alone && is_top == clock->is_last_top && clock->last_halves == 1)))
    g_array_append_val (clock->spans, span);
  clock->is_last_top = is_top;
  clock->has_fields |= field != NULL;
}

/* ---- results ---------------------------------------------------------------------------------------------------------- */

/* Counts the step from the previous result to this one, which follows without a gap in frame numbers. */
static void
event_clock_take_step (EventClock *clock, GstClockTime time)
{
  const gdouble ticks
      = (gdouble)(time - clock->last) / GST_SECOND * clock->rate_n / clock->rate_d / ((gdouble)clock->last_halves / 2);

  clock->n_steps++;
  if (ticks < 1.75)
    clock->n_short++;
  else if (ticks < 2.25)
    clock->n_double++;
}

static void
event_clock_take_time (EventClock *clock, const GstStructure *result, guint64 frame, GstClockTime time)
{
  const GstClockTime timestamp = values_get_time (result, "timestamp");

  if (clock->n_results == 0) {
    clock->has_first = frame == 0 && !sampled_lacks_beginning (result);
    clock->first = time;
    clock->timestamp = timestamp;
  } else if ((clock->n_results == 1 || event_clock_find_frame (clock, frame) == 1) && clock->first == 0 && time == timestamp
             && GST_CLOCK_TIME_IS_VALID (clock->timestamp) && clock->timestamp < time) {
    clock->first
        = clock->timestamp; /* Matroska: only the first frame's stream time differs from its timestamp (decoding/timeline.h) */
  }
  if (clock->n_results > 0 && time < clock->first)
    clock->goes_back = TRUE;
  if (clock->n_results > 0 && frame == clock->next_frame && clock->last_halves > 0 && time > clock->last && clock->rate_n > 0)
    event_clock_take_step (clock, time);
  clock->n_results++;
  clock->last = time;
}

/* Takes the frame rate, which is that of fields in their results. */
static void
event_clock_take_rate (EventClock *clock, const GstStructure *result, gboolean is_of_fields)
{
  if (gst_structure_get_fraction (result, "framerate", &clock->rate_n, &clock->rate_d) && is_of_fields
      && !gst_util_fraction_multiply (clock->rate_n, clock->rate_d, 1, 2, &clock->rate_n, &clock->rate_d))
    clock->rate_n = 0;
}

void
event_clock_take_result (EventClock *clock, const GstStructure *result)
{
  const GstClockTime time = values_get_time (result, "stream-time");
  const gchar *timecode = values_get_string (result, NULL, "timecode");
  const gchar *field = values_get_string (result, NULL, "field");
  guint64 frame = 0, frames = 0;

  values_get_uint64 (result, NULL, "frame", &frame);
  values_get_uint64 (result, NULL, "frames", &frames);
  event_clock_take_span (clock, frame, field);
  if (clock->rate_n <= 0)
    event_clock_take_rate (clock, result, field != NULL);
  if (clock->timecode == NULL && timecode != NULL) {
    clock->timecode = g_strdup (timecode);
    clock->timecode_frame = frame;
    clock->timecode_time = time;
  }
  if (GST_CLOCK_TIME_IS_VALID (time))
    event_clock_take_time (clock, result, frame, time);
  clock->last_halves = event_clock_count_halves (clock, frame + frames) - event_clock_count_halves (clock, frame);
  clock->next_frame = frame + frames;
}

/* ---- time codes ------------------------------------------------------------------------------------------------------- */

/* FFmpeg writes AVI with two ticks for each frame, and their rate is that of the caps. If no frame
 * lasts one tick and most last two, the frame rate is half the tick rate. */
static void
event_clock_get_rate (const EventClock *clock, gint *rate_n, gint *rate_d)
{
  const gboolean is_double = clock->timecode == NULL && clock->n_steps > 1 && clock->n_short == 0
                             && clock->n_double > clock->n_steps / 2 && clock->rate_d <= G_MAXINT / 2;

  *rate_n = clock->rate_n;
  *rate_d = clock->rate_d;
  if (is_double && *rate_n % 2 == 0)
    *rate_n /= 2;
  else if (is_double)
    *rate_d *= 2;
}

gboolean
event_clock_is_drop_frame (const EventClock *clock)
{
  gint rate_n, rate_d;

  event_clock_get_rate (clock, &rate_n, &rate_d);
  if (clock->timecode != NULL)
    return strchr (clock->timecode, ';') != NULL;
  return rate_d == 1001 && (rate_n == 30000 || rate_n == 60000);
}

GstClockTime
event_clock_get_origin (const EventClock *clock)
{
  return clock->has_first && !clock->goes_back ? clock->first : 0;
}

/* Returns the half frames from the frame with a time code to this time or, if it is unknown, to this index (negative if
 * earlier); without time codes, from 00:00:00:00. Without fields, the number is even. */
static gint64
event_clock_measure_halves (const EventClock *clock, GstClockTime time, guint64 index)
{
  const gboolean is_own = clock->timecode != NULL, is_own_timed = is_own && GST_CLOCK_TIME_IS_VALID (clock->timecode_time);
  const GstClockTime origin = is_own_timed ? clock->timecode_time : event_clock_get_origin (clock);
  const gint64 first = (gint64)event_clock_count_halves (clock, clock->timecode_frame);
  const guint each = clock->has_fields ? 1 : 2;
  gint rate_n, rate_d;
  gint64 halves;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return (gint64)event_clock_count_halves (clock, index) - first;
  event_clock_get_rate (clock, &rate_n, &rate_d);
  halves = each
           * (gint64)gst_util_uint64_scale_round (MAX (time, origin) - MIN (time, origin), (guint64)rate_n * (2 / each),
                                                  (guint64)rate_d * GST_SECOND);
  if (!is_own)
    return time < origin ? 0 : halves; /* Matroska's first frame may come before its time */
  return (time < origin ? -halves : halves) - (is_own_timed ? 0 : first);
}

/* Returns whole frames: rounds half frames down, or up at an end. */
static gint64
event_clock_round_halves (gint64 halves, gboolean is_end)
{
  const gint64 odd = halves & 1;

  return (halves - odd) / 2 + (is_end ? odd : 0);
}

gchar *
event_clock_format (const EventClock *clock, GstClockTime time, guint64 index, gboolean is_end)
{
  const GstVideoTimeCodeFlags flags
      = event_clock_is_drop_frame (clock) ? GST_VIDEO_TIME_CODE_FLAGS_DROP_FRAME : GST_VIDEO_TIME_CODE_FLAGS_NONE;
  guint first[4] = { 0 };
  GstVideoTimeCode *timecode;
  gchar *text = NULL;
  gint rate_n, rate_d;

  event_clock_get_rate (clock, &rate_n, &rate_d);
  if (rate_n <= 0 || rate_n / rate_d >= MOST_FRAMES)
    return NULL;
  if (clock->timecode != NULL)
    sscanf (clock->timecode, "%2u:%2u:%2u%*1[:;]%2u", &first[0], &first[1], &first[2], &first[3]);
  timecode = gst_video_time_code_new ((guint)rate_n, (guint)rate_d, NULL, flags, first[0], first[1], first[2], first[3], 0);
  if (gst_video_time_code_is_valid (timecode)) {
    gst_video_time_code_add_frames (timecode,
                                    event_clock_round_halves (event_clock_measure_halves (clock, time, index), is_end));
    text = gst_video_time_code_to_string (timecode);
  }
  gst_video_time_code_free (timecode);
  return text;
}
