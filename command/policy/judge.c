/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/judge.h"

#include <math.h>
#include <string.h>

#include "common/terminal.h"
#include "lines/values.h"
#include "policy/judgerule.h"

struct _Judge {
  const Policy *policy;
  guint run;
  JudgedRule *rules; /* one for each of the policy */
  EventList *list;
  Detected detected;
  gboolean knows_detected;
  gchar *finding;                /* of the measurement, or NULL */
  guint64 frames;                /* of the results so far */
  guint64 frames_per_result;     /* the most */
  guint64 next_frame, next_byte; /* after the last result */
  gboolean has_gaps, is_cut;
};

G_DEFINE_QUARK (judge - error - quark, judge_error)

Judge *
judge_new (const Policy *policy, guint run)
{
  Judge *judge = g_new0 (Judge, 1);

  judge->policy = policy;
  judge->run = run;
  judge->list = event_list_new ();
  judge->rules = g_new0 (JudgedRule, policy->rules->len);
  for (guint i = 0; i < policy->rules->len; i++) {
    JudgedRule *judged = &judge->rules[i];

    judged->rule = g_ptr_array_index (policy->rules, i);
    judged->value = judged->excess = NAN;
    judged->last_start = GST_CLOCK_TIME_NONE;
    judged->min = -INFINITY;
    judged->max = INFINITY;
    places_init (&judged->places, judged->rule->duration);
  }
  return judge;
}

void
judge_free (Judge *judge)
{
  if (judge == NULL)
    return;
  for (guint i = 0; i < judge->policy->rules->len; i++) {
    places_clear (&judge->rules[i].places);
    g_clear_pointer (&judge->rules[i].rectangles, g_array_unref);
    g_clear_pointer (&judge->rules[i].steps, g_hash_table_unref);
  }
  event_list_free (judge->list);
  g_free (judge->finding);
  g_free (judge->rules);
  g_free (judge);
}

void
judge_set_detected (Judge *judge, const Detected *detected)
{
  judge->detected = *detected;
  judge->knows_detected = TRUE;
}

void
judge_set_cut (Judge *judge)
{
  judge->is_cut = TRUE;
}

void
judge_set_finding (Judge *judge, const gchar *finding)
{
  g_free (judge->finding);
  judge->finding = g_strdup (finding);
}

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

static void
judge_take_position (Judge *judge, const Measured *measured)
{
  guint64 offset, size = 0;

  if (values_get_uint64 (measured->line, NULL, "offset", &offset)) {
    values_get_uint64 (measured->line, NULL, "size", &size);
    judge->has_gaps |= offset != judge->next_byte;
    judge->next_byte = offset + size;
  } else {
    judge->has_gaps |= measured->span.frame != judge->next_frame;
    judge->next_frame = measured->span.frame + measured->span.frames;
  }
  judge->frames += measured->span.frames;
  judge->frames_per_result = MAX (judge->frames_per_result, measured->span.frames);
}

static void
judge_take_rule (JudgedRule *judged, const Measured *measured)
{
  const gchar *obstacle = measured_find_obstacle (measured, judged->rule);

  if (obstacle != NULL) {
    if (judged->obstacle == NULL)
      judged->obstacle = obstacle;
    places_end (&judged->places);
    return;
  }
  switch (judged->rule->subject) {
  case RULE_SUBJECT_FIELD:
    judge_field_take (judged, measured);
    break;
  case RULE_SUBJECT_CONSTANT:
    judge_constant_take (judged, measured);
    break;
  case RULE_SUBJECT_DECLARED:
    judge_declared_take (judged, measured);
    break;
  case RULE_SUBJECT_EVENT:
    judged->frames += measured->span.frames;
    break;
  }
}

void
judge_take_result (Judge *judge, const GstStructure *result, const gchar *const *components)
{
  Measured measured;

  event_list_take_result (judge->list, result);
  if (event_list_count_runs (judge->list) != MAX (judge->run, 1))
    return;
  measured_take (&measured, result, components);
  judge_take_position (judge, &measured);
  for (guint i = 0; i < judge->policy->rules->len; i++)
    judge_take_rule (&judge->rules[i], &measured);
}

