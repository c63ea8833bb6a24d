/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statistics of a picture: outliers, repeated rows, saturation, hue and the broadcast range, at every layout, size, crop and
 * address, alone and with all other statistics. */

#include <math.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

/* Around the widths of vectors, of a warp's or a block's work, and of rows that are divided. */
static const uint32_t widths[] = {
  1,  2,  3,  4,  5,  7,   8,   9,   11,  15,  16,  17,  18,  31,  32,  33,  34,  47,   48,   49,
  63, 64, 65, 66, 95, 127, 128, 129, 130, 191, 255, 256, 257, 258, 511, 513, 640, 1023, 1024, 1025,
};
#define WIDTH_COUNT (sizeof widths / sizeof *widths)

/* One layout of each kind. */
static const char *const kinds[]
    = { "GRAY8", "I420", "NV12",      "NV21",      "YUY2",    "UYVY",      "Y444", "Y41B",  "YUV9",
        "ARGB",  "RGB",  "I420_10LE", "P010_10LE", "P016_BE", "I422_12BE", "Y210", "RGB48", "RGBA64_LE" };
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

/* Requests all statistics, or random ones. */
static void
ask_anything (struct test_frame *frame, struct test_random *random)
{
  if (test_frame_can_derive (frame))
    test_frame_derive (frame, (unsigned)test_random_next (random));
  frame->frame.statistics = test_frame_choose_statistics (frame, random);
  if (test_random_once_in (random, 2))
    frame->frame.statistics &= (uint32_t)test_random_next (random);
}

/* A frame with random statistics, sometimes with an operand. */
static void
check_anything (const struct test_layout *layout, const struct test_geometry *geometry, enum test_fill fill,
                struct test_random *random)
{
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

  test_frame_init (&frame, layout, geometry, fill, random);
  ask_anything (&frame, random);
  if (test_random_once_in (random, 2)) {
    init_operand (&operand, &frame, random);
    frame.frame.operand = &operand.frame;
  }
  check_counts (&frame);
}

TEST (every_layout_as_a_picture)
{
  struct test_random random = test_random_start (200);

  for (unsigned l = 0; l < test_layout_count; l++)
    for (unsigned w = 0; w < WIDTH_COUNT; w++) {
      struct test_geometry geometry;

      if ((l + w) % test_stride (5) != 0)
        continue;
      if (test_layouts[l].components[0].step_bytes > 8 && w % 8 != 0)
        continue; /* wide steps are only slow */
      geometry = test_geometry_random (widths[w], 1 + (l * 5 + w) % 17, &random);
      check_anything (&test_layouts[l], &geometry, choose_fill (&random), &random);
    }
}

/* All heights at which rows have, or lack, two and four rows above and two below. */
TEST (every_small_size)
{
  struct test_random random = test_random_start (201);

  for (uint32_t height = 1; height <= 17; height++)
    for (uint32_t width = 1; width <= 9; width++)
      for (unsigned k = 0; k < KIND_COUNT; k++) {
        struct test_geometry geometry;

        if ((height + width + k) % (3 * test_stride (3)) != 0)
          continue;
        geometry = test_geometry_random (width, height, &random);
        check_anything (test_layout_find (kinds[k]), &geometry, choose_fill (&random), &random);
      }
}

/* Each subset of the statistics, with an operand and without, some with waveforms and vectorscopes. */
TEST (every_subset_of_statistics)
{
  const uint32_t scope = HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE;
  static const char *const names[] = { "I420", "P010_10LE", "YUY2", "NV12" };
  struct test_random random = test_random_start (202);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    struct test_geometry geometry = test_geometry_random (53, 11, &random);
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
    uint32_t all_statistics;

    test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
    test_frame_set_gamut (&frame, 2 + n);
    init_operand (&operand, &frame, &random);
    all_statistics = test_frame_statistics (&frame);
    for (uint32_t statistics = 0; statistics <= (all_statistics & ~scope); statistics++) {
      /* Short: other bits for each layout. */
      if ((statistics & ~all_statistics) != 0 || (7 * statistics + n) % test_stride (8) != 0)
        continue;
      frame.frame.statistics = statistics | (mix (statistics, n, 1) & all_statistics & scope);
      frame.frame.operand = mix (statistics, n, 0) % 3 == 0 ? NULL : &operand.frame;
      check_counts (&frame);
    }
  }
}

/* Every address at which a vector load can begin, for the frame and its operand. */
TEST (every_base_address_of_pictures)
{
  struct test_random random = test_random_start (203);

  for (unsigned k = 0; k < KIND_COUNT; k++)
    for (unsigned offset = k % test_stride (1); offset < 16; offset += test_stride (1)) {
      struct test_geometry geometry = { .width = 1 + (uint32_t)test_random_below (&random, 150),
                                        .height = 1 + (uint32_t)test_random_below (&random, 9),
                                        .left = (uint32_t)test_random_below (&random, 4),
                                        .top = (uint32_t)test_random_below (&random, 4),
                                        .base_offset = offset,
                                        .extra_stride_bytes = test_random_below (&random, 3) * 5 };
      check_anything (test_layout_find (kinds[k]), &geometry, TEST_FILL_RANDOM, &random);
    }
}

