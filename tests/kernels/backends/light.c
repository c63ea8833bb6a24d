/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The light of PQ pictures, compared with the standards' definitions computed in doubles: SMPTE ST 2084, and Y'CbCr of BT.2020
 * and others. */

#include <math.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

static const struct matrix {
  double kr, kb;
} matrices[] = { { 0.2627, 0.0593 }, { 0.2126, 0.0722 }, { 0.299, 0.114 }, { 0.212, 0.087 } };
#define MATRICES (sizeof matrices / sizeof *matrices)

/* What samples mean. */
struct signal {
  const struct matrix *matrix;
  bool is_full, is_rgb;
  unsigned depth;
  enum histo_transfer transfer;
  enum histo_light_source source;
};

/* R', G' and B', 0 for black and 1 for white, limited to these. */
static void
find_primaries (const struct signal *signal, const uint32_t samples[3], double primaries[3])
{
  const double unit = 1 << (signal->depth - 8), top = (1 << signal->depth) - 1, middle = 1 << (signal->depth - 1);
  const double steps = signal->is_full ? top : 219 * unit, black = signal->is_full ? 0 : 16 * unit;
  const double kr = signal->matrix->kr, kb = signal->matrix->kb;

  if (signal->is_rgb) {
    for (unsigned c = 0; c < 3; c++)
      primaries[c] = (samples[c] - black) / steps;
  } else {
    const double luma = (samples[0] - black) / steps, chroma_steps = signal->is_full ? top : 224 * unit;

    primaries[0] = luma + 2 * (1 - kr) * (samples[2] - middle) / chroma_steps;
    primaries[2] = luma + 2 * (1 - kb) * (samples[1] - middle) / chroma_steps;
    primaries[1] = (luma - kr * primaries[0] - kb * primaries[2]) / (1 - kr - kb);
  }
  for (unsigned c = 0; c < 3; c++)
    primaries[c] = fmin (fmax (primaries[c], 0), 1);
}

static double
find_largest (const struct signal *signal, const uint32_t samples[3])
{
  double primaries[3];

  find_primaries (signal, samples, primaries);
  return fmax (primaries[0], fmax (primaries[1], primaries[2]));
}

/* The EOTF of ST 2084, in nits, and its inverse. */
static double
find_nits (double signal)
{
  const double root = pow (signal, 32 / 2523.0);

  return 10000 * pow (fmax (root - 3424 / 4096.0, 0) / (2413 / 128.0 - 2392 / 128.0 * root), 16384 / 2610.0);
}

static double
find_signal (double nits)
{
  const double root = pow (nits / 10000, 2610 / 16384.0);

  return pow ((3424 / 4096.0 + 2413 / 128.0 * root) / (1 + 2392 / 128.0 * root), 2523 / 32.0);
}

/* The inverse OETF of HLG (BT.2100), 0 to 1. */
static double
find_scene_light (double signal)
{
  const double a = 0.17883277, b = 0.28466892, c = 0.55991073;

  return signal <= 0.5 ? signal * signal / 3 : (exp ((signal - c) / a) + b) / 12;
}

/* The signal of ST 2084 of the light. HLG: on a display of 1000 nits with a system gamma of 1.2. */
static double
find_light (const struct signal *signal, const uint32_t samples[3])
{
  const double weights[] = { signal->matrix->kr, 1 - signal->matrix->kr - signal->matrix->kb, signal->matrix->kb };
  double light[3], luminance = 0, largest = 0;

  if (signal->transfer == HISTO_TRANSFER_PQ && signal->source == HISTO_LIGHT_MAX_RGB)
    return find_largest (signal, samples);
  find_primaries (signal, samples, light);
  for (unsigned c = 0; c < 3; c++) {
    light[c] = signal->transfer == HISTO_TRANSFER_PQ ? find_nits (light[c]) : find_scene_light (light[c]);
    luminance += weights[c] * light[c];
    largest = fmax (largest, light[c]);
  }
  if (signal->source == HISTO_LIGHT_LUMINANCE)
    largest = luminance;
  if (signal->transfer == HISTO_TRANSFER_PQ)
    return find_signal (largest);
  return luminance > 0 ? find_signal (1000 * pow (luminance, 0.2) * largest) : 0;
}

static void
ask_for_light (struct test_frame *frame, const struct signal *signal)
{
  frame->frame.statistics = HISTO_STATISTIC_LIGHT;
  ck_assert (histo_find_light (&frame->frame.light, signal->matrix->kr, signal->matrix->kb, signal->is_full, signal->depth));
  frame->frame.light.is_rgb = signal->is_rgb;
  frame->frame.light.transfer = signal->transfer;
  frame->frame.light.source = signal->source;
}

/* ---- colours -------------------------------------------------------------------------------------------------------- */

enum kind { GRADIENT, NOISE, DARK_NOISE, KINDS };

struct colours {
  struct signal signal;
  enum kind kind;
  unsigned component;
};

