/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "light.h"

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
