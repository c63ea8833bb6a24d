/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Differences from the operand: alone, with the dot product, and with all other statistics. */

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

/* The differences, without the dot product. */
#define DIFFERENCE HISTO_STATISTIC_DIFFERENCE

static void
check_difference (struct test_frame *frame, const struct histo_frame *operand, uint32_t statistics)
{
  static struct test_count expected;

  frame->frame.operand = operand;
  frame->frame.statistics = statistics;
  test_frame_count (&frame->frame, &expected);
  assert_all_count (frame, &expected.stats);
  test_count_clear (&expected);
}

TEST (every_layout_and_its_operand)
{
  struct test_random random = test_random_start (230);

  for (unsigned l = 0; l < test_layout_count; l++)
    for (unsigned s = 0; s < SIZE_COUNT; s++) {
      struct test_geometry geometry;
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

      if (is_omitted (l, s))
        continue;
      geometry = test_geometry_random (sizes[s][0], sizes[s][1], &random);
      test_frame_init (&frame, &test_layouts[l], &geometry, choose_fill (&random), &random);
      init_operand (&operand, &frame, &random);
      check_difference (&frame, &operand.frame,
                        DIFFERENCE | (s % 3 == 0 ? HISTO_STATISTIC_DOT : 0) | (s % 5 == 0 ? HISTO_STATISTIC_PROJECTION : 0));
    }
}

