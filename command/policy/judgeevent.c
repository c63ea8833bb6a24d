/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rules on events. */

#include <math.h>
#include <string.h>

#include "policy/judgerule.h"

/* Returns how long an event lasts. One that ends with the stream ends at its last frame, which the time lacks. */
static GstClockTime
judge_measure_event (const EventRun *run, const Event *event)
{
  const EventClock *clock = &run->clock;
  const guint64 frames = event_clock_count_frames (clock, event->frame, event->frames);
  GstClockTime time = event->duration, length = GST_CLOCK_TIME_NONE;

  if (event->ended_by == NULL && GST_CLOCK_TIME_IS_VALID (event->start) && GST_CLOCK_TIME_IS_VALID (run->end))
    time = run->end > event->start ? run->end - event->start : 0;
  if (clock->rate_n > 0)
    length = gst_util_uint64_scale (frames, (guint64)clock->rate_d * GST_SECOND, (guint64)clock->rate_n);
  if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (length))
    return GST_CLOCK_TIME_IS_VALID (time) ? time : length;
  return MAX (time, length);
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

  for (guint i = 0; i < film->run->events->len; i++) {
    const Event *event = g_ptr_array_index (film->run->events, i);

    if (strcmp (event->kind, rule->event) == 0)
      judge_take_event (judged, film->run, event);
  }
  judged->value = (gdouble)judged->places.n_places;
  judged->max = judge_limits_count (rule) ? (gdouble)rule->max_count : INFINITY;
  judged->measured = judged->frames;
  if (judge_has_too_many_events (judged, film))
    verdict->outcome = VERDICT_FAIL;
  else if (!judge_knows_events (film, rule->event))
    judge_set_reason (
        verdict, VERDICT_NOT_MEASURED,
        g_strdup_printf ("the lines do not tell whether %s was detected: measure with --events=%s", rule->event, rule->event));
  else
    judge_pass (judged, film, verdict, rule->event, NULL);
}
