/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/reduce.h"

void
histo_deep_sums_c (const uint8_t *x, size_t samples, const struct histo_format *format, unsigned period,
                   uint64_t sum[HISTO_MAX_PERIOD], uint64_t sum_of_squares[HISTO_MAX_PERIOD])
{
  for (unsigned p = 0; p < period; p++) {
    uint64_t values = 0, squares = 0;

    for (size_t i = p; i < samples; i += period) {
      const uint64_t value = histo_load_sample (x + i * 2, format);

      values += value;
      squares += value * value;
    }
    sum[p] += values;
    sum_of_squares[p] += squares;
  }
}

void
histo_deep_dot_c (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format, unsigned period,
                  uint64_t dot[HISTO_MAX_PERIOD])
{
  for (unsigned p = 0; p < period; p++) {
    uint64_t products = 0;

    for (size_t i = p; i < samples; i += period)
      products += (uint64_t)histo_load_sample (x + i * 2, format) * histo_load_sample (y + i * 2, format);
    dot[p] += products;
  }
}
