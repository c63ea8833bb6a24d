/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The definition of every number: the plainest loops, straight from the frame. */

#ifndef HISTO_REFERENCE_H
#define HISTO_REFERENCE_H

#include <cudahisto/histo.h>

/* Adds the samples of component `index` of a valid frame to `histogram`: HISTO_BINS counters. */
void histo_reference_histogram (const struct histo_frame *frame, unsigned index, uint64_t *histogram);

/* The sum, the sum of squares and, where the frame has an operand, the dot product (else 0) of component `index`. */
uint64_t histo_reference_sum (const struct histo_frame *frame, unsigned index);
uint64_t histo_reference_sum_of_squares (const struct histo_frame *frame, unsigned index);
uint64_t histo_reference_dot (const struct histo_frame *frame, unsigned index);

#endif
