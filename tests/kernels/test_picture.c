/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hue, saturation, range and gamut of single samples: the fast functions compared with the reference, and both with FFmpeg's
 * signalstats, which computes in single precision, and with the true angle. */

#include <math.h>

#include "frames.h"
#include "picture.h"
#include "reference/reference.h"
#include "runner.h"

#define DEGREES (180.L / 3.14159265358979323846264338327950288L)

/* As in FFmpeg's signalstats: atan2f is the library's. */
static unsigned
find_hue_in_floats (int32_t cb, int32_t cr)
{
  return (unsigned)(int)fmodf (floorf ((float)((180.f / M_PI) * atan2f ((float)cb, (float)cr) + 180.f)), 360.f);
}

static unsigned
find_saturation_in_floats (int32_t cb, int32_t cr)
{
  return (unsigned)(int)hypotf ((float)cb, (float)cr);
}

static void
assert_same (int32_t cb, int32_t cr, const char *what, unsigned expected, unsigned actual)
{
  TEST_REQUIRE (actual == expected, "%s of %d and %d is %u instead of %u", what, (int)cb, (int)cr, actual, expected);
}

static void
check_pair (int32_t cb, int32_t cr)
{
  assert_same (cb, cr, "the hue", test_hue (cb, cr), histo_reference_find_hue (cb, cr));
  assert_same (cb, cr, "the fast hue", test_hue (cb, cr), histo_find_hue (cb, cr));
  assert_same (cb, cr, "the saturation", test_saturation (cb, cr), histo_reference_find_saturation (cb, cr));
  assert_same (cb, cr, "the fast saturation", test_saturation (cb, cr), histo_find_saturation (cb, cr));
}

TEST (every_pair_is_alike)
{
  const int32_t stride = (int32_t)test_stride (1);

  for (unsigned depth = 8; depth <= 10; depth++) {
    const int32_t middle = 1 << (depth - 1);

    for (int32_t cb = -middle; cb < middle; cb++)
      for (int32_t cr = -middle + (cb + middle) % stride; cr < middle; cr += stride)
        check_pair (cb, cr);
  }
}

/* Deeper samples: anywhere, and at the start of hues and saturations. */
TEST (deep_pairs_are_alike)
{
  struct test_random random = test_random_start (250);

  for (unsigned depth = 11; depth <= 16; depth++) {
    const int32_t middle = 1 << (depth - 1);

    for (unsigned i = 0; i < 60000 / test_stride (1); i++)
      check_pair ((int32_t)test_random_below (&random, 2 * (uint64_t)middle) - middle,
                  (int32_t)test_random_below (&random, 2 * (uint64_t)middle) - middle);
    for (unsigned hue = 0; hue < HISTO_HUES; hue++)
      for (unsigned i = 0; i < 40; i += test_stride (1)) {
        const double angle = hue * (M_PI / 180), radius = 1 + (double)test_random_below (&random, (uint64_t)middle - 2);
        const int32_t cb = (int32_t)lrint (radius * sin (angle)), cr = (int32_t)lrint (radius * cos (angle));

        check_pair (cb, cr);
        check_pair (cb - 1, cr);
        check_pair (cb, cr - 1);
      }
    /* Along the axes and the diagonals, where a hue begins exactly. */
    for (int32_t x = 0; x < middle; x += 1 + (int32_t)test_random_below (&random, 9)) {
      check_pair (x, 0);
      check_pair (-x, 0);
      check_pair (0, x);
      check_pair (0, -x);
      check_pair (x, x);
      check_pair (-x, x);
      check_pair (x, -x);
      check_pair (-x, -x);
    }
    check_pair (-middle, -middle);
    check_pair (-middle, middle - 1);
    check_pair (middle - 1, -middle);
    check_pair (middle - 1, middle - 1);
  }
}

/* All samples of 8, 9 and 10 bits. In one direction, (163, 152), libraries differ: a correctly rounded atan2f puts it into the
 * next hue, with 9 and 10 bits. */
TEST (hues_are_those_of_signalstats)
{
  const int32_t stride = (int32_t)test_stride (1);

  for (unsigned depth = 8; depth <= 10; depth++) {
    const int32_t middle = 1 << (depth - 1);

    for (int32_t cb = -middle; cb < middle; cb++)
      for (int32_t cr = -middle + (cb + middle) % stride; cr < middle; cr += stride) {
        const unsigned expected = find_hue_in_floats (cb, cr), hue = histo_reference_find_hue (cb, cr);

        if (cb > 0 && cb * 152 == cr * 163 && expected == hue + 1)
          continue;
        assert_same (cb, cr, "the hue", expected, hue);
      }
  }
}

