/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The dot product of interleaved bytes by their position in a repeating pattern. Sums and sums of squares of 8-bit samples
 * need no walk of their own: they follow from the histogram. */

#ifndef HISTO_CPU_REDUCE_H
#define HISTO_CPU_REDUCE_H

#include "pass.h"

/* Adds to dot[p] the products x[i] * y[i] of all i < size_bytes with i % period == p. Any alignment. */
typedef void (*histo_dot_function) (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period,
                                    uint64_t dot[HISTO_MAX_PERIOD]);

void histo_dot_c (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period, uint64_t dot[HISTO_MAX_PERIOD]);
void histo_dot_avx2 (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period, uint64_t dot[HISTO_MAX_PERIOD]);

struct histo_reduce_isa {
  const char *name; /* as in histo_info.device_name */
  uint32_t isa;     /* enum histo_isa, 0 for plain C */
  histo_dot_function dot;
};

/* The best that this processor has and `isa_disable` (enum histo_isa bits) allows. Never NULL. */
const struct histo_reduce_isa *histo_reduce_choose (uint32_t isa_disable);

/* The dot product of single samples, for the edges of a row. */
uint64_t histo_dot_samples (const uint8_t *x, const uint8_t *y, size_t step_bytes, uint64_t samples);

/* The sum and the sum of squares of the samples in a histogram of HISTO_BINS counters. */
void histo_sum_bins (const uint64_t *histogram, uint64_t *sum, uint64_t *sum_of_squares);

#endif
