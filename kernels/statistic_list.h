/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistics that a frame may request. Define one or more of the three macros, then include this file. The engine and its
 * tests derive from this list what they do with each statistic; statistic_table.h describes the entries.
 *
 * To add a statistic of the picture, add its bit and its field to histo.h, an entry here, and a function named after the field
 * to each backend: see docs/internals/architecture.md. */

#ifndef COMPONENT_STATISTIC
#define COMPONENT_STATISTIC(id, name, needs, max_samples)
#endif
#ifndef PICTURE_NUMBER
#define PICTURE_NUMBER(id, name, needs)
#endif
#ifndef PICTURE_HISTOGRAM
#define PICTURE_HISTOGRAM(id, name, needs, max_samples, bins, ...)
#endif

/* Of each component: id in enum histo_statistic, name, samples that it needs, maximum number of samples of a component. */
COMPONENT_STATISTIC (DOT, dot, HISTO_NEEDS_OPERAND, UINT64_MAX)
COMPONENT_STATISTIC (PROJECTION, projection, 0, (uint64_t)1 << 32)
COMPONENT_STATISTIC (DIFFERENCE, difference, HISTO_NEEDS_OPERAND, (uint64_t)1 << 31)
COMPONENT_STATISTIC (WAVEFORM, waveform, 0, HISTO_MAX_BINNED)

/* Of the picture, a number: id, its field in struct histo_picture_stats, samples that it needs. */
PICTURE_NUMBER (OUTLIERS, outliers, HISTO_NEEDS_LUMA)
PICTURE_NUMBER (REPEATS, repeats, HISTO_NEEDS_LUMA)
PICTURE_NUMBER (OUT_OF_RANGE, out_of_range, HISTO_NEEDS_LUMA | HISTO_NEEDS_COLOURS)
PICTURE_NUMBER (GAMUT, gamut_errors, HISTO_NEEDS_LUMA | HISTO_NEEDS_COLOURS)

/* Of the picture, a histogram: id, its field, samples that it needs, maximum number of samples of a component, number of bins
 * (0: the depth determines it), other members of struct histo_statistic_row. */
PICTURE_HISTOGRAM (HUE, hue, HISTO_NEEDS_COLOURS, UINT64_MAX, HISTO_HUES, .is_sparse = false)
PICTURE_HISTOGRAM (SATURATION, saturation, HISTO_NEEDS_COLOURS, UINT64_MAX, 0, .count_bins = histo_count_saturations,
                   .bin_count = offsetof (struct histo_picture_stats, saturation_count))
PICTURE_HISTOGRAM (VECTORSCOPE, vectorscope, HISTO_NEEDS_COLOURS, HISTO_MAX_BINNED, HISTO_VECTORSCOPE, .is_sparse = true)
PICTURE_HISTOGRAM (LIGHT, light, HISTO_NEEDS_LUMA | HISTO_NEEDS_COLOURS, HISTO_MAX_BINNED, HISTO_LIGHT_CODES, .is_sparse = true)

#undef COMPONENT_STATISTIC
#undef PICTURE_NUMBER
#undef PICTURE_HISTOGRAM
