/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "histogram.h"

#define HISTO_GROUP_BYTES 64  /* of a period of 1, 2 or 4 */
#define HISTO_TRIPLE_TABLES 6 /* of a period of 3 */
#define HISTO_TRIPLE_GROUP_BYTES 48

/* Eight bytes, the first in the lowest bits. */
static inline uint64_t
histo_load_word (const uint8_t *data)
{
  uint64_t word;

  memcpy (&word, data, sizeof (word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64 (word);
#endif
  return word;
}

/* Adds `weight` to the counter of each byte of `word`; byte i goes to table (first + i) % count. */
static inline void
histo_count_word (struct histo_tables *restrict tables, uint64_t word, unsigned first, unsigned count, uint32_t weight)
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

static void
histo_count_rest (struct histo_tables *restrict tables, const uint8_t *data, size_t size, unsigned count)
{
  for (size_t i = 0; i < size; i++)
    tables->counters[i % count][data[i]]++;
}

/* True where all words of a group are equal to `word`. */
static inline bool
histo_is_flat (const uint8_t *data, uint64_t word)
{
  if (histo_load_word (data) != word || histo_load_word (data + 8) != word)
    return false;
  return !((histo_load_word (data + 16) ^ word) | (histo_load_word (data + 24) ^ word) | (histo_load_word (data + 32) ^ word)
           | (histo_load_word (data + 40) ^ word) | (histo_load_word (data + 48) ^ word)
           | (histo_load_word (data + 56) ^ word));
}

/* Periods 1, 2 and 4. Groups of equal words, as flat areas and repeating patterns have, cost one word. */
static void
histo_count_words (struct histo_tables *restrict tables, const uint8_t *data, size_t size)
{
  while (size >= HISTO_GROUP_BYTES) {
    const uint64_t word = histo_load_word (data);
    const uint8_t *flat_end = data;

    for (; size >= HISTO_GROUP_BYTES && histo_is_flat (flat_end, word); size -= HISTO_GROUP_BYTES)
      flat_end += HISTO_GROUP_BYTES;
    if (flat_end > data) {
      histo_count_word (tables, word, 0, HISTO_TABLES, (uint32_t)(flat_end - data) / 8);
      data = flat_end;
      continue;
    }
    for (unsigned i = 0; i < HISTO_GROUP_BYTES; i += 8)
      histo_count_word (tables, histo_load_word (data + i), 0, HISTO_TABLES, 1);
    data += HISTO_GROUP_BYTES;
    size -= HISTO_GROUP_BYTES;
  }
  for (; size >= 8; size -= 8, data += 8)
    histo_count_word (tables, histo_load_word (data), 0, HISTO_TABLES, 1);
  histo_count_rest (tables, data, size, HISTO_TABLES);
}

/* True where all pixels of a group of three-byte pixels are equal. */
static inline bool
histo_is_flat_triple (const uint8_t *data)
{
  if (histo_load_word (data) != histo_load_word (data + 3))
    return false;
  return !((histo_load_word (data + 8) ^ histo_load_word (data + 11))
           | (histo_load_word (data + 16) ^ histo_load_word (data + 19))
           | (histo_load_word (data + 24) ^ histo_load_word (data + 27))
           | (histo_load_word (data + 32) ^ histo_load_word (data + 35))
           | (histo_load_word (data + 37) ^ histo_load_word (data + 40)));
}

/* Period 3. */
static void
histo_count_triples (struct histo_tables *restrict tables, const uint8_t *data, size_t size)
{
  const unsigned count = HISTO_TRIPLE_TABLES;

  for (; size >= HISTO_TRIPLE_GROUP_BYTES; size -= HISTO_TRIPLE_GROUP_BYTES, data += HISTO_TRIPLE_GROUP_BYTES) {
    if (histo_is_flat_triple (data)) {
      tables->counters[0][data[0]] += HISTO_TRIPLE_GROUP_BYTES / 3;
      tables->counters[1][data[1]] += HISTO_TRIPLE_GROUP_BYTES / 3;
      tables->counters[2][data[2]] += HISTO_TRIPLE_GROUP_BYTES / 3;
      continue;
    }
    histo_count_word (tables, histo_load_word (data), 0, count, 1);
    histo_count_word (tables, histo_load_word (data + 8), 2, count, 1);
    histo_count_word (tables, histo_load_word (data + 16), 4, count, 1);
    histo_count_word (tables, histo_load_word (data + 24), 0, count, 1);
    histo_count_word (tables, histo_load_word (data + 32), 2, count, 1);
    histo_count_word (tables, histo_load_word (data + 40), 4, count, 1);
  }
  histo_count_rest (tables, data, size, count);
}

void
histo_tables_count (struct histo_tables *tables, const uint8_t *data, size_t size, unsigned period)
{
  if (period == 3)
    histo_count_triples (tables, data, size);
  else
    histo_count_words (tables, data, size);
}

/* Adds up the tables of one component. */
static void
histo_fold_component (const struct histo_tables *tables, unsigned period, const int8_t component_at[HISTO_MAX_PERIOD],
                      int component, uint64_t histogram[HISTO_BINS])
{
  const unsigned count = period == 3 ? HISTO_TRIPLE_TABLES : HISTO_TABLES;
  uint32_t total[HISTO_BINS] = { 0 }; /* the tables together count less than 2^32 bytes */

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
                   uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS])
{
  unsigned components = 0;

  for (unsigned p = 0; p < period; p++)
    if (component_at[p] >= 0)
      components |= 1u << component_at[p];
  for (int c = 0; c < HISTO_MAX_COMPONENTS; c++)
    if (components & 1u << c)
      histo_fold_component (tables, period, component_at, c, histograms[c]);
  memset (tables, 0, sizeof (*tables));
}

void
histo_count_samples (uint64_t histogram[HISTO_BINS], const uint8_t *first, size_t step_bytes, uint64_t samples)
{
  for (uint64_t i = 0; i < samples; i++)
    histogram[first[i * step_bytes]]++;
}
