/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/chroma.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "picture.h"

#define GROUP 16 /* samples compared at once: a multiple of HISTO_COLOUR_TABLES */

static uint32_t byte_colours[1 << 16];

static void
make_table (void)
{
  for (int32_t cr = 0; cr < 256; cr++)
    for (int32_t cb = 0; cb < 256; cb++)
      byte_colours[cr << 8 | cb] = histo_find_hue (cb - 128, cr - 128) << 16 | histo_find_saturation (cb - 128, cr - 128);
}

const uint32_t *
histo_colour_table (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_table);
  return byte_colours;
}

static inline __attribute__ ((always_inline)) void
count_colour (const struct histo_colour_counters *counters, uint32_t colour, unsigned table, uint32_t weight, bool with_hues,
              bool with_saturations)
{
  if (with_hues)
    counters->hues[table * HISTO_HUE_ROW + (colour >> 16)] += weight;
  if (with_saturations)
    counters->saturations[table * HISTO_COLOUR_ROW + (colour & 0xffff)] += weight;
}

/* Counts the first `samples` samples into table after table. */
static inline __attribute__ ((always_inline)) void
count_some_bytes (const struct histo_colour_counters *counters, const uint32_t *table, const uint8_t *cb, const uint8_t *cr,
                  size_t samples, uint32_t weight, bool with_hues, bool with_saturations)
{
#pragma GCC unroll 16
  for (size_t i = 0; i < samples; i++)
    count_colour (counters, table[cr[i] << 8 | cb[i]], i % HISTO_COLOUR_TABLES, weight, with_hues, with_saturations);
}

/* Groups that repeat the previous one, as in flat areas, are only compared. Their number is then added at once. */
static inline __attribute__ ((always_inline)) void
count_bytes (const struct histo_colour_counters *counters, const uint32_t *table, const uint8_t *cb, const uint8_t *cr,
             size_t samples, bool with_hues, bool with_saturations)
{
  const struct histo_colour_counters own = *counters;
  uint32_t repeats = 0;
  size_t i = 0;

  for (; i + GROUP <= samples; i += GROUP) {
    if (i > 0 && memcmp (cb + i, cb + i - GROUP, GROUP) == 0 && memcmp (cr + i, cr + i - GROUP, GROUP) == 0) {
      repeats++;
      continue;
    }
    if (repeats > 0)
      count_some_bytes (&own, table, cb + i - GROUP, cr + i - GROUP, GROUP, repeats, with_hues, with_saturations);
    repeats = 0;
    count_some_bytes (&own, table, cb + i, cr + i, GROUP, 1, with_hues, with_saturations);
  }
  if (repeats > 0)
    count_some_bytes (&own, table, cb + i - GROUP, cr + i - GROUP, GROUP, repeats, with_hues, with_saturations);
  count_some_bytes (&own, table, cb + i, cr + i, samples - i, 1, with_hues, with_saturations);
}

void
histo_colours_count_bytes (const struct histo_colour_counters *counters, const uint32_t *table, const uint8_t *cb,
                           const uint8_t *cr, size_t samples)
{
  if (counters->hues && counters->saturations)
    count_bytes (counters, table, cb, cr, samples, true, true);
  else if (counters->hues)
    count_bytes (counters, table, cb, cr, samples, true, false);
  else
    count_bytes (counters, table, cb, cr, samples, false, true);
}

void
histo_colours_c (const uint16_t *cb, const uint16_t *cr, size_t samples, unsigned depth, uint16_t *hues, uint16_t *saturations)
{
  const int32_t middle = 1 << (depth - 1);

  for (size_t i = 0; hues && i < samples; i++)
    hues[i] = (uint16_t)histo_find_hue (cb[i] - middle, cr[i] - middle);
  for (size_t i = 0; saturations && i < samples; i++)
    saturations[i] = (uint16_t)histo_find_saturation (cb[i] - middle, cr[i] - middle);
}

static inline __attribute__ ((always_inline)) void
count_some_words (uint32_t *counters, size_t row, const uint16_t *values, size_t samples, uint32_t weight)
{
#pragma GCC unroll 16
  for (size_t i = 0; i < samples; i++)
    counters[i % HISTO_COLOUR_TABLES * row + values[i]] += weight;
}

static inline __attribute__ ((always_inline)) void
count_words (uint32_t *counters, size_t row, const uint16_t *values, size_t samples)
{
  uint32_t repeats = 0;
  size_t i = 0;

  for (; i + GROUP <= samples; i += GROUP) {
    if (i > 0 && memcmp (values + i, values + i - GROUP, GROUP * sizeof *values) == 0) {
      repeats++;
      continue;
    }
    if (repeats > 0)
      count_some_words (counters, row, values + i - GROUP, GROUP, repeats);
    repeats = 0;
    count_some_words (counters, row, values + i, GROUP, 1);
  }
  if (repeats > 0)
    count_some_words (counters, row, values + i - GROUP, GROUP, repeats);
  count_some_words (counters, row, values + i, samples - i, 1);
}

void
histo_colours_count_words (uint32_t *counters, size_t row, const uint16_t *values, size_t samples)
{
  /* A constant distance makes less code. */
  if (row == HISTO_HUE_ROW)
    count_words (counters, HISTO_HUE_ROW, values, samples);
  else if (row == HISTO_COLOUR_ROW)
    count_words (counters, HISTO_COLOUR_ROW, values, samples);
  else
    count_words (counters, row, values, samples);
}

void
histo_colours_fold (uint32_t *counters, size_t row, uint32_t count, uint64_t *total)
{
  for (unsigned t = 0; t < HISTO_COLOUR_TABLES; t++)
    for (uint32_t i = 0; i < count; i++) {
      total[i] += counters[t * row + i];
      counters[t * row + i] = 0;
    }
}
