/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers over time in bounded memory. Each result begins as a row. If there are too many rows, each pair is merged, and from
 * then on a row covers twice the number of results. */

#pragma once

#include <glib.h>

typedef struct _Series Series;

/* The value of a row of several results. NaN values are ignored. */
typedef enum {
  SERIES_FIRST,    /* of the first result */
  SERIES_LAST,     /* of the last result */
  SERIES_LEAST,    /* the least */
  SERIES_GREATEST, /* the greatest */
  SERIES_MEAN      /* weighted mean */
} SeriesRule;

Series *series_new (void);
void series_free (Series *series);

/* Adds a column of NaN, and returns its index, from 0. */
guint series_add_column (Series *series, SeriesRule rule);

/* series_begin() starts the next result; `weight` is positive. series_set() sets its numbers, each at most once; the others are
 * NaN. */
void series_begin (Series *series, gdouble weight);
void series_set (Series *series, guint column, gdouble value);

guint series_count_rows (const Series *series);
/* Results in a row, a power of two; the last row may have fewer. */
guint64 series_get_step (const Series *series);
/* The numbers of a column, one per row; valid until the next call that changes the series. */
const gdouble *series_get_column (const Series *series, guint column);

/* Merges each pair of rows. */
void series_halve (Series *series);
