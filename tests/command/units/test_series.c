/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers over time in a report: the value of a row of several results. */

#include <math.h>

#include "cases.h"
#include "report/series.h"

/* Results of weight 1, 2, 3 ..., with these numbers in every column. */
static void
fill (Series *series, const gdouble *numbers, guint n_numbers, guint n_columns)
{
  for (guint i = 0; i < n_numbers; i++) {
    series_begin (series, i + 1);
    for (guint column = 0; column < n_columns; column++)
      series_set (series, column, numbers[i]);
  }
}

static void
check_equal (gdouble number, gdouble expected)
{
  ck_assert_msg (fabs (number - expected) < 1e-12, "%g, not %g", number, expected);
}

TEST (test_rules)
{
  static const gdouble numbers[] = { 4, 8, -2, 6, 3 };
  static const gdouble rows[][3] = { { 4, -2, 3 }, { 8, 6, 3 }, { 4, -2, 3 }, { 8, 6, 3 }, { 20 / 3., 18 / 7., 3 } };
  Series *series = series_new ();

  for (SeriesRule rule = SERIES_FIRST; rule <= SERIES_MEAN; rule++)
    ck_assert_uint_eq (series_add_column (series, rule), rule);
  fill (series, numbers, G_N_ELEMENTS (numbers), G_N_ELEMENTS (rows));
  ck_assert_uint_eq (series_count_rows (series), 5);
  series_halve (series);
  ck_assert_uint_eq (series_count_rows (series), 3);
  ck_assert_uint_eq (series_get_step (series), 2);
  for (guint column = 0; column < G_N_ELEMENTS (rows); column++)
    for (guint row = 0; row < 3; row++)
      check_equal (series_get_column (series, column)[row], rows[column][row]);
  series_free (series);
}

/* A result without the number has no weight, however often rows are merged. */
TEST (test_missing_numbers)
{
  static const gdouble numbers[] = { NAN, 10, 20, NAN, NAN, NAN, 40 };
  Series *series = series_new ();
  const gdouble *means;

  series_add_column (series, SERIES_MEAN);
  series_add_column (series, SERIES_LEAST);
  fill (series, numbers, G_N_ELEMENTS (numbers), 2);
  series_halve (series);
  series_halve (series);
  means = series_get_column (series, 0);
  check_equal (means[0], (2 * 10 + 3 * 20) / 5.);
  check_equal (means[1], 40);
  check_equal (series_get_column (series, 1)[0], 10);
  fill (series, (const gdouble[]){ 20 }, 1, 2); /* the eighth result */
  ck_assert_uint_eq (series_count_rows (series), 2);
  check_equal (series_get_column (series, 0)[1], (7 * 40 + 20) / 8.);
  ck_assert_uint_eq (series_add_column (series, SERIES_MEAN), 2);
  ck_assert (isnan (series_get_column (series, 2)[1]));
  series_halve (series);
  check_equal (series_get_column (series, 0)[0], (2 * 10 + 3 * 20 + 7 * 40 + 20) / 13.);
  series_free (series);
}

TEST_MAIN
