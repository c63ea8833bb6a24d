/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Saturation and hue. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "histogram.h"

#define HISTO_COLOUR_TABLES 4
#define HISTO_COLOUR_ROW (2897 + HISTO_TABLE_PADDING - 1) /* saturations of HISTO_NATIVE_DEPTH bits, and padding */
#define HISTO_HUE_ROW (HISTO_HUES + 2 * HISTO_TABLE_PADDING)

/* Sample i of a row is counted in table i modulo HISTO_COLOUR_TABLES, so that equal neighbours do not wait for each other. */
struct histo_colour_tables {
  uint32_t hues[HISTO_COLOUR_TABLES][HISTO_HUE_ROW];
  uint32_t saturations[HISTO_COLOUR_TABLES][HISTO_COLOUR_ROW]; /* of at most HISTO_NATIVE_DEPTH bits */
};

/* The tables for colours. */
struct histo_colour_counters {
  uint32_t *hues;        /* tables HISTO_HUE_ROW apart; NULL: not requested */
  uint32_t *saturations; /* tables saturation_row apart; NULL: not requested */
  size_t saturation_row;
};

/* Hue and saturation of bytes: table[cr << 8 | cb] is hue << 16 | saturation. The first call makes it; any thread may call. */
const uint32_t *histo_colour_table (void);

/* Counts samples of bytes with that table. */
void histo_colours_count_bytes (const struct histo_colour_counters *counters, const uint32_t *table, const uint8_t *cb,
                                const uint8_t *cr, size_t samples);

/* The hue and the saturation of deeper samples. Either result may be NULL. */
typedef void (*histo_colours_function) (const uint16_t *cb, const uint16_t *cr, size_t samples, unsigned depth, uint16_t *hues,
                                        uint16_t *saturations);

void histo_colours_c (const uint16_t *cb, const uint16_t *cr, size_t samples, unsigned depth, uint16_t *hues,
                      uint16_t *saturations);
void histo_colours_avx2 (const uint16_t *cb, const uint16_t *cr, size_t samples, unsigned depth, uint16_t *hues,
                         uint16_t *saturations);

/* Counts values in tables that are `row` bins apart. */
void histo_colours_count_words (uint32_t *counters, size_t row, const uint16_t *values, size_t samples);

/* Adds the tables to `total`, which has `count` bins, and zeroes them. */
void histo_colours_fold (uint32_t *counters, size_t row, uint32_t count, uint64_t *total);
