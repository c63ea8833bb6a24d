/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waveforms and vectorscopes: at every layout, size and number of columns, alone and with all other statistics. */

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

/* Fewer columns than the frame has, the same number, one less, one more, and the maximum. Wide frames seldom have the maximum,
 * whose millions of bins are only slow: their counting does not depend on the layout. */
static uint32_t
choose_columns (unsigned choice, uint32_t width, struct test_random *random)
{
  switch (width > 300 && choice / 7 % 5 != 0 ? 5 : choice % 7) {
  case 0:
    return 1;
  case 1:
    return width;
  case 2:
    return width > 1 ? width - 1 : 1;
  case 3:
    return width + 1;
  case 4:
    return HISTO_MAX_WAVEFORM_COLUMNS;
  case 5:
    return 1 + (uint32_t)test_random_below (random, 32);
  default:
    return 1 + (uint32_t)test_random_below (random, width);
  }
}

TEST (every_layout_in_columns)
{
  struct test_random random = test_random_start (301);

  for (unsigned layout = 0; layout < test_layout_count; layout++)
    for (unsigned size = 0; size < SIZE_COUNT; size++) {
      struct test_geometry geometry = test_geometry_random (sizes[size][0], sizes[size][1], &random);
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      if (is_omitted (layout, size))
        continue;
      test_frame_init (&frame, &test_layouts[layout], &geometry, choose_fill (&random), &random);
      frame.frame.waveform_columns = choose_columns (layout + size, sizes[size][0], &random);
      frame.frame.statistics = test_frame_statistics (&frame)
                               & (HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE | HISTO_STATISTIC_PROJECTION);
      if (test_random_once_in (&random, 3))
        frame.frame.statistics &= ~(uint32_t)HISTO_STATISTIC_VECTORSCOPE;
      if (test_random_once_in (&random, 3))
        frame.frame.statistics &= ~(uint32_t)HISTO_STATISTIC_WAVEFORM;
      if (test_random_once_in (&random, 2))
        frame.frame.statistics &= ~(uint32_t)HISTO_STATISTIC_PROJECTION;
      check_counts (&frame);
    }
}

/* Large enough for several slices, bands, strips and rounds, with joined rows and separate ones. */
TEST_TAGGED (large_frames_in_columns, "large")
{
  static const struct {
    const char *layout;
    uint32_t width, height, columns, statistics;
    size_t extra_stride_bytes;
    enum test_fill fill;
  } cases[] = {
    { "NV12", 1920, 540, 256, 0, 0, TEST_FILL_SKEWED },
    { "NV12", 1920, 540, 1920, HISTO_STATISTIC_HUE | HISTO_STATISTIC_OUTLIERS, 0, TEST_FILL_RANDOM },
    { "NV12", 1280, 720, 1, HISTO_STATISTIC_OUT_OF_RANGE, 64, TEST_FILL_ONE_BIN },
    { "I420", 1279, 719, 640, HISTO_STATISTIC_PROJECTION, 0, TEST_FILL_MAX },
    { "P010_10LE", 1280, 360, 333, 0, 0, TEST_FILL_TWO_VALUES },
    { "P016_BE", 641, 480, 16384, HISTO_STATISTIC_SATURATION, 2, TEST_FILL_RAMP },
    { "ARGB", 640, 360, 100, 0, 0, TEST_FILL_SKEWED },
    { "YUY2", 720, 576, 7, 0, 0, TEST_FILL_RANDOM },
    { "GRAY8", 65536, 40, 16384, 0, 0, TEST_FILL_ONE_BIN },
    { "GRAY8", 1, 70000, 5, 0, 0, TEST_FILL_RANDOM },
    { "Y444", 3, 65536, 2, 0, 0, TEST_FILL_ZERO },
  };
  struct test_random random = test_random_start (302);

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i += test_stride (1)) {
    const struct test_geometry geometry
        = { .width = cases[i].width, .height = cases[i].height, .extra_stride_bytes = cases[i].extra_stride_bytes };
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

    test_frame_init (&frame, test_layout_find (cases[i].layout), &geometry, cases[i].fill, &random);
    frame.frame.waveform_columns = cases[i].columns;
    frame.frame.statistics
        = cases[i].statistics | HISTO_STATISTIC_WAVEFORM | (test_frame_statistics (&frame) & HISTO_STATISTIC_VECTORSCOPE);
    check_counts (&frame);
  }
}

