/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathers samples of a component into consecutive values, whatever the layout. */

#pragma once

#include "sample.h"

/* Stores the lowest 8 bits of each value. */
typedef void (*histo_bytes_function) (const uint8_t *first, size_t step_bytes, size_t samples,
                                      const struct histo_format *format, uint8_t *bytes);

void histo_bytes_c (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format, uint8_t *bytes);
void histo_bytes_avx2 (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format,
                       uint8_t *bytes);

/* Stores the values of two-byte samples. */
typedef void (*histo_words_function) (const uint8_t *first, size_t step_bytes, size_t samples,
                                      const struct histo_format *format, uint16_t *words);

void histo_words_c (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format,
                    uint16_t *words);
void histo_words_avx2 (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format,
                       uint16_t *words);