/* Before an unreadable page, and after one. */
TEST (every_width_of_pictures)
{
  struct test_random random = test_random_start (204);

  for (unsigned k = 0; k < KIND_COUNT; k++)
    for (uint32_t width = 1 + k % 2; width <= 140; width += 2 * test_stride (3)) {
      const struct test_geometry geometry = { .width = width,
                                              .height = 5 + width % 4,
                                              .left = width % 3,
                                              .top = width % 5,
                                              .guard = width % 8 < 2 ? TEST_GUARD_START : TEST_GUARD_END };
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

      test_frame_init (&frame, test_layout_find (kinds[k]), &geometry, choose_fill (&random), &random);
      test_frame_init (&operand, frame.layout, &geometry, TEST_FILL_RANDOM, &random);
      frame.frame.statistics = test_frame_choose_statistics (&frame, &random) & ~(uint32_t)HISTO_STATISTIC_PROJECTION;
      frame.frame.operand = &operand.frame;
      check_counts (&frame);
    }
}

/* ---- rows that repeat ----------------------------------------------------------------------------------------------- */

/* Each row is the fourth above, except for differences with the sum `apart`. */
struct repeating {
  uint64_t width, apart, seed;
  unsigned depth;
  bool is_spread; /* over all samples, otherwise over the last ones */
};

static uint32_t
paint_repeating (void *data, uint64_t column, uint32_t row)
{
  const struct repeating *rows = data;
  const uint64_t most = UINT64_C (1) << (rows->depth - 2);
  const uint32_t base = (uint32_t)(most * 2 + mix (column, row % 4, rows->seed) % most - most / 2);
  uint64_t step;

  if (rows->is_spread) {
    step = rows->apart / rows->width + (column < rows->apart % rows->width);
  } else {
    const uint64_t taken = (rows->width - 1 - column) * most; /* by the samples after it */

    step = rows->apart > taken ? rows->apart - taken : 0;
    step = step < most ? step : most;
  }
  if (row / 4 % 2 == 0)
    return base;
  return column % 2 == 0 ? base + (uint32_t)step : base - (uint32_t)step;
}

/* A row repeats if the sum of the differences is less than the number of samples. */
TEST (rows_that_nearly_repeat)
{
  static const char *const names[] = { "GRAY8", "YUY2", "RGB", "GRAY10_LE", "Y210", "I422_12BE", "GRAY16_LE", "NV12" };
  struct test_random random = test_random_start (205);
  static struct test_count expected;

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
    for (unsigned w = n % 2; w < WIDTH_COUNT; w += 2 * test_stride (3))
      for (unsigned i = 0; i < 10; i++) {
        const uint64_t width = widths[w], aparts[] = { 0, width - 1, width, width + 1, 2 * width };
        const struct test_geometry geometry = test_geometry_random (widths[w], 3 + (w + i) % 9, &random);
        TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
        struct repeating rows = { width, aparts[i / 2], test_random_next (&random), 0, i % 2 == 0 };
        uint64_t repeats = 0;

        test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
        rows.depth = frame.frame.components[0].depth;
        test_frame_paint (&frame, 0, paint_repeating, &rows);
        frame.frame.statistics = HISTO_STATISTIC_REPEATS | (w % 4 == 0 ? HISTO_STATISTIC_OUTLIERS : 0);
        test_frame_count (&frame.frame, &expected);
        if (rows.apart < width && geometry.height > 4)
          repeats = (geometry.height - 4) * width;
        ck_assert_uint_eq (expected.picture.repeats, repeats);
        assert_all_count (&frame, &expected.stats);
      }
}

/* Some rows repeat and others do not, each with its own sum. */
static uint32_t
paint_half_repeating (void *data, uint64_t column, uint32_t row)
{
  const uint64_t *seed = data;
  const uint32_t kind = mix (0, row, *seed) % 4;
  const uint32_t base = 64 + mix (column, row % 4, *seed) % 128;

  return kind == 0 ? base + mix (column, row, *seed) % 3 : kind == 1 ? mix (column, row, *seed) : base;
}

