/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/light.h"

#include <string.h>

#define GROUP 16 /* codes compared at once: a multiple of HISTO_LIGHT_TABLES */

static inline int32_t
larger (int32_t a, int32_t b)
{
  return a > b ? a : b;
}

void
histo_light_parts_c (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_light *light, unsigned depth,
                     unsigned shift, int32_t *parts)
{
  const int32_t middle = 1 << (depth - 1);

  for (size_t i = 0; i < samples << shift; i++) {
    const int32_t u = cb[i >> shift] - middle, v = cr[i >> shift] - middle;

    parts[i] = larger (light->r_cr * v, larger (light->g_cb * u + light->g_cr * v, light->b_cb * u));
  }
}

void
histo_light_codes_c (const uint16_t *luma, const int32_t *parts, size_t samples, const struct histo_light *light,
                     uint16_t *codes)
{
  for (size_t i = 0; i < samples; i++) {
    const int32_t code = larger (light->luma * luma[i] + light->offset + parts[i], 0) >> HISTO_LIGHT_ONE_LOG2;

    codes[i] = (uint16_t)(code < HISTO_LIGHT_CODES ? code : HISTO_LIGHT_CODES - 1);
  }
}

static inline uint32_t
linearise (const struct histo_light_curve *curve, int32_t signal)
{
  const int32_t half_level = 1 << (HISTO_LIGHT_ONE_LOG2 - 3), half_code = 1 << (HISTO_LIGHT_ONE_LOG2 - 1);
  const int32_t limited = larger (signal, half_code - half_level) - (half_code - half_level);
  const int32_t level = limited >> (HISTO_LIGHT_ONE_LOG2 - 2), last = 4 * (HISTO_LIGHT_CODES - 1);

  return curve->linear[level < last ? level : last];
}

/* Of a number that is not 0. */
static inline uint32_t
find_logarithm (const struct histo_light_curve *curve, uint32_t number)
{
  const unsigned zeros = (unsigned)__builtin_clz (number);

  return (31 - zeros) * 4096 + curve->mantissas[(number << zeros) >> 21 & (HISTO_LIGHT_MANTISSAS - 1)];
}

static inline uint16_t
find_code (const struct histo_light_curve *curve, const struct histo_light *light, const int32_t signals[3])
{
  const uint32_t red = linearise (curve, signals[0]), green = linearise (curve, signals[1]),
                 blue = linearise (curve, signals[2]);
  const uint32_t luminance = (uint32_t)(((uint64_t)light->weights[0] * red + (uint64_t)light->weights[1] * green
                                         + (uint64_t)light->weights[2] * blue)
                                        / HISTO_LIGHT_WEIGHTS);
  const uint32_t two = red > green ? red : green, most = two > blue ? two : blue;
  const uint32_t number = light->source == HISTO_LIGHT_LUMINANCE ? luminance : most;
  uint32_t sum;

  if (number == 0 || luminance == 0)
    return 0;
  sum = 5 * find_logarithm (curve, number);
  if (light->transfer == HISTO_TRANSFER_HLG)
    sum += find_logarithm (curve, luminance);
  return curve->codes[sum / 16];
}

void
histo_linear_codes_c (const struct histo_light_samples *samples, const struct histo_light *light, uint16_t *codes)
{
  const struct histo_light_curve *curve = histo_find_light_curve (light->transfer);
  const int32_t middle = 1 << (samples->depth - 1);

  for (size_t i = 0; i < samples->count; i++) {
    const size_t place = (i + samples->skipped) >> samples->shift;
    const int32_t luma = light->luma * samples->luma[i] + light->offset;
    const int32_t second = samples->cb[place], third = samples->cr[place], u = second - middle, v = third - middle;
    int32_t signals[3] = { luma };

    if (light->is_rgb) {
      signals[1] = light->luma * second + light->offset;
      signals[2] = light->luma * third + light->offset;
    } else {
      signals[0] += light->r_cr * v;
      signals[1] = luma + (light->g_cb * u + light->g_cr * v);
      signals[2] = luma + light->b_cb * u;
    }
    codes[i] = find_code (curve, light, signals);
  }
}

static inline __attribute__ ((always_inline)) void
count_some (struct histo_light_tables *restrict tables, const uint16_t *codes, size_t samples, uint32_t weight)
{
#pragma GCC unroll 16
  for (size_t i = 0; i < samples; i++)
    tables->counters[i % HISTO_LIGHT_TABLES][codes[i]] += weight;
}

/* Groups that repeat the previous one, as in flat areas, are only compared. Their number is then added at once. */
void
histo_light_count (struct histo_light_tables *tables, const uint16_t *codes, size_t samples)
{
  uint32_t repeats = 0;
  size_t i = 0;

  for (; i + GROUP <= samples; i += GROUP) {
    if (i > 0 && memcmp (codes + i, codes + i - GROUP, GROUP * sizeof *codes) == 0) {
      repeats++;
      continue;
    }
    if (repeats > 0)
      count_some (tables, codes + i - GROUP, GROUP, repeats);
    repeats = 0;
    count_some (tables, codes + i, GROUP, 1);
  }
  if (repeats > 0)
    count_some (tables, codes + i - GROUP, GROUP, repeats);
  count_some (tables, codes + i, samples - i, 1);
}

void
histo_light_fold (struct histo_light_tables *tables, uint64_t *total)
{
  for (unsigned t = 0; t < HISTO_LIGHT_TABLES; t++)
    for (unsigned code = 0; code < HISTO_LIGHT_CODES; code++)
      total[code] += tables->counters[t][code];
  memset (tables, 0, sizeof *tables);
}
