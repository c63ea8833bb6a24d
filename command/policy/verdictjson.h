/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Verdicts as JSON: an array with an object for each film. */

#pragma once

#include "policy/verdict.h"

void verdict_json_begin (GString *json);
void verdict_json_append (GString *json, const Verdict *verdict, gboolean is_first);
void verdict_json_end (GString *json);

/* Returns the object of one film, for the page of a report. It also has the values as text. Free with g_free(). */
gchar *verdict_json_make_for_page (const Verdict *verdict);
