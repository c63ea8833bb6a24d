/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Luma and chroma of R', G' and B'. */

#pragma once

#include "derived.h"

/* Stores the derived samples of bytes of R', G' and B'. */
typedef void (*histo_derive_bytes_function) (const uint8_t *const sources[3], size_t samples,
                                             const struct histo_derivation *derivation, uint8_t *values);

void histo_derive_bytes_c (const uint8_t *const sources[3], size_t samples, const struct histo_derivation *derivation,
                           uint8_t *values);
void histo_derive_bytes_avx2 (const uint8_t *const sources[3], size_t samples, const struct histo_derivation *derivation,
                              uint8_t *values);

/* The same for words. */
typedef void (*histo_derive_words_function) (const uint16_t *const sources[3], size_t samples,
                                             const struct histo_derivation *derivation, uint16_t *values);

void histo_derive_words_c (const uint16_t *const sources[3], size_t samples, const struct histo_derivation *derivation,
                           uint16_t *values);
void histo_derive_words_avx2 (const uint16_t *const sources[3], size_t samples, const struct histo_derivation *derivation,
                              uint16_t *values);
