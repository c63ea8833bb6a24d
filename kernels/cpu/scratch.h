/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A worker's private memory while it counts, and how its numbers are added to the frame's. */

#pragma once

#include <pthread.h>

#include "chroma.h"
#include "cut.h"
#include "light.h"
#include "scope.h"

/* The numbers of a frame, to which all workers add. */
struct histo_cpu_total {
  pthread_mutex_t lock; /* protects `stats` */
  struct histo_stats stats;
};

/* The tables for the samples of a pass. */
struct histo_cpu_tables {
  struct histo_tables bytes;
  struct histo_deep_tables deep;
  const struct histo_cpu_pass *sliced; /* whose samples are counted; NULL: none */
  uint64_t samples;                    /* upper bound of the samples counted */
};

/* Belongs to a worker, for all engines. Between jobs all bins and sums are zero. */
struct histo_cpu_scratch {
  struct histo_cpu_tables tables[HISTO_CPU_TABLES];
  struct histo_wide_tables *wide_tables;              /* NULL until a slice needs them, and between jobs */
  uint64_t histograms[HISTO_MAX_COUNTED][HISTO_BINS]; /* of bytes */
  uint64_t sums[HISTO_MAX_COUNTED], squares[HISTO_MAX_COUNTED], dots[HISTO_MAX_COUNTED];
  uint64_t absolute_differences[HISTO_MAX_COUNTED], squared_differences[HISTO_MAX_COUNTED];
  unsigned components; /* a bit for each component with numbers here */

  uint64_t numbers[HISTO_PICTURE_NUMBERS];
  bool has_colours; /* the next two may be non-zero */
  struct histo_colour_tables colours;
  struct histo_wide_tables *wide_saturations; /* of samples of more than HISTO_NATIVE_DEPTH bits; NULL as wide_tables */
  bool has_light;                             /* the next may be non-zero */
  struct histo_light_tables light;
  struct histo_cpu_block *scope;   /* waveforms and other histograms; NULL as wide_tables */
  struct histo_cpu_block *derived; /* rows of derived components; NULL as wide_tables; not zeroed */

  int64_t column_sums[HISTO_CPU_STRIP_BYTES];
  int64_t row_sums[HISTO_MAX_COMPONENTS][HISTO_CPU_BAND_ROWS]; /* by the component's number in its pass */
};

/* The tables of a pass for two-byte samples. */
uint32_t *histo_cpu_scratch_counters (struct histo_cpu_scratch *scratch, const struct histo_cpu_pass *sliced,
                                      const struct histo_format *format);

/* The bins for hue and saturation of samples of `depth` bits, if `statistics` requests them. */
struct histo_colour_counters histo_cpu_scratch_colours (struct histo_cpu_scratch *scratch, uint32_t statistics, unsigned depth);

/* Ensures that the tables belong to the pass `sliced` and can count `samples` more samples. Otherwise it folds them first:
 * those of bytes into `histograms`, the others into `total`. */
void histo_cpu_scratch_reserve (struct histo_cpu_scratch *scratch, struct histo_cpu_total *total,
                                const struct histo_cpu_pass *sliced, uint64_t samples);

/* Adds all numbers to `total`, and zeroes them. project_slice.c adds row and column sums. */
void histo_cpu_scratch_merge (struct histo_cpu_scratch *scratch, struct histo_cpu_total *total);
