/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Judges a film by a policy, line by line. Memory grows only with the number of places, not with the film's length. */

#pragma once

#include "play/declaration.h"
#include "policy/detected.h"
#include "policy/verdict.h"

typedef struct _Judge Judge;

typedef enum { JUDGE_ERROR_NO_RESULTS, JUDGE_ERROR_RUNS } JudgeError;

#define JUDGE_ERROR (judge_error_quark ())
GQuark judge_error_quark (void);

/* The policy must outlive the judge and its verdict. `run`: judges this run of a file with several, from 1; 0: the only one. */
Judge *judge_new (const Policy *policy, guint run);
void judge_free (Judge *judge);

/* States the events that were detected. Without it, a kind counts as detected if the lines have one of its events, and its
 * minimum duration is at most that of the shortest of them. A rule that needs other events is not measured. */
void judge_set_detected (Judge *judge, const Detected *detected);

/* Take a line. `components`: names of the result's components, NULL-terminated. */
void judge_take_result (Judge *judge, const GstStructure *result, const gchar *const *components);
void judge_take_event (Judge *judge, const GstStructure *event);

/* The lines end early: results are missing. */
void judge_set_cut (Judge *judge);

/* The measurement found that the film is damaged or lacks pictures. `finding`: a sentence. */
void judge_set_finding (Judge *judge, const gchar *finding);

/* Call it once, after the last line. `declaration`: of the film; NULL: only its lines are at hand. Returns the verdict, which
 * the caller frees. NULL: the lines have no results, several runs, or not this run; `error` names `film`. */
Verdict *judge_finish (Judge *judge, const gchar *film, const Declaration *declaration, GError **error);
