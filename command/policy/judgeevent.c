/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rules on events. */

#include <math.h>
#include <string.h>

#include "policy/judgerule.h"

static gboolean
judge_lasts_to_end (const EventRun *run, const Event *event)
{
  return event->ended_by == NULL || event->frame + event->frames >= run->end_frame;
}

/* Returns how long an event lasts. The time of one without a next frame ends with the beginning of its last frame. */
static GstClockTime
judge_measure_event (const EventRun *run, const Event *event)
{
  const EventClock *clock = &run->clock;
  const guint64 frames = event_clock_count_frames (clock, event->frame, event->frames);
  GstClockTime time = event->duration, length = GST_CLOCK_TIME_NONE;

  if (g_strcmp0 (event->ended_by, "complete") == 0 && GST_CLOCK_TIME_IS_VALID (time))
    return time;
  if (judge_lasts_to_end (run, event) && GST_CLOCK_TIME_IS_VALID (event->start) && GST_CLOCK_TIME_IS_VALID (run->end))
    time = run->end > event->start ? run->end - event->start : 0;
  if (clock->rate_n > 0)
    length = gst_util_uint64_scale (frames, (guint64)clock->rate_d * GST_SECOND, (guint64)clock->rate_n);
  if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (length))
    return GST_CLOCK_TIME_IS_VALID (time) ? time : length;
  return MAX (time, length);
}

/* Returns the length of the shortest event of this kind; NONE: there is none. */
static GstClockTime
judge_find_shortest (const EventRun *run, const gchar *kind)
{
  GstClockTime shortest = GST_CLOCK_TIME_NONE;

  for (guint i = 0; i < run->events->len; i++) {
    const Event *event = g_ptr_array_index (run->events, i);

    if (strcmp (event->kind, kind) == 0)
      shortest = MIN (shortest, judge_measure_event (run, event));
  }
  return shortest;
}

static gboolean
judge_has_duration (const gchar *kind)
{
  return strcmp (kind, "scene-change") != 0 && strcmp (kind, "damaged") != 0;
}

/* Returns why the events that the rule limits are not all known; NULL: they are. */
static gchar *
judge_find_lack (const JudgedFilm *film, const Rule *rule)
{
  const gchar *kind = rule->event;
  const gdouble seconds = (gdouble)rule->duration / GST_SECOND;
  GstClockTime minimum;

  if (film->is_sample)
    return g_strdup ("events need all frames, and the results lack some");
  if (!judge_knows_events (film, kind))
    return g_strdup_printf ("the lines do not tell whether %s was detected: measure with --events=%s", kind, kind);
  if (!judge_has_duration (kind))
    return NULL;
  if (film->detected != NULL && detected_find (film->detected, kind, &minimum)) {
    if (minimum <= rule->duration)
      return NULL;
    return g_strdup_printf ("%s of %g to %g s was not detected: measure with --set=%s-min-duration=%" G_GUINT64_FORMAT, kind,
                            seconds, (gdouble)minimum / GST_SECOND, kind, rule->duration);
  }
  minimum = judge_find_shortest (film->run, kind);
  if (GST_CLOCK_TIME_IS_VALID (minimum) && minimum <= rule->duration + GST_MSECOND)
    return NULL;
  return g_strdup_printf ("the results do not tell the minimum duration of %s: if it is at most %g s, add --events=%s:%g", kind,
                          seconds, kind, seconds);
}

static void
judge_take_event (JudgedRule *judged, const EventRun *run, const Event *event)
{
  const PlacesSpan span = {
    .frame = event->frame,
    .frames = event->frames,
    .start = event->start,
    .length = judge_measure_event (run, event),
  };

  places_take (&judged->places, &span, event->value, 0, NULL);
  places_end (&judged->places);
}

/* A rule with a share need not limit the number of events. */
static gboolean
judge_limits_count (const Rule *rule)
{
  return rule->share <= 0 || rule->max_count > 0;
}

static gboolean
judge_has_too_many_events (const JudgedRule *judged, const JudgedFilm *film)
{
  const Rule *rule = judged->rule;

  return (judge_limits_count (rule) && judged->places.n_places > rule->max_count)
         || (rule->share > 0 && judge_has_too_many (judged, film));
}

void
judge_event_finish (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  const Rule *rule = judged->rule;
  gchar *lack;

  for (guint i = 0; i < film->run->events->len; i++) {
    const Event *event = g_ptr_array_index (film->run->events, i);

    if (strcmp (event->kind, rule->event) == 0)
      judge_take_event (judged, film->run, event);
  }
  judged->value = (gdouble)judged->places.n_places;
  judged->max = judge_limits_count (rule) ? (gdouble)rule->max_count : INFINITY;
  lack = judge_has_too_many_events (judged, film) ? NULL : judge_find_lack (film, rule);
  if (judge_has_too_many_events (judged, film))
    verdict->outcome = VERDICT_FAIL;
  else if (lack != NULL)
    judge_set_reason (verdict, VERDICT_NOT_MEASURED, lack);
  else
    verdict->outcome = VERDICT_PASS;
}
