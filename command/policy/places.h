/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs of frames beyond a limit: their number, the first ones, the longest, and the number of their frames. */

#pragma once

#include "policy/verdict.h"

/* The frames of a result. */
typedef struct {
  guint64 frame, frames;
  GstClockTime start;  /* stream time; GST_CLOCK_TIME_NONE: unknown */
  GstClockTime length; /* GST_CLOCK_TIME_NONE: unknown */
  VerdictPicture picture;
} PlacesSpan;

typedef struct {
  GstClockTime duration; /* shorter runs pass; those of unknown length do not */
  GPtrArray *places;     /* VerdictPlace, without time codes: the first VERDICT_MOST_PLACES */
  VerdictPlace *longest; /* NULL: none */
  GstClockTime longest_length;
  guint64 n_places, frames;
  guint64 n_short; /* shorter runs */

  VerdictPlace *open; /* the run that may continue; NULL: none */
  GstClockTime open_length;
  gdouble open_excess;
} Places;

void places_init (Places *places, GstClockTime duration);
void places_clear (Places *places);

/* Takes a result beyond the limit. `excess`: how far; the run gets the value and the component with the largest. A result that
 * does not follow directly begins another run. */
void places_take (Places *places, const PlacesSpan *span, gdouble value, gdouble excess, const gchar *component);

/* Ends the run: a result is within the limit, or there are no more. */
void places_end (Places *places);

/* Returns whether a length counts as shorter than the duration. Times are rounded, in Matroska to milliseconds. */
gboolean places_is_short (const Places *places, GstClockTime length);
