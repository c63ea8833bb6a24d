/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples outside the gamut: at its limits in every layout, and the gamut of EBU R103 compared with the signals' definition,
 * computed in doubles. */

#include <math.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

static const struct matrix {
  const char *name;
  double kr, kb;
} matrices[] = {
  { "BT.601", 0.299, 0.114 },
  { "BT.709", 0.2126, 0.0722 },
  { "BT.2020", 0.2627, 0.0593 },
  { "SMPTE 240M", 0.212, 0.087 },
};
#define MATRICES (sizeof matrices / sizeof *matrices)

/* ---- at the limits -------------------------------------------------------------------------------------------------- */

/* Chroma of all kinds, more often near grey, and luma at a limit, with or without its chroma. */
struct limits {
  const struct histo_frame *frame;
  uint64_t seed;
};

static int32_t
choose_chroma (const struct limits *limits, unsigned component, uint64_t column, uint32_t row)
{
  const uint32_t dice = mix (column, row, limits->seed + component), middle = 1u << (limits->frame->components[0].depth - 1);
  const uint32_t reach = dice % 4 == 0 ? middle : middle / 8;

  if (dice % 61 == 0)
    return dice % 2 == 0 ? -(int32_t)middle : (int32_t)middle - 1;
  return (int32_t)(dice / 64 % (2 * reach)) - (int32_t)reach;
}

static uint32_t
paint_second (void *data, uint64_t column, uint32_t row)
{
  const struct limits *limits = data;

  return (uint32_t)(choose_chroma (limits, 1, column, row) + (1 << (limits->frame->components[0].depth - 1)));
}

static uint32_t
paint_third (void *data, uint64_t column, uint32_t row)
{
  const struct limits *limits = data;

  return (uint32_t)(choose_chroma (limits, 2, column, row) + (1 << (limits->frame->components[0].depth - 1)));
}

static uint32_t
paint_luma (void *data, uint64_t column, uint32_t row)
{
  const struct limits *limits = data;
  const struct histo_gamut *gamut = &limits->frame->gamut;
  const struct histo_chroma *chroma = &limits->frame->chroma;
  const uint32_t dice = mix (column, row, limits->seed), chroma_row = (row + chroma->phase_y) >> chroma->shift_y;
  const uint64_t chroma_column = (column + chroma->phase_x) >> chroma->shift_x;
  const int64_t cb = choose_chroma (limits, 1, chroma_column, chroma_row);
  const int64_t cr = choose_chroma (limits, 2, chroma_column, chroma_row);
  const int64_t parts[] = { 0, gamut->r_cr * cr, gamut->g_cb * cb + gamut->g_cr * cr, gamut->b_cb * cb };
  const int64_t limit = dice % 2 == 0 ? gamut->min : gamut->max, top = (1 << limits->frame->components[0].depth) - 1;
  int64_t value = (limit - parts[dice / 2 % 4]) / HISTO_GAMUT_ONE + dice / 8 % 3 - 1;

  if (dice % 7 == 0)
    value = dice / 64;
  return (uint32_t)(value < 0 ? 0 : value > top ? top : value);
}

TEST (at_the_limits)
{
  static struct test_count expected;
  uint64_t counted = 0, errors = 0;
  struct test_random random = test_random_start (230);

  for (unsigned l = 0; l < test_layout_count; l++)
    for (unsigned choice = 2; choice < 32; choice += test_stride (5)) {
      const struct test_geometry geometry
          = test_geometry_random (1 + (uint32_t)test_random_below (&random, choice % 8 == 2 ? 1100 : 150),
                                  1 + (uint32_t)test_random_below (&random, 9), &random);
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
      struct limits limits = { &frame.frame, test_random_next (&random) };

      if (choice % 8 < 2)
        continue;
      test_frame_init (&frame, &test_layouts[l], &geometry, TEST_FILL_RANDOM, &random);
      test_frame_set_gamut (&frame, choice);
      if (test_frame_statistics (&frame) & HISTO_STATISTIC_GAMUT) {
        test_frame_paint (&frame, 0, paint_luma, &limits);
        test_frame_paint (&frame, 1, paint_second, &limits);
        test_frame_paint (&frame, 2, paint_third, &limits);
        frame.frame.statistics = HISTO_STATISTIC_GAMUT;
        if (choice % 3 == 0)
          frame.frame.statistics = test_frame_choose_statistics (&frame, &random);
        test_frame_count (&frame.frame, &expected);
        counted += expected.picture.luma_count;
        errors += expected.picture.gamut_errors;
        assert_all_count (&frame, &expected.stats);
        test_count_clear (&expected);
      }
    }
  /* Enough samples were at a limit. */
  ck_assert_uint_gt (errors, counted / 8);
  ck_assert_uint_lt (errors, counted / 8 * 7);
}

