/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers over time, a row a result, in memory that does not grow without end: where there are too many rows, each two become
 * one, and from then on a row is of twice as many results. */

#ifndef CUDAHISTO_SERIES_H
#define CUDAHISTO_SERIES_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _Series Series;

/* What a row of several results has. NaN, where a result has no such number, is passed over. */
typedef enum {
  SERIES_FIRST,    /* the first result's */
  SERIES_LAST,     /* the last one's */
  SERIES_LEAST,    /* the least */
  SERIES_GREATEST, /* the greatest */
  SERIES_MEAN      /* their mean, each with its weight */
} SeriesRule;

Series *series_new (void);
void series_free (Series *series);

/* Adds a column, NaN so far, and returns its index, from 0. */
guint series_add_column (Series *series, SeriesRule rule);

/* Begins the next result; `weight` is more than 0. Then its numbers, each at most once; those that are not set are NaN. */
void series_begin (Series *series, gdouble weight);
void series_set (Series *series, guint column, gdouble value);

guint series_count_rows (const Series *series);
/* Results in a row, a power of two; the last row may have fewer. */
guint64 series_get_step (const Series *series);
/* The numbers of a column, one a row; valid until the next call that changes the series. */
const gdouble *series_get_column (const Series *series, guint column);

/* Makes each two rows one, so that a row is of twice as many results. */
void series_halve (Series *series);

G_END_DECLS

#endif
