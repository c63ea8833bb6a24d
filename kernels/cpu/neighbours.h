/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Luma samples unlike their neighbours. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#define HISTO_OUTLIER_THRESHOLD 4
#define HISTO_OUTLIER_REACH 2 /* rows above and below to compare with */
#define HISTO_OUTLIER_ROWS (2 * HISTO_OUTLIER_REACH + 1)

/* Returns the number of outliers in a part of a row, without its first and last sample. A sample is an outlier if it and both
 * its neighbours are unlike the samples above and below. rows[HISTO_OUTLIER_REACH] is the part; the others are the same part of
 * the rows around it. The first and the last row may both be NULL: they are not compared. */
typedef uint64_t (*histo_outliers_function) (const uint8_t *const rows[HISTO_OUTLIER_ROWS], size_t samples);

uint64_t histo_outliers_c (const uint8_t *const rows[HISTO_OUTLIER_ROWS], size_t samples);
uint64_t histo_outliers_avx2 (const uint8_t *const rows[HISTO_OUTLIER_ROWS], size_t samples);
