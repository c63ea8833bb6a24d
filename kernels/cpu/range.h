/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples outside the broadcast range. */

#pragma once

#include "picture.h"
#include "sample.h"

#define HISTO_MARK 0xff

/* Marks luma samples whose chroma is out of range: marks[i << shift] and those up to the next chroma sample become HISTO_MARK
 * if cb[i] or cr[i] is out of range, otherwise 0. Values as in values.h: bytes or words. */
typedef void (*histo_mark_bytes_function) (const uint8_t *cb, const uint8_t *cr, size_t samples,
                                           const struct histo_range *range, unsigned shift, uint8_t *marks);
typedef void (*histo_mark_words_function) (const uint16_t *cb, const uint16_t *cr, size_t samples,
                                           const struct histo_range *range, unsigned shift, uint8_t *marks);

void histo_mark_bytes_c (const uint8_t *cb, const uint8_t *cr, size_t samples, const struct histo_range *range, unsigned shift,
                         uint8_t *marks);
void histo_mark_bytes_avx2 (const uint8_t *cb, const uint8_t *cr, size_t samples, const struct histo_range *range,
                            unsigned shift, uint8_t *marks);
void histo_mark_words_c (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_range *range,
                         unsigned shift, uint8_t *marks);
void histo_mark_words_avx2 (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_range *range,
                            unsigned shift, uint8_t *marks);

/* The number of consecutive luma samples that are out of range or marked: bytes, or samples of two bytes. */
typedef uint64_t (*histo_outside_bytes_function) (const uint8_t *luma, const uint8_t *marks, size_t samples,
                                                  const struct histo_range *range);
typedef uint64_t (*histo_outside_words_function) (const uint8_t *luma, const struct histo_format *format, const uint8_t *marks,
                                                  size_t samples, const struct histo_range *range);

uint64_t histo_outside_bytes_c (const uint8_t *luma, const uint8_t *marks, size_t samples, const struct histo_range *range);
uint64_t histo_outside_bytes_avx2 (const uint8_t *luma, const uint8_t *marks, size_t samples, const struct histo_range *range);
uint64_t histo_outside_words_c (const uint8_t *luma, const struct histo_format *format, const uint8_t *marks, size_t samples,
                                const struct histo_range *range);
uint64_t histo_outside_words_avx2 (const uint8_t *luma, const struct histo_format *format, const uint8_t *marks, size_t samples,
                                   const struct histo_range *range);
