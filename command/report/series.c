/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/series.h"

#include <math.h>

#define MAX_ROWS (256 * 1024)
#define MIN_ROWS (4 * 1024)
#define MAX_BYTES (256 * 1024 * 1024) /* of all columns */

typedef struct {
  SeriesRule rule;
  gdouble *values;
  gdouble *weights; /* weights of the values of a mean; otherwise NULL */
} Column;

struct _Series {
  GArray *columns; /* Column */
  guint n_means;   /* columns with SERIES_MEAN */
  gdouble weight;  /* of the current result */
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
  for (guint i = 0; i < series->columns->len; i++) {
    g_free (g_array_index (series->columns, Column, i).values);
    g_free (g_array_index (series->columns, Column, i).weights);
  }
  g_array_unref (series->columns);
  g_free (series);
}

static void
column_allocate (Column *column, guint n_rows)
{
  column->values = g_renew (gdouble, column->values, n_rows);
  if (column->rule == SERIES_MEAN)
    column->weights = g_renew (gdouble, column->weights, n_rows);
}

static void
column_clear (Column *column, guint row)
{
  column->values[row] = NAN;
  if (column->weights != NULL)
    column->weights[row] = 0;
}

guint
series_add_column (Series *series, SeriesRule rule)
{
  Column column = { .rule = rule };

  column_allocate (&column, series->n_allocated);
  for (guint row = 0; row < series->n_rows; row++)
    column_clear (&column, row);
  g_array_append_val (series->columns, column);
  series->n_means += rule == SERIES_MEAN;
  return series->columns->len - 1;
}

/* Merges a number into a row's value. */
static void
column_join (Column *column, guint row, gdouble other, gdouble other_weight)
{
  gdouble *value = &column->values[row], weight;

  if (isnan (other))
    return;
  switch (column->rule) {
  case SERIES_FIRST:
    *value = isnan (*value) ? other : *value;
    break;
  case SERIES_LAST:
    *value = other;
    break;
  case SERIES_LEAST:
    *value = fmin (*value, other);
    break;
  case SERIES_GREATEST:
    *value = fmax (*value, other);
    break;
  case SERIES_MEAN:
    weight = column->weights[row];
    *value = isnan (*value) ? other : (*value * weight + other * other_weight) / (weight + other_weight);
    column->weights[row] = weight + other_weight;
    break;
  }
}

void
series_halve (Series *series)
{
  const guint n_rows = series->n_rows / 2 + series->n_rows % 2;

  for (guint i = 0; i < series->columns->len; i++) {
    Column *column = &g_array_index (series->columns, Column, i);

    for (guint row = 0; row < n_rows; row++) {
      const guint first = 2 * row, second = first + 1;

      column->values[row] = column->values[first];
      if (column->weights != NULL)
        column->weights[row] = column->weights[first];
      if (second < series->n_rows)
        column_join (column, row, column->values[second], column->weights != NULL ? column->weights[second] : 0);
    }
  }
  if (series->n_rows % 2 == 0 && series->n_rows > 0)
    series->in_last += series->step;
  series->n_rows = n_rows;
  series->step *= 2;
}

static guint
series_get_most_rows (const Series *series)
{
  const gsize rows = MAX_BYTES / sizeof (gdouble) / MAX (1, series->columns->len + series->n_means);

  return (guint)CLAMP (rows, MIN_ROWS, MAX_ROWS);
}

static void
series_grow (Series *series)
{
  series->n_allocated = MAX (1024, 2 * series->n_allocated);
  for (guint i = 0; i < series->columns->len; i++)
    column_allocate (&g_array_index (series->columns, Column, i), series->n_allocated);
}

/* Returns the row of the next result: the last row if it is not full, or a new one. */
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
  for (guint i = 0; i < series->columns->len; i++)
    column_clear (&g_array_index (series->columns, Column, i), series->n_rows);
  series->n_rows++;
  series->in_last = 1;
}

void
series_begin (Series *series, gdouble weight)
{
  series_find_row (series);
  series->weight = weight;
}

void
series_set (Series *series, guint column, gdouble value)
{
  column_join (&g_array_index (series->columns, Column, column), series->n_rows - 1, value, series->weight);
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
