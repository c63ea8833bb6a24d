/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "project.h"

/* The product of a sample and a weight fits into 32 bits, sign and all. */
static inline __attribute__ ((always_inline)) int64_t
histo_project_as (const uint8_t *first, size_t step_bytes, uint64_t samples, const struct histo_format format,
                  const int16_t *row_weights, int32_t column_weight, int64_t *restrict column_sums)
{
  int64_t sum = 0;

  for (uint64_t i = 0; i < samples; i++) {
    const int32_t value = (int32_t)histo_load_sample (first + i * step_bytes, &format);

    sum += row_weights ? value * row_weights[i] : value;
    column_sums[i] += value * column_weight;
  }
  return sum;
}

int64_t
histo_project_samples (const uint8_t *first, size_t step_bytes, uint64_t samples, const struct histo_format *format,
                       const int16_t *row_weights, int32_t column_weight, int64_t *column_sums)
{
  const struct histo_format byte = { .sample_bytes = 1, .depth = 8 };

  if (format->sample_bytes == 1 && step_bytes == 1 && row_weights)
    return histo_project_as (first, 1, samples, byte, row_weights, column_weight, column_sums);
  if (format->sample_bytes == 1 && step_bytes == 1)
    return histo_project_as (first, 1, samples, byte, NULL, column_weight, column_sums);
  return histo_project_as (first, step_bytes, samples, *format, row_weights, column_weight, column_sums);
}