TEST (some_rows_repeat)
{
  struct test_random random = test_random_start (206);

  for (unsigned k = 0; k < KIND_COUNT; k++)
    for (unsigned i = 0; i < 5; i += test_stride (1)) {
      const struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 300),
                                                                  20 + (uint32_t)test_random_below (&random, 60), &random);
      uint64_t seed = test_random_next (&random);
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      test_frame_init (&frame, test_layout_find (kinds[k]), &geometry, TEST_FILL_RANDOM, &random);
      test_frame_paint (&frame, 0, paint_half_repeating, &seed);
      frame.frame.statistics = test_frame_choose_statistics (&frame, &random);
      check_counts (&frame);
    }
}

/* ---- outliers ------------------------------------------------------------------------------------------------------- */

/* Rows of nearly one value, with specks of one or more samples that differ by about the threshold. The bits above the lowest 8,
 * which count, are random. */
static uint32_t
paint_specks (void *data, uint64_t column, uint32_t row)
{
  const uint64_t *seed = data;
  const uint32_t base = 120 + mix (0, row / 3, *seed) % 3, speck = mix ((column + row) / 3, row, *seed);
  uint32_t value = base + (mix (column, row, *seed) % 16 == 0);

  if (speck % 3 == 0)
    value = speck % 2 == 0 ? base + 3 + speck / 8 % 6 : base - 3 - speck / 8 % 6;
  if (speck % 13 == 0)
    value = speck % 2 == 0 ? 0 : 255;
  return value % 256 + (mix (column, row, *seed + 1) << 8);
}

TEST (specks)
{
  struct test_random random = test_random_start (207);

  for (unsigned k = 0; k < KIND_COUNT; k++)
    for (unsigned w = k % 4; w < WIDTH_COUNT; w += 4 * test_stride (3)) {
      const struct test_geometry geometry = test_geometry_random (widths[w], 1 + (k + w) % 19, &random);
      uint64_t seed = test_random_next (&random);
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      test_frame_init (&frame, test_layout_find (kinds[k]), &geometry, TEST_FILL_RANDOM, &random);
      test_frame_paint (&frame, 0, paint_specks, &seed);
      frame.frame.statistics = HISTO_STATISTIC_OUTLIERS;
      if (w % 3 == 0)
        frame.frame.statistics = test_frame_choose_statistics (&frame, &random);
      check_counts (&frame);
    }
}

/* Rectangles on a flat background. */
struct rectangles {
  uint32_t ground;
  struct rectangle {
    uint32_t left, top, width, height;
    uint32_t value;
  } of[2];
};

static uint32_t
paint_rectangles (void *data, uint64_t column, uint32_t row)
{
  const struct rectangles *rectangles = data;

  for (unsigned r = 0; r < 2; r++) {
    const struct rectangle *one = &rectangles->of[r];

    if (column - one->left < one->width && row - one->top < one->height)
      return one->value;
  }
  return rectangles->ground;
}

