/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Judges a film by a policy, from its lines, one after another. Memory does not grow with the film's length, but for places. */

#pragma once

#include "policy/declaration.h"
#include "policy/verdict.h"

typedef struct _Judge Judge;

/* The policy must outlive the judge and its verdict. */
Judge *judge_new (const Policy *policy);
void judge_free (Judge *judge);

/* Take a line. `components`: names of the result's components, NULL-terminated. */
void judge_take_result (Judge *judge, const GstStructure *result, const gchar *const *components);
void judge_take_event (Judge *judge, const GstStructure *event);

/* Call it after the last line. `declaration`: of the film; NULL: only its lines are at hand. Returns the verdict, which the
 * caller frees. */
Verdict *judge_finish (Judge *judge, const gchar *film, const Declaration *declaration);
