/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weighted sums of rows and columns. */

#pragma once

#include "sample.h"

/* Adds `samples` samples of a row, each times column_weight, to column_sums. Returns the sum of the samples, each times its row
 * weight (NULL: 1). Weights have 16 bits. */
typedef int64_t (*histo_project_function) (const uint8_t *first, size_t step_bytes, uint64_t samples,
                                           const struct histo_format *format, const int16_t *row_weights, int32_t column_weight,
                                           int64_t *column_sums);

int64_t histo_project_c (const uint8_t *first, size_t step_bytes, uint64_t samples, const struct histo_format *format,
                         const int16_t *row_weights, int32_t column_weight, int64_t *column_sums);
int64_t histo_project_avx2 (const uint8_t *first, size_t step_bytes, uint64_t samples, const struct histo_format *format,
                            const int16_t *row_weights, int32_t column_weight, int64_t *column_sums);
