/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples outside the gamut. For each chroma sample there is an interval of luma inside the gamut, since Y' adds equally to R',
 * G' and B'. The interval is computed once a chroma sample; luma is compared with its ends. */

#pragma once

#include "picture.h"
#include "sample.h"

struct histo_bounds {
  int32_t low, high;
};

/* The smallest and the largest value of 0 .. `top` that is inside without chroma; top and 0 if none is. */
struct histo_bounds histo_bound_alone (const struct histo_gamut *gamut, int32_t top);

/* The smallest and the largest luma inside the gamut. low[i << shift], high[i << shift] and those up to the next chroma sample
 * are the bounds for cb[i] and cr[i]; low is above high if no luma is inside. For R', G' and B' they are the bounds of R', with
 * G' in `cb` and B' in `cr`. Values as in values.h: bytes or words. */
typedef void (*histo_bound_bytes_function) (const uint8_t *cb, const uint8_t *cr, size_t samples,
                                            const struct histo_gamut *gamut, unsigned shift, uint8_t *low, uint8_t *high);
typedef void (*histo_bound_words_function) (const uint16_t *cb, const uint16_t *cr, size_t samples,
                                            const struct histo_gamut *gamut, unsigned depth, unsigned shift, uint16_t *low,
                                            uint16_t *high);

void histo_bound_bytes_c (const uint8_t *cb, const uint8_t *cr, size_t samples, const struct histo_gamut *gamut, unsigned shift,
                          uint8_t *low, uint8_t *high);
void histo_bound_bytes_avx2 (const uint8_t *cb, const uint8_t *cr, size_t samples, const struct histo_gamut *gamut,
                             unsigned shift, uint8_t *low, uint8_t *high);
void histo_bound_words_c (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_gamut *gamut,
                          unsigned depth, unsigned shift, uint16_t *low, uint16_t *high);
void histo_bound_words_avx2 (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_gamut *gamut,
                             unsigned depth, unsigned shift, uint16_t *low, uint16_t *high);

/* The number of consecutive luma samples below `low` or above `high`: bytes, or samples of two bytes. */
typedef uint64_t (*histo_beyond_bytes_function) (const uint8_t *luma, const uint8_t *low, const uint8_t *high, size_t samples);
typedef uint64_t (*histo_beyond_words_function) (const uint8_t *luma, const struct histo_format *format, const uint16_t *low,
                                                 const uint16_t *high, size_t samples);

uint64_t histo_beyond_bytes_c (const uint8_t *luma, const uint8_t *low, const uint8_t *high, size_t samples);
uint64_t histo_beyond_bytes_avx2 (const uint8_t *luma, const uint8_t *low, const uint8_t *high, size_t samples);
uint64_t histo_beyond_words_c (const uint8_t *luma, const struct histo_format *format, const uint16_t *low,
                               const uint16_t *high, size_t samples);
uint64_t histo_beyond_words_avx2 (const uint8_t *luma, const struct histo_format *format, const uint16_t *low,
                                  const uint16_t *high, size_t samples);
