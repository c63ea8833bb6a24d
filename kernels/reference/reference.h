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

/* The sum, the sum of squares and, of a frame with an operand, the dot product of component `index`. */
uint64_t histo_reference_sum (const struct histo_frame *frame, unsigned index);
uint64_t histo_reference_sum_of_squares (const struct histo_frame *frame, unsigned index);
uint64_t histo_reference_dot (const struct histo_frame *frame, unsigned index);

/* Adds the samples of component `index` to row_sums, one a row, and column_sums, one a sample of a row. See histo_weights. */
void histo_reference_project (const struct histo_frame *frame, unsigned index, const struct histo_weights *weights,
                              int64_t *row_sums, int64_t *column_sums);

/* Adds the absolute and the squared differences of component `index` from the operand's. */
void histo_reference_difference (const struct histo_frame *frame, unsigned index, uint64_t *absolute, uint64_t *squared);

/* Of a frame that is valid for them: luma samples that are outliers, those of rows that repeat the fourth above, those that are
 * out of the broadcast range or whose chroma is, and those outside of the gamut. Definitions: docs/statistics.md. */
uint64_t histo_reference_outliers (const struct histo_frame *frame);
uint64_t histo_reference_repeats (const struct histo_frame *frame);
uint64_t histo_reference_out_of_range (const struct histo_frame *frame);
uint64_t histo_reference_gamut (const struct histo_frame *frame);

/* The saturation and the hue of a chroma sample, Cb and Cr each less the middle of their range. */
uint32_t histo_reference_saturation (int32_t cb, int32_t cr);
uint32_t histo_reference_hue (int32_t cb, int32_t cr);

/* Adds those of all chroma samples to the counters; either may be NULL. */
void histo_reference_chroma (const struct histo_frame *frame, uint64_t *saturation, uint64_t *hue);

/* Adds the samples of component `index` to its waveform of so many columns, and the chroma samples to the vectorscope: see
 * histo_component_stats.waveform and histo_picture_stats.vectorscope. */
void histo_reference_waveform (const struct histo_frame *frame, unsigned index, uint32_t columns, uint64_t *waveform);
void histo_reference_vectorscope (const struct histo_frame *frame, uint64_t *vectorscope);

#endif
