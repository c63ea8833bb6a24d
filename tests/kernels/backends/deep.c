/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of two bytes. */

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

TEST (every_base_address_of_deep_samples)
{
  static const char *const names[] = { "GRAY16_BE",
                                       "GRAY10_LE",
                                       "P010_10LE",
                                       "RGBA64_LE",
                                       "RGB48",
                                       "12 bits of RGBx64",
                                       "13 bits from odd places",
                                       "12 bits every fifth byte",
                                       "a 16-bit sample at each byte",
                                       "bytes and 10 bits in one plane" };

  check_every_base (names, sizeof names / sizeof *names, 110);
}

/* One row of any number of samples before an unreadable page. */
TEST (every_length_of_deep_samples)
{
  static const char *const names[] = { "GRAY16_LE", "GRAY10_LE", "ARGB64_BE", "RGB48", "every second of 15 bits" };
  struct test_random random = test_random_start (111);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    for (uint32_t width = 1; width <= 150; width++) {
      struct test_geometry geometry
          = { .width = width, .height = 1, .guard = width % 3 == 0 ? TEST_GUARD_START : TEST_GUARD_END };
      check_frame (test_layout_find (names[n]), &geometry, (enum test_fill) (width % TEST_FILL_COUNT), true, &random);
    }
  }
}

/* Values up to 65535 in lanes of 16 and 32 bits, including the largest sum of two of them. */
TEST (every_fill_of_deep_samples)
{
  struct test_random random = test_random_start (112);

  for (unsigned l = 0; l < test_layout_count; l++) {
    if (test_layouts[l].samples[test_layouts[l].component_count - 1].sample_bytes != 2)
      continue;
    for (unsigned fill = 0; fill < TEST_FILL_COUNT; fill++) {
      struct test_geometry geometry;

      if ((l + fill) % test_stride (3) != 0)
        continue;
      geometry = test_geometry_random (321, 67, &random);
      check_frame (&test_layouts[l], &geometry, (enum test_fill)fill, fill % 2 == 0, &random);
    }
  }
}

/* Both factors at their highest. */
TEST (highest_products_of_deep_samples)
{
  static const char *const names[] = {
    "GRAY16_LE", "GRAY16_BE", "P016_BE", "RGBA64_LE", "RGB48", "every second of 15 bits", "a 16-bit sample at each byte"
  };
  struct test_random random = test_random_start (113);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    const struct test_geometry geometry = { .width = 2000, .height = 60, .extra_stride_bytes = n % 3 };
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

    test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_MAX, &random);
    test_frame_init (&operand, frame.layout, &geometry, TEST_FILL_MAX, &random);
    frame.frame.operand = &operand.frame;
    check_counts (&frame);
  }
}

/* Any depth, position, byte order and number of bins in any pattern. */
TEST (random_deep_formats)
{
  const unsigned rounds = 400 / test_stride (5);
  struct test_random random = test_random_start (114);

  for (unsigned round = 0; round < rounds; round++) {
    struct test_layout layout = { .name = "random 16-bit format", .plane_count = 1 };
    struct test_geometry geometry;
    unsigned period = 1 + (unsigned)test_random_below (&random, 4);
    bool is_uniform = !test_random_once_in (&random, 4);

    layout.component_count = 1 + (unsigned)test_random_below (&random, period);
    for (unsigned c = 0; c < layout.component_count; c++) {
      layout.components[c].offset_bytes = 2 * c;
      layout.components[c].step_bytes = 2 * period;
      layout.samples[c] = layout.samples[0];
      if (c > 0 && is_uniform)
        continue;
      layout.samples[c].sample_bytes = 2;
      layout.samples[c].depth = 9 + (unsigned)test_random_below (&random, 8);
      layout.samples[c].shift = (unsigned)test_random_below (&random, 17 - layout.samples[c].depth);
      layout.samples[c].big_endian = test_random_once_in (&random, 2);
      layout.samples[c].bins = 0;
      if (test_random_once_in (&random, 2))
        layout.samples[c].bins = 1u << layout.samples[c].depth;
    }
    geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 300),
                                     1 + (uint32_t)test_random_below (&random, 9), &random);
    check_frame (&layout, &geometry, choose_fill (&random), round % 2 == 0, &random);
  }
}