static void
choose_samples (const struct colours *colours, uint64_t column, uint32_t row, uint32_t samples[3])
{
  const uint32_t top = (1u << colours->signal.depth) - 1;

  for (unsigned c = 0; c < 3; c++) {
    const uint32_t dice = mix (column, row, c);

    if (colours->kind == GRADIENT)
      samples[c] = (uint32_t)(c == 0 ? column * top / 255 : c == 1 ? row * top / 63 : (column + 4 * row) * top / 510);
    else
      samples[c] = dice & top;
    if (colours->kind == DARK_NOISE && (c == 0 || colours->signal.is_rgb))
      samples[c] /= 8;
    else if (colours->kind == DARK_NOISE)
      samples[c] = top / 2 + samples[c] / 32;
  }
}

static uint32_t
paint_colours (void *data, uint64_t column, uint32_t row)
{
  const struct colours *colours = data;
  uint32_t samples[3];

  choose_samples (colours, column, row, samples);
  return samples[colours->component];
}

/* Each code of the engine is within one of the rounded code in doubles. So the numbers of samples up to each code are within
 * those up to the neighbouring codes. */
static void
assert_near (const uint64_t *light, const uint64_t *exact, const struct colours *colours, const char *variant)
{
  uint64_t found = 0, below = 0, above = exact[0];

  for (unsigned code = 0; code < HISTO_LIGHT_CODES; code++) {
    found += light[code];
    above += code + 1 < HISTO_LIGHT_CODES ? exact[code + 1] : 0;
    below += code > 0 ? exact[code - 1] : 0;
    TEST_REQUIRE (found >= below && found <= above,
                  "%s: %u bits, %s, %s range, %s, source %u, kind %u: %u samples up to code %u, not %u to %u", variant,
                  colours->signal.depth, colours->signal.is_rgb ? "RGB" : "YUV", colours->signal.is_full ? "full" : "limited",
                  colours->signal.transfer == HISTO_TRANSFER_PQ ? "PQ" : "HLG", colours->signal.source, colours->kind,
                  (unsigned)found, code, (unsigned)below, (unsigned)above);
  }
}

static void
check_colours (const struct colours *given, struct test_random *random)
{
  const struct test_layout layout = make_planes (given->signal.depth);
  const struct test_geometry geometry = { .width = 256, .height = 64 };
  static uint64_t exact[HISTO_LIGHT_CODES];
  struct colours colours = *given;
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

  memset (exact, 0, sizeof exact);
  test_frame_init (&frame, &layout, &geometry, TEST_FILL_ZERO, random);
  ask_for_light (&frame, &colours.signal);
  for (colours.component = 0; colours.component < 3; colours.component++)
    test_frame_paint (&frame, colours.component, paint_colours, &colours);
  for (uint32_t row = 0; row < geometry.height; row++)
    for (uint32_t column = 0; column < geometry.width; column++) {
      uint32_t samples[3];

      choose_samples (&colours, column, row, samples);
      exact[lrint (find_light (&colours.signal, samples) * (HISTO_LIGHT_CODES - 1))]++;
    }
  for (unsigned v = 0; v < all.count; v++) {
    ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
    assert_near (stats.picture->light, exact, &colours, all.variants[v].name);
  }
}

TEST (colours_within_a_code)
{
  static const unsigned depths[] = { 8, 10, 12, 14, 16 };
  struct test_random random = test_random_start (240);
  unsigned round = 0;

  for (unsigned d = 0; d < sizeof depths / sizeof *depths; d++)
    for (unsigned m = 0; m < MATRICES; m++)
      for (unsigned k = 0; k < KINDS * 16; k++) {
        const struct colours colours = {
          .signal = { .matrix = &matrices[m],
                      .is_full = k % 2 == 1,
                      .is_rgb = k / 2 % 2 == 1,
                      .depth = depths[d],
                      .transfer = k / 4 % 2 == 0 ? HISTO_TRANSFER_PQ : HISTO_TRANSFER_HLG,
                      .source = k / 8 % 2 == 0 ? HISTO_LIGHT_MAX_RGB : HISTO_LIGHT_LUMINANCE },
          .kind = k / 16,
        };

        if (round++ % test_stride (5) == 0)
          check_colours (&colours, &random);
      }
}

/* ---- flats ---------------------------------------------------------------------------------------------------------- */

/* The formats of HDR films, and the codes of round (PQ * 4095) for some luminances. */
static const struct {
  const char *layout;
  unsigned depth; /* of three planes; 0: the layout's */
  bool is_rgb;
} formats[]
    = { { "P010_10LE", 0, false }, { "I420_10LE", 0, false }, { NULL, 12, false }, { NULL, 16, true }, { NULL, 10, true } };

static const struct {
  double nits;
  uint32_t code;
} flats[] = { { 0, 0 },      { 0.005, 62 }, { 0.1, 255 },  { 1, 614 },     { 58, 1861 },   { 100, 2081 },
              { 203, 2378 }, { 400, 2672 }, { 600, 2851 }, { 1000, 3079 }, { 4000, 3696 }, { 10000, 4095 } };