TEST (outliers_by_hand)
{
  static const struct {
    uint32_t width, height;
    struct rectangles rectangles;
    uint64_t outliers;
  } cases[] = {
    /* three in a row: the one in the middle, if all stand out by 5 */
    { 9, 7, { 100, { { 3, 3, 3, 1, 105 } } }, 1 },
    { 9, 7, { 100, { { 3, 3, 3, 1, 104 } } }, 0 },
    { 9, 7, { 100, { { 3, 3, 3, 1, 95 } } }, 1 },
    { 9, 7, { 100, { { 3, 3, 3, 1, 96 } } }, 0 },
    { 9, 7, { 100, { { 3, 3, 2, 1, 255 } } }, 0 },
    { 9, 7, { 100, { { 3, 3, 4, 1, 255 } } }, 2 },
    /* in a picture's first and last column they count, but are no outliers themselves */
    { 9, 7, { 100, { { 0, 3, 3, 1, 0 } } }, 1 },
    { 9, 7, { 100, { { 6, 3, 3, 1, 0 } } }, 1 },
    { 9, 7, { 100, { { 0, 3, 9, 1, 0 } } }, 7 },
    { 3, 3, { 100, { { 0, 1, 3, 1, 0 } } }, 1 },
    { 2, 9, { 100, { { 0, 4, 2, 1, 0 } } }, 0 },
    { 33, 7, { 100, { { 30, 3, 3, 1, 0 } } }, 1 },
    { 1025, 5, { 100, { { 15, 2, 1010, 1, 0 } } }, 1008 },
    /* the first and the last row have none; those beside them are held against these alone */
    { 9, 7, { 100, { { 0, 0, 9, 1, 0 } } }, 0 },
    { 9, 7, { 100, { { 0, 1, 9, 1, 0 } } }, 7 },
    { 9, 7, { 100, { { 0, 5, 9, 1, 0 } } }, 7 },
    { 9, 7, { 100, { { 0, 6, 9, 1, 0 } } }, 0 },
    /* two rows side by side, or two apart, hide each other; three apart do not */
    { 9, 9, { 100, { { 0, 3, 9, 2, 0 } } }, 0 },
    { 9, 9, { 100, { { 0, 3, 9, 1, 0 }, { 0, 5, 9, 1, 0 } } }, 0 },
    { 9, 9, { 100, { { 0, 3, 9, 1, 0 }, { 0, 6, 9, 1, 0 } } }, 14 },
    /* next to the edge there is no second row to be hidden by, and of what is two apart one still is */
    { 9, 9, { 100, { { 0, 1, 9, 1, 0 }, { 0, 3, 9, 1, 0 } } }, 7 },
    { 9, 9, { 100, { { 0, 5, 9, 1, 0 }, { 0, 7, 9, 1, 0 } } }, 7 },
    /* 100 above and 101 below: of 106 half of 6 + 5, rounded down, less 1 is 4; of 107 half of 7 + 6 less 1 is 5 */
    { 9, 3, { 100, { { 0, 1, 9, 1, 106 }, { 0, 2, 9, 1, 101 } } }, 0 },
    { 9, 3, { 100, { { 0, 1, 9, 1, 107 }, { 0, 2, 9, 1, 101 } } }, 7 },
    /* a ramp has none, nor has an edge */
    { 9, 3, { 0, { { 0, 1, 9, 1, 128 }, { 0, 2, 9, 1, 255 } } }, 0 },
    { 9, 9, { 0, { { 0, 4, 9, 5, 255 } } }, 0 },
  };
  static const char *const names[] = { "GRAY8", "YUY2", "I420", "GRAY10_LE", "GRAY16_BE" };
  struct test_random random = test_random_start (208);

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
      struct test_geometry geometry = test_geometry_random (cases[i].width, cases[i].height, &random);
      struct rectangles rectangles = cases[i].rectangles;
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
      test_frame_paint (&frame, 0, paint_rectangles, &rectangles);
      frame.frame.statistics = HISTO_STATISTIC_OUTLIERS;
      for (unsigned v = 0; v < all.count; v++) {
        ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
        ck_assert_ptr_nonnull (stats.picture);
        ck_assert_msg (stats.picture->outliers == cases[i].outliers, "%s, %s, case %u: %u outliers instead of %u",
                       all.variants[v].name, names[n], i, (unsigned)stats.picture->outliers, (unsigned)cases[i].outliers);
      }
    }
}

/* ---- colours -------------------------------------------------------------------------------------------------------- */

/* Mostly in range, and often at the limits or one beyond. */
struct ends {
  uint32_t min, max;
  uint64_t seed;
};

static uint32_t
paint_ends (void *data, uint64_t column, uint32_t row)
{
  const struct ends *ends = data;
  const uint32_t dice = mix (column, row, ends->seed);

  switch (dice % 16) {
  case 0:
    return ends->min - 1;
  case 1:
    return ends->max + 1;
  case 2:
    return dice / 16 % 8 == 0 ? 0 : ends->min;
  case 3:
    return dice / 16 % 8 == 0 ? UINT32_MAX : ends->max;
  case 4:
  case 5:
    return ends->min;
  case 6:
  case 7:
    return ends->max;
  default:
    return ends->min + dice / 16 % (ends->max - ends->min + 1);
  }
}

static void
paint_in_range (struct test_frame *frame, uint64_t seed)
{
  const unsigned shift = frame->frame.components[0].depth - 8;

  for (unsigned c = 0; c < 3; c++) {
    struct ends ends = { 16u << shift, (c == 0 ? 235u : 240u) << shift, seed + c };

    test_frame_paint (frame, c, paint_ends, &ends);
  }
}

TEST (ends_of_the_range)
{
  struct test_random random = test_random_start (209);

  for (unsigned l = 0; l < test_layout_count; l++)
    for (unsigned w = l % 5; w < WIDTH_COUNT; w += 5 * test_stride (3)) {
      const struct test_geometry geometry = test_geometry_random (widths[w], 1 + (l + w) % 13, &random);
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      test_frame_init (&frame, &test_layouts[l], &geometry, TEST_FILL_RANDOM, &random);
      if (test_frame_statistics (&frame) & HISTO_STATISTIC_OUT_OF_RANGE) {
        paint_in_range (&frame, test_random_next (&random));
        frame.frame.statistics = HISTO_STATISTIC_OUT_OF_RANGE;
        if (w % 2 == 0)
          frame.frame.statistics = test_frame_choose_statistics (&frame, &random);
        check_counts (&frame);
      }
    }
}