/* Up to 12 bits. For deeper samples single precision rounds some up to the next integer. */
TEST (saturations_are_those_of_signalstats)
{
  for (unsigned depth = 8; depth <= 12; depth++) {
    const int32_t middle = 1 << (depth - 1);

    /* The others are those of the next quadrant, and of the opposite one. */
    for (int32_t cb = 0; cb <= middle; cb++)
      for (int32_t cr = cb; cr <= middle; cr++)
        assert_same (cb, cr, "the saturation", find_saturation_in_floats (cb, cr), histo_find_saturation (cb, cr));
  }
}

/* The definition without its two exceptions, which are not near any 8-bit sample. */
TEST (hues_are_true_angles)
{
  for (int32_t cb = -128; cb < 128; cb++)
    for (int32_t cr = -128; cr < 128; cr++) {
      /* The exact start of a hue, at multiples of 45 degrees, may have an angle that was rounded down. */
      const long double angle = atan2l (cb, cr) * DEGREES + 180 + 1e-12L;

      assert_same (cb, cr, "the hue", (unsigned)floorl (angle) % HISTO_HUES, histo_reference_find_hue (cb, cr));
    }
}

TEST (hues_by_hand)
{
  static const struct {
    int32_t cb, cr;
    unsigned hue;
  } cases[] = {
    { 0, 0, 180 },
    { 0, 1, 180 },
    { 1, 1, 225 },
    { 1, 0, 270 },
    { 1, -1, 315 },
    { 0, -1, 0 },
    { -1, -1, 45 },
    { -1, 0, 90 },
    { -1, 1, 135 },
    { -1, 127, 179 },
    { 1, 127, 180 },
    { 1, -128, 359 },
    { -1, -128, 0 },
    /* where signalstats rounds up, and beside it */
    { 315, -11, 272 },
    { 314, -11, 272 },
    { 315, -10, 271 },
    { 630, -22, 272 },
    { 152, -163, 317 },
    { 153, -163, 316 },
    { 152, -164, 317 },
    { 1520, -1630, 317 },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert_uint_eq (histo_reference_find_hue (cases[i].cb, cases[i].cr), cases[i].hue);
    ck_assert_uint_eq (histo_find_hue (cases[i].cb, cases[i].cr), cases[i].hue);
    ck_assert_uint_eq (test_hue (cases[i].cb, cases[i].cr), cases[i].hue);
  }
}

/* The farthest sample from grey has both components at their lowest value. */
TEST (saturations_that_samples_can_have)
{
  static const uint32_t counts[] = { 182, 363, 725, 1449, 2897, 5793, 11586, 23171, 46341 };

  for (unsigned depth = 8; depth <= 16; depth++) {
    const int32_t lowest = -(1 << (depth - 1));

    ck_assert_uint_eq (histo_count_saturations (depth), counts[depth - 8]);
    ck_assert_uint_eq (histo_find_saturation (lowest, lowest), counts[depth - 8] - 1);
    ck_assert_uint_eq (histo_reference_find_saturation (lowest, lowest), counts[depth - 8] - 1);
    ck_assert_uint_eq (histo_find_saturation (lowest, 0), (uint32_t)-lowest);
    ck_assert_uint_eq (histo_find_saturation (0, 0), 0);
  }
  ck_assert_uint_eq (TEST_MAX_SATURATIONS, counts[8]);
}

TEST (ranges_by_hand)
{
  static const struct histo_range ranges[] = {
    { 16, 235, 16, 240 },         { 32, 470, 32, 480 },         { 64, 940, 64, 960 },
    { 128, 1880, 128, 1920 },     { 256, 3760, 256, 3840 },     { 512, 7520, 512, 7680 },
    { 1024, 15040, 1024, 15360 }, { 2048, 30080, 2048, 30720 }, { 4096, 60160, 4096, 61440 },
  };

  for (unsigned depth = 8; depth <= 16; depth++) {
    const struct histo_range range = histo_find_range (depth), *expected = &ranges[depth - 8];

    ck_assert_uint_eq (range.luma_min, expected->luma_min);
    ck_assert_uint_eq (range.luma_max, expected->luma_max);
    ck_assert_uint_eq (range.chroma_min, expected->chroma_min);
    ck_assert_uint_eq (range.chroma_max, expected->chroma_max);
  }
}