TEST (every_address_of_a_frame_and_its_operand)
{
  struct test_random random = test_random_start (231);

  for (unsigned offset = 0; offset < 16; offset++)
    for (unsigned operand_offset = 0; operand_offset < 16; operand_offset++) {
      const size_t size = 1 + test_random_below (&random, 200);
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

      test_frame_init_bytes (&frame, size, offset, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
      test_frame_init_bytes (&operand, size, operand_offset, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
      check_difference (&frame, &operand.frame, DIFFERENCE);
    }
}

/* Before an unreadable page, and after one. */
TEST (every_length_of_a_frame_and_its_operand)
{
  struct test_random random = test_random_start (232);

  for (size_t size = 1; size <= 600; size++) {
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

    test_frame_init_bytes (&frame, size, 0, TEST_GUARD_END, (enum test_fill) (size % TEST_FILL_COUNT), &random);
    test_frame_init_bytes (&operand, size, 0, size % 2 == 0 ? TEST_GUARD_END : TEST_GUARD_START, TEST_FILL_RANDOM, &random);
    check_difference (&frame, &operand.frame, DIFFERENCE);
  }
}

/* The largest sums: each sample at the maximum distance from the other, in either direction. */
TEST (farthest_samples)
{
  static const char *const names[]
      = { "GRAY8", "NV12", "RGB", "YUY2", "GRAY16_LE", "GRAY16_BE", "P010_10LE", "RGBA64_LE", "RGB48", "P016_BE" };
  struct test_random random = test_random_start (233);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
    for (unsigned way = 0; way < 2; way++) {
      const struct test_geometry geometry = { .width = 2000, .height = 60, .extra_stride_bytes = n % 3 };
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

      test_frame_init (&frame, test_layout_find (names[n]), &geometry, way == 0 ? TEST_FILL_ZERO : TEST_FILL_MAX, &random);
      test_frame_init (&operand, frame.layout, &geometry, way == 0 ? TEST_FILL_MAX : TEST_FILL_ZERO, &random);
      check_difference (&frame, &operand.frame, DIFFERENCE | (n % 2 == 0 ? HISTO_STATISTIC_DOT : 0));
    }
}

/* A frame's differences from itself, with and without an id. */
TEST (a_frame_and_its_copy)
{
  static const char *const names[] = { "I420", "NV12", "YUY2", "P010_10LE" };
  struct test_random random = test_random_start (234);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
    for (unsigned with_id = 0; with_id < 2; with_id++) {
      const struct test_geometry geometry = test_geometry_random (101, 9, &random);
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
      struct histo_frame itself;

      test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
      frame.frame.id = with_id ? 77 + n : 0;
      itself = frame.frame;
      /* The operand's own operand, statistics and chroma are ignored. */
      itself.operand = (const struct histo_frame *)(uintptr_t)16;
      itself.statistics = UINT32_MAX;
      itself.chroma = (struct histo_chroma){ 9, 9, 9, 9 };
      frame.frame.operand = &itself;
      frame.frame.statistics = DIFFERENCE;
      for (unsigned v = 0; v < all.count; v++) {
        ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
        for (unsigned c = 0; c < stats.component_count; c++) {
          ck_assert_uint_eq (stats.components[c].absolute_difference, 0);
          ck_assert_uint_eq (stats.components[c].squared_difference, 0);
          ck_assert_uint_eq (stats.components[c].difference_count, stats.components[c].count);
          ck_assert_uint_eq (stats.components[c].dot, 0);
          ck_assert_uint_eq (stats.components[c].dot_count, 0);
        }
      }
    }
}

/* Without an operand there is no difference. With an operand and no request there is none either. */
TEST (no_operand_and_no_request)
{
  struct test_random random = test_random_start (235);

  for (unsigned i = 0; i < 3; i++) {
    const struct test_geometry geometry = test_geometry_random (33, 5, &random);
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

    test_frame_init (&frame, test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, &random);
    init_operand (&operand, &frame, &random);
    check_difference (&frame, i > 0 ? &operand.frame : NULL,
                      i == 0   ? DIFFERENCE | HISTO_STATISTIC_DOT
                      : i == 1 ? 0
                               : HISTO_STATISTIC_OUTLIERS);
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
      ck_assert_uint_eq (stats.components[0].absolute_difference | stats.components[0].difference_count, 0);
      ck_assert_uint_eq (stats.components[0].dot | stats.components[0].dot_count, 0);
    }
  }
}

/* The squares of the differences follow from the other sums. */
TEST (squares_follow_from_the_dot_product)
{
  static const char *const names[] = { "GRAY8", "UYVY", "I420_10LE", "GRAY16_LE", "RGBA" };
  TEST_AT_END (histo_stats_clear) struct histo_stats operand_stats = { 0 };
  struct test_random random = test_random_start (236);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    const struct test_geometry geometry = test_geometry_random (301, 23, &random);
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

    test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
    init_operand (&operand, &frame, &random);
    frame.frame.operand = &operand.frame;
    frame.frame.statistics = DIFFERENCE | HISTO_STATISTIC_DOT;
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
      ck_assert_int_eq (test_engine_count (all.engines[v], &operand.frame, &operand_stats), HISTO_OK);
      for (unsigned c = 0; c < stats.component_count; c++) {
        const struct histo_component_stats *x = &stats.components[c], *y = &operand_stats.components[c];

        ck_assert_uint_eq (x->squared_difference, x->sum_of_squares + y->sum_of_squares - 2 * x->dot);
        ck_assert_uint_ge (x->absolute_difference, x->sum > y->sum ? x->sum - y->sum : y->sum - x->sum);
        ck_assert_uint_eq (x->difference_count, x->count);
      }
    }
  }
}

/* Each frame differs from the previous one, in flight together, with and without ids. Every third has no operand, and the
 * requested statistics change. */
TEST (differences_in_flight)
{
  enum { FRAMES = 18, IN_FLIGHT = 5 };
  static const uint32_t asked[] = { DIFFERENCE, DIFFERENCE | HISTO_STATISTIC_DOT, HISTO_STATISTIC_DOT, 0 };
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES];
  struct test_random random = test_random_start (237);

  for (unsigned with_ids = 0; with_ids < 2; with_ids++) {
    open_all (IN_FLIGHT);
    for (unsigned f = 0; f < FRAMES; f++) {
      struct test_geometry geometry = test_geometry_random (77, 13, &random);

      geometry.left = geometry.top = 0;
      test_frame_init (&frames[f], test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, &random);
      frames[f].frame.id = with_ids ? 100 + f : 0;
      frames[f].frame.operand = f % 3 > 0 ? &frames[f - 1].frame : NULL;
      frames[f].frame.statistics = asked[f % 4];
      test_frame_count (&frames[f].frame, &expected[f]);
    }
    assert_in_flight (frames, NULL, expected, FRAMES, IN_FLIGHT);
    for (unsigned f = 0; f < FRAMES; f++)
      test_frame_clear (&frames[f]);
  }
}
