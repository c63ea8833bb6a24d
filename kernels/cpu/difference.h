/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Differences of samples from another frame or row. */

#pragma once

#include "sample.h"

/* The sums of |x[i] - y[i]| and of its square, by position in a repeating pattern. */
struct histo_differences {
  uint64_t absolute[HISTO_MAX_PERIOD], squared[HISTO_MAX_PERIOD];
};

/* Adds the differences of `size_bytes` bytes, the first at position 0. Any alignment. */
typedef void (*histo_difference_function) (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period,
                                           struct histo_differences *differences);

void histo_difference_c (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period,
                         struct histo_differences *differences);
void histo_difference_avx2 (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period,
                            struct histo_differences *differences);

/* The same for `samples` samples of two bytes, one after another. */
typedef void (*histo_deep_difference_function) (const uint8_t *x, const uint8_t *y, size_t samples,
                                                const struct histo_format *format, unsigned period,
                                                struct histo_differences *differences);

void histo_deep_difference_c (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format,
                              unsigned period, struct histo_differences *differences);
void histo_deep_difference_avx2 (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format,
                                 unsigned period, struct histo_differences *differences);

/* The differences of single samples of any kind, for the edges of a row. */
void histo_difference_of_samples (const uint8_t *x, const uint8_t *y, size_t step_bytes, uint64_t samples,
                                  const struct histo_format *format, uint64_t *absolute, uint64_t *squared);