/* One chroma sample is out of range, and so is each sample of luma that belongs to it. */
TEST (out_of_range_by_hand)
{
  static const struct {
    const char *layout;
    struct test_geometry geometry;
    unsigned component;
    uint32_t column, row;
    uint64_t out_of_range;
  } cases[] = {
    { "I420", { .width = 5, .height = 3 }, 1, 0, 0, 4 },
    { "I420", { .width = 5, .height = 3 }, 2, 2, 0, 2 },
    { "NV12", { .width = 5, .height = 3 }, 2, 2, 1, 1 },
    /* cropped in the middle of chroma samples: columns 0 1 1 2 2, rows 0 1 1 */
    { "I420", { .width = 5, .height = 3, .left = 1, .top = 1 }, 1, 0, 0, 1 },
    { "I420", { .width = 5, .height = 3, .left = 1, .top = 1 }, 2, 1, 0, 2 },
    { "NV12", { .width = 5, .height = 3, .left = 3, .top = 5 }, 1, 0, 1, 2 },
    { "P010_10LE", { .width = 5, .height = 3, .left = 1, .top = 1 }, 2, 2, 1, 4 },
    { "I420", { .width = 5, .height = 3, .left = 2, .top = 1 }, 1, 1, 1, 4 },
    { "YUY2", { .width = 4, .height = 2, .left = 1 }, 1, 0, 1, 1 },
    { "YUY2", { .width = 4, .height = 2, .left = 1 }, 2, 2, 0, 1 },
    { "Y210", { .width = 4, .height = 2, .left = 1, .top = 1 }, 1, 1, 1, 2 },
    { "Y41B", { .width = 9, .height = 2, .left = 3 }, 1, 0, 0, 1 },
    { "Y41B", { .width = 9, .height = 2, .left = 2 }, 2, 0, 0, 2 },
    { "Y41B", { .width = 9, .height = 2, .left = 2 }, 2, 2, 1, 3 },
    { "YUV9", { .width = 9, .height = 9, .left = 1, .top = 2 }, 1, 0, 0, 6 },
    { "YUV9", { .width = 9, .height = 9, .left = 1, .top = 2 }, 1, 1, 2, 12 },
    { "Y444", { .width = 3, .height = 3, .left = 1, .top = 1 }, 1, 1, 2, 1 },
    { "Y444", { .width = 3, .height = 3 }, 0, 1, 2, 1 },
    { "NV16", { .width = 5, .height = 3, .left = 1, .top = 1 }, 1, 1, 2, 2 },
  };
  struct test_random random = test_random_start (210);

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned end = 0; end < 4; end++) {
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
      const uint32_t max = cases[i].component == 0 ? 235 : 240;
      unsigned shift;

      test_frame_init (&frame, test_layout_find (cases[i].layout), &cases[i].geometry, TEST_FILL_RANDOM, &random);
      shift = frame.frame.components[0].depth - 8;
      for (unsigned c = 0; c < 3; c++) {
        struct rectangles rectangles = { 100u << shift, { { 0 } } };

        if (c == cases[i].component) {
          rectangles.of[0] = (struct rectangle){ cases[i].column, cases[i].row, 1, 1, 16u << shift };
          if (end % 2 == 1)
            rectangles.of[0].value = max << shift;
          if (end >= 2)
            rectangles.of[0].value += end == 2 ? -1u : 1u;
        }
        test_frame_paint (&frame, c, paint_rectangles, &rectangles);
      }
      frame.frame.statistics = HISTO_STATISTIC_OUT_OF_RANGE;
      for (unsigned v = 0; v < all.count; v++) {
        const uint64_t out_of_range = end < 2 ? 0 : cases[i].out_of_range;

        ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
        ck_assert_msg (stats.picture->out_of_range == out_of_range, "%s, case %u, end %u: %u samples instead of %u",
                       all.variants[v].name, i, end, (unsigned)stats.picture->out_of_range, (unsigned)out_of_range);
        ck_assert_uint_eq (stats.picture->luma_count, stats.components[0].count);
        ck_assert_uint_eq (stats.picture->chroma_count, stats.components[1].count);
      }
    }
}

/* A planar layout of two-byte samples. */
static struct test_layout
make_planar (unsigned depth, unsigned width_shift, unsigned height_shift)
{
  struct test_layout layout = { .name = "deep planes", .plane_count = 3, .component_count = 3 };

  for (unsigned c = 0; c < 3; c++) {
    layout.components[c].plane = c;
    layout.components[c].step_bytes = 2;
    layout.components[c].width_shift = c > 0 ? width_shift : 0;
    layout.height_shift[c] = c > 0 ? height_shift : 0;
    layout.samples[c].sample_bytes = 2;
    layout.samples[c].depth = depth;
  }
  return layout;
}

static uint32_t
paint_column (void *data, uint64_t column, uint32_t row)
{
  (void)data;
  (void)row;
  return (uint32_t)column;
}

static uint32_t
paint_row (void *data, uint64_t column, uint32_t row)
{
  (void)data;
  (void)column;
  return row;
}

