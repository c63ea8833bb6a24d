/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "series.h"

#include <math.h>

#define MAX_ROWS (256 * 1024)
#define MIN_ROWS (4 * 1024)
#define MAX_BYTES (256 * 1024 * 1024) /* of all columns */

typedef struct {
  SeriesRule rule;
  gdouble *values;
} Column;

struct _Series {
  GArray *columns;  /* of Column */
  gdouble *weights; /* of the results in a row, one a row */
  gdouble weight;   /* of the result that was begun, not yet in `weights` */
  guint n_rows, n_allocated;
  guint64 step;
  guint64 in_last; /* results in the last row */
};

Series *
series_new (void)
{
  Series *series = g_new0 (Series, 1);

  series->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  series->step = 1;
  return series;
}

void
series_free (Series *series)
{
  if (series == NULL)
    return;
  for (guint i = 0; i < series->columns->len; i++)
    g_free (g_array_index (series->columns, Column, i).values);
  g_array_unref (series->columns);
  g_free (series->weights);
  g_free (series);
}

guint
series_add_column (Series *series, SeriesRule rule)
{
  Column column = { .rule = rule, .values = g_new (gdouble, series->n_allocated) };

  for (guint row = 0; row < series->n_rows; row++)
    column.values[row] = NAN;
  g_array_append_val (series->columns, column);
  return series->columns->len - 1;
}

/* The number of a row that had `value`, of results of `weight`, and gets `other`, of `other_weight`. */
static gdouble
series_join (SeriesRule rule, gdouble value, gdouble weight, gdouble other, gdouble other_weight)
{
  if (isnan (other))
    return value;
  if (isnan (value))
    return other;
  switch (rule) {
  case SERIES_FIRST:
    return value;
  case SERIES_LAST:
    return other;
  case SERIES_LEAST:
    return MIN (value, other);
  case SERIES_GREATEST:
    return MAX (value, other);
  case SERIES_MEAN:
    break;
  }
  return (value * weight + other * other_weight) / (weight + other_weight);
}

/* What was begun is complete. */
static void
series_end (Series *series)
{
  if (series->n_rows > 0)
    series->weights[series->n_rows - 1] += series->weight;
  series->weight = 0;
}

void
series_halve (Series *series)
{
  const guint n_rows = series->n_rows / 2 + series->n_rows % 2;

  series_end (series);
  for (guint i = 0; i < series->columns->len; i++) {
    const Column *column = &g_array_index (series->columns, Column, i);

    for (guint row = 0; row < n_rows; row++) {
      const guint first = 2 * row, second = first + 1;

      column->values[row] = column->values[first];
      if (second < series->n_rows)
        column->values[row] = series_join (column->rule, column->values[first], series->weights[first], column->values[second],
                                           series->weights[second]);
    }
  }
  for (guint row = 0; row < n_rows; row++) {
    const guint first = 2 * row, second = first + 1;

    series->weights[row] = series->weights[first] + (second < series->n_rows ? series->weights[second] : 0);
  }
  if (series->n_rows % 2 == 0 && series->n_rows > 0)
    series->in_last += series->step;
  series->n_rows = n_rows;
  series->step *= 2;
}

static guint
series_get_most_rows (const Series *series)
{
  const gsize rows = MAX_BYTES / sizeof (gdouble) / MAX (1, series->columns->len);

  return (guint)CLAMP (rows, MIN_ROWS, MAX_ROWS);
}

static void
series_grow (Series *series)
{
  series->n_allocated = MAX (1024, 2 * series->n_allocated);
  series->weights = g_renew (gdouble, series->weights, series->n_allocated);
  for (guint i = 0; i < series->columns->len; i++) {
    Column *column = &g_array_index (series->columns, Column, i);

    column->values = g_renew (gdouble, column->values, series->n_allocated);
  }
}

/* The row of the next result: the last one while it has room, or a new one. */
static void
series_find_row (Series *series)
{
  if (series->n_rows >= series_get_most_rows (series) && series->in_last == series->step)
    series_halve (series);
  if (series->n_rows > 0 && series->in_last < series->step) {
    series->in_last++;
    return;
  }
  if (series->n_rows == series->n_allocated)
    series_grow (series);
  series->weights[series->n_rows] = 0;
  for (guint i = 0; i < series->columns->len; i++)
    g_array_index (series->columns, Column, i).values[series->n_rows] = NAN;
  series->n_rows++;
  series->in_last = 1;
}

void
series_begin (Series *series, gdouble weight)
{
  series_end (series);
  series_find_row (series);
  series->weight = weight;
}

void
series_set (Series *series, guint index, gdouble value)
{
  const Column *column = &g_array_index (series->columns, Column, index);
  const guint row = series->n_rows - 1;

  column->values[row] = series_join (column->rule, column->values[row], series->weights[row], value, series->weight);
}

guint
series_count_rows (const Series *series)
{
  return series->n_rows;
}

guint64
series_get_step (const Series *series)
{
  return series->step;
}

const gdouble *
series_get_column (const Series *series, guint column)
{
  return g_array_index (series->columns, Column, column).values;
}
