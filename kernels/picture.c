/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "picture.h"

#include <math.h>
#include <stdlib.h>

#include "hue.h"

struct histo_range
histo_find_range (unsigned depth)
{
  const unsigned shift = depth - 8;

  return (struct histo_range){ 16u << shift, 235u << shift, 16u << shift, 240u << shift };
}

/* The preferred range of EBU R103 v3, for 8 bits. */
#define GAMUT_MIN 5
#define GAMUT_MAX 246
#define BLACK 16
#define WHITE 235
#define CHROMA_EXCURSION 224 /* from the smallest to the largest Cb or Cr of limited range */

/* Scales the coefficient `chroma`, for chroma in units of 1, to samples of Cb or Cr. False if the result is too large. */
static bool
find_coefficient (double chroma, bool is_full, int16_t *coefficient)
{
  const double exact = is_full ? chroma : chroma * (WHITE - BLACK) / CHROMA_EXCURSION;
  const double scaled = rint (exact * HISTO_GAMUT_ONE);

  if (!(fabs (scaled) <= INT16_MAX))
    return false;
  *coefficient = (int16_t)scaled;
  return true;
}

/* Converts an 8-bit level of limited range, plus `half` a sample of `depth` bits, to samples times HISTO_GAMUT_ONE, rounded
 * up. */
static double
find_limit (double level, double half, bool is_full, unsigned depth)
{
  const double unit = (double)(1u << (depth - 8));
  double place = level * unit + half;

  if (is_full)
    place = (place - BLACK * unit) * ((1u << depth) - 1) / ((WHITE - BLACK) * unit);
  return ceil (place * HISTO_GAMUT_ONE);
}

bool
histo_find_gamut (struct histo_gamut *gamut, double kr, double kb, bool is_full, unsigned depth)
{
  const double kg = 1 - kr - kb;
  struct histo_gamut found = { 0 };

  if (!gamut)
    return false;
  *gamut = found;
  if (depth < 8 || depth > 16 || !(kr > 0 && kg > 0 && kb > 0))
    return false;
  if (!find_coefficient (2 * (1 - kr), is_full, &found.r_cr) || !find_coefficient (2 * (1 - kb), is_full, &found.b_cb)
      || !find_coefficient (-2 * (1 - kb) * kb / kg, is_full, &found.g_cb)
      || !find_coefficient (-2 * (1 - kr) * kr / kg, is_full, &found.g_cr)
      || abs (found.g_cb) + abs (found.g_cr) > HISTO_GAMUT_GREEN)
    return false;
  found.min = (int32_t)find_limit (GAMUT_MIN, -0.5, is_full, depth);
  found.max = (int32_t)find_limit (GAMUT_MAX, 0.5, is_full, depth) - 1;
  *gamut = found;
  return true;
}

static uint32_t
find_root (uint32_t square)
{
  uint32_t root = (uint32_t)sqrt ((double)square); /* exact: both fit into a double */

  return root;
}

uint32_t
histo_count_saturations (unsigned depth)
{
  const uint32_t most = 1u << (depth - 1);

  return find_root (2 * most * most) + 1;
}

uint32_t
histo_find_saturation (int32_t cb, int32_t cr)
{
  return find_root ((uint32_t)(cb * cb) + (uint32_t)(cr * cr));
}

/* Whether a sample is at or past the start of a hue that is less than 180 degrees away. */
static bool
is_beyond (int32_t cb, int32_t cr, unsigned hue)
{
  static const int32_t directions[HISTO_HUES][2] = { HISTO_HUE_DIRECTIONS };

  return (int64_t)cb * directions[hue][1] >= (int64_t)cr * directions[hue][0];
}

/* The angle in degrees, -180 .. 180, to within 0.02. */
static float
estimate_angle (int32_t cb, int32_t cr)
{
  const float y = fabsf ((float)cb), x = fabsf ((float)cr);
  const float ratio = y < x ? y / x : x / y, square = ratio * ratio;
  float angle = ratio * (57.2957795f + square * (-18.667f + square * (8.92f - 2.55f * square)));

  if (y > x)
    angle = 90.0f - angle;
  if (cr < 0)
    angle = 180.0f - angle;
  return cb < 0 ? -angle : angle;
}

uint32_t
histo_find_hue (int32_t cb, int32_t cr)
{
  unsigned before, hue;

  if (cb == 0 && cr == 0)
    return HISTO_HUES / 2;
  /* Half a degree less than the estimate is in the correct hue or in the previous one. */
  before = (unsigned)(estimate_angle (cb, cr) + 180.0f - 0.5f + HISTO_HUES) % HISTO_HUES;
  hue = (before + 1) % HISTO_HUES;
  return is_beyond (cb, cr, hue) ? hue : before;
}
