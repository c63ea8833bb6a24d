/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/judgerule.h"

#include <math.h>
#include <string.h>

gdouble
judge_measure_excess (gdouble value, gdouble min, gdouble max)
{
  gdouble excess = -INFINITY;

  if (max < INFINITY)
    excess = value - max;
  if (min > -INFINITY)
    excess = MAX (excess, min - value);
  return excess;
}

void
judge_note_value (JudgedRule *judged, gdouble value, gdouble excess)
{
  if (!isnan (judged->value) && excess <= judged->excess)
    return;
  judged->value = value;
  judged->excess = excess;
}

gboolean
judge_has_too_many (const JudgedRule *judged, const JudgedFilm *film)
{
  const gdouble most = judged->rule->share * (gdouble)film->frames;

  return judged->places.n_places > 0 && (gdouble)judged->places.frames > most * (1 + 1e-12);
}

void
judge_set_reason (RuleVerdict *verdict, VerdictOutcome outcome, gchar *reason)
{
  verdict->outcome = outcome;
  g_free (verdict->reason);
  verdict->reason = reason;
}

/* "no result has Y: measure with --statistics=X". */
static gchar *
judge_explain_lack (const JudgedRule *judged, const gchar *number, const gchar *statistic)
{
  g_autoptr (GString) reason = g_string_new (NULL);

  if (judged->lacks_luma)
    g_string_append (reason, "luma of R, G and B is missing");
  else if (judged->measured == 0)
    g_string_append_printf (reason, "no result has %s", number);
  else
    g_string_append_printf (reason, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " frames lack %s",
                            judged->frames - judged->measured, judged->frames, number);
  if (statistic != NULL)
    g_string_append_printf (reason, ": measure with --statistics=%s", statistic);
  return g_string_free (g_steal_pointer (&reason), FALSE);
}

void
judge_pass (const JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict, const gchar *number, const gchar *statistic)
{
  if (judged->measured < judged->frames)
    judge_set_reason (verdict, VERDICT_NOT_MEASURED, judge_explain_lack (judged, number, statistic));
  else if (judged->places.n_short > 0 && film->is_sample)
    judge_set_reason (verdict, VERDICT_NOT_MEASURED, g_strdup ("the lines do not have all frames: durations are unknown"));
  else
    verdict->outcome = VERDICT_PASS;
}

gboolean
judge_knows_events (const JudgedFilm *film, const gchar *kind)
{
  GstClockTime minimum;

  if (film->detected != NULL && detected_find (film->detected, kind, &minimum))
    return TRUE;
  for (guint i = 0; i < film->run->events->len; i++)
    if (strcmp (((const Event *)g_ptr_array_index (film->run->events, i))->kind, kind) == 0)
      return TRUE;
  return FALSE;
}

gboolean
judge_is_of_damage (const Rule *rule)
{
  switch (rule->subject) {
  case RULE_SUBJECT_FIELD:
    return rule->field->id == FIELD_ID_DAMAGED || rule->field->id == FIELD_ID_MISSING;
  case RULE_SUBJECT_EVENT:
    return g_str_equal (rule->event, "damaged");
  case RULE_SUBJECT_DECLARED:
    return rule->declared == DECLARED_DAMAGE;
  default:
    return FALSE;
  }
}
