/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Luma samples unlike their neighbours. */

#ifndef HISTO_CPU_NEIGHBOURS_H
#define HISTO_CPU_NEIGHBOURS_H

#include <stddef.h>
#include <stdint.h>

#define HISTO_OUTLIER_THRESHOLD 4
#define HISTO_OUTLIER_REACH 2 /* rows above and below that are looked at */
#define HISTO_OUTLIER_ROWS (2 * HISTO_OUTLIER_REACH + 1)

/* A sample is unlike those above and below, or not; where three neighbours are, the one in the middle is an outlier. Returns
 * how many outliers lie between the first and the last sample of a part of a row. rows[HISTO_OUTLIER_REACH]: the part; the
 * others: the same of the rows around it, of which the first and the last may both be NULL: not looked at. */
typedef uint64_t (*histo_outliers_function) (const uint8_t *const rows[HISTO_OUTLIER_ROWS], size_t samples);

uint64_t histo_outliers_c (const uint8_t *const rows[HISTO_OUTLIER_ROWS], size_t samples);
uint64_t histo_outliers_avx2 (const uint8_t *const rows[HISTO_OUTLIER_ROWS], size_t samples);

#endif