/* ---- EBU R103 ------------------------------------------------------------------------------------------------------- */

/* Y', R', G' and B' as the standards define them, 0 for black and 1 for white, on the scale of limited range. */
static void
find_levels (const struct matrix *matrix, bool is_full, unsigned depth, const int32_t samples[3], double levels[4])
{
  const double unit = 1 << (depth - 8), top = (1 << depth) - 1, middle = 1 << (depth - 1);
  const double luma = is_full ? samples[0] / top : (samples[0] - 16 * unit) / (219 * unit);
  const double blue = (samples[1] - middle) / (is_full ? top : 224 * unit); /* -0.5 .. 0.5 */
  const double red = (samples[2] - middle) / (is_full ? top : 224 * unit);
  const double r = luma + red * 2 * (1 - matrix->kr), b = luma + blue * 2 * (1 - matrix->kb);
  const double parts[] = { luma, r, (luma - matrix->kr * r - matrix->kb * b) / (1 - matrix->kr - matrix->kb), b };

  for (unsigned i = 0; i < 4; i++)
    levels[i] = (parts[i] * 219 + 16) * unit;
}

enum verdict { INSIDE, OUTSIDE, DOUBTFUL };

/* The tolerance of the engine: its coefficients and its limits are rounded. Chroma is at most half of all values from the
 * middle, and green has two coefficients. Full range is scaled to the levels of limited range, by less than 1. */
static double
find_doubt (unsigned depth)
{
  return (2 * 0.5 * (1 << (depth - 1)) + 1) / HISTO_GAMUT_ONE + 1e-9;
}

static enum verdict
judge (const struct matrix *matrix, bool is_full, unsigned depth, const int32_t samples[3])
{
  const double least = (5 << (depth - 8)) - 0.5, most = (246 << (depth - 8)) + 0.5, doubt = find_doubt (depth);
  enum verdict verdict = INSIDE;
  double levels[4];

  find_levels (matrix, is_full, depth, samples, levels);
  for (unsigned i = 0; i < 4; i++) {
    if (levels[i] < least - doubt || levels[i] > most + doubt)
      return OUTSIDE;
    if (levels[i] < least + doubt || levels[i] > most - doubt)
      verdict = DOUBTFUL;
  }
  return verdict;
}

/* Each Cb in turn down the rows, each Cr along them, one luma. Samples within the tolerance are replaced by grey. */
struct plane_of_colours {
  const struct matrix *matrix;
  bool is_full;
  unsigned depth, step_log2, component;
  int32_t luma;
  uint64_t doubtful, outside;
};

static uint32_t
paint_colours (void *data, uint64_t column, uint32_t row)
{
  struct plane_of_colours *plane = data;
  /* Not only multiples of the step. */
  const int32_t last = (1 << plane->depth) - 1, offset = (int32_t)(column * 7 + row * 5) % (1 << plane->step_log2);
  int32_t samples[]
      = { plane->luma, (int32_t)(row << plane->step_log2) + offset, (int32_t)(column << plane->step_log2) + offset };
  enum verdict verdict;

  for (unsigned c = 1; c < 3; c++)
    samples[c] = samples[c] > last ? last : samples[c];
  verdict = judge (plane->matrix, plane->is_full, plane->depth, samples);
  if (plane->component == 0) {
    plane->doubtful += verdict == DOUBTFUL;
    plane->outside += verdict == OUTSIDE;
  }
  if (verdict == DOUBTFUL)
    return 1u << (plane->depth - 1);
  return (uint32_t)samples[plane->component];
}

