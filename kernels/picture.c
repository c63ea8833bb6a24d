/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "picture.h"

#include <math.h>

#include "hue.h"

struct histo_range
histo_find_range (unsigned depth)
{
  const unsigned shift = depth - 8;

  return (struct histo_range){ 16u << shift, 235u << shift, 16u << shift, 240u << shift };
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

/* Whether a sample is at or beyond the beginning of a hue that is less than 180 degrees away. */
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
  /* Half a degree less than the estimate is in the right hue or in the one before. */
  before = (unsigned)(estimate_angle (cb, cr) + 180.0f - 0.5f + HISTO_HUES) % HISTO_HUES;
  hue = (before + 1) % HISTO_HUES;
  return is_beyond (cb, cr, hue) ? hue : before;
}
