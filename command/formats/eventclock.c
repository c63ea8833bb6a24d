/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/eventclock.h"

#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>

#include "lines/values.h"

#define MOST_FRAMES 1000 /* largest frame rate of a time code */

void
event_clock_clear (EventClock *clock)
{
  g_free (clock->timecode);
  *clock = (EventClock){ 0 };
}

/* ---- results ---------------------------------------------------------------------------------------------------------- */

/* Counts the step from the previous result to this one, which follows without a gap in frame numbers. */
static void
event_clock_take_step (EventClock *clock, GstClockTime time)
{
  const gdouble ticks
      = (gdouble)(time - clock->last) / GST_SECOND * clock->rate_n / clock->rate_d / (gdouble)clock->last_frames;

  clock->n_steps++;
  if (ticks < 1.75)
    clock->n_short++;
  else if (ticks < 2.25)
    clock->n_double++;
}

static void
event_clock_take_time (EventClock *clock, const GstStructure *result, guint64 frame, guint64 frames, GstClockTime time)
{
  const GstClockTime timestamp = values_get_time (result, "timestamp");

  if (clock->n_results == 0) {
    clock->has_first = frame == 0;
    clock->first = time;
    clock->timestamp = timestamp;
  } else if (clock->n_results == 1 && clock->first == 0 && time == timestamp && GST_CLOCK_TIME_IS_VALID (clock->timestamp)
             && clock->timestamp < time) {
    clock->first
        = clock->timestamp; /* Matroska: only the first frame's stream time differs from its timestamp (decoding/timeline.h) */
  }
  if (clock->n_results > 0 && time < clock->first)
    clock->goes_back = TRUE;
  if (clock->n_results > 0 && frame == clock->next_frame && clock->last_frames > 0 && time > clock->last && clock->rate_n > 0)
    event_clock_take_step (clock, time);
  clock->n_results++;
  clock->last = time;
  clock->last_frames = frames;
}

void
event_clock_take_result (EventClock *clock, const GstStructure *result)
{
  const GstClockTime time = values_get_time (result, "stream-time");
  const gchar *timecode = values_get_string (result, NULL, "timecode");
  guint64 frame = 0, frames = 0;

  values_get_uint64 (result, NULL, "frame", &frame);
  values_get_uint64 (result, NULL, "frames", &frames);
  if (clock->rate_n <= 0)
    gst_structure_get_fraction (result, "framerate", &clock->rate_n, &clock->rate_d);
  if (clock->timecode == NULL && timecode != NULL) {
    clock->timecode = g_strdup (timecode);
    clock->timecode_frame = frame;
    clock->timecode_time = time;
  }
  if (GST_CLOCK_TIME_IS_VALID (time))
    event_clock_take_time (clock, result, frame, frames, time);
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

/* Returns the frames from the frame with a time code to this one (negative if earlier); without time codes, from
 * 00:00:00:00. */
static gint64
event_clock_count_frames (const EventClock *clock, GstClockTime time, guint64 frame)
{
  const gboolean is_own = clock->timecode != NULL, is_own_timed = is_own && GST_CLOCK_TIME_IS_VALID (clock->timecode_time);
  const GstClockTime origin = is_own_timed ? clock->timecode_time : event_clock_get_origin (clock);
  gint rate_n, rate_d;
  guint64 count;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return (gint64)frame - (gint64)clock->timecode_frame;
  event_clock_get_rate (clock, &rate_n, &rate_d);
  count = gst_util_uint64_scale_round (MAX (time, origin) - MIN (time, origin), (guint64)rate_n, (guint64)rate_d * GST_SECOND);
  if (!is_own)
    return time < origin ? 0 : (gint64)count; /* Matroska's first frame may come before its time */
  return (time < origin ? -(gint64)count : (gint64)count) - (is_own_timed ? 0 : (gint64)clock->timecode_frame);
}

gchar *
event_clock_format (const EventClock *clock, GstClockTime time, guint64 frame)
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
    gst_video_time_code_add_frames (timecode, event_clock_count_frames (clock, time, frame));
    text = gst_video_time_code_to_string (timecode);
  }
  gst_video_time_code_free (timecode);
  return text;
}
