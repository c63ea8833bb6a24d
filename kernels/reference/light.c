/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "picture.h"
#include "reference.h"

static int64_t
larger (int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* Finds R', G' and B' of a luma sample with its chroma, in codes times 1 << HISTO_LIGHT_ONE_LOG2. */
static void
find_signals (const struct histo_light *light, const uint32_t samples[3], unsigned depth, int64_t signals[3])
{
  const int64_t middle = (int64_t)1 << (depth - 1), cb = samples[1] - middle, cr = samples[2] - middle;
  const int64_t luma = (int64_t)light->luma * samples[0] + light->offset;

  signals[0] = luma + light->r_cr * cr;
  signals[1] = luma + light->g_cb * cb + light->g_cr * cr;
  signals[2] = luma + light->b_cb * cb;
  for (unsigned c = 0; c < 3 && light->is_rgb; c++)
    signals[c] = (int64_t)light->luma * samples[c] + light->offset;
}

static uint32_t
limit (int64_t value, uint32_t most)
{
  return value < 0 ? 0 : value < most ? (uint32_t)value : most;
}

/* 4096 times the logarithm of a number that is not 0. */
static uint32_t
find_logarithm (const struct histo_light_curve *curve, uint32_t number)
{
  uint32_t exponent = 31;

  for (; number >> 31 == 0; number <<= 1)
    exponent--;
  return exponent * 4096 + curve->mantissas[(number >> 21) % HISTO_LIGHT_MANTISSAS];
}

/* The code by way of linear light. A level is a quarter of a code. */
static uint32_t
find_code_of_linear (const struct histo_light *light, const int64_t signals[3])
{
  const struct histo_light_curve *curve = histo_find_light_curve (light->transfer);
  const int64_t quarter = (int64_t)1 << (HISTO_LIGHT_ONE_LOG2 - 2), half = 2 * quarter;
  uint32_t most = 0, luminance, number;
  uint64_t sum = 0;

  for (unsigned c = 0; c < 3; c++) {
    const int64_t signal = signals[c] - half + quarter / 2; /* rounded to a level, not to a code */
    const uint32_t linear = curve->linear[limit (signal < 0 ? 0 : signal / quarter, 4 * (HISTO_LIGHT_CODES - 1))];

    sum += (uint64_t)light->weights[c] * linear;
    most = linear > most ? linear : most;
  }
  luminance = (uint32_t)(sum / HISTO_LIGHT_WEIGHTS);
  number = light->source == HISTO_LIGHT_LUMINANCE ? luminance : most;
  if (number == 0 || luminance == 0)
    return 0;
  return curve->codes[(5 * find_logarithm (curve, number)
                       + (light->transfer == HISTO_TRANSFER_HLG ? find_logarithm (curve, luminance) : 0))
                      / 16];
}

static uint32_t
find_code (const struct histo_light *light, const uint32_t samples[3], unsigned depth)
{
  int64_t signals[3], largest;

  find_signals (light, samples, depth, signals);
  if (histo_light_needs_curve (light))
    return find_code_of_linear (light, signals);
  largest = larger (signals[0], larger (signals[1], signals[2]));
  return largest < 0 ? 0 : limit (largest >> HISTO_LIGHT_ONE_LOG2, HISTO_LIGHT_CODES - 1);
}

void
histo_reference_light (const struct histo_frame *frame, uint64_t *codes)
{
  const unsigned first = frame->light.is_rgb ? frame->derived_count : 0;
  const struct histo_component *luma = &frame->components[first];

  for (uint32_t y = 0; y < frame->planes[luma->plane].height; y++)
    for (uint64_t i = 0; i < luma->width; i++) {
      uint32_t samples[3];

      histo_reference_colour (frame, first, y, i, samples);
      codes[find_code (&frame->light, samples, luma->depth)]++;
    }
}
