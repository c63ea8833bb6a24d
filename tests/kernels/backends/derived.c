/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Luma and chroma derived from R', G' and B': the matrices compared with their definition in doubles, and the numbers of
 * derived components in every layout, with all statistics. */

#include <math.h>
#include <stdlib.h>

#include "../../../kernels/reference/reference.h"
#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

static const struct matrix {
  const char *name;
  double kr, kb;
} matrices[] = {
  { "BT.601", 0.299, 0.114 },     { "BT.709", 0.2126, 0.0722 }, { "BT.2020", 0.2627, 0.0593 },
  { "SMPTE 240M", 0.212, 0.087 }, { "FCC", 0.30, 0.11 },
};
#define MATRICES (sizeof matrices / sizeof *matrices)

/* ---- the definition ------------------------------------------------------------------------------------------------- */

/* Y', Cb and Cr of ITU-R BT.709 and its relatives, before rounding. */
static void
find_exact (const struct matrix *matrix, bool is_full, unsigned depth, const uint32_t rgb[3], double exact[3])
{
  const double unit = 1u << (depth - 8), top = (1u << depth) - 1, middle = 1u << (depth - 1);
  const double black = is_full ? 0 : 16 * unit, white = is_full ? top : 235 * unit, chroma = is_full ? top : 224 * unit;
  double signal[3], luma;

  for (unsigned c = 0; c < 3; c++)
    signal[c] = (rgb[c] - black) / (white - black);
  luma = matrix->kr * signal[0] + (1 - matrix->kr - matrix->kb) * signal[1] + matrix->kb * signal[2];
  exact[0] = black + luma * (white - black);
  exact[1] = middle + (signal[2] - luma) / (2 * (1 - matrix->kb)) * chroma;
  exact[2] = middle + (signal[0] - luma) / (2 * (1 - matrix->kr)) * chroma;
  for (unsigned c = 0; c < 3; c++)
    exact[c] = fmin (fmax (exact[c], 0), top);
}

static void
choose_pixel (unsigned number, unsigned depth, uint32_t rgb[3], struct test_random *random)
{
  const uint32_t top = (1u << depth) - 1;

  for (unsigned c = 0; c < 3; c++)
    rgb[c] = number < 8 ? (number >> c & 1) * top : (uint32_t)test_random_next (random) & top;
}

TEST (matrices_against_the_definition)
{
  struct test_random random = test_random_start (300);

  for (unsigned depth = 8; depth <= 16; depth++)
    for (unsigned m = 0; m < 2 * MATRICES; m++) {
      const struct matrix *matrix = &matrices[m / 2];
      const bool is_full = m % 2 == 1;
      struct histo_matrix fixed;

      ck_assert (histo_find_matrix (&fixed, matrix->kr, matrix->kb, is_full, depth));
      for (unsigned number = 0; number < 4000; number++) {
        uint32_t rgb[3];
        double exact[3];

        choose_pixel (number, depth, rgb, &random);
        find_exact (matrix, is_full, depth, rgb, exact);
        for (unsigned c = 0; c < 3; c++) {
          const uint32_t value = histo_reference_derive (&fixed, depth, c, rgb);

          ck_assert_msg (fabs (value - exact[c]) <= 0.5 + 0.04,
                         "%s, %s range, %u bits: component %u of %u, %u, %u is %u instead of %f", matrix->name,
                         is_full ? "full" : "limited", depth, c, rgb[0], rgb[1], rgb[2], value, exact[c]);
        }
      }
    }
}

/* Grey has its own value as luma, and no colour. */
TEST (grey_is_exact)
{
  for (unsigned depth = 8; depth <= 16; depth++)
    for (unsigned m = 0; m < 2 * MATRICES; m++) {
      struct histo_matrix fixed;

      ck_assert (histo_find_matrix (&fixed, matrices[m / 2].kr, matrices[m / 2].kb, m % 2 == 1, depth));
      for (uint32_t value = 0; value < 1u << depth; value += 1 + value % 7) {
        const uint32_t rgb[] = { value, value, value };

        ck_assert_uint_eq (histo_reference_derive (&fixed, depth, 0, rgb), value);
        ck_assert_uint_eq (histo_reference_derive (&fixed, depth, 1, rgb), 1u << (depth - 1));
        ck_assert_uint_eq (histo_reference_derive (&fixed, depth, 2, rgb), 1u << (depth - 1));
      }
    }
}

