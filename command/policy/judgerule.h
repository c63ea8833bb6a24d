/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state of a rule while the lines are read, and its subjects. judge.c calls these functions. */

#pragma once

#include "formats/eventlist.h"
#include "play/declaration.h"
#include "policy/measured.h"

/* Frames with the same active picture. */
typedef struct {
  guint rectangle[4];
  PlacesSpan span;
} JudgedRectangle;

typedef struct {
  const Rule *rule;
  Places places;
  const gchar *obstacle; /* why it does not apply to the first such result; NULL: it applies to all */
  guint64 frames;        /* to which it applies */
  guint64 measured;      /* with the number that it needs */
  gboolean lacks_luma;   /* R, G and B without luma */

  gdouble value, excess; /* the worst value, and how far it is beyond the limit */
  gdouble min, max;      /* in the depth of the first result */

  /* for RULE_SUBJECT_CONSTANT */
  GArray *rectangles;   /* JudgedRectangle */
  guint64 with_picture; /* frames that are not black */
  VerdictPicture usual;

  /* for RULE_SUBJECT_DECLARED */
  GstClockTime last_start; /* of the last result, in stream time; NONE: unknown */
  GHashTable *steps;       /* number of steps between frames, by their rounded length in ms; NULL: none */
  guint64 n_steps;
  guint depth;             /* of the first result */
  guint64 beyond, samples; /* samples of luma beyond limited range, and all */
  guint64 mask;            /* bits in use */
  guint64 damaged;
  PlacesSpan greatest; /* the result with the greatest value */
} JudgedRule;

typedef struct {
  const EventRun *run;
  const Declaration *declaration; /* NULL: unknown */
  const Detected *detected;       /* events; NULL: unknown */
  guint64 frames;                 /* frames or fields */
  guint64 damaged, missing;       /* frames, of damage events */
  gboolean is_sample;             /* some frames have no result */
  gboolean is_partial;            /* the results end early */
} JudgedFilm;

/* Take a result to which the rule applies. */
void judge_field_take (JudgedRule *judged, const Measured *measured);
void judge_constant_take (JudgedRule *judged, const Measured *measured);
void judge_declared_take (JudgedRule *judged, const Measured *measured);

/* Set the outcome, the reason and the values. The rule applies to some frames. */
void judge_field_finish (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict);
void judge_constant_finish (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict);
void judge_event_finish (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict);
void judge_declared_finish (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict);

/* Returns how far a value is beyond the limits: positive if it is. */
gdouble judge_measure_excess (gdouble value, gdouble min, gdouble max);

/* Notes the value if it is the worst one so far. */
void judge_note_value (JudgedRule *judged, gdouble value, gdouble excess);

/* Returns whether more frames are beyond the limit than may be. */
gboolean judge_has_too_many (const JudgedRule *judged, const JudgedFilm *film);

/* Sets NOT_MEASURED if frames lack a number of `statistic`, or if runs of a sample are too short; otherwise PASS. */
void judge_pass (const JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict, const gchar *number,
                 const gchar *statistic);

/* Sets an outcome without a value, and takes the reason. */
void judge_set_reason (RuleVerdict *verdict, VerdictOutcome outcome, gchar *reason);

/* Returns whether events of this kind were detected, of any duration. */
gboolean judge_knows_events (const JudgedFilm *film, const gchar *kind);

/* Returns whether the rule is on damaged or missing frames. */
gboolean judge_is_of_damage (const Rule *rule);