TEST (r103_against_the_definition)
{
  static const unsigned depths[] = { 8, 9, 10, 12, 14, 16 };
  enum { SIDE = 256 };
  struct test_random random = test_random_start (231);

  for (unsigned d = 0; d < sizeof depths / sizeof *depths; d++)
    for (unsigned m = 0; m < 2 * MATRICES; m++) {
      const struct test_layout layout = make_planes (depths[d]);
      const struct test_geometry geometry = { .width = SIDE, .height = SIDE };
      struct plane_of_colours plane
          = { .matrix = &matrices[m / 2], .is_full = m % 2 == 1, .depth = depths[d], .step_log2 = depths[d] - 8 };
      uint64_t doubtful = 0, outside = 0, counted = 0;
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      if ((d + m) % test_stride (4) != 0)
        continue;
      test_frame_init (&frame, &layout, &geometry, TEST_FILL_ZERO, &random);
      frame.frame.statistics = HISTO_STATISTIC_GAMUT;
      ck_assert (histo_find_gamut (&frame.frame.gamut, plane.matrix->kr, plane.matrix->kb, plane.is_full, depths[d]));
      for (unsigned level = 0; level < 9; level++) {
        static const int32_t levels[] = { 4, 5, 60, 90, 128, 160, 190, 246, 247 };

        plane.luma = levels[level] << plane.step_log2;
        plane.doubtful = plane.outside = 0;
        for (plane.component = 0; plane.component < 3; plane.component++)
          test_frame_paint (&frame, plane.component, paint_colours, &plane);
        for (unsigned v = 0; v < all.count; v++) {
          ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
          ck_assert_msg (stats.picture->gamut_errors == plane.outside,
                         "%s: %s, %s range, %u bits, luma %d: %u samples instead of %u", all.variants[v].name,
                         plane.matrix->name, plane.is_full ? "full" : "limited", depths[d], (int)plane.luma,
                         (unsigned)stats.picture->gamut_errors, (unsigned)plane.outside);
        }
        doubtful += plane.doubtful;
        outside += plane.outside;
        counted += SIDE * SIDE;
      }
      /* Few samples are within the tolerance, and both outcomes are frequent. */
      ck_assert_uint_lt (doubtful, counted / 20);
      ck_assert_uint_gt (outside, counted / 4);
      ck_assert_uint_lt (outside, counted / 20 * 19);
    }
}

/* The limits of the preferred range from the table of R103, for grey and for each primary. */
TEST (r103_by_hand)
{
  static const struct {
    unsigned depth;
    uint32_t min, max;
  } ranges[] = { { 8, 5, 246 }, { 10, 20, 984 }, { 12, 80, 3936 }, { 16, 1280, 62976 } };
  struct test_random random = test_random_start (232);

  for (unsigned r = 0; r < sizeof ranges / sizeof *ranges; r++)
    for (unsigned component = 0; component < 4; component++) {
      const uint32_t ends[] = { ranges[r].min - 1, ranges[r].min, ranges[r].max, ranges[r].max + 1 };
      const struct test_layout layout = make_planes (ranges[r].depth);
      const struct test_geometry geometry = { .width = 1, .height = 1 };
      const bool is_rgb = component < 3;

      for (unsigned end = 0; end < 4; end++) {
        TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

        test_frame_init (&frame, &layout, &geometry, TEST_FILL_ZERO, &random);
        frame.frame.statistics = HISTO_STATISTIC_GAMUT;
        ck_assert (histo_find_gamut (&frame.frame.gamut, 0.2126, 0.0722, false, ranges[r].depth));
        frame.frame.gamut.is_rgb = is_rgb;
        for (unsigned c = 0; c < 3; c++) {
          uint32_t value = 1u << (ranges[r].depth - 1);

          if (is_rgb ? c == component : c == 0)
            value = ends[end];
          test_frame_paint (&frame, c, paint_value, &value);
        }
        for (unsigned v = 0; v < all.count; v++) {
          ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
          ck_assert_msg (stats.picture->gamut_errors == (end == 0 || end == 3), "%s: %u bits, component %u, value %u",
                         all.variants[v].name, ranges[r].depth, component, (unsigned)ends[end]);
        }
      }
    }
}
