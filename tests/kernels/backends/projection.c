/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Row and column sums, with weights and without. */

#include <stdlib.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

struct vectors {
  struct histo_weights weights[HISTO_MAX_COUNTED];
  int16_t *numbers;
};

/* Weights of `rows` rows and `columns` columns: ones, the extremes, or anything. */
static void
make_vectors (struct vectors *vectors, uint64_t columns, uint64_t rows, struct test_random *random)
{
  const uint64_t numbers = HISTO_MAX_COUNTED * (columns + rows);
  int16_t *next;

  next = vectors->numbers = malloc (numbers * sizeof *next);
  ck_assert_ptr_nonnull (next);
  for (unsigned c = 0; c < HISTO_MAX_COUNTED; c++) {
    const uint64_t kind = test_random_below (random, 4);

    for (uint64_t i = 0; i < columns + rows; i++)
      next[i] = kind == 0                         ? INT16_MIN
                : kind == 1                       ? INT16_MAX
                : test_random_once_in (random, 9) ? (test_random_once_in (random, 2) ? INT16_MIN : INT16_MAX)
                                                  : (int16_t)test_random_next (random);
    vectors->weights[c] = (struct histo_weights){ next, columns, next + columns, rows };
    next += columns + rows;
    if (test_random_once_in (random, 4))
      vectors->weights[c].row = NULL;
    if (test_random_once_in (random, 4))
      vectors->weights[c].column = NULL;
  }
}

static void
check_projection (const struct test_layout *layout, const struct test_geometry *geometry, enum test_fill fill,
                  bool with_weights, struct test_random *random)
{
  const struct histo_weights ones = { 0 };
  static struct test_count expected;
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
  struct vectors vectors = { 0 };

  test_frame_init (&frame, layout, geometry, fill, random);
  frame.frame.statistics |= HISTO_STATISTIC_PROJECTION;
  if (test_random_once_in (random, 3)) {
    init_operand (&operand, &frame, random);
    frame.frame.operand = &operand.frame;
  }
  test_frame_count (&frame.frame, &expected);
  if (with_weights) {
    make_vectors (&vectors, (uint64_t)geometry->width + 4, (uint64_t)geometry->height + 4, random);
    test_frame_project (&frame.frame, vectors.weights, &expected);
  }
  for (unsigned v = 0; v < all.count; v++) {
    for (unsigned c = 0; c < HISTO_MAX_COUNTED; c++)
      ck_assert_int_eq (histo_set_weights (all.engines[v], c, with_weights ? &vectors.weights[c] : &ones), HISTO_OK);
    assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats);
  }
  free (vectors.numbers);
  test_count_clear (&expected);
}

TEST (every_layout_projected)
{
  struct test_random random = test_random_start (120);

  for (unsigned l = 0; l < test_layout_count; l++) {
    for (unsigned s = 0; s < SIZE_COUNT; s++) {
      struct test_geometry geometry;

      if (is_omitted (l, s))
        continue;
      geometry = test_geometry_random (sizes[s][0], sizes[s][1], &random);
      check_projection (&test_layouts[l], &geometry, choose_fill (&random), s % 3 != 0, &random);
    }
  }
}

/* Pictures wider and higher than the part that a worker or a block counts at once. */
TEST_TAGGED (large_frames_projected, "large")
{
  static const struct {
    const char *layout;
    uint32_t width, height;
    enum test_fill fill;
  } cases[] = {
    { "GRAY8", 1920, 1080, TEST_FILL_MAX },         { "GRAY8", 40001, 37, TEST_FILL_RANDOM },
    { "GRAY8", 1, 5003, TEST_FILL_RANDOM },         { "GRAY8", 5, 3001, TEST_FILL_RANDOM },
    { "RGB", 4099, 301, TEST_FILL_RANDOM },         { "YUY2", 3001, 67, TEST_FILL_SKEWED },
    { "every fifth byte", 9001, 9, TEST_FILL_MAX }, { "steps 1 and 4, far offset", 6001, 19, TEST_FILL_RANDOM },
    { "GRAY16_LE", 9001, 300, TEST_FILL_MAX },      { "RGBA64_LE", 3001, 40, TEST_FILL_RANDOM },
    { "P010_10LE", 1920, 270, TEST_FILL_RANDOM },   { "14 bits every third byte", 9001, 9, TEST_FILL_RANDOM },
  };
  struct test_random random = test_random_start (121);

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct test_geometry geometry = { .width = cases[i].width, .height = cases[i].height, .extra_stride_bytes = i % 3 };
    const struct test_layout *layout = test_layout_find (cases[i].layout);

    check_projection (layout, &geometry, cases[i].fill, true, &random);
  }
}

