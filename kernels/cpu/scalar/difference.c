/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/difference.h"

#include <stdlib.h>

void
histo_difference_c (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period,
                    struct histo_differences *differences)
{
  for (unsigned p = 0; p < period; p++) {
    uint64_t absolute = 0, squared = 0;

    for (size_t i = p; i < size_bytes; i += period) {
      const int32_t difference = abs (x[i] - y[i]);

      absolute += (uint32_t)difference;
      squared += (uint32_t)(difference * difference);
    }
    differences->absolute[p] += absolute;
    differences->squared[p] += squared;
  }
}

void
histo_difference_of_samples (const uint8_t *x, const uint8_t *y, size_t step_bytes, uint64_t samples,
                             const struct histo_format *format, uint64_t *absolute, uint64_t *squared)
{
  for (uint64_t i = 0; i < samples; i++) {
    const int64_t value = histo_load_sample (x + i * step_bytes, format);
    const int64_t difference = value - (int64_t)histo_load_sample (y + i * step_bytes, format);

    *absolute += (uint64_t)llabs (difference);
    *squared += (uint64_t)(difference * difference);
  }
}

void
histo_deep_difference_c (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format, unsigned period,
                         struct histo_differences *differences)
{
  for (unsigned p = 0; p < period && p < samples; p++)
    histo_difference_of_samples (x + p * (size_t)2, y + p * (size_t)2, period * (size_t)2, (samples - p - 1) / period + 1,
                                 format, &differences->absolute[p], &differences->squared[p]);
}