/* A bin for each value, from the first to the last, at every depth. The summaries are exact. */
TEST (every_depth_by_value)
{
  static const enum test_fill fills[] = { TEST_FILL_RANDOM, TEST_FILL_ZERO, TEST_FILL_MAX, TEST_FILL_ONE_BIN, TEST_FILL_RAMP };
  TEST_AT_END (histo_stats_clear) struct histo_stats total = { 0 };
  static struct test_count expected;
  struct test_random random = test_random_start (115);

  for (unsigned depth = 9; depth <= 16; depth++) {
    for (unsigned f = 0; f < sizeof fills / sizeof *fills; f++) {
      const unsigned place = (unsigned)test_random_below (&random, 17 - depth);
      const bool is_big_endian = test_random_once_in (&random, 2);
      struct test_layout layout = { .name = "a plane by value", .plane_count = 1, .component_count = 1 + f % 4 };
      struct test_geometry geometry;
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

      if ((depth + f) % test_stride (3) != 0)
        continue;
      for (unsigned c = 0; c < layout.component_count; c++) {
        layout.components[c].offset_bytes = 2 * c;
        layout.components[c].step_bytes = 2 * layout.component_count;
        layout.samples[c].sample_bytes = 2;
        layout.samples[c].depth = depth;
        layout.samples[c].shift = place;
        layout.samples[c].big_endian = is_big_endian;
        layout.samples[c].bins = 1u << depth;
      }
      geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 700), 31, &random);
      test_frame_init (&frame, &layout, &geometry, fills[f], &random);
      init_operand (&operand, &frame, &random);
      frame.frame.operand = f % 2 == 0 ? &operand.frame : NULL;
      test_frame_count (&frame.frame, &expected);
      for (unsigned v = 0; v < all.count; v++) {
        assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats);
        /* A window of several frames. */
        histo_stats_reset (&total);
        for (unsigned i = 0; i < 3; i++) {
          ck_assert_int_eq (test_engine_count (all.engines[v], i == 1 ? &operand.frame : &frame.frame, &stats), HISTO_OK);
          ck_assert_int_eq (histo_stats_add (&total, &stats), HISTO_OK);
        }
        for (unsigned c = 0; c < total.component_count; c++) {
          const struct histo_component_stats *component = &total.components[c];
          struct histo_summary summary;
          uint64_t count = 0;

          for (uint32_t value = 0; value < component->bins; value++)
            count += component->histogram[value];
          ck_assert_uint_eq (count, component->count);
          ck_assert (histo_summarize (component, &summary));
          ck_assert_uint_eq (summary.resolution, 1);
          ck_assert (component->histogram[summary.min] > 0 && component->histogram[summary.max] > 0);
        }
      }
    }
  }
}

/* One value everywhere is smallest, largest, median and mean. There are more samples than a bin of 16 bits can count. */
TEST (flat_pictures_by_value)
{
  static const struct {
    unsigned depth;
    uint16_t value;
  } cases[] = { { 10, 943 },   { 9, 511 },    { 11, 1 },     { 12, 4094 },  { 13, 8191 },
                { 14, 10001 }, { 15, 16383 }, { 16, 65535 }, { 16, 32767 }, { 16, 0 } };
  enum { WIDTH = 1001, HEIGHT = 331 };
  static uint16_t samples[WIDTH * HEIGHT * 3];

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct histo_frame frame = {
      .plane_count = 1,
      .component_count = 3,
      .planes = { { samples, WIDTH * 6, HEIGHT } },
    };

    for (unsigned c = 0; c < 3; c++)
      frame.components[c] = (struct histo_component){ .offset_bytes = 2 * c,
                                                      .step_bytes = 6,
                                                      .width = WIDTH,
                                                      .sample_bytes = 2,
                                                      .depth = cases[i].depth,
                                                      .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
                                                      .bins = 1u << cases[i].depth };
    for (unsigned s = 0; s < WIDTH * HEIGHT * 3; s++)
      samples[s] = cases[i].value;
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_msg (test_engine_count (all.engines[v], &frame, &stats) == HISTO_OK, "%s", test_log.text);
      for (unsigned c = 0; c < 3; c++) {
        struct histo_summary summary;

        ck_assert (histo_summarize (&stats.components[c], &summary));
        ck_assert_double_eq (summary.mean, cases[i].value);
        ck_assert_double_eq (summary.variance, 0);
        ck_assert_uint_eq (summary.min, cases[i].value);
        ck_assert_uint_eq (summary.low, cases[i].value);
        ck_assert_uint_eq (summary.median, cases[i].value);
        ck_assert_uint_eq (summary.high, cases[i].value);
        ck_assert_uint_eq (summary.max, cases[i].value);
        ck_assert_uint_eq (stats.components[c].histogram[cases[i].value], WIDTH * HEIGHT);
      }
    }
  }
}

/* Frames with few and with many bins alternate in one slot: a frame leaves nothing in the next one's numbers. */
TEST (numbers_of_bins_alternate)
{
  static const char *const names[]
      = { "NV12", "I422_12BE", "RGBA64_LE by value", "P010_10LE", "15 bits of RGBx64 by value", "GRAY16_LE by value" };
  const unsigned rounds = 60 / test_stride (3);
  struct test_random random = test_random_start (116);

  open_all (1);
  for (unsigned round = 0; round < rounds; round++) {
    const struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 90), 7, &random);

    check_frame (test_layout_find (names[test_random_below (&random, sizeof names / sizeof *names)]), &geometry,
                 choose_fill (&random), round % 2 == 0, &random);
  }
}
