/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The codes of the largest of R', G' and B'. Y' adds equally to all three, so a chroma sample adds one number to the luma
 * samples that it covers: the largest of its three parts. */

#pragma once

#include "histogram.h"
#include "picture.h"

#define HISTO_LIGHT_TABLES 2
#define HISTO_LIGHT_ROW (HISTO_LIGHT_CODES + HISTO_TABLE_PADDING)

/* Code i of a row is counted in table i modulo HISTO_LIGHT_TABLES, so that equal neighbours do not wait for each other. */
struct histo_light_tables {
  uint32_t counters[HISTO_LIGHT_TABLES][HISTO_LIGHT_ROW];
};

/* The largest part of chroma: parts[i << shift] and those up to the next chroma sample are for cb[i] and cr[i]. */
typedef void (*histo_light_parts_function) (const uint16_t *cb, const uint16_t *cr, size_t samples,
                                            const struct histo_light *light, unsigned depth, unsigned shift, int32_t *parts);

void histo_light_parts_c (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_light *light,
                          unsigned depth, unsigned shift, int32_t *parts);
void histo_light_parts_avx2 (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_light *light,
                             unsigned depth, unsigned shift, int32_t *parts);

/* The codes of luma samples with these parts. */
typedef void (*histo_light_codes_function) (const uint16_t *luma, const int32_t *parts, size_t samples,
                                            const struct histo_light *light, uint16_t *codes);

void histo_light_codes_c (const uint16_t *luma, const int32_t *parts, size_t samples, const struct histo_light *light,
                          uint16_t *codes);
void histo_light_codes_avx2 (const uint16_t *luma, const int32_t *parts, size_t samples, const struct histo_light *light,
                             uint16_t *codes);

/* The same by way of linear light, for light that needs a curve. Luma sample i has chroma sample (i + skipped) >> shift. The
 * memory of cb and cr continues for HISTO_LIGHT_PADDING samples, which are read and ignored. */
#define HISTO_LIGHT_PADDING 8
struct histo_light_samples {
  const uint16_t *luma, *cb, *cr;
  size_t count;
  unsigned depth, shift, skipped;
};
typedef void (*histo_linear_codes_function) (const struct histo_light_samples *samples, const struct histo_light *light,
                                             uint16_t *codes);

void histo_linear_codes_c (const struct histo_light_samples *samples, const struct histo_light *light, uint16_t *codes);
void histo_linear_codes_avx2 (const struct histo_light_samples *samples, const struct histo_light *light, uint16_t *codes);

void histo_light_count (struct histo_light_tables *tables, const uint16_t *codes, size_t samples);

/* Adds the tables to `total`, and zeroes them. */
void histo_light_fold (struct histo_light_tables *tables, uint64_t *total);
