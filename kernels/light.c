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

  if (light->transfer > HISTO_TRANSFER_HLG || light->source > HISTO_LIGHT_LUMINANCE
      || (histo_light_needs_curve (light)
          && (uint64_t)light->weights[0] + light->weights[1] + light->weights[2] > HISTO_LIGHT_WEIGHTS))
    return false;
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
  found.weights[0] = (uint32_t)lrint (kr * HISTO_LIGHT_WEIGHTS);
  found.weights[2] = (uint32_t)lrint (kb * HISTO_LIGHT_WEIGHTS);
  found.weights[1] = HISTO_LIGHT_WEIGHTS - found.weights[0] - found.weights[2];
  *light = found;
  return true;
}

/* ---- luminance ------------------------------------------------------------------------------------------------------ */

#define PEAK 10000     /* nits of PQ's largest code */
#define HLG_PEAK 1000  /* nits of the display for HLG */
#define LINEAR_LOG2 32 /* of 1 in histo_light_curve.linear */

static uint32_t nits_of_codes[HISTO_LIGHT_CODES];
static struct histo_light_curve curves[2];

/* Constants of SMPTE ST 2084. */
static const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128;

/* The EOTF of SMPTE ST 2084, 0 to 1, and its inverse. */
static double
linearise_pq (double signal)
{
  const double root = pow (signal, 1 / m2);

  return pow (fmax (root - c1, 0) / (c2 - c3 * root), 1 / m1);
}

static double
find_pq (double light)
{
  const double root = pow (light, m1);

  return pow ((c1 + c2 * root) / (1 + c3 * root), m2);
}

/* The inverse OETF of HLG (BT.2100), 0 to 1. */
static double
linearise_hlg (double signal)
{
  const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log (4 * a);

  return signal <= 0.5 ? signal * signal / 3 : (exp ((signal - c) / a) + b) / 12;
}

/* No exact luminance is within 4 * 10^-5 units of the middle between two integers, and a double
 * is off by less than 10^-5, so any math library gives the same table. */
static void
make_nits (void)
{
  for (unsigned code = 0; code < HISTO_LIGHT_CODES; code++)
    nits_of_codes[code] = (uint32_t)rint ((double)PEAK * HISTO_NIT * linearise_pq (code / (double)(HISTO_LIGHT_CODES - 1)));
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

/* ---- linear light --------------------------------------------------------------------------------------------------- */

/* Of five logarithms of the light and, for HLG, one of the luminance: see docs/internals/exactness.md. No exact value is so
 * near to the middle between two integers that the error of a double could change the table. */
static void
make_curve (struct histo_light_curve *curve, double (*linearise) (double signal), double peak, double octaves)
{
  const double last = 4 * (HISTO_LIGHT_CODES - 1);

  for (unsigned level = 0; level < HISTO_LIGHT_LEVELS; level++)
    curve->linear[level] = (uint32_t)rint (fmin (linearise (fmin (level / last, 1)), 1) * UINT32_MAX); /* HLG's is above 1 */
  for (unsigned m = 0; m < HISTO_LIGHT_MANTISSAS; m++)
    curve->mantissas[m] = (uint16_t)rint (4096 * log2 (1 + (m + 0.5) / HISTO_LIGHT_MANTISSAS));
  for (unsigned i = 0; i < HISTO_LIGHT_LOGARITHMS; i++) {
    const double light = peak / PEAK * exp2 (((i * 16 + 8) / 4096.0 - octaves) / 5);

    curve->codes[i] = (uint16_t)rint (find_pq (fmin (light, 1)) * (HISTO_LIGHT_CODES - 1));
  }
}

static void
make_curves (void)
{
  make_curve (&curves[HISTO_TRANSFER_PQ], linearise_pq, PEAK, 5 * LINEAR_LOG2);
  make_curve (&curves[HISTO_TRANSFER_HLG], linearise_hlg, HLG_PEAK, 6 * LINEAR_LOG2);
}

const struct histo_light_curve *
histo_find_light_curve (enum histo_transfer transfer)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_curves);
  return &curves[transfer];
}
