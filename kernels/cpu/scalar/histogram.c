/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "cpu/histogram.h"
#include "cpu/word.h"

#define TRIPLE_TABLES 6 /* in use for a period of 3 */

/* Adds `weight` to the bin of each byte of `word`; byte i goes to table (first + i) % count. */
static inline __attribute__ ((always_inline)) void
count_word (struct histo_tables *restrict tables, uint64_t word, unsigned first, unsigned count, uint32_t weight)
{
  tables->counters[(first + 0) % count][(uint8_t)word] += weight;
  tables->counters[(first + 1) % count][(uint8_t)(word >> 8)] += weight;
  tables->counters[(first + 2) % count][(uint8_t)(word >> 16)] += weight;
  tables->counters[(first + 3) % count][(uint8_t)(word >> 24)] += weight;
  tables->counters[(first + 4) % count][(uint8_t)(word >> 32)] += weight;
  tables->counters[(first + 5) % count][(uint8_t)(word >> 40)] += weight;
  tables->counters[(first + 6) % count][(uint8_t)(word >> 48)] += weight;
  tables->counters[(first + 7) % count][(uint8_t)(word >> 56)] += weight;
}

/* Counts word `i` of `data` with a weight. */
static inline __attribute__ ((always_inline)) void
count_at (struct histo_tables *restrict tables, const uint8_t *data, unsigned i, unsigned count, uint32_t weight)
{
  count_word (tables, histo_load_word (data + i * HISTO_WORD_BYTES), i * HISTO_WORD_BYTES, count, weight);
}

/* Counts groups of `group_words` (6 or 8) words into `count` tables. Groups that repeat a pattern of `words` (1 or 3) words, as
 * in flat areas, are only compared; their number is then added at once. The loops over words are unrolled by hand: compilers
 * differ in when they unroll, and the table of a byte must be a constant. */
static inline __attribute__ ((always_inline)) void
count_groups (struct histo_tables *restrict tables, const uint8_t *data, size_t size, unsigned group_words, unsigned words,
              unsigned count)
{
  const size_t group_bytes = group_words * HISTO_WORD_BYTES;

  while (size >= group_bytes) {
    const uint8_t *end = histo_end_of_repeats (data, size, group_words, words);

    if (end > data) {
      const uint32_t repeats = (uint32_t)((size_t)(end - data) / (words * HISTO_WORD_BYTES));

      count_at (tables, data, 0, count, repeats);
      if (words == 3) {
        count_at (tables, data, 1, count, repeats);
        count_at (tables, data, 2, count, repeats);
      }
      size -= (size_t)(end - data);
      data = end;
      continue;
    }
    __builtin_prefetch (data + HISTO_PREFETCH_BYTES);
    count_at (tables, data, 0, count, 1);
    count_at (tables, data, 1, count, 1);
    count_at (tables, data, 2, count, 1);
    count_at (tables, data, 3, count, 1);
    count_at (tables, data, 4, count, 1);
    count_at (tables, data, 5, count, 1);
    if (group_words == 8) {
      count_at (tables, data, 6, count, 1);
      count_at (tables, data, 7, count, 1);
    }
    data += group_bytes;
    size -= group_bytes;
  }
  for (size_t i = 0; i < size; i++)
    tables->counters[i % count][data[i]]++;
}

void
histo_tables_count (struct histo_tables *tables, const uint8_t *data, size_t size, unsigned period)
{
  /* Three words are the shortest multiple of three-byte pixels. */
  if (period == 3)
    count_groups (tables, data, size, 6, 3, TRIPLE_TABLES);
  else
    count_groups (tables, data, size, 8, 1, HISTO_TABLES);
}

/* Adds up the tables of one component. */
static void
fold_component (const struct histo_tables *tables, unsigned period, const int8_t component_at[HISTO_MAX_PERIOD], int component,
                uint64_t histogram[HISTO_BINS])
{
  const unsigned count = period == 3 ? TRIPLE_TABLES : HISTO_TABLES;
  uint32_t total[HISTO_BINS] = { 0 }; /* all tables together count less than 2^32 bytes */

  for (unsigned t = 0; t < count; t++) {
    const uint32_t *counters = tables->counters[t];

    if (component_at[t % period] != component)
      continue;
    for (unsigned v = 0; v < HISTO_BINS; v++)
      total[v] += counters[v];
  }
  for (unsigned v = 0; v < HISTO_BINS; v++)
    histogram[v] += total[v];
}

void
histo_tables_fold (struct histo_tables *tables, unsigned period, const int8_t component_at[HISTO_MAX_PERIOD],
                   uint64_t (*histograms)[HISTO_BINS])
{
  unsigned components = 0;

  for (unsigned p = 0; p < period; p++)
    if (component_at[p] >= 0)
      components |= 1u << component_at[p];
  for (int c = 0; components >> c != 0; c++)
    if ((components & 1u << c) != 0)
      fold_component (tables, period, component_at, c, histograms[c]);
  memset (tables, 0, sizeof *tables);
}

void
histo_count_samples (uint64_t histogram[HISTO_BINS], const uint8_t *first, size_t step_bytes, uint64_t samples)
{
  for (uint64_t i = 0; i < samples; i++)
    histogram[first[i * step_bytes]]++;
}
