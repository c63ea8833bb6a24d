/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/reduce.h"

void
histo_dot_c (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period, uint64_t dot[HISTO_MAX_PERIOD])
{
  for (unsigned p = 0; p < period; p++) {
    uint64_t sum = 0;

    for (size_t i = p; i < size_bytes; i += period)
      sum += (uint32_t)x[i] * y[i];
    dot[p] += sum;
  }
}

uint64_t
histo_dot_samples (const uint8_t *x, const uint8_t *y, size_t step_bytes, uint64_t samples, const struct histo_format *format)
{
  uint64_t sum = 0;

  for (uint64_t i = 0; i < samples; i++)
    sum += (uint64_t)histo_load_sample (x + i * step_bytes, format) * histo_load_sample (y + i * step_bytes, format);
  return sum;
}

void
histo_sum_samples (const uint8_t *x, size_t step_bytes, uint64_t samples, const struct histo_format *format, uint64_t *sum,
                   uint64_t *sum_of_squares)
{
  for (uint64_t i = 0; i < samples; i++) {
    const uint64_t value = histo_load_sample (x + i * step_bytes, format);

    *sum += value;
    *sum_of_squares += value * value;
  }
}

void
histo_sum_bins (const uint64_t *histogram, uint64_t *sum, uint64_t *sum_of_squares)
{
  *sum = *sum_of_squares = 0;
  for (uint64_t v = 0; v < HISTO_BINS; v++) {
    const uint64_t weighted = v * histogram[v];

    *sum += weighted;
    *sum_of_squares += v * weighted;
  }
}