/* Row weights from which sums of neighbours do and do not fit into 32 bits: [from, to) have `weight`, the others `rest`. */
TEST (extreme_weights)
{
  static const struct {
    unsigned from, to;
    int16_t weight, rest;
  } cases[] = {
    { 0, 1024, INT16_MIN, 0 },  { 0, 1024, INT16_MAX, 0 },   { 0, 1024, INT16_MIN + 1, 0 },    { 0, 1024, 16448, 0 },
    { 0, 1024, -16449, 0 },     { 200, 457, INT16_MAX, 0 },  { 200, 458, INT16_MAX, 0 },       { 200, 457, INT16_MIN, 0 },
    { 200, 458, INT16_MIN, 0 }, { 766, 1024, INT16_MAX, 0 }, { 0, 512, INT16_MIN, INT16_MAX },
  };
  static struct test_count expected;
  struct test_random random = test_random_start (124);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

  test_frame_init (&frame, test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 1024, .height = 3 }, TEST_FILL_MAX,
                   &random);
  frame.frame.statistics |= HISTO_STATISTIC_PROJECTION;
  test_frame_count (&frame.frame, &expected);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    int16_t numbers[1024];
    const struct histo_weights weights[HISTO_MAX_COUNTED] = { { numbers, 1024, numbers, 1024 } };

    for (unsigned k = 0; k < 1024; k++)
      numbers[k] = k >= cases[i].from && k < cases[i].to ? cases[i].weight : cases[i].rest;
    test_frame_project (&frame.frame, weights, &expected);
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (histo_set_weights (all.engines[v], 0, &weights[0]), HISTO_OK);
      assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats);
    }
  }
  test_count_clear (&expected);
}

/* The sum of all row sums is the sum of all samples, and so is the sum of all column sums. With one row, columns are the
 * samples. */
TEST (sums_of_sums)
{
  struct test_random random = test_random_start (122);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

  test_frame_init (&frame, test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 77, .height = 31 }, TEST_FILL_RANDOM,
                   &random);
  frame.frame.statistics |= HISTO_STATISTIC_PROJECTION;
  for (unsigned v = 0; v < all.count; v++) {
    uint64_t rows = 0, columns = 0;

    ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
    ck_assert_uint_eq (stats.components[0].rows, 31);
    ck_assert_uint_eq (stats.components[0].columns, 77);
    for (unsigned y = 0; y < 31; y++)
      rows += (uint64_t)stats.components[0].row_sums[y];
    for (unsigned x = 0; x < 77; x++)
      columns += (uint64_t)stats.components[0].column_sums[x];
    ck_assert_uint_eq (rows, stats.components[0].sum);
    ck_assert_uint_eq (columns, stats.components[0].sum);
  }
}

/* Frames with and without projections alternate in the same slots. */
TEST (projected_frames_in_flight)
{
  enum { FRAMES = 20, IN_FLIGHT = 3 };
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES];
  struct test_random random = test_random_start (123);

  open_all (IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 200),
                                                          1 + (uint32_t)test_random_below (&random, 60), &random);
    test_frame_init (&frames[f], &test_layouts[test_random_below (&random, test_layout_count)], &geometry, TEST_FILL_RANDOM,
                     &random);
    test_frame_ask (&frames[f].frame, HISTO_STATISTIC_PROJECTION, f % 3 != 1);
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  assert_in_flight (frames, NULL, expected, FRAMES, IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    test_count_clear (&expected[f]);
    test_frame_clear (&frames[f]);
  }
}