/* Each Cb with each Cr. */
TEST (every_pair_of_chroma_samples)
{
  const struct test_layout nine = make_planar (9, 0, 0), ten = make_planar (10, 0, 0);
  const struct test_layout *const layouts[]
      = { test_layout_find ("Y444"), test_layout_find ("NV12"), test_layout_find ("ARGB"), &nine, &ten };
  struct test_random random = test_random_start (211);

  for (unsigned l = 0; l < sizeof layouts / sizeof *layouts; l++) {
    const uint32_t side = (layouts[l]->samples[0].depth > 8 ? 1u << layouts[l]->samples[0].depth : 256)
                          << layouts[l]->components[1].width_shift;
    const struct test_geometry geometry = { .width = side, .height = side };
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

    if (side > 600 && test_is_short ("sizes"))
      continue;
    test_frame_init (&frame, layouts[l], &geometry, TEST_FILL_RANDOM, &random);
    test_frame_paint (&frame, 1, l % 2 == 0 ? paint_column : paint_row, NULL);
    test_frame_paint (&frame, 2, l % 2 == 0 ? paint_row : paint_column, NULL);
    frame.frame.statistics = HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE;
    check_counts (&frame);
  }
}

/* Samples at the start of a hue or a saturation. */
struct around {
  unsigned depth;
  uint64_t seed;
  bool is_cr;
};

static uint32_t
paint_around (void *data, uint64_t column, uint32_t row)
{
  const struct around *around = data;
  const uint32_t dice = mix (column, row, around->seed), middle = 1u << (around->depth - 1);
  const double radius = 1 + (double)(mix (column, row, around->seed + 1) % (middle - 2));
  const double angle = (dice % 360) * (M_PI / 180);
  const double exact = radius * (around->is_cr ? cos (angle) : sin (angle));
  const int32_t value = (int32_t)lrint (exact) + (int32_t)(dice / 360 % 3) - 1;

  return (uint32_t)((int32_t)middle + value) % (2 * middle);
}

TEST (beginnings_of_hues)
{
  struct test_random random = test_random_start (212);

  for (unsigned depth = 9; depth <= 16; depth++)
    for (unsigned shift = 0; shift < 3; shift++) {
      const struct test_layout layout = make_planar (depth, shift, shift / 2);
      const struct test_geometry geometry = test_geometry_random (333, 40, &random);
      struct around around = { .depth = depth, .seed = test_random_next (&random) };
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      test_frame_init (&frame, &layout, &geometry, TEST_FILL_RANDOM, &random);
      test_frame_paint (&frame, 1, paint_around, &around);
      around.is_cr = true;
      test_frame_paint (&frame, 2, paint_around, &around);
      frame.frame.statistics = shift == 0   ? HISTO_STATISTIC_HUE
                               : shift == 1 ? HISTO_STATISTIC_SATURATION
                                            : HISTO_STATISTIC_HUE | HISTO_STATISTIC_SATURATION;
      check_counts (&frame);
    }
}

/* ---- any layout ----------------------------------------------------------------------------------------------------- */

/* Planar, with Cb and Cr in one plane, or packed; any depth, position of the bits, byte order, bins and subsampling. */
static struct test_layout
make_layout (struct test_random *random)
{
  struct test_layout layout = { .name = "random layout of a picture", .component_count = 3 };
  const unsigned bytes = 1 + (unsigned)test_random_below (random, 2), kind = (unsigned)test_random_below (random, 3);
  const unsigned shift = (unsigned)test_random_below (random, 3), swap = (unsigned)test_random_below (random, 2);
  const unsigned gap = test_random_once_in (random, 4) ? 1 : 0; /* samples of no component */

  layout.plane_count = kind == 0 ? 3 : kind == 1 ? 2 : 1;
  for (unsigned c = 0; c < 3; c++) {
    const unsigned place = c > 0 ? (c - 1) ^ swap : 0;

    layout.components[c].plane = kind == 2 || c == 0 ? 0 : kind == 1 ? 1 : 1 + place;
    layout.components[c].width_shift = c > 0 ? shift : 0;
    layout.components[c].step_bytes = bytes * (1 + gap);
    if (kind == 1 && c > 0) {
      layout.components[c].offset_bytes = bytes * place;
      layout.components[c].step_bytes = bytes * (2 + gap);
    } else if (kind == 2 && shift > 0) { /* like YUY2: luma at every second position, chroma between */
      layout.components[c].offset_bytes = bytes * (c > 0 ? 1 + 2 * place : 0);
      layout.components[c].step_bytes = bytes * 2 << layout.components[c].width_shift;
    } else if (kind == 2) {
      layout.components[c].offset_bytes = bytes * (c > 0 ? 1 + place : 0);
      layout.components[c].step_bytes = bytes * (3 + gap);
    }
  }
  for (unsigned p = 1; p < layout.plane_count; p++)
    layout.height_shift[p] = shift > 0 ? (layout.plane_count + shift + swap) % 3 : 0;
  if (layout.plane_count == 3)
    layout.height_shift[2] = layout.height_shift[1];
  layout.samples[0].sample_bytes = bytes;
  if (bytes == 2) {
    layout.samples[0].depth = 9 + (unsigned)test_random_below (random, 8);
    layout.samples[0].shift = (unsigned)test_random_below (random, 17 - layout.samples[0].depth);
    layout.samples[0].big_endian = test_random_once_in (random, 2);
    layout.samples[0].bins = test_random_once_in (random, 2) ? 1u << layout.samples[0].depth : 0;
  }
  layout.samples[1] = layout.samples[2] = layout.samples[0];
  return layout;
}

