/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums over interleaved samples, by their position in a repeating pattern. If each value has a bin, the sum and the sum of
 * squares follow from the histogram without another pass. */

#pragma once

#include "sample.h"

/* Adds to dot[p] the products x[i] * y[i] for all i < size_bytes with i % period == p. Any alignment. */
typedef void (*histo_dot_function) (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period,
                                    uint64_t dot[HISTO_MAX_PERIOD]);

void histo_dot_c (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period, uint64_t dot[HISTO_MAX_PERIOD]);
void histo_dot_avx2 (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period, uint64_t dot[HISTO_MAX_PERIOD]);

/* The dot product, and the sum and the sum of squares, of `samples` consecutive two-byte samples. */
typedef void (*histo_deep_dot_function) (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format,
                                         unsigned period, uint64_t dot[HISTO_MAX_PERIOD]);
typedef void (*histo_deep_sums_function) (const uint8_t *x, size_t samples, const struct histo_format *format, unsigned period,
                                          uint64_t sum[HISTO_MAX_PERIOD], uint64_t sum_of_squares[HISTO_MAX_PERIOD]);

void histo_deep_dot_c (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format, unsigned period,
                       uint64_t dot[HISTO_MAX_PERIOD]);
void histo_deep_dot_avx2 (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format,
                          unsigned period, uint64_t dot[HISTO_MAX_PERIOD]);
void histo_deep_sums_c (const uint8_t *x, size_t samples, const struct histo_format *format, unsigned period,
                        uint64_t sum[HISTO_MAX_PERIOD], uint64_t sum_of_squares[HISTO_MAX_PERIOD]);
void histo_deep_sums_avx2 (const uint8_t *x, size_t samples, const struct histo_format *format, unsigned period,
                           uint64_t sum[HISTO_MAX_PERIOD], uint64_t sum_of_squares[HISTO_MAX_PERIOD]);

/* The same for single samples of any kind, for the edges of a row. */
uint64_t histo_dot_samples (const uint8_t *x, const uint8_t *y, size_t step_bytes, uint64_t samples,
                            const struct histo_format *format);
void histo_sum_samples (const uint8_t *x, size_t step_bytes, uint64_t samples, const struct histo_format *format, uint64_t *sum,
                        uint64_t *sum_of_squares);

/* The sum and the sum of squares of the bytes in a histogram of HISTO_BINS bins. */
void histo_sum_bins (const uint64_t *histogram, uint64_t *sum, uint64_t *sum_of_squares);