void
judge_take_event (Judge *judge, const GstStructure *event)
{
  event_list_take_event (judge->list, event);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------------ */

/* Returns the time since the film's first frame. */
static GstClockTime
judge_get_elapsed (const EventClock *clock, GstClockTime time)
{
  const GstClockTime origin = event_clock_get_origin (clock);

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return GST_CLOCK_TIME_NONE;
  return time > origin ? time - origin : 0;
}

/* Replaces indexes of fields by those of frames, and adds the time code and the times from the first frame. */
static void
judge_locate (VerdictPlace *place, const EventClock *clock)
{
  const guint64 frame = event_clock_find_frame (clock, place->frame);

  place->timecode = event_clock_format (clock, place->start, place->frame, FALSE);
  place->elapsed = judge_get_elapsed (clock, place->start);
  place->elapsed_end = judge_get_elapsed (clock, place->end);
  place->frames = event_clock_count_frames (clock, place->frame, place->frames);
  place->frame = frame;
}

static void
judge_take_places (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  Places *places = &judged->places;
  const EventClock *clock = &film->run->clock;

  verdict->n_places = places->n_places;
  verdict->frames = clock->has_fields ? (places->frames + 1) / 2 : places->frames;
  g_ptr_array_unref (verdict->places);
  verdict->places = g_steal_pointer (&places->places);
  verdict->longest = g_steal_pointer (&places->longest);
  for (guint i = 0; i < verdict->places->len; i++)
    judge_locate (g_ptr_array_index (verdict->places, i), clock);
  if (verdict->longest != NULL)
    judge_locate (verdict->longest, clock);
}

static void
judge_finish_subject (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  switch (judged->rule->subject) {
  case RULE_SUBJECT_FIELD:
    judge_field_finish (judged, film, verdict);
    break;
  case RULE_SUBJECT_EVENT:
    judge_event_finish (judged, film, verdict);
    break;
  case RULE_SUBJECT_CONSTANT:
    judge_constant_finish (judged, film, verdict);
    break;
  case RULE_SUBJECT_DECLARED:
    judge_declared_finish (judged, film, verdict);
    break;
  }
}

static RuleVerdict *
judge_finish_rule (JudgedRule *judged, const JudgedFilm *film)
{
  RuleVerdict *verdict = g_new0 (RuleVerdict, 1);

  verdict->rule = judged->rule;
  verdict->declared = NAN;
  verdict->places = g_ptr_array_new_with_free_func (verdict_place_free);
  if (judged->frames == 0)
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE, g_strdup (judged->obstacle));
  else
    judge_finish_subject (judged, film, verdict);
  verdict->min = judged->min;
  verdict->max = judged->max;
  if (verdict->outcome == VERDICT_NOT_APPLICABLE || verdict->outcome == VERDICT_NOT_MEASURED) {
    verdict->value = NAN;
    return verdict;
  }
  verdict->value = judged->value;
  verdict->usual = judged->usual;
  judge_take_places (judged, film, verdict);
  return verdict;
}

/* ---- the whole film --------------------------------------------------------------------------------------------------- */

/* Returns the event of a measurement that did not end; NULL: there is none. */
static const Event *
judge_find_incomplete (const EventRun *run)
{
  for (guint i = 0; i < run->events->len; i++) {
    const Event *event = g_ptr_array_index (run->events, i);

    if (strcmp (event->kind, "incomplete") == 0)
      return event;
  }
  return NULL;
}