TEST (random_layouts_of_pictures)
{
  struct test_random random = test_random_start (213);

  for (unsigned round = 0; round < 500 / test_stride (3); round++) {
    const struct test_layout layout = make_layout (&random);
    const struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 300),
                                                                1 + (uint32_t)test_random_below (&random, 12), &random);

    check_anything (&layout, &geometry, choose_fill (&random), &random);
  }
}

/* Pictures that workers and blocks share, including the highest and the widest. */
TEST_TAGGED (large_pictures, "large")
{
  static const struct {
    const char *layout;
    uint32_t width, height, left, top;
    enum test_fill fill;
  } cases[] = {
    { "NV12", 1920, 1080, 0, 0, TEST_FILL_RANDOM },     { "I420", 1281, 721, 1, 1, TEST_FILL_RAMP },
    { "P010_10LE", 1919, 539, 1, 1, TEST_FILL_SKEWED }, { "YUY2", 1919, 401, 1, 0, TEST_FILL_RANDOM },
    { "Y210", 1281, 203, 3, 0, TEST_FILL_RANDOM },      { "I420_10LE", 65536, 7, 0, 0, TEST_FILL_RANDOM },
    { "GRAY8", 65536, 9, 0, 0, TEST_FILL_MAX },         { "Y444", 3, 65536, 0, 0, TEST_FILL_SKEWED },
    { "Y41B", 7, 40001, 3, 0, TEST_FILL_RANDOM },       { "NV21", 1, 65536, 0, 1, TEST_FILL_RANDOM },
  };
  struct test_random random = test_random_start (214);

  for (unsigned i = (unsigned)test_random_below (&random, test_stride (1)); i < sizeof cases / sizeof *cases;
       i += test_stride (1)) {
    const struct test_geometry geometry = { .width = cases[i].width,
                                            .height = cases[i].height,
                                            .left = cases[i].left,
                                            .top = cases[i].top,
                                            .extra_stride_bytes = i % 3 };
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
    uint64_t seed = test_random_next (&random);

    test_frame_init (&frame, test_layout_find (cases[i].layout), &geometry, cases[i].fill, &random);
    if (i % 2 == 1)
      test_frame_paint (&frame, 0, i % 4 == 1 ? paint_specks : paint_half_repeating, &seed);
    init_operand (&operand, &frame, &random);
    frame.frame.operand = &operand.frame;
    frame.frame.statistics = test_frame_statistics (&frame);
    check_counts (&frame);
  }
}

/* Rows with the maximum difference from the fourth above: 65536 samples, each from 0 to the largest value. */
static uint32_t
paint_extremes (void *data, uint64_t column, uint32_t row)
{
  (void)data;
  (void)column;
  return row / 4 % 2 == 0 ? 0 : UINT32_MAX;
}

TEST_TAGGED (rows_as_different_as_can_be, "large")
{
  static const char *const names[] = { "GRAY8", "GRAY16_LE", "Y444" };
  struct test_random random = test_random_start (215);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n += test_stride (1)) {
    const struct test_geometry geometry = { .width = 65536, .height = 9 };
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

    test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_ZERO, &random);
    test_frame_init (&operand, frame.layout, &geometry, TEST_FILL_MAX, &random);
    test_frame_paint (&frame, 0, paint_extremes, NULL);
    frame.frame.operand = &operand.frame;
    frame.frame.statistics = test_frame_statistics (&frame);
    check_counts (&frame);
  }
}

/* ---- many ----------------------------------------------------------------------------------------------------------- */

/* All sizes, layouts and statistics in one engine: a slot must not remember earlier requests. */
TEST (pictures_in_flight)
{
  enum { FRAMES = 30, IN_FLIGHT = 4 };
  static struct test_count expected[FRAMES];
  struct test_layout layouts[FRAMES];
  struct test_frame frames[FRAMES], operands[FRAMES];
  struct test_random random = test_random_start (216);

  open_all (IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    const struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 200),
                                                                1 + (uint32_t)test_random_below (&random, 60), &random);

    layouts[f] = make_layout (&random);
    test_frame_init (&frames[f], &layouts[f], &geometry, choose_fill (&random), &random);
    ask_anything (&frames[f], &random);
    init_operand (&operands[f], &frames[f], &random);
    if (test_random_once_in (&random, 2))
      frames[f].frame.operand = &operands[f].frame;
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  assert_in_flight (frames, NULL, expected, FRAMES, IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    test_count_clear (&expected[f]);
    test_frame_clear (&frames[f]);
    test_frame_clear (&operands[f]);
  }
}