static uint32_t
paint_column (void *data, uint64_t column, uint32_t row)
{
  (void)data;
  (void)row;
  return (uint32_t)(column * 2 + 10);
}

static uint32_t
paint_row (void *data, uint64_t column, uint32_t row)
{
  (void)column;
  return *(uint32_t *)data + row;
}

/* Numbers computed by hand: for a ramp along the row, and for one colour of chroma a row. */
TEST (known_places)
{
  struct test_random random = test_random_start (303);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  uint32_t cb = 100, cr = 200;

  test_frame_init (&frame, test_layout_find ("I420"), &(struct test_geometry){ .width = 10, .height = 6 }, TEST_FILL_RANDOM,
                   &random);
  test_frame_paint (&frame, 0, paint_column, NULL);
  test_frame_paint (&frame, 1, paint_row, &cb);
  test_frame_paint (&frame, 2, paint_row, &cr);
  frame.frame.statistics = HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE;
  frame.frame.waveform_columns = 4;
  for (unsigned v = 0; v < all.count; v++) {
    static const unsigned first_columns[] = { 0, 3, 5, 8, 10 };
    const struct histo_component_stats *luma;
    uint64_t pairs = 0;

    ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
    luma = &stats.components[0];
    ck_assert_uint_eq (luma->waveform_columns, 4);
    ck_assert_uint_eq (stats.components[1].waveform_columns, 4); /* of five samples */
    for (unsigned c = 0; c < 4; c++)
      for (unsigned value = 0; value < 256; value++) {
        const bool is_there = value % 2 == 0 && value >= 10 + 2 * first_columns[c] && value < 10 + 2 * first_columns[c + 1];

        ck_assert_uint_eq (luma->waveform[c * 256 + value], is_there ? 6 : 0);
      }
    for (unsigned row = 0; row < 3; row++)
      ck_assert_uint_eq (stats.picture->vectorscope[(200 + row) * 256 + 100 + row], 5);
    for (unsigned i = 0; i < HISTO_VECTORSCOPE; i++)
      pairs += stats.picture->vectorscope[i];
    ck_assert_uint_eq (pairs, 15);
    ck_assert_uint_eq (stats.picture->chroma_count, 15);
  }
}

/* A waveform is a set of histograms, and a vectorscope contains those of Cb and Cr in its columns and rows. */
TEST (sums_are_histograms)
{
  struct test_random random = test_random_start (304);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

  test_frame_init (&frame, test_layout_find ("NV12"), &(struct test_geometry){ .width = 333, .height = 99 }, TEST_FILL_RANDOM,
                   &random);
  frame.frame.statistics = HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE;
  frame.frame.waveform_columns = 50;
  for (unsigned v = 0; v < all.count; v++) {
    ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
    for (unsigned value = 0; value < 256; value++) {
      uint64_t column = 0, row = 0;

      for (unsigned c = 0; c < 3; c++) {
        uint64_t waveform = 0;

        for (unsigned i = 0; i < 50; i++)
          waveform += stats.components[c].waveform[i * 256 + value];
        ck_assert_uint_eq (waveform, stats.components[c].histogram[value]);
      }
      for (unsigned i = 0; i < 256; i++) {
        column += stats.picture->vectorscope[i * 256 + value];
        row += stats.picture->vectorscope[value * 256 + i];
      }
      ck_assert_uint_eq (column, stats.components[1].histogram[value]);
      ck_assert_uint_eq (row, stats.components[2].histogram[value]);
    }
  }
}

/* Frames with more, with fewer and without columns alternate in the same slots. */
TEST (scopes_in_flight)
{
  enum { FRAMES = 20, IN_FLIGHT = 3 };
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES];
  struct test_random random = test_random_start (305);

  open_all (IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 400),
                                                          1 + (uint32_t)test_random_below (&random, 60), &random);
    test_frame_init (&frames[f], &test_layouts[test_random_below (&random, test_layout_count)], &geometry, TEST_FILL_RANDOM,
                     &random);
    frames[f].frame.waveform_columns = 1 + f * 20;
    frames[f].frame.statistics = test_frame_statistics (&frames[f])
                                 & (f % 3 == 1 ? 0 : HISTO_STATISTIC_WAVEFORM | (f % 3 == 2 ? HISTO_STATISTIC_VECTORSCOPE : 0));
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  assert_in_flight (frames, NULL, expected, FRAMES, IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    test_count_clear (&expected[f]);
    test_frame_clear (&frames[f]);
  }
}
