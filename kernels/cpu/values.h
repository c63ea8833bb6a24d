/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of a component, brought together: one value after another, whatever the layout. */

#ifndef HISTO_CPU_VALUES_H
#define HISTO_CPU_VALUES_H

#include "sample.h"

/* The lowest 8 bits of each value: all of those of bytes. */
typedef void (*histo_bytes_function) (const uint8_t *first, size_t step_bytes, size_t samples,
                                      const struct histo_format *format, uint8_t *bytes);

void histo_bytes_c (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format, uint8_t *bytes);
void histo_bytes_avx2 (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format,
                       uint8_t *bytes);

/* The values of samples of two bytes. */
typedef void (*histo_words_function) (const uint8_t *first, size_t step_bytes, size_t samples,
                                      const struct histo_format *format, uint16_t *words);

void histo_words_c (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format,
                    uint16_t *words);
void histo_words_avx2 (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format,
                       uint16_t *words);

#endif