/* Computed with fractions of integers. */
TEST (gamuts_by_hand)
{
  static const struct {
    double kr, kb;
    bool is_full;
    unsigned depth;
    struct histo_gamut gamut;
  } cases[] = {
    { 0.2126, 0.0722, false, 8, { 25226, -3001, -7499, 29724, 73728, 4038655, false } },
    { 0.2126, 0.0722, false, 10, { 25226, -3001, -7499, 29724, 319488, 16130047, false } },
    { 0.2126, 0.0722, true, 8, { 25802, -3069, -7670, 30402, -219388, 4397308, false } },
    { 0.299, 0.114, false, 8, { 22458, -5512, -11439, 28384, 73728, 4038655, false } },
    { 0.299, 0.114, true, 8, { 22970, -5638, -11700, 29032, -219388, 4397308, false } },
    { 0.2627, 0.0593, false, 10, { 23621, -2636, -9152, 30137, 319488, 16130047, false } },
    { 0.2627, 0.0593, true, 16, { 24160, -2696, -9361, 30825, -53940990, 1127666430, false } },
    { 0.212, 0.087, false, 16, { 25245, -3630, -7635, 29249, 20963328, 1031806975, false } },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct histo_gamut *expected = &cases[i].gamut;
    struct histo_gamut gamut = { .is_rgb = true };

    ck_assert (histo_find_gamut (&gamut, cases[i].kr, cases[i].kb, cases[i].is_full, cases[i].depth));
    ck_assert_int_eq (gamut.r_cr, expected->r_cr);
    ck_assert_int_eq (gamut.g_cb, expected->g_cb);
    ck_assert_int_eq (gamut.g_cr, expected->g_cr);
    ck_assert_int_eq (gamut.b_cb, expected->b_cb);
    ck_assert_int_eq (gamut.min, expected->min);
    ck_assert_int_eq (gamut.max, expected->max);
    ck_assert (!gamut.is_rgb);
  }
}

TEST (gamuts_that_there_are_not)
{
  static const struct {
    double kr, kb;
    unsigned depth;
  } cases[] = {
    { 0.2126, 0.0722, 7 }, { 0.2126, 0.0722, 17 }, { 0.2126, 0.0722, 0 }, { 0, 0.0722, 8 }, { 0.2126, 0, 8 },
    { -0.1, 0.1, 8 },      { 0.1, -0.1, 8 },       { 0.5, 0.5, 8 },       { 0.5, 0.6, 8 },  { NAN, 0.1, 8 },
    { 0.1, NAN, 8 },       { INFINITY, 0.1, 8 },   { 0.00001, 0.1, 8 }, /* 1.99998, which is rounded to 2 */
    { 0.1, 0.00001, 8 },   { 0.5, 0.49, 8 },                            /* green has more than 2 */
    { 0.4, 0.35, 8 },                                                   /* and here, in both together */
  };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct histo_gamut gamut = { 1, 1, 1, 1, 1, 1, true };

    ck_assert_msg (!histo_find_gamut (&gamut, cases[i].kr, cases[i].kb, true, cases[i].depth), "case %u", i);
    ck_assert_int_eq (gamut.r_cr | gamut.g_cb | gamut.g_cr | gamut.b_cb | gamut.min | gamut.max | gamut.is_rgb, 0);
  }
  ck_assert (!histo_find_gamut (NULL, 0.2126, 0.0722, true, 8));
}

/* ---- light ---------------------------------------------------------------------------------------------------------- */

/* Computed with fractions of integers. */
TEST (lights_by_hand)
{
  static const struct {
    double kr, kb;
    bool is_full;
    unsigned depth;
    struct histo_light light;
  } cases[] = {
    { 0.2627, 0.0593, false, 10, { 612717, -39148352, 883344, -98574, -342263, 1127034, { 0 }, 0, 0, false } },
    { 0.2627, 0.0593, false, 8, { 2450867, -39148336, 3533378, -394296, -1369054, 4508135, { 0 }, 0, 0, false } },
    { 0.2627, 0.0593, true, 12, { 131072, 65536, 193279, -21568, -74888, 246599, { 0 }, 0, 0, false } },
    { 0.2126, 0.0722, false, 12, { 153179, -39148288, 235842, -28054, -70106, 277895, { 0 }, 0, 0, false } },
    { 0.299, 0.114, true, 8, { 2104862, 65536, 2951017, -724359, -1503158, 3729816, { 0 }, 0, 0, false } },
    { 0.2627, 0.0593, false, 16, { 9574, -39149568, 13802, -1540, -5348, 17610, { 0 }, 0, 0, false } },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct histo_light *expected = &cases[i].light;
    struct histo_light light = { .is_rgb = true };

    ck_assert (histo_find_light (&light, cases[i].kr, cases[i].kb, cases[i].is_full, cases[i].depth));
    ck_assert_int_eq (light.luma, expected->luma);
    ck_assert_int_eq (light.offset, expected->offset);
    ck_assert_int_eq (light.r_cr, expected->r_cr);
    ck_assert_int_eq (light.g_cb, expected->g_cb);
    ck_assert_int_eq (light.g_cr, expected->g_cr);
    ck_assert_int_eq (light.b_cb, expected->b_cb);
    ck_assert (!light.is_rgb);
    ck_assert_uint_eq (light.weights[0], (uint32_t)lround (cases[i].kr * 65536));
    ck_assert_uint_eq (light.weights[2], (uint32_t)lround (cases[i].kb * 65536));
    ck_assert_uint_eq (light.weights[0] + light.weights[1] + light.weights[2], 65536);
    ck_assert_uint_eq (light.transfer, HISTO_TRANSFER_PQ);
    ck_assert_uint_eq (light.source, HISTO_LIGHT_MAX_RGB);
  }
}

