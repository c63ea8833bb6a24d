/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/verdict.h"

#include <math.h>

#include "common/terminal.h"

VerdictPlace *
verdict_place_copy (const VerdictPlace *place)
{
  VerdictPlace *copy = g_new (VerdictPlace, 1);

  *copy = *place;
  copy->timecode = g_strdup (place->timecode);
  copy->component = g_strdup (place->component);
  return copy;
}

void
verdict_place_free (gpointer data)
{
  VerdictPlace *place = data;

  if (place == NULL)
    return;
  g_free (place->timecode);
  g_free (place->component);
  g_free (place);
}

void
rule_verdict_free (gpointer data)
{
  RuleVerdict *rule = data;

  g_free (rule->reason);
  g_ptr_array_unref (rule->places);
  verdict_place_free (rule->longest);
  g_free (rule);
}

static RuleVerdict *
rule_verdict_new_failed (const Rule *rule)
{
  RuleVerdict *verdict = g_new0 (RuleVerdict, 1);

  verdict->rule = rule;
  verdict->outcome = VERDICT_NOT_MEASURED;
  verdict->reason = g_strdup ("the film was not measured");
  verdict->value = verdict->declared = NAN;
  verdict->min = rule->min;
  verdict->max = rule->max;
  verdict->places = g_ptr_array_new_with_free_func (verdict_place_free);
  return verdict;
}

Verdict *
verdict_new_failed (const gchar *film, const Policy *policy, const gchar *finding)
{
  Verdict *verdict = g_new0 (Verdict, 1);

  verdict->film = terminal_clean (film);
  verdict->policy = policy;
  verdict->finding = terminal_clean (finding);
  verdict->rules = g_ptr_array_new_with_free_func (rule_verdict_free);
  for (guint i = 0; i < policy->rules->len; i++)
    g_ptr_array_add (verdict->rules, rule_verdict_new_failed (g_ptr_array_index (policy->rules, i)));
  return verdict;
}

void
verdict_free (Verdict *verdict)
{
  if (verdict == NULL)
    return;
  g_free (verdict->film);
  g_free (verdict->finding);
  g_ptr_array_unref (verdict->rules);
  g_free (verdict);
}

VerdictOutcome
verdict_get_outcome (const Verdict *verdict)
{
  const gboolean is_whole = verdict->finding == NULL || verdict->is_finding_judged;
  VerdictOutcome outcome = is_whole ? VERDICT_NOT_APPLICABLE : VERDICT_NOT_MEASURED;

  for (guint i = 0; i < verdict->rules->len; i++) {
    const RuleVerdict *rule = g_ptr_array_index (verdict->rules, i);

    if (rule->outcome == VERDICT_FAIL && rule->rule->severity == RULE_SEVERITY_ERROR)
      return VERDICT_FAIL;
    if (rule->outcome == VERDICT_NOT_MEASURED)
      outcome = VERDICT_NOT_MEASURED;
    else if (rule->outcome != VERDICT_NOT_APPLICABLE && outcome == VERDICT_NOT_APPLICABLE)
      outcome = VERDICT_PASS;
  }
  return outcome;
}

const gchar *
verdict_outcome_get_name (VerdictOutcome outcome)
{
  static const gchar *const names[] = { "pass", "fail", "not applicable", "not measured" };

  return names[outcome];
}