static void
check_flat (struct test_frame *frame, const struct signal *signal, unsigned f)
{
  const double unit = 1 << (signal->depth - 8), steps = signal->is_full ? (1 << signal->depth) - 1 : 219 * unit;
  const double black = signal->is_full ? 0 : 16 * unit;
  uint32_t value = (uint32_t)lrint (find_signal (flats[f].nits) * steps + black), samples[3];
  const uint32_t middle = 1u << (signal->depth - 1);
  struct histo_light_summary summary;
  double exact, step;

  for (unsigned c = 0; c < 3; c++) {
    samples[c] = c == 0 || signal->is_rgb ? value : middle;
    test_frame_paint (frame, c, paint_value, &samples[c]);
  }
  exact = find_largest (signal, samples) * (HISTO_LIGHT_CODES - 1);
  for (unsigned v = 0; v < all.count; v++) {
    uint64_t nits_sum;

    ck_assert_int_eq (test_engine_count (all.engines[v], &frame->frame, &stats), HISTO_OK);
    ck_assert (histo_summarize_light (stats.picture, &summary));
    ck_assert_uint_eq (summary.min_code, summary.max_code);
    ck_assert_msg (labs ((long)summary.max_code - lrint (exact)) <= 1, "%s: %g nits, %u bits: code %u, not %f",
                   all.variants[v].name, flats[f].nits, signal->depth, summary.max_code, exact);
    step = find_nits (fmin (exact + 1.5, 4095) / 4095) - find_nits (fmax (exact - 1.5, 0) / 4095);
    ck_assert_msg (fabs (histo_find_nits (summary.max_code) / (double)HISTO_NIT - find_nits (exact / 4095)) <= step,
                   "%g nits: %u units", flats[f].nits, histo_find_nits (summary.max_code));
    /* Deep samples are less than half a code apart. */
    if (signal->depth == 16)
      ck_assert_msg (labs ((long)summary.max_code - (long)flats[f].code) <= 1, "%g nits: code %u", flats[f].nits,
                     summary.max_code);
    nits_sum = histo_find_nits (summary.max_code) * stats.picture->luma_count;
    ck_assert_uint_eq (summary.sum, nits_sum);
    ck_assert_uint_eq (stats.picture->light[summary.max_code], stats.picture->luma_count);
  }
}

TEST (flats_of_known_luminance)
{
  struct test_random random = test_random_start (241);

  for (unsigned i = 0; i < 2 * sizeof formats / sizeof *formats; i++) {
    const struct test_layout planes = make_planes (formats[i / 2].depth > 0 ? formats[i / 2].depth : 8);
    const struct test_layout *layout = formats[i / 2].depth > 0 ? &planes : test_layout_find (formats[i / 2].layout);
    const struct test_geometry geometry = { .width = 37, .height = 5, .left = i % 3 };
    const struct signal signal
        = { .matrix = &matrices[0], .is_full = i % 2 == 1, .is_rgb = formats[i / 2].is_rgb, .depth = layout->samples[0].depth };
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

    test_frame_init (&frame, layout, &geometry, TEST_FILL_ZERO, &random);
    ask_for_light (&frame, &signal);
    for (unsigned f = 0; f < sizeof flats / sizeof *flats; f++)
      check_flat (&frame, &signal, f);
  }
}

/* ---- layouts -------------------------------------------------------------------------------------------------------- */

/* Light alone, at each layout and around the sizes of vectors, cells and blocks. */
TEST (light_of_every_layout)
{
  static const uint32_t widths[] = { 1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 64, 1023, 1024, 1025, 4095, 4097 };
  struct test_random random = test_random_start (242);

  for (unsigned l = 0; l < test_layout_count; l++)
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
      struct test_geometry geometry;
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      if ((l + w) % test_stride (5) != 0 || test_layouts[l].component_count < 3)
        continue;
      geometry = test_geometry_random (widths[w], 1 + (l * 3 + w) % 9, &random);
      test_frame_init (&frame, &test_layouts[l], &geometry, w % 4 == 0 ? TEST_FILL_SKEWED : TEST_FILL_RANDOM, &random);
      test_frame_set_light (&frame, 2 + l + w);
      frame.frame.statistics = test_frame_statistics (&frame) & HISTO_STATISTIC_LIGHT;
      check_counts (&frame);
    }
}

/* Pictures of a film's size, flat and noisy: many samples of one code, and many codes. */
TEST_TAGGED (light_of_large_pictures, "large")
{
  static const char *const names[] = { "P010_10LE", "I420_10LE", "NV12", "RGBA64_LE", "P016_BE" };
  struct test_random random = test_random_start (243);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
    for (unsigned f = 0; f < 3; f++) {
      static const enum test_fill fills[] = { TEST_FILL_RANDOM, TEST_FILL_MAX, TEST_FILL_RAMP };
      const struct test_geometry geometry
          = { .width = 1920, .height = 540 + n, .top = n % 2, .extra_stride_bytes = 2 * (f % 2) };
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

      if ((n + f) % test_stride (1) != 0)
        continue;
      test_frame_init (&frame, test_layout_find (names[n]), &geometry, fills[f], &random);
      test_frame_set_light (&frame, n == 3 ? 4 : 2 + f);
      frame.frame.statistics = HISTO_STATISTIC_LIGHT;
      check_counts (&frame);
    }
}