/* The primaries of BT.709 in full range, by hand: 255 * 0.2126 = 54.2, 128 - 255 * 0.2126 / 1.8556 = 98.8 ... */
TEST (primaries_by_hand)
{
  static const struct {
    uint32_t rgb[3], expected[3];
  } pixels[] = {
    { { 255, 0, 0 }, { 54, 99, 255 } },
    { { 0, 255, 0 }, { 182, 30, 12 } },
    { { 0, 0, 255 }, { 18, 255, 116 } },
    { { 255, 255, 255 }, { 255, 128, 128 } },
  };
  struct histo_matrix fixed;

  ck_assert (histo_find_matrix (&fixed, 0.2126, 0.0722, true, 8));
  for (unsigned p = 0; p < sizeof pixels / sizeof *pixels; p++)
    for (unsigned c = 0; c < 3; c++)
      ck_assert_uint_eq (histo_reference_derive (&fixed, 8, c, pixels[p].rgb), pixels[p].expected[c]);
}

TEST (no_matrix)
{
  struct histo_matrix matrix = { .shift = 1 };

  ck_assert (!histo_find_matrix (NULL, 0.2126, 0.0722, true, 8));
  ck_assert (!histo_find_matrix (&matrix, 0.2126, 0.0722, true, 7));
  ck_assert_uint_eq (matrix.shift, 0);
  ck_assert (!histo_find_matrix (&matrix, 0.2126, 0.0722, true, 17));
  ck_assert (!histo_find_matrix (&matrix, 0, 0.0722, true, 8));
  ck_assert (!histo_find_matrix (&matrix, 0.9, 0.1, true, 8));
  ck_assert (!histo_find_matrix (&matrix, 0.9, -0.1, true, 8));
}

/* ---- frames --------------------------------------------------------------------------------------------------------- */

/* A frame with derived components and random statistics, sometimes with an operand. */
static void
check_derived (const struct test_layout *layout, const struct test_geometry *geometry, unsigned choice,
               struct test_random *random)
{
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

  test_frame_init (&frame, layout, geometry, choose_fill (random), random);
  if (test_frame_can_derive (&frame)) {
    test_frame_derive (&frame, choice);
    frame.frame.statistics = test_frame_choose_statistics (&frame, random);
    if (test_random_once_in (random, 2))
      frame.frame.statistics &= (uint32_t)test_random_next (random);
    if (test_random_once_in (random, 2)) {
      init_operand (&operand, &frame, random);
      frame.frame.operand = &operand.frame;
    }
    check_counts (&frame);
  }
}

TEST (every_layout_derived)
{
  static const uint32_t widths[] = { 1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 255, 257, 640, 1023, 1025 };
  struct test_random random = test_random_start (301);

  for (unsigned l = 0; l < test_layout_count; l++)
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
      struct test_geometry geometry;

      if ((l + w) % test_stride (4) != 0 || (test_layouts[l].components[0].step_bytes > 8 && w % 8 != 0))
        continue;
      geometry = test_geometry_random (widths[w], 1 + (l * 5 + w) % 41, &random);
      check_derived (&test_layouts[l], &geometry, (unsigned)test_random_next (&random) | 1, &random);
    }
}

