/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/histogram.h"
#include "cpu/word.h"

#define WORD_SAMPLES 4
#define EACH_LANE 0x0001000100010001u
#define FOLD_COUNTERS 32 /* bins tested together: with many bins most are 0 */

/* The low bits of a value that its bin ignores. */
static unsigned
dropped_bits (const struct histo_format *format)
{
  return format->is_native ? 0 : format->depth - 8;
}

static unsigned
counter_bits (const struct histo_format *format)
{
  return format->depth - dropped_bits (format);
}

unsigned
histo_deep_table_count (const struct histo_format *format, unsigned period)
{
  if (period == 3)
    return 3;
  return counter_bits (format) >= HISTO_NATIVE_DEPTH && period <= 2 ? 2 : 4;
}

/* The distance between tables, in bins. */
static size_t
row_of (const struct histo_format *format)
{
  return histo_format_is_wide (format) ? HISTO_WIDE_ROW : HISTO_DEEP_ROW;
}

/* How to find the bins of the four samples of a word. */
struct finder {
  unsigned shift;
  uint64_t mask;
};

/* Indexes an array, so that the distance between tables is a constant: other forms compile to more code. */
static inline __attribute__ ((always_inline)) void
add (uint32_t *restrict counters, bool is_wide, unsigned table, uint16_t value, uint32_t weight)
{
  if (is_wide)
    ((struct histo_wide_tables *)(void *)counters)->counters[table][value] += weight;
  else
    ((struct histo_deep_tables *)(void *)counters)->counters[table][value] += weight;
}

/* Constants at each call, so that the compiler makes a loop for each shape. */
struct shape {
  bool is_wide, big_endian;
  unsigned tables;
};

/* Counts word `i` of `data` with a weight; its samples go to tables i * 4, i * 4 + 1 ... modulo their number. */
static inline __attribute__ ((always_inline)) void
count_word (uint32_t *restrict counters, struct shape shape, const uint8_t *data, unsigned i, struct finder finder,
            uint32_t weight)
{
  const unsigned first = i * WORD_SAMPLES;
  uint64_t word = histo_load_word (data + i * HISTO_WORD_BYTES);

  if (shape.big_endian)
    word = (word & 0xff * EACH_LANE) << 8 | (word >> 8 & 0xff * EACH_LANE);
  word = word >> finder.shift & finder.mask;
  add (counters, shape.is_wide, (first + 0) % shape.tables, (uint16_t)word, weight);
  add (counters, shape.is_wide, (first + 1) % shape.tables, (uint16_t)(word >> 16), weight);
  add (counters, shape.is_wide, (first + 2) % shape.tables, (uint16_t)(word >> 32), weight);
  add (counters, shape.is_wide, (first + 3) % shape.tables, (uint16_t)(word >> 48), weight);
}

/* Counts groups of 8 words (6 for three-word pixels) while there are any, and returns the bytes counted. Groups that repeat a
 * pattern are only compared, as in histogram.c. */
static inline __attribute__ ((always_inline)) size_t
count_groups (uint32_t *restrict counters, struct shape shape, const uint8_t *data, size_t size, struct finder finder)
{
  const unsigned words = shape.tables == 3 ? 3 : 1, group_words = shape.tables == 3 ? 6 : 8;
  const size_t group_bytes = group_words * HISTO_WORD_BYTES;
  const uint8_t *begin = data;

  while (size >= group_bytes) {
    const uint8_t *end = histo_end_of_repeats (data, size, group_words, words);

    if (end > data) {
      const uint32_t repeats = (uint32_t)((size_t)(end - data) / (words * HISTO_WORD_BYTES));

#pragma GCC unroll 3
      for (unsigned i = 0; i < words; i++)
        count_word (counters, shape, data, i, finder, repeats);
      size -= (size_t)(end - data);
      data = end;
      continue;
    }
    __builtin_prefetch (data + HISTO_PREFETCH_BYTES);
#pragma GCC unroll 8
    for (unsigned i = 0; i < group_words; i++)
      count_word (counters, shape, data, i, finder, 1);
    data += group_bytes;
    size -= group_bytes;
  }
  return (size_t)(data - begin);
}

static inline __attribute__ ((always_inline)) size_t
choose_groups (uint32_t *restrict counters, struct shape shape, const uint8_t *data, size_t size, struct finder finder)
{
  if (shape.tables == 2)
    return count_groups (counters, (struct shape){ shape.is_wide, shape.big_endian, 2 }, data, size, finder);
  if (shape.tables == 3)
    return count_groups (counters, (struct shape){ shape.is_wide, shape.big_endian, 3 }, data, size, finder);
  return count_groups (counters, (struct shape){ shape.is_wide, shape.big_endian, 4 }, data, size, finder);
}

static uint32_t
counter_of (const uint8_t *sample, const struct histo_format *format)
{
  return histo_load_sample (sample, format) >> dropped_bits (format);
}

void
histo_deep_count (uint32_t *counters, const uint8_t *data, size_t samples, const struct histo_format *format, unsigned period)
{
  const struct finder finder = {
    .shift = format->shift + dropped_bits (format),
    .mask = ((1u << counter_bits (format)) - 1) * EACH_LANE,
  };
  const unsigned count = histo_deep_table_count (format, period);
  const size_t row = row_of (format), size = samples * 2;
  size_t done;

  if (histo_format_is_wide (format))
    done = format->big_endian ? choose_groups (counters, (struct shape){ true, true, count }, data, size, finder)
                              : choose_groups (counters, (struct shape){ true, false, count }, data, size, finder);
  else
    done = format->big_endian ? choose_groups (counters, (struct shape){ false, true, count }, data, size, finder)
                              : choose_groups (counters, (struct shape){ false, false, count }, data, size, finder);
  for (size_t i = done / 2; i < samples; i++)
    counters[i % count * row + counter_of (data + i * 2, format)]++;
}

void
histo_deep_count_samples (uint32_t *counters, unsigned table, const uint8_t *first, size_t step_bytes, uint64_t samples,
                          const struct histo_format *format)
{
  counters += table * row_of (format);
  for (uint64_t i = 0; i < samples; i++)
    counters[counter_of (first + i * step_bytes, format)]++;
}

static bool
are_zeros (const uint32_t counters[FOLD_COUNTERS])
{
  uint32_t bits = 0;

  for (unsigned i = 0; i < FOLD_COUNTERS; i++)
    bits |= counters[i];
  return bits == 0;
}

void
histo_deep_fold (uint32_t *counters, unsigned table, const struct histo_format *format, unsigned bins, uint64_t *histogram,
                 uint64_t *sum, uint64_t *sum_of_squares)
{
  const uint32_t counter_count = 1u << counter_bits (format);
  const unsigned shift = format->is_native && bins == HISTO_BINS ? format->depth - 8 : 0;

  counters += table * row_of (format);
  for (uint32_t first = 0; first < counter_count; first += FOLD_COUNTERS) {
    if (are_zeros (counters + first))
      continue;
    for (uint32_t v = first; v < first + FOLD_COUNTERS; v++) {
      const uint64_t count = counters[v];

      histogram[v >> shift] += count;
      if (format->is_native) {
        *sum += v * count;
        *sum_of_squares += (uint64_t)v * v * count;
      }
      counters[v] = 0;
    }
  }
}

void
histo_deep_clear (uint32_t *counters, unsigned table, const struct histo_format *format)
{
  memset (counters + table * row_of (format), 0, sizeof *counters << counter_bits (format));
}
