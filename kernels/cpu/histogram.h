/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The histogram of interleaved samples by their position in a repeating pattern. */

#ifndef HISTO_CPU_HISTOGRAM_H
#define HISTO_CPU_HISTOGRAM_H

#include "sample.h"

/* ---- bytes ---- */

#define HISTO_TABLES 8
#define HISTO_TABLE_PADDING 16 /* counters: a cache line */

/* A row may be counted in blocks that are multiples of this: positions modulo 8 (periods 1, 2, 4) and modulo 6 (period 3)
 * continue from block to block, and so do the groups that the loops work on. */
#define HISTO_BLOCK_GRAIN 192

/* Table j counts bytes at positions j, j + 8, j + 16 ... (period 3: j, j + 6, j + 12 ...): successive bytes never meet in a
 * table, so that equal neighbours do not wait for each other. The padding keeps the same counter of two tables from being a
 * multiple of 4 KiB apart, which processors mistake for the same address (4K aliasing). Must be folded before 2^32 bytes are
 * counted. */
struct histo_tables {
  uint32_t counters[HISTO_TABLES][HISTO_BINS + HISTO_TABLE_PADDING];
};

/* Counts `size` bytes, of which the first is at position 0. */
void histo_tables_count (struct histo_tables *tables, const uint8_t *data, size_t size, unsigned period);

/* Adds the tables to the histograms of the components, and zeroes them. */
void histo_tables_fold (struct histo_tables *tables, unsigned period, const int8_t component_at[HISTO_MAX_PERIOD],
                        uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS]);

/* Counts single bytes: the plain loop, for the edges of a row. */
void histo_count_samples (uint64_t histogram[HISTO_BINS], const uint8_t *first, size_t step_bytes, uint64_t samples);

/* ---- samples of two bytes ---- */

#define HISTO_DEEP_TABLES 4
#define HISTO_DEEP_ROW ((1 << HISTO_NATIVE_DEPTH) + HISTO_TABLE_PADDING)
#define HISTO_WIDE_ROW ((1 << 16) + HISTO_TABLE_PADDING)

/* Tables of 2^HISTO_NATIVE_DEPTH counters at most; how many tables are used depends on the pass: see histo_deep_table_count.
 * Must be folded before a counter can reach 2^32. */
struct histo_deep_tables {
  uint32_t counters[HISTO_DEEP_TABLES][HISTO_DEEP_ROW];
};

/* The same for native samples of more bits. */
struct histo_wide_tables {
  uint32_t counters[HISTO_DEEP_TABLES][HISTO_WIDE_ROW];
};

/* Whether samples are counted in histo_wide_tables. Below, `counters` are those of either, the first table's first. */
static inline bool
histo_format_is_wide (const struct histo_format *format)
{
  return format->sample_bytes == 2 && format->is_native && format->depth > HISTO_NATIVE_DEPTH;
}

/* The sample at position j of the pattern goes to table j modulo this: a multiple of the period, and as many as the first-level
 * cache holds. */
unsigned histo_deep_table_count (const struct histo_format *format, unsigned period);

/* Counts `samples` samples, one after another, of which the first is at position 0. */
void histo_deep_count (uint32_t *counters, const uint8_t *data, size_t samples, const struct histo_format *format,
                       unsigned period);

/* Counts single samples, all into one table. */
void histo_deep_count_samples (uint32_t *counters, unsigned table, const uint8_t *first, size_t step_bytes, uint64_t samples,
                               const struct histo_format *format);

/* Adds table `table` to a histogram of `bins` counters and zeroes it. Of native samples, their sum and the sum of their squares
 * too; else the values are gone, and the sums are left alone. */
void histo_deep_fold (uint32_t *counters, unsigned table, const struct histo_format *format, unsigned bins, uint64_t *histogram,
                      uint64_t *sum, uint64_t *sum_of_squares);

/* Zeroes a table of samples that nobody asked for. */
void histo_deep_clear (uint32_t *counters, unsigned table, const struct histo_format *format);

#endif
