/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The list of statistics as a table, and sets of them. */

#pragma once

#include <cudahisto/histo.h>

/* Samples that a statistic needs. HISTO_NEEDS_LUMA and HISTO_NEEDS_COLOURS: each luma sample with its Cb and Cr.
 * HISTO_NEEDS_COLOURS alone: each Cb with its Cr. */
enum {
  HISTO_NEEDS_OPERAND = 1 << 0, /* of another frame */
  HISTO_NEEDS_LUMA = 1 << 1,    /* component 0 */
  HISTO_NEEDS_COLOURS = 1 << 2, /* components 1 and 2 */
};

/* The maximum number of samples of a component if they are counted in bins of 32 bits. */
#define HISTO_MAX_BINNED ((uint64_t)1 << 31)

struct histo_statistic_row {
  uint32_t bit;         /* of enum histo_statistic */
  const char *name;     /* as in the list */
  unsigned needs;       /* HISTO_NEEDS_... */
  uint64_t max_samples; /* of a component; UINT64_MAX: as of any frame */

  /* Statistics of the picture: the place of the number, or of the histogram, in struct histo_picture_stats. The other is 0. */
  size_t number;    /* of a uint64_t */
  size_t histogram; /* of a uint64_t * */

  /* The bins of a histogram. If the depth of the samples determines their number, `bins` is 0. */
  uint32_t bins;
  uint32_t (*count_bins) (unsigned depth);
  size_t bin_count; /* place of the number, a uint32_t, in struct histo_picture_stats */
  bool is_sparse;   /* most bins are 0. Their number is a multiple of HISTO_SPARSE_RUN */
};

#define HISTO_SPARSE_RUN 8 /* bins that are added, or skipped, together */

/* The statistics with a number, from 0, and all, both in the order of the list. */
enum {
#define PICTURE_NUMBER(id, ...) HISTO_NUMBER_##id,
#include "statistic_list.h"
  HISTO_PICTURE_NUMBERS
};
enum {
#define COMPONENT_STATISTIC(id, ...) HISTO_ROW_##id,
#define PICTURE_NUMBER(id, ...) HISTO_ROW_##id,
#define PICTURE_HISTOGRAM(id, ...) HISTO_ROW_##id,
#include "statistic_list.h"
  HISTO_STATISTIC_ROWS
};
extern const struct histo_statistic_row histo_statistics[HISTO_STATISTIC_ROWS];

/* Sets: bits of enum histo_statistic. */
#define HISTO_PICK(id, needs, need) | ((needs) & (need) ? HISTO_STATISTIC_##id : 0)
enum {
  HISTO_STATISTICS_OPERAND = 0
#define COMPONENT_STATISTIC(id, name, needs, ...) HISTO_PICK (id, needs, HISTO_NEEDS_OPERAND)
#include "statistic_list.h"
  ,
  HISTO_STATISTICS_LUMA = 0
#define PICTURE_NUMBER(id, name, needs) HISTO_PICK (id, needs, HISTO_NEEDS_LUMA)
#define PICTURE_HISTOGRAM(id, name, needs, ...) HISTO_PICK (id, needs, HISTO_NEEDS_LUMA)
#include "statistic_list.h"
  ,
  HISTO_STATISTICS_COLOURS = 0
#define PICTURE_NUMBER(id, name, needs) HISTO_PICK (id, needs, HISTO_NEEDS_COLOURS)
#define PICTURE_HISTOGRAM(id, name, needs, ...) HISTO_PICK (id, needs, HISTO_NEEDS_COLOURS)
#include "statistic_list.h"
  ,
  HISTO_STATISTICS_PICTURE = HISTO_STATISTICS_LUMA | HISTO_STATISTICS_COLOURS,
  HISTO_STATISTICS_ALL = HISTO_STATISTICS_PICTURE
#define COMPONENT_STATISTIC(id, ...) | HISTO_STATISTIC_##id
#include "statistic_list.h"
};
#undef HISTO_PICK

/* The number, or the pointer to the histogram, of a picture. */
uint64_t *histo_find_number (const struct histo_statistic_row *row, struct histo_picture_stats *picture);
uint64_t **histo_find_histogram (const struct histo_statistic_row *row, struct histo_picture_stats *picture);

/* The bins of a histogram of a picture; 0 if it was not requested, or if the row has no histogram. */
uint32_t histo_count_bins (const struct histo_statistic_row *row, const struct histo_picture_stats *picture);

/* Sets the numbers of bins of a picture that has `statistics` and samples of `depth` bits. */
void histo_set_bin_counts (struct histo_picture_stats *picture, unsigned depth);
