/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Histogram and sums of one-byte samples, or of all layouts: at every size, address, length and content. */

#include <string.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

TEST (every_layout_and_size)
{
  struct test_random random = test_random_start (1);

  for (unsigned l = 0; l < test_layout_count; l++) {
    for (unsigned s = 0; s < SIZE_COUNT; s++) {
      struct test_geometry geometry;

      if (is_omitted (l, s))
        continue;
      geometry = test_geometry_random (sizes[s][0], sizes[s][1], &random);
      check_frame (&test_layouts[l], &geometry, choose_fill (&random), s % 2 == 0, &random);
    }
  }
}

TEST (every_base_address)
{
  static const char *const names[] = { "GRAY8", "NV12", "YUY2", "RGB", "xRGB", "three bytes in five" };

  check_every_base (names, sizeof names / sizeof *names, 2);
}

/* Sizes around every power of two at which a vector loop may begin or end, before an unreadable page. */
TEST (every_length_of_bytes)
{
  struct test_random random = test_random_start (4);

  for (size_t size = 1; size <= 600; size++) {
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

    test_frame_init_bytes (&frame, size, 0, TEST_GUARD_END, (enum test_fill) (size % TEST_FILL_COUNT), &random);
    test_frame_init_bytes (&operand, size, 0, size % 2 == 0 ? TEST_GUARD_END : TEST_GUARD_START, TEST_FILL_RANDOM, &random);
    frame.frame.operand = &operand.frame;
    check_counts (&frame);
  }
}

TEST (every_fill)
{
  static const char *const names[] = { "GRAY8", "I420", "YUY2", "RGB", "RGBA", "every fifth byte" };
  struct test_random random = test_random_start (5);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    for (unsigned fill = 0; fill < TEST_FILL_COUNT; fill++) {
      struct test_geometry geometry = test_geometry_random (321, 67, &random);
      check_frame (test_layout_find (names[n]), &geometry, (enum test_fill)fill, fill % 2 == 0, &random);
    }
  }
}

/* Sums beyond 32 bits, rows beyond 65535, rows of one byte, one row of 50 MB, compared with the reference. */
TEST_TAGGED (large_frames, "large")
{
  static const struct {
    const char *layout;
    uint32_t width, height;
    size_t extra_stride_bytes;
    enum test_fill fill, operand_fill;
  } cases[] = {
    { "GRAY8", 4096, 2160, 64, TEST_FILL_RANDOM, TEST_FILL_RAMP }, /* a plane of 4K */
    { "NV12", 1920, 1080, 128, TEST_FILL_ALIAS, TEST_FILL_MAX },
    { "RGB", 1281, 721, 1, TEST_FILL_SKEWED, TEST_FILL_RANDOM },
    { "YUY2", 1919, 601, 3, TEST_FILL_TWO_VALUES, TEST_FILL_RANDOM },
    { "GRAY8", 1, 200001, 2, TEST_FILL_RANDOM, TEST_FILL_RANDOM },
    { "every fifth byte", 7, 100003, 4, TEST_FILL_RANDOM, TEST_FILL_RANDOM },
    { "the same bytes twice", 5000, 100, 0, TEST_FILL_RANDOM, TEST_FILL_RANDOM },
    { "GRAY16_LE", 4096, 1500, 0, TEST_FILL_MAX, TEST_FILL_MAX },
    { "P010_10LE", 1920, 1080, 64, TEST_FILL_RANDOM, TEST_FILL_MAX },
    { "12 bits of RGBx64", 1281, 401, 3, TEST_FILL_SKEWED, TEST_FILL_RANDOM },
    { "14 bits every third byte", 100003, 7, 0, TEST_FILL_RANDOM, TEST_FILL_RANDOM },
    { "bytes", 50000001, 1, 0, TEST_FILL_MAX, TEST_FILL_COUNT }, /* COUNT: no operand */
  };
  TEST_AT_END (histo_close) struct histo_engine *reference = open_reference ();
  TEST_AT_END (histo_stats_clear) struct histo_stats expected = { 0 };
  struct test_random random = test_random_start (9);

  open_all (2);
  for (unsigned i = (unsigned)test_random_below (&random, test_stride (1)); i < sizeof cases / sizeof *cases;
       i += test_stride (1)) {
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

    if (strcmp (cases[i].layout, "bytes") == 0) {
      /* A third still has a sum beyond 32 bits. */
      test_frame_init_bytes (&frame, test_is_short ("sizes") ? cases[i].width / 50 * 17 : cases[i].width, 3, TEST_GUARD_NONE,
                             cases[i].fill, &random);
    } else {
      struct test_geometry geometry = {
        .width = cases[i].width, .height = cases[i].height, .extra_stride_bytes = cases[i].extra_stride_bytes, .base_offset = i
      };

      test_frame_init (&frame, test_layout_find (cases[i].layout), &geometry, cases[i].fill, &random);
      if (cases[i].operand_fill != TEST_FILL_COUNT) {
        geometry.base_offset = 5;
        test_frame_init (&operand, frame.layout, &geometry, cases[i].operand_fill, &random);
        frame.frame.operand = &operand.frame;
      }
    }
    ck_assert_int_eq (test_engine_count (reference, &frame.frame, &expected), HISTO_OK);
    assert_all_count (&frame, &expected);
  }
}

TEST (rows_of_any_stride_where_there_is_one)
{
  static const size_t strides[] = { 0, 1, 299, 301, SIZE_MAX };
  struct test_random random = test_random_start (12);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  static struct test_count expected;

  test_frame_init_bytes (&frame, 300, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  test_frame_count (&frame.frame, &expected);
  for (unsigned i = 0; i < sizeof strides / sizeof *strides; i++) {
    struct test_frame operand = frame;

    operand.frame.planes[0].stride_bytes = strides[sizeof strides / sizeof *strides - 1 - i];
    frame.frame.planes[0].stride_bytes = strides[i];
    frame.frame.operand = &operand.frame;
    expected.stats.components[0].dot = expected.stats.components[0].sum_of_squares;
    expected.stats.components[0].dot_count = expected.stats.components[0].count;
    assert_all_count (&frame, &expected.stats);
  }
}

/* The sums and the histogram of one result must agree. */
TEST (sums_follow_from_the_histogram)
{
  struct test_random random = test_random_start (13);

  for (unsigned l = 0; l < test_layout_count; l++) {
    struct test_geometry geometry = test_geometry_random (97, 5, &random);
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

    test_frame_init (&frame, &test_layouts[l], &geometry, TEST_FILL_SKEWED, &random);
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
      for (unsigned c = 0; c < stats.component_count; c++) {
        uint64_t count = 0, sum = 0, sum_of_squares = 0;

        for (uint64_t x = 0; x < stats.components[c].bins; x++) {
          count += stats.components[c].histogram[x];
          sum += stats.components[c].histogram[x] * x;
          sum_of_squares += stats.components[c].histogram[x] * x * x;
        }
        ck_assert_uint_eq (count, stats.components[c].count);
        if (stats.components[c].bins < 1u << stats.components[c].depth)
          continue;
        ck_assert_uint_eq (sum, stats.components[c].sum);
        ck_assert_uint_eq (sum_of_squares, stats.components[c].sum_of_squares);
      }
    }
  }
}
