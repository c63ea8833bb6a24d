/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The histogram of interleaved samples, by their position in a repeating pattern. */

#pragma once

#include "sample.h"

/* ---- bytes ---- */

#define HISTO_TABLES 8
#define HISTO_TABLE_PADDING 16 /* bins: a cache line */

/* Rows may be counted in blocks of multiples of this size: positions modulo 8 (periods 1, 2, 4) and modulo 6 (period 3) then
 * continue from block to block, and so do the groups of the loops. */
#define HISTO_BLOCK_GRAIN 192

/* Table j counts bytes at positions j, j + 8, j + 16 ... (period 3: j, j + 6, j + 12 ...): consecutive bytes go to different
 * tables, so that equal neighbours do not wait for each other. Without the padding, equal bins of two tables would be a
 * multiple of 4 KiB apart, which processors mistake for the same address (4K aliasing). Fold before 2^32 bytes are counted. */
struct histo_tables {
  uint32_t counters[HISTO_TABLES][HISTO_BINS + HISTO_TABLE_PADDING];
};

/* Counts `size` bytes, the first at position 0. */
void histo_tables_count (struct histo_tables *tables, const uint8_t *data, size_t size, unsigned period);

/* Adds the tables to the components' histograms, and zeroes them. */
void histo_tables_fold (struct histo_tables *tables, unsigned period, const int8_t component_at[HISTO_MAX_PERIOD],
                        uint64_t (*histograms)[HISTO_BINS]);

/* Counts single bytes: the plain loop, for the edges of a row. */
void histo_count_samples (uint64_t histogram[HISTO_BINS], const uint8_t *first, size_t step_bytes, uint64_t samples);

/* ---- samples of two bytes ---- */

#define HISTO_DEEP_TABLES (HISTO_MAX_PERIOD > HISTO_MAX_COMPONENTS ? HISTO_MAX_PERIOD : HISTO_MAX_COMPONENTS)
#define HISTO_DEEP_ROW ((1 << HISTO_NATIVE_DEPTH) + HISTO_TABLE_PADDING)
#define HISTO_WIDE_ROW ((1 << 16) + HISTO_TABLE_PADDING)

/* Tables of at most 2^HISTO_NATIVE_DEPTH bins; see histo_deep_table_count for the number of tables in use. Fold before a bin
 * can reach 2^32. */
struct histo_deep_tables {
  uint32_t counters[HISTO_DEEP_TABLES][HISTO_DEEP_ROW];
};

/* Tables for native samples of more bits. */
struct histo_wide_tables {
  uint32_t counters[HISTO_DEEP_TABLES][HISTO_WIDE_ROW];
};

/* Whether samples are counted in histo_wide_tables. In the functions below, `counters` points to the first table of either
 * kind. */
static inline bool
histo_format_is_wide (const struct histo_format *format)
{
  return format->sample_bytes == 2 && format->is_native && format->depth > HISTO_NATIVE_DEPTH;
}

/* The sample at position j of the pattern goes to table j modulo this number: the largest multiple of the period for which the
 * tables fit into the first-level cache. */
unsigned histo_deep_table_count (const struct histo_format *format, unsigned period);

/* Counts `samples` consecutive samples, the first at position 0. */
void histo_deep_count (uint32_t *counters, const uint8_t *data, size_t samples, const struct histo_format *format,
                       unsigned period);

/* Counts single samples into one table. */
void histo_deep_count_samples (uint32_t *counters, unsigned table, const uint8_t *first, size_t step_bytes, uint64_t samples,
                               const struct histo_format *format);

/* Adds table `table` to a histogram of `bins` bins, and zeroes the table. For native samples it also adds the sum and the sum
 * of squares; for others the table no longer has the values, and the sums stay unchanged. */
void histo_deep_fold (uint32_t *counters, unsigned table, const struct histo_format *format, unsigned bins, uint64_t *histogram,
                      uint64_t *sum, uint64_t *sum_of_squares);

/* Zeroes a table whose counts are not needed. */
void histo_deep_clear (uint32_t *counters, unsigned table, const struct histo_format *format);
