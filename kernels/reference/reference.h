/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The definition of every number: the plainest loops, straight from the frame. */

#ifndef HISTO_REFERENCE_H
#define HISTO_REFERENCE_H

#include <cudahisto/histo.h>

/* The value of sample i in row y of component `index` of a valid frame: its significant bits alone. */
uint32_t histo_reference_sample (const struct histo_frame *frame, unsigned index, uint32_t y, uint64_t i);

/* Adds the samples of component `index`, whose `bins` is not 0, to `histogram`: as many counters. */
void histo_reference_histogram (const struct histo_frame *frame, unsigned index, uint64_t *histogram);

/* The sum, the sum of squares and, where the frame has an operand, the dot product (else 0) of component `index`. */
uint64_t histo_reference_sum (const struct histo_frame *frame, unsigned index);
uint64_t histo_reference_sum_of_squares (const struct histo_frame *frame, unsigned index);
uint64_t histo_reference_dot (const struct histo_frame *frame, unsigned index);

/* Adds the samples of component `index` to row_sums, one a row, and column_sums, one a sample of a row. See histo_weights. */
void histo_reference_project (const struct histo_frame *frame, unsigned index, const struct histo_weights *weights,
                              int64_t *row_sums, int64_t *column_sums);

#endif
