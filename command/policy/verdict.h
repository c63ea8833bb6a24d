/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The verdict on a film: what each rule of a policy found. */

#pragma once

#include "policy/policy.h"

typedef enum {
  VERDICT_PASS,
  VERDICT_FAIL,
  VERDICT_NOT_APPLICABLE, /* the rule is not for such a film; `reason` says why */
  VERDICT_NOT_MEASURED    /* the lines lack what the rule needs; `reason` says what to measure */
} VerdictOutcome;

/* Sides of a picture. */
typedef enum { VERDICT_LEFT = 1 << 0, VERDICT_TOP = 1 << 1, VERDICT_RIGHT = 1 << 2, VERDICT_BOTTOM = 1 << 3 } VerdictSides;

/* An active picture: x, y, width, height. All zeros: none. */
typedef struct {
  guint rectangle[4];
  VerdictSides sides; /* where it extends beyond the usual one */
} VerdictPicture;

/* Adjacent frames that break a rule, or an event. */
typedef struct {
  guint64 frame, frames;             /* G_MAXUINT64, 0: unknown */
  GstClockTime start, end;           /* stream time, in ns; GST_CLOCK_TIME_NONE: unknown */
  GstClockTime elapsed, elapsed_end; /* the same from the film's first frame */
  gchar *timecode;                   /* of `start`; NULL: unknown */
  gdouble value;                     /* the worst one; NaN: it has none */
  gchar *component;                  /* NULL: of the picture */
  VerdictPicture picture;            /* RULE_SUBJECT_CONSTANT */
} VerdictPlace;

typedef struct {
  const Rule *rule;
  VerdictOutcome outcome;
  gchar *reason;         /* NULL: none is needed */
  gdouble value;         /* the worst value of the film; NaN: there is none */
  gdouble min, max;      /* the limits in the film's own depth */
  gdouble declared;      /* by the file; NaN: nothing, or a word */
  const gchar *word;     /* that the file declares: "limited"; NULL: none */
  guint64 frames;        /* frames beyond the limit */
  guint64 n_places;      /* all of them; `places` has the first VERDICT_MOST_PLACES */
  GPtrArray *places;     /* VerdictPlace, in order of time */
  VerdictPlace *longest; /* a copy of one of them all; NULL: none */
  VerdictPicture usual;  /* RULE_SUBJECT_CONSTANT: the active picture of most frames */
} RuleVerdict;

#define VERDICT_MOST_PLACES 100

typedef struct {
  gchar *film; /* name, without control characters */
  const Policy *policy;
  gboolean has_timecodes;     /* the film has its own; others count frames from its beginning */
  gboolean is_sample;         /* the lines do not have all frames */
  gchar *finding;             /* a sentence: the film is damaged, or was not measured to its end, or at all; NULL: none */
  gboolean is_finding_judged; /* by a rule on damage; otherwise the film does not pass */
  guint64 frames;             /* measured */
  guint64 frames_per_result;  /* the most; if it is more than 1, values are not those of each frame */
  GPtrArray *rules;           /* RuleVerdict, in the policy's order */
} Verdict;

/* Returns the verdict on a film that cannot be judged: no rule is measured. `finding`: the reason. */
Verdict *verdict_new_failed (const gchar *film, const Policy *policy, const gchar *finding);
void verdict_free (Verdict *verdict);

VerdictPlace *verdict_place_copy (const VerdictPlace *place);
void verdict_place_free (gpointer place);
void rule_verdict_free (gpointer rule);

/* FAIL if a rule of severity error fails; otherwise NOT_MEASURED if one was not measured, or if no rule judges the finding;
 * otherwise NOT_APPLICABLE if no rule applies; otherwise PASS. */
VerdictOutcome verdict_get_outcome (const Verdict *verdict);

/* "pass", "fail", "not applicable", "not measured". */
const gchar *verdict_outcome_get_name (VerdictOutcome outcome);
