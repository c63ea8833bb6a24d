/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The histogram of interleaved bytes by their position in a repeating pattern. */

#ifndef HISTO_CPU_HISTOGRAM_H
#define HISTO_CPU_HISTOGRAM_H

#include "pass.h"

#define HISTO_TABLES 8
#define HISTO_TABLE_PADDING 16 /* counters: a cache line */

/* Bytes of a row may be counted block by block where each block is a multiple of this: positions modulo 8 (periods 1, 2, 4)
 * and modulo 6 (period 3) go on, and so do the groups that the loops work on. */
#define HISTO_BLOCK_GRAIN 192

/* Table j counts bytes at positions j, j + 8, j + 16 ... (period 3: j, j + 6, j + 12 ...): successive bytes never meet in a
 * table, so that equal neighbours do not wait for each other. The padding keeps the same counter of two tables from being a
 * multiple of 4 KiB apart, which processors take for the same address. To be folded before 2^32 bytes are counted. */
struct histo_tables {
  uint32_t counters[HISTO_TABLES][HISTO_BINS + HISTO_TABLE_PADDING];
};

/* Counts `size` bytes, of which the first is at position 0. */
void histo_tables_count (struct histo_tables *tables, const uint8_t *data, size_t size, unsigned period);

/* Adds the tables to the histograms of the components, and zeroes them. */
void histo_tables_fold (struct histo_tables *tables, unsigned period, const int8_t component_at[HISTO_MAX_PERIOD],
                        uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS]);

/* Counts single samples: the plain loop, for the edges of a row. */
void histo_count_samples (uint64_t histogram[HISTO_BINS], const uint8_t *first, size_t step_bytes, uint64_t samples);

#endif