/* Several slices on the CPU, with rows around them, and several waves of blocks on a GPU. */
TEST (large_pictures_derived)
{
  static const char *const names[] = { "RGB", "BGRx", "ARGB", "RGBA64_LE", "RGB48", "Y444" };
  struct test_random random = test_random_start (302);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
    for (unsigned repeat = 0; repeat < 4; repeat++) {
      const struct test_geometry geometry
          = test_geometry_random (300 + (uint32_t)test_random_below (&random, 900), 150 + repeat * 60, &random);

      if ((n + repeat) % test_stride (2) == 0)
        check_derived (test_layout_find (names[n]), &geometry, repeat % 4 == 0 ? 1 : 3, &random);
    }
}

/* On a GPU, threads that derive and count several groups of pixels each. */
TEST_TAGGED (large_pictures_derived_and_counted, "large")
{
  static const char *const names[]
      = { "BGRx", "12 bits of RGBA64", "RGBA64_LE", "ARGB64_BE", "GBR_10LE", "GBRA, upper 12 bits by value" };
  struct test_random random = test_random_start (305);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    const struct test_geometry geometry = { .width = 1200 + n, .height = 1000, .extra_stride_bytes = n * 4 };
    struct test_frame frame;

    test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
    test_frame_derive (&frame, n % 2 == 0 ? 1 : 3);
    frame.frame.statistics = 0;
    check_counts (&frame);
    test_frame_clear (&frame);
  }
}

/* Samples wider than a strip of row and column sums. */
TEST (wide_rows_derived)
{
  struct test_random random = test_random_start (303);

  for (unsigned repeat = 0; repeat < 6; repeat++) {
    const struct test_geometry geometry
        = test_geometry_random (4000 + (uint32_t)test_random_below (&random, 9000), 1 + repeat * 3, &random);
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

    test_frame_init (&frame, test_layout_find (repeat % 2 == 0 ? "BGRx" : "RGBA64_LE"), &geometry, TEST_FILL_RANDOM, &random);
    test_frame_derive (&frame, repeat % 3 == 0 ? 1 : 3);
    frame.frame.statistics = HISTO_STATISTIC_PROJECTION | (repeat > 2 ? HISTO_STATISTICS_LUMA : 0);
    frame.frame.statistics &= test_frame_statistics (&frame);
    check_counts (&frame);
  }
}