TEST (lights_that_there_are_not)
{
  static const struct {
    double kr, kb;
    unsigned depth;
  } cases[]
      = {
          { 0.2126, 0.0722, 7 }, { 0.2126, 0.0722, 17 }, { 0, 0.0722, 8 },      { 0.2126, 0, 8 },
          { -0.1, 0.1, 8 },      { 0.5, 0.5, 8 },        { NAN, 0.1, 8 },       { INFINITY, 0.1, 8 },
          { 0.5, 0.49, 8 },      { 0.5, 0.49, 16 },      { 0.5, 0.4999999, 8 }, /* too large for 32 bits */
        };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct histo_light light = { 1, 1, 1, 1, 1, 1, { 1, 1, 1 }, HISTO_TRANSFER_HLG, HISTO_LIGHT_LUMINANCE, true };

    ck_assert_msg (!histo_find_light (&light, cases[i].kr, cases[i].kb, false, cases[i].depth), "case %u", i);
    ck_assert_int_eq (light.luma | light.offset | light.r_cr | light.g_cb | light.g_cr | light.b_cb | light.is_rgb, 0);
    ck_assert_uint_eq (light.weights[0] | light.weights[1] | light.weights[2] | light.transfer | light.source, 0);
  }
  ck_assert (!histo_find_light (NULL, 0.2126, 0.0722, true, 8));
}

/* All codes, with more precise numbers. */
TEST (luminance_of_codes)
{
  for (unsigned code = 0; code < HISTO_LIGHT_CODES; code++) {
    const long double root = powl (code / 4095.0L, 32 / 2523.0L);
    const long double nits
        = 10000 * powl (fmaxl (root - 3424 / 4096.0L, 0) / (2413 / 128.0L - 2392 / 128.0L * root), 16384 / 2610.0L);

    ck_assert_uint_eq (histo_find_nits (code), (unsigned)roundl (nits * HISTO_NIT));
  }
  ck_assert_uint_eq (histo_find_nits (0), 0);
  ck_assert_uint_eq (histo_find_nits (4095), 100000000);
  ck_assert_uint_eq (histo_find_nits (4096), 100000000);
  ck_assert_uint_eq (histo_find_nits (UINT32_MAX), 100000000);
}

/* The tables, with more precise numbers. */
TEST (curves_of_light)
{
  const struct histo_light_curve *pq = histo_find_light_curve (HISTO_TRANSFER_PQ);
  const struct histo_light_curve *hlg = histo_find_light_curve (HISTO_TRANSFER_HLG);
  const long double a = 0.17883277L, b = 1 - 4 * a, c = 0.5L - a * logl (4 * a);
  const long double octaves[] = { 160, 192 }, peaks[] = { 1, 0.1L };

  for (unsigned level = 0; level <= 4 * 4095; level++) {
    const long double signal = level / 16380.0L, root = powl (signal, 32 / 2523.0L);
    const long double light = powl (fmaxl (root - 3424 / 4096.0L, 0) / (2413 / 128.0L - 2392 / 128.0L * root), 16384 / 2610.0L);
    const long double scene = signal <= 0.5L ? signal * signal / 3 : (expl ((signal - c) / a) + b) / 12;

    ck_assert_uint_eq (pq->linear[level], (uint32_t)roundl (fminl (light, 1) * UINT32_MAX));
    ck_assert_uint_eq (hlg->linear[level], (uint32_t)roundl (fminl (scene, 1) * UINT32_MAX));
  }
  for (unsigned m = 0; m < 1024; m++) {
    ck_assert_uint_eq (pq->mantissas[m], (unsigned)roundl (4096 * log2l (1 + (m + 0.5L) / 1024)));
    ck_assert_uint_eq (hlg->mantissas[m], pq->mantissas[m]);
  }
  for (unsigned i = 0; i < 2 * HISTO_LIGHT_LOGARITHMS; i++) {
    const struct histo_light_curve *curve = i % 2 == 0 ? pq : hlg;
    const long double light = fminl (peaks[i % 2] * exp2l (((i / 2 * 16 + 8) / 4096.0L - octaves[i % 2]) / 5), 1);
    const long double root = powl (light, 2610 / 16384.0L);
    const long double signal = powl ((3424 / 4096.0L + 2413 / 128.0L * root) / (1 + 2392 / 128.0L * root), 2523 / 32.0L);

    ck_assert_uint_eq (curve->codes[i / 2], (unsigned)roundl (signal * 4095));
  }
}

TEST_MAIN
