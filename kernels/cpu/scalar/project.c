/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/project.h"

int64_t
histo_project_c (const uint8_t *first, size_t step_bytes, uint64_t samples, const struct histo_format *format,
                 const int16_t *row_weights, int32_t column_weight, int64_t *column_sums)
{
  int64_t sum = 0;

  for (uint64_t i = 0; i < samples; i++) {
    /* The product of a sample and a weight fits into signed 32 bits. */
    const int32_t value = (int32_t)histo_load_sample (first + i * step_bytes, format);

    sum += row_weights ? value * row_weights[i] : value;
    column_sums[i] += value * column_weight;
  }
  return sum;
}