/* Frames with and without derived components in turn, several in flight. */
TEST (in_turn_with_others)
{
  enum { FRAMES = 12 };
  static struct test_count expected[2];
  struct test_random random = test_random_start (304);
  struct test_frame frames[2];

  for (unsigned f = 0; f < 2; f++) {
    const struct test_geometry geometry = test_geometry_random (200 + f * 57, 40 + f * 31, &random);

    test_frame_init (&frames[f], test_layout_find ("BGRx"), &geometry, TEST_FILL_RANDOM, &random);
    test_frame_derive (&frames[f], f == 0 ? 3 : 0);
    frames[f].frame.statistics = test_frame_statistics (&frames[f]) & ~(uint32_t)HISTO_STATISTIC_VECTORSCOPE;
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  open_all (3);
  for (unsigned v = 0; v < all.count; v++)
    for (unsigned f = 0; f < FRAMES + 2; f++) {
      histo_ticket ticket;

      if (f >= 2)
        collect_equal (all.engines[v], f - 1, &expected[f % 2].stats, &all.variants[v], &frames[f % 2]);
      if (f < FRAMES)
        ck_assert_int_eq (histo_submit (all.engines[v], &frames[f % 2].frame, &ticket), HISTO_OK);
    }
  for (unsigned f = 0; f < 2; f++) {
    test_count_clear (&expected[f]);
    test_frame_clear (&frames[f]);
  }
}

/* Several frames in one call, some derived. */
TEST (many_with_derived)
{
  enum { FRAMES = 5 };
  static struct test_count expected[FRAMES];
  struct test_random random = test_random_start (305);
  struct histo_frame submitted[FRAMES];
  struct test_frame frames[FRAMES];

  open_all (2 * FRAMES);
  for (unsigned f = 0; f < FRAMES; f++) {
    const struct test_geometry geometry = test_geometry_random (64, 48, &random);

    test_frame_init (&frames[f], test_layout_find ("RGB"), &geometry, TEST_FILL_RANDOM, &random);
    test_frame_derive (&frames[f], f == 2 ? 0 : 3);
    frames[f].frame.statistics = HISTO_STATISTIC_OUTLIERS;
    test_frame_count (&frames[f].frame, &expected[f]);
    submitted[f] = frames[f].frame;
  }
  for (unsigned v = 0; v < all.count; v++) {
    histo_ticket first;

    ck_assert_int_eq (histo_submit_many (all.engines[v], submitted, FRAMES, &first), HISTO_OK);
    for (unsigned f = 0; f < FRAMES; f++)
      collect_equal (all.engines[v], first + f, &expected[f].stats, &all.variants[v], &frames[f]);
  }
  for (unsigned f = 0; f < FRAMES; f++) {
    test_count_clear (&expected[f]);
    test_frame_clear (&frames[f]);
  }
}

/* ---- refused -------------------------------------------------------------------------------------------------------- */

TEST (what_cannot_be_derived)
{
  struct test_random random = test_random_start (306);
  const struct test_geometry geometry = { .width = 8, .height = 4 };
  TEST_AT_END (test_frame_clear) struct test_frame good = { 0 }, operand = { 0 };
  struct histo_frame frame;
  histo_ticket ticket;

  test_frame_init (&good, test_layout_find ("RGBx"), &geometry, TEST_FILL_RANDOM, &random);
  test_frame_derive (&good, 3);
  good.frame.statistics = HISTO_STATISTIC_HUE;
#define REFUSED(...)                                                                        \
  do {                                                                                      \
    frame = good.frame;                                                                     \
    __VA_ARGS__;                                                                            \
    ck_assert_int_eq (histo_submit (all.engines[0], &frame, &ticket), HISTO_ERROR_INVALID); \
  } while (0)
  REFUSED (frame.derived_count = 2);
  REFUSED (frame.derived_count = 4);
  REFUSED (frame.derived_count = 1); /* no hue without chroma */
  REFUSED (frame.component_count = 2);
  REFUSED (frame.matrix.shift--);
  REFUSED (frame.matrix.y[0]++);
  REFUSED (frame.matrix.y[0] = -1, frame.matrix.y[1] = (1 << frame.matrix.shift) + 1 - frame.matrix.y[2]);
  REFUSED (frame.matrix.cb[1]--);
  REFUSED (frame.matrix.cr[0] = 2 << frame.matrix.shift, frame.matrix.cr[1] = -frame.matrix.cr[0], frame.matrix.cr[2] = 0);
  REFUSED (frame.chroma.shift_x = 1);
  REFUSED (frame.components[1].width--);
  REFUSED (frame.components[2].plane = 1);
  REFUSED (frame.component_count = 4, frame.components[3] = frame.components[0], frame.components[3].plane = 1);
  REFUSED (frame.gamut = (struct histo_gamut){ .max = 1 }, frame.derived_count = 1, frame.statistics = HISTO_STATISTIC_GAMUT);
#undef REFUSED
  init_operand (&operand, &good, &random);
  operand.frame.derived_count = 1;
  good.frame.operand = &operand.frame;
  ck_assert_int_eq (histo_submit (all.engines[0], &good.frame, &ticket), HISTO_ERROR_INVALID);
}

TEST (chroma_of_an_operand_is_ignored)
{
  struct test_random random = test_random_start (307);
  const struct test_geometry geometry = { .width = 8, .height = 4 };
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

  test_frame_init (&frame, test_layout_find ("RGBx"), &geometry, TEST_FILL_RANDOM, &random);
  test_frame_derive (&frame, 3);
  init_operand (&operand, &frame, &random);
  operand.frame.chroma = (struct histo_chroma){ .shift_x = 1, .phase_y = 1 };
  frame.frame.operand = &operand.frame;
  frame.frame.statistics = HISTO_STATISTIC_DIFFERENCE;
  check_counts (&frame);
}
