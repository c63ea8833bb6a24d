/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The coefficients of struct histo_light, and the luminance of its codes. */

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "picture.h"

#define ONE ((int64_t)1 << HISTO_LIGHT_ONE_LOG2)
#define BLACK 16
#define LUMA_STEPS 219 /* of 8 bits in limited range, from black to white */
#define CHROMA_STEPS 224

/* ---- coefficients --------------------------------------------------------------------------------------------------- */

/* The largest and the smallest sum of two products with chroma samples of `depth` bits, minus their middle. */
static void
find_extremes (int64_t cb, int64_t cr, unsigned depth, int64_t *least, int64_t *most)
{
  const int64_t middle = (int64_t)1 << (depth - 1), coefficients[] = { cb, cr };

  for (unsigned c = 0; c < 2; c++) {
    const int64_t low = coefficients[c] * -middle, high = coefficients[c] * (middle - 1);

    *least += low < high ? low : high;
    *most += low < high ? high : low;
  }
}

bool
histo_light_is_valid (const struct histo_light *light, unsigned depth)
{
  const int64_t top = (int64_t)light->luma * ((1 << depth) - 1), black = light->offset, white = top + black;
  const int64_t pairs[][2] = { { 0, light->r_cr }, { light->g_cb, light->g_cr }, { light->b_cb, 0 } };

  if (light->luma <= 0 || top > INT32_MAX || white > INT32_MAX)
    return false;
  for (unsigned p = 0; p < 3 && !light->is_rgb; p++) {
    int64_t least = 0, most = 0;

    find_extremes (pairs[p][0], pairs[p][1], depth, &least, &most);
    if (black + least < INT32_MIN || least < INT32_MIN || white + most > INT32_MAX || most > INT32_MAX)
      return false;
  }
  return true;
}

/* Scales the coefficient `chroma`, for chroma in units of 1, to samples of Cb or Cr. */
static int32_t
find_coefficient (double chroma, bool is_full, unsigned depth)
{
  const double steps = is_full ? (1 << depth) - 1 : CHROMA_STEPS << (depth - 8);
  const double scaled = rint (chroma * (HISTO_LIGHT_CODES - 1) * (double)ONE / steps);

  return fabs (scaled) <= INT32_MAX ? (int32_t)scaled : INT32_MIN;
}

bool
histo_find_light (struct histo_light *light, double kr, double kb, bool is_full, unsigned depth)
{
  const double kg = 1 - kr - kb;
  struct histo_light found = { 0 };
  double steps;

  if (!light)
    return false;
  *light = found;
  if (depth < 8 || depth > 16 || !(kr > 0 && kg > 0 && kb > 0))
    return false;
  steps = is_full ? (1 << depth) - 1 : LUMA_STEPS << (depth - 8);
  found.luma = (int32_t)rint ((HISTO_LIGHT_CODES - 1) * (double)ONE / steps);
  found.offset = (int32_t)(ONE / 2) - (is_full ? 0 : found.luma * (BLACK << (depth - 8)));
  found.r_cr = find_coefficient (2 * (1 - kr), is_full, depth);
  found.b_cb = find_coefficient (2 * (1 - kb), is_full, depth);
  found.g_cb = find_coefficient (-2 * (1 - kb) * kb / kg, is_full, depth);
  found.g_cr = find_coefficient (-2 * (1 - kr) * kr / kg, is_full, depth);
  if (!histo_light_is_valid (&found, depth))
    return false;
  *light = found;
  return true;
}

/* ---- luminance ------------------------------------------------------------------------------------------------------ */

static uint32_t nits_of_codes[HISTO_LIGHT_CODES];

/* The EOTF of SMPTE ST 2084. No exact luminance is within 4 * 10^-5 units of the middle between two integers, and a double
 * is off by less than 10^-5, so any math library gives the same table. */
static void
make_nits (void)
{
  const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128;

  for (unsigned code = 0; code < HISTO_LIGHT_CODES; code++) {
    const double root = pow (code / (double)(HISTO_LIGHT_CODES - 1), 1 / m2);

    nits_of_codes[code] = (uint32_t)rint (10000.0 * HISTO_NIT * pow (fmax (root - c1, 0) / (c2 - c3 * root), 1 / m1));
  }
}

const uint32_t *
histo_list_nits (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_nits);
  return nits_of_codes;
}

uint32_t
histo_find_nits (unsigned code)
{
  return histo_list_nits ()[code < HISTO_LIGHT_CODES ? code : HISTO_LIGHT_CODES - 1];
}
