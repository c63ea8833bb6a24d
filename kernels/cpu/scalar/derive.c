/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/derive.h"

static inline int64_t
derive (const struct histo_derivation *derivation, int64_t red, int64_t green, int64_t blue)
{
  const int64_t sum = derivation->weights[0] * red + derivation->weights[1] * green + derivation->weights[2] * blue;
  const int64_t value = (sum + derivation->offset) >> derivation->shift;

  return value < 0 ? 0 : value > derivation->top ? derivation->top : value;
}

void
histo_derive_bytes_c (const uint8_t *const sources[3], size_t samples, const struct histo_derivation *derivation,
                      uint8_t *values)
{
  for (size_t i = 0; i < samples; i++)
    values[i] = (uint8_t)derive (derivation, sources[0][i], sources[1][i], sources[2][i]);
}

void
histo_derive_words_c (const uint16_t *const sources[3], size_t samples, const struct histo_derivation *derivation,
                      uint16_t *values)
{
  for (size_t i = 0; i < samples; i++)
    values[i] = (uint16_t)derive (derivation, sources[0][i], sources[1][i], sources[2][i]);
}