/* Returns a sentence about missing results or damage; NULL: there are none. */
static gchar *
judge_describe_finding (const Judge *judge, const JudgedFilm *film)
{
  const Event *incomplete = judge_find_incomplete (film->run);

  if (judge->finding != NULL)
    return g_strdup (judge->finding);
  if (judge->is_cut)
    return g_strdup ("the results end within a line: results are missing");
  if (incomplete != NULL && incomplete->reason != NULL)
    return g_strdup_printf ("the film was measured in part: %s", incomplete->reason);
  if (incomplete != NULL)
    return g_strdup ("the film was measured in part");
  if (film->damaged == 0 && film->missing == 0)
    return NULL;
  return g_strdup_printf ("%" G_GUINT64_FORMAT " frame%s damaged, %" G_GUINT64_FORMAT " missing", film->damaged,
                          film->damaged == 1 ? " is" : "s are", film->missing);
}

/* Counts the frames of damage events. One without numbers is one damaged frame. */
static void
judge_count_damage (JudgedFilm *film)
{
  for (guint i = 0; i < film->run->events->len; i++) {
    const Event *event = g_ptr_array_index (film->run->events, i);

    if (strcmp (event->kind, "damaged") != 0)
      continue;
    film->damaged += event->missing > 0 ? event->frames : MAX (event->frames, 1);
    film->missing += event->missing;
  }
}

static gboolean
judge_has_damage_rule (const Policy *policy)
{
  for (guint i = 0; i < policy->rules->len; i++) {
    const Rule *rule = g_ptr_array_index (policy->rules, i);

    if (judge_is_of_damage (rule))
      return TRUE;
  }
  return FALSE;
}

/* FALSE: the lines cannot be judged. */
static gboolean
judge_check (const Judge *judge, const gchar *name, GError **error)
{
  const guint n_runs = event_list_count_runs (judge->list);

  if (judge->run > n_runs)
    g_set_error (error, JUDGE_ERROR, JUDGE_ERROR_RUNS, "--run=%u does not exist: %s has %u run%s", judge->run, name, n_runs,
                 n_runs == 1 ? "" : "s");
  else if (judge->run == 0 && n_runs > 1)
    g_set_error (error, JUDGE_ERROR, JUDGE_ERROR_RUNS, "%s has %u runs: choose one, --run=1 to --run=%u", name, n_runs, n_runs);
  else if (judge->frames == 0)
    g_set_error (error, JUDGE_ERROR, JUDGE_ERROR_NO_RESULTS, "%s has no results", name);
  else
    return TRUE;
  return FALSE;
}

Verdict *
judge_finish (Judge *judge, const gchar *film, const Declaration *declaration, GError **error)
{
  g_autofree gchar *name = terminal_clean (film);
  JudgedFilm judged = { .declaration = declaration, .frames = judge->frames };
  Verdict *verdict;

  event_list_finish (judge->list);
  if (!judge_check (judge, name, error))
    return NULL;
  judged.run = event_list_get_run (judge->list, MAX (judge->run, 1) - 1);
  judged.detected = judge->knows_detected ? &judge->detected : NULL;
  judged.is_partial = judge->is_cut || judge_find_incomplete (judged.run) != NULL;
  judged.is_sample = judge->has_gaps || judged.is_partial || judged.run->sampled.text != NULL;
  judge_count_damage (&judged);
  verdict = g_new0 (Verdict, 1);
  verdict->film = g_steal_pointer (&name);
  verdict->policy = judge->policy;
  verdict->is_sample = judged.is_sample;
  verdict->has_timecodes = judged.run->clock.timecode != NULL;
  verdict->finding = judge_describe_finding (judge, &judged);
  verdict->is_finding_judged
      = !judged.is_partial && judged.damaged + judged.missing > 0 && judge_has_damage_rule (judge->policy);
  verdict->frames_per_result = judge->frames_per_result;
  verdict->frames
      = judged.run->clock.has_fields ? event_clock_count_frames (&judged.run->clock, 0, judged.run->end_frame) : judge->frames;
  verdict->rules = g_ptr_array_new_with_free_func (rule_verdict_free);
  for (guint i = 0; i < judge->policy->rules->len; i++)
    g_ptr_array_add (verdict->rules, judge_finish_rule (&judge->rules[i], &judged));
  return verdict;
}
