/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Projections and weights: refusals, and copies. */

#include <string.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

TEST (weights_are_checked)
{
  static const int16_t numbers[16] = { 3, -1, 4, -1, 5, -9, 2, -6, 5, -3, 5, -8, 9, -7, 9, INT16_MIN };
  const struct histo_weights ones = { 0 }, none = { numbers, 0, numbers, 0 }, few = { numbers, 16, numbers, 4 };
  struct histo_frame frame = good_frame ();
  histo_ticket ticket;

  ck_assert_int_eq (histo_set_weights (NULL, 0, &ones), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_set_weights (engine, 0, NULL), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_set_weights (engine, HISTO_MAX_COUNTED, &ones), HISTO_ERROR_INVALID);

  /* Luma is 16 x 4: this number of weights is the minimum. */
  frame.statistics |= HISTO_STATISTIC_PROJECTION;
  ck_assert_int_eq (histo_set_weights (engine, 0, &few), HISTO_OK);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  for (unsigned i = 0; i < 2; i++) {
    const struct histo_weights narrow = { i == 0 ? numbers : NULL, 15, i == 1 ? numbers : NULL, 3 };

    ck_assert_int_eq (histo_set_weights (engine, 0, &narrow), HISTO_OK);
    assert_refused (&frame, HISTO_ERROR_INVALID, "too few weights");
  }
  /* Another component's weights do not matter, and none matter to a frame that is not projected. */
  ck_assert_int_eq (histo_set_weights (engine, 0, &few), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 3, &none), HISTO_OK);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 1, &none), HISTO_OK);
  assert_refused (&frame, HISTO_ERROR_INVALID, "no weights");
  frame.statistics &= ~(uint32_t)HISTO_STATISTIC_PROJECTION;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].rows, 0);
  ck_assert_uint_eq (stats.components[0].columns, 0);
  ck_assert_ptr_null (stats.components[0].row_sums);
  ck_assert_ptr_null (stats.components[0].column_sums);

  /* Not while a frame is in flight. */
  ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 1, &ones), HISTO_ERROR_BUSY);
  ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 1, &ones), HISTO_OK);
  frame.statistics |= HISTO_STATISTIC_PROJECTION;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
}

/* 3 x 2 samples: 1 2 3 / 10 20 30. */
TEST (weights_are_applied_and_copied)
{
  static const uint8_t samples[] = { 1, 2, 3, 10, 20, 30 };
  int16_t row[3] = { 1, -2, INT16_MIN }, column[2] = { INT16_MAX, -1 };
  const struct histo_frame frame = {
    .plane_count = 1,
    .component_count = 1,
    .planes = { { samples, 3, 2 } },
    .components = { { .step_bytes = 1, .width = 3, .sample_bytes = 1, .depth = 8 } },
    .statistics = HISTO_STATISTIC_PROJECTION,
  };
  const struct histo_component_stats *numbers;

  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  numbers = &stats.components[0];
  ck_assert_uint_eq (numbers->rows, 2);
  ck_assert_uint_eq (numbers->columns, 3);
  ck_assert_int_eq (numbers->row_sums[0], 6);
  ck_assert_int_eq (numbers->row_sums[1], 60);
  ck_assert_int_eq (numbers->column_sums[0], 11);
  ck_assert_int_eq (numbers->column_sums[2], 33);

  ck_assert_int_eq (histo_set_weights (engine, 0, &(struct histo_weights){ row, 3, column, 2 }), HISTO_OK);
  memset (row, 0, sizeof row);
  memset (column, 0, sizeof column);
  for (unsigned repeat = 0; repeat < 2; repeat++) {
    ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
    numbers = &stats.components[0];
    ck_assert_int_eq (numbers->row_sums[0], 1 - 4 - 3 * 32768);
    ck_assert_int_eq (numbers->row_sums[1], 10 - 40 - 30 * 32768);
    ck_assert_int_eq (numbers->column_sums[0], 32767 - 10);
    ck_assert_int_eq (numbers->column_sums[1], 2 * 32767 - 20);
    ck_assert_int_eq (numbers->column_sums[2], 3 * 32767 - 30);
    ck_assert_uint_eq (numbers->sum, 66);
  }
}

TEST (empty_components_have_no_projections)
{
  static const int16_t weight = 7;
  struct histo_frame frame = good_frame ();

  frame.statistics |= HISTO_STATISTIC_PROJECTION;
  frame.components[1].width = 0;
  frame.planes[0] = (struct histo_plane){ NULL, 0, 0 };
  /* Weights for a frame of 1 x 0 samples only. */
  ck_assert_int_eq (histo_set_weights (engine, 0, &(struct histo_weights){ &weight, 1, &weight, 0 }), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 1, &(struct histo_weights){ &weight, 0, &weight, 1 }), HISTO_OK);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  for (unsigned c = 0; c < 2; c++) {
    ck_assert_uint_eq (stats.components[c].rows, 0);
    ck_assert_uint_eq (stats.components[c].columns, 0);
    ck_assert_ptr_null (stats.components[c].row_sums);
    ck_assert_ptr_null (stats.components[c].column_sums);
  }
  ck_assert_uint_eq (stats.components[2].rows, 2);
  ck_assert_uint_eq (stats.components[2].columns, 8);
}
