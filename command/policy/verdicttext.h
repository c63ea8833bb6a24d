/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A verdict as text for people: a line for each rule, the places of those that fail, and the verdict in the last line. */

#pragma once

#include "policy/verdict.h"

void verdict_text_append (GString *text, const Verdict *verdict);

/* Return what other writers share. Free with g_free().
 *
 *   rules    "2 of 5 rules fail, 1 warning"
 *   rule     "0.02 (limit 0.01): 312 frames in 3 places", or the rule's reason
 *   value    "0.02 nits"; "": there is none
 *   limit    "at most 0.01 nits, except for less than 2 s"; "": unknown
 *   place    "00:00:12:03  frames 303-612  0.02  Y" */
gchar *verdict_text_count_rules (const Verdict *verdict);
gchar *verdict_text_describe_rule (const RuleVerdict *rule);
gchar *verdict_text_describe_value (const RuleVerdict *rule);
gchar *verdict_text_describe_limit (const RuleVerdict *rule);
gchar *verdict_text_describe_place (const RuleVerdict *rule, const VerdictPlace *place);

/* Returns the names of the sides: "left", "top", "right", "bottom". Free with g_strfreev(). */
gchar **verdict_text_list_sides (VerdictSides sides);

/* Returns a sentence for each way in which the lines are not those of each frame of the film. Free with g_strfreev(). */
gchar **verdict_text_list_notes (const Verdict *verdict);

/* Returns whether this place is the longest of several. */
gboolean verdict_text_is_longest (const RuleVerdict *rule, const VerdictPlace *place);

/* Returns whether the rule has a sentence; otherwise its name is in the place of one. */
gboolean verdict_text_has_about (const Rule *rule);
