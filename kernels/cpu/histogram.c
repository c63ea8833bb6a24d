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

/* Periods 1, 2 and 4. A group of eight equal words, as flat areas and repeating patterns have, costs one word. */
static void
histo_count_words (struct histo_tables *restrict tables, const uint8_t *data, size_t size)
{
  for (; size >= HISTO_GROUP_BYTES; size -= HISTO_GROUP_BYTES, data += HISTO_GROUP_BYTES) {
    const uint64_t a = histo_load_word (data), b = histo_load_word (data + 8);
    const uint64_t c = histo_load_word (data + 16), d = histo_load_word (data + 24);
    const uint64_t e = histo_load_word (data + 32), f = histo_load_word (data + 40);
    const uint64_t g = histo_load_word (data + 48), h = histo_load_word (data + 56);

    if (a == b && !((a ^ c) | (a ^ d) | (a ^ e) | (a ^ f) | (a ^ g) | (a ^ h))) {
      histo_count_word (tables, a, 0, 8, 8);
      continue;
    }
    histo_count_word (tables, a, 0, 8, 1);
    histo_count_word (tables, b, 0, 8, 1);
    histo_count_word (tables, c, 0, 8, 1);
    histo_count_word (tables, d, 0, 8, 1);
    histo_count_word (tables, e, 0, 8, 1);
    histo_count_word (tables, f, 0, 8, 1);
    histo_count_word (tables, g, 0, 8, 1);
    histo_count_word (tables, h, 0, 8, 1);
  }
  for (; size >= 8; size -= 8, data += 8)
    histo_count_word (tables, histo_load_word (data), 0, 8, 1);
  histo_count_rest (tables, data, size, 8);
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

void
histo_tables_fold (struct histo_tables *tables, unsigned period, const int8_t component_at[HISTO_MAX_PERIOD],
                   uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS])
{
  const unsigned count = period == 3 ? HISTO_TRIPLE_TABLES : HISTO_TABLES;

  for (unsigned t = 0; t < count; t++) {
    const uint32_t *restrict counters = tables->counters[t];
    const int component = component_at[t % period];
    uint64_t *restrict histogram;

    if (component < 0)
      continue;
    histogram = histograms[component];
    for (unsigned v = 0; v < HISTO_BINS; v++)
      histogram[v] += counters[v];
  }
  memset (tables, 0, sizeof (*tables));
}

void
histo_count_samples (uint64_t histogram[HISTO_BINS], const uint8_t *first, size_t step_bytes, uint64_t samples)
{
  for (uint64_t i = 0; i < samples; i++)
    histogram[first[i * step_bytes]]++;
}
