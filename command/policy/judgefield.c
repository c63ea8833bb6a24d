/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rules on a number of each result. */

#include <math.h>
#include <string.h>

#include "lines/values.h"
#include "policy/judgerule.h"

static gdouble
judge_scale_limit (gdouble limit, const Rule *rule, guint depth)
{
  return rule->scale == 0 || depth == 0 || !isfinite (limit) ? limit : ldexp (limit, (gint)depth - (gint)rule->scale);
}

/* Returns whether a component has no samples, and so no numbers. */
static gboolean
judge_is_empty (const Measured *measured, const gchar *component)
{
  return measured_read (measured, field_describe (FIELD_ID_COUNT), component) == 0;
}

typedef struct {
  gdouble min, max;          /* limits */
  gdouble value, excess;     /* the worst value; NaN: none */
  const gchar *component;    /* that has it */
  guint n_missing, n_chosen; /* components without the number, and all that the rule is for */
} Worst;

static void
judge_take_number (Worst *worst, const Measured *measured, const FieldDescription *field, const gchar *component)
{
  const gdouble value = measured_read (measured, field, component);
  const gdouble excess = judge_measure_excess (value, worst->min, worst->max);

  worst->n_chosen++;
  if (isnan (value)) {
    worst->n_missing++;
  } else if (isnan (worst->value) || excess > worst->excess) {
    worst->value = value;
    worst->excess = excess;
    worst->component = component;
  }
}

static void
judge_find_worst (Worst *worst, const Measured *measured, const Rule *rule)
{
  if (!field_is_of_component (rule->field)) {
    judge_take_number (worst, measured, rule->field, NULL);
    return;
  }
  for (guint i = 0; measured->components[i] != NULL; i++) {
    const gchar *component = measured->components[i];

    if (measured_is_chosen (rule->component, component) && !judge_is_empty (measured, component))
      judge_take_number (worst, measured, rule->field, component);
  }
}

/* Returns whether luma must be computed from R, G and B, and was not. */
static gboolean
judge_lacks_luma (const Measured *measured, const Rule *rule)
{
  return field_is_of_component (rule->field) && g_strcmp0 (rule->component, "luma") == 0
         && measured_has_component (measured, "R") && !measured_has_component (measured, "luma");
}

void
judge_field_take (JudgedRule *judged, const Measured *measured)
{
  const Rule *rule = judged->rule;
  const guint64 frames = measured->span.frames;
  Worst worst = { .min = judge_scale_limit (rule->min, rule, measured->depth),
                  .max = judge_scale_limit (rule->max, rule, measured->depth),
                  .value = NAN };

  if (judged->frames == 0) {
    judged->min = worst.min;
    judged->max = worst.max;
  }
  judge_find_worst (&worst, measured, rule);
  judged->lacks_luma |= judge_lacks_luma (measured, rule);
  judged->frames += frames;
  if (worst.n_missing == 0 && !judge_lacks_luma (measured, rule))
    judged->measured += frames;
  if (!isnan (worst.value))
    judge_note_value (judged, worst.value, worst.excess);
  if (!isnan (worst.value) && worst.excess > 0)
    places_take (&judged->places, &measured->span, worst.value, worst.excess, worst.component);
  else
    places_end (&judged->places);
}

/* Returns the statistic that has the field. NULL: it needs something else. */
static const gchar *
judge_find_statistic (const JudgedRule *judged)
{
  const guint32 bits = judged->rule->field->statistics;

  return judged->lacks_luma ? "luma" : bits != 0 ? statistic_get_nick (bits & -bits) : NULL;
}

/* Frames that are missing at the end of a film have no result, but an event. Results without damage lack the numbers. */
static void
judge_take_missing_end (JudgedRule *judged, const JudgedFilm *film)
{
  const Rule *rule = judged->rule;

  for (guint i = 0; i < film->run->events->len && rule->field->id == FIELD_ID_MISSING; i++) {
    const Event *event = g_ptr_array_index (film->run->events, i);
    const PlacesSpan span
        = { .frame = event->frame, .frames = event->frames, .start = event->start, .length = event->duration };
    const gdouble value = (gdouble)event->missing, excess = judge_measure_excess (value, rule->min, rule->max);

    if (strcmp (event->kind, "damaged") != 0 || event->frame < film->run->end_frame)
      continue;
    judge_note_value (judged, value, excess);
    if (excess > 0)
      places_take (&judged->places, &span, value, excess, NULL);
  }
}

/* Returns whether more frames are beyond the limit than may be. A place of missing frames may have none. */
static gboolean
judge_breaks_limit (const JudgedRule *judged, const JudgedFilm *film)
{
  return judge_has_too_many (judged, film) || (judged->places.n_places > 0 && judged->places.frames == 0);
}

void
judge_field_finish (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  const FieldDescription *field = judged->rule->field;
  const gboolean is_of_pair = field->condition != NULL && strstr (field->condition, "previous") != NULL;

  judge_take_missing_end (judged, film);
  places_end (&judged->places);
  if (judge_breaks_limit (judged, film)) {
    verdict->outcome = VERDICT_FAIL;
    return;
  }
  if (is_of_pair && film->frames < 2) {
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE, g_strdup ("the film has one frame"));
    return;
  }
  if (judge_is_of_damage (judged->rule) && judge_knows_events (film, "damaged")) {
    judged->measured = judged->frames;
    judged->value = isnan (judged->value) ? 0 : judged->value;
  }
  if (field->condition != NULL && judged->measured > 0 && !judged->lacks_luma)
    judged->measured = judged->frames; /* some frames have nothing to be compared with */
  judge_pass (judged, film, verdict, field->name, judge_find_statistic (judged));
}
