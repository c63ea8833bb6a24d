/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The definition of every number: plain loops over the frame. */

#pragma once

#include <cudahisto/histo.h>

/* The value of sample i in row y of component `index` of a valid frame: only its significant bits. */
uint32_t histo_reference_sample (const struct histo_frame *frame, unsigned index, uint32_t y, uint64_t i);

/* The values of three components of a pixel: sample i in row y of component `first` (luma, or red), and those of the next two
 * that belong to it. */
void histo_reference_colour (const struct histo_frame *frame, unsigned first, uint32_t y, uint64_t i, uint32_t samples[3]);

/* The derived component `index` of R', G' and B': a sample of depth `depth`. */
uint32_t histo_reference_derive (const struct histo_matrix *matrix, unsigned depth, unsigned index, const uint32_t rgb[3]);

/* Derives the samples of the derived planes of `frame`, whose addresses are set. `matrix`: that of the frame, or of the frame
 * whose operand it is. */
void histo_reference_fill_derived (const struct histo_frame *frame, const struct histo_matrix *matrix);

/* Adds the samples of component `index`, whose `bins` is not 0, to a histogram of that size. */
void histo_reference_histogram (const struct histo_frame *frame, unsigned index, uint64_t *histogram);

/* The sum, the sum of squares and, with an operand, the dot product of component `index`. */
uint64_t histo_reference_sum (const struct histo_frame *frame, unsigned index);
uint64_t histo_reference_sum_of_squares (const struct histo_frame *frame, unsigned index);
uint64_t histo_reference_dot (const struct histo_frame *frame, unsigned index);

/* Adds the samples of component `index` to row_sums, one for each row, and column_sums, one for each sample of a row. See
 * histo_weights. */
void histo_reference_project (const struct histo_frame *frame, unsigned index, const struct histo_weights *weights,
                              int64_t *row_sums, int64_t *column_sums);

/* Adds the absolute and the squared differences of component `index` from the operand. */
void histo_reference_difference (const struct histo_frame *frame, unsigned index, uint64_t *absolute, uint64_t *squared);

/* The statistics of a picture: histo_reference_NAME returns the number NAME of struct histo_picture_stats, or adds to the
 * histogram NAME. The frame must be valid for the statistic. Definitions: docs/statistics.md. */
#define PICTURE_NUMBER(id, name, ...) uint64_t histo_reference_##name (const struct histo_frame *frame);
#define PICTURE_HISTOGRAM(id, name, ...) void histo_reference_##name (const struct histo_frame *frame, uint64_t *name);
#include "statistic_list.h"

/* The saturation and the hue of a chroma sample. Cb and Cr are minus the middle of their range. */
uint32_t histo_reference_find_saturation (int32_t cb, int32_t cr);
uint32_t histo_reference_find_hue (int32_t cb, int32_t cr);

/* Adds the samples of component `index` to its waveform of `columns` columns. See histo_component_stats.waveform. */
void histo_reference_waveform (const struct histo_frame *frame, unsigned index, uint32_t columns, uint64_t *waveform);