/* Frames that differ only in their content, and in one case in the requested statistics, submitted together; and their window,
 * the sum of their numbers. */
TEST (many_pictures_in_one_submission)
{
  enum { MANY = 5, IN_FLIGHT = 8 };
  static struct test_count expected[MANY];
  TEST_AT_END (histo_stats_clear) struct histo_stats total = { 0 }, expected_total = { 0 };
  struct test_random random = test_random_start (217);
  histo_ticket first = 0;

  open_all (IN_FLIGHT);
  for (unsigned k = 0; k < KIND_COUNT; k += test_stride (1)) {
    struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 200),
                                                          1 + (uint32_t)test_random_below (&random, 40), &random);
    const bool ask_alike = k % 3 != 0;
    struct test_frame frames[MANY];
    struct histo_frame submitted[MANY];

    histo_stats_reset (&expected_total);
    for (unsigned f = 0; f < MANY; f++) {
      test_frame_init (&frames[f], test_layout_find (kinds[k]), &geometry, choose_fill (&random), &random);
      if (ask_alike)
        frames[f].frame.statistics = test_frame_statistics (&frames[f]);
      else
        ask_anything (&frames[f], &random);
      if (f > 0 && frames[f - 1].frame.derived_count == frames[f].frame.derived_count)
        frames[f].frame.operand = &frames[f - 1].frame;
      test_frame_count (&frames[f].frame, &expected[f]);
      submitted[f] = frames[f].frame;
      if (ask_alike)
        ck_assert_int_eq (histo_stats_add (&expected_total, &expected[f].stats), HISTO_OK);
    }
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_msg (histo_submit_many (all.engines[v], submitted, MANY, &first) == HISTO_OK, "%s: %s", all.variants[v].name,
                     test_log.text);
      histo_stats_reset (&total);
      for (unsigned f = 0; f < MANY; f++) {
        collect_equal (all.engines[v], first + f, &expected[f].stats, &all.variants[v], &frames[f]);
        if (ask_alike)
          ck_assert_int_eq (histo_stats_add (&total, &stats), HISTO_OK);
      }
      if (ask_alike)
        assert_equal (&expected_total, &total, &all.variants[v], &frames[0]);
    }
    for (unsigned f = 0; f < MANY; f++) {
      test_count_clear (&expected[f]);
      test_frame_clear (&frames[f]);
    }
  }
}

/* Numbers that do not depend on neighbouring rows add up over the rows of a picture. */
TEST (rows_add_up_to_a_picture)
{
  static const char *const names[] = { "Y444", "NV16", "YUY2", "Y41B", "Y210", "ARGB" };
  enum { WIDTH = 77, HEIGHT = 9 };
  TEST_AT_END (histo_stats_clear) struct histo_stats whole = { 0 }, row = { 0 }, total = { 0 };
  struct test_random random = test_random_start (218);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    const struct test_geometry geometry = { .width = WIDTH, .height = HEIGHT, .left = n % 3, .extra_stride_bytes = 3 };
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

    test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
    init_operand (&operand, &frame, &random);
    paint_in_range (&frame, test_random_next (&random));
    test_frame_set_gamut (&frame, 2 + n);
    frame.frame.operand = &operand.frame;
    frame.frame.statistics = HISTO_STATISTIC_DIFFERENCE | HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE
                             | HISTO_STATISTIC_OUT_OF_RANGE | HISTO_STATISTIC_GAMUT;
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &whole), HISTO_OK);
      histo_stats_reset (&total);
      for (unsigned y = 0; y < HEIGHT; y++) {
        struct histo_frame part = frame.frame, operand_part = operand.frame;

        for (unsigned p = 0; p < part.plane_count; p++) {
          struct histo_plane *planes[] = { &part.planes[p], &operand_part.planes[p] };

          for (unsigned i = 0; i < 2; i++) {
            planes[i]->data = (const uint8_t *)planes[i]->data + y * planes[i]->stride_bytes;
            planes[i]->height = 1;
          }
        }
        part.operand = &operand_part;
        ck_assert_int_eq (test_engine_count (all.engines[v], &part, &row), HISTO_OK);
        ck_assert_int_eq (histo_stats_add (&total, &row), HISTO_OK);
      }
      assert_equal (&whole, &total, &all.variants[v], &frame);
    }
  }
}
