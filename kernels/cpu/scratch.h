/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a worker has to itself while it counts, and how its numbers are added to those of the frame. */

#ifndef HISTO_CPU_SCRATCH_H
#define HISTO_CPU_SCRATCH_H

#include <pthread.h>

#include "chroma.h"
#include "cut.h"
#include "scope.h"

/* The numbers of a frame, which all workers add to. */
struct histo_cpu_total {
  pthread_mutex_t lock; /* around `stats` */
  struct histo_stats stats;
};

/* What samples of a pass are counted in. */
struct histo_cpu_tables {
  struct histo_tables bytes;
  struct histo_deep_tables deep;
  const struct histo_cpu_pass *sliced; /* whose samples are counted; NULL: nobody's */
  uint64_t samples;                    /* at most so many are */
};

/* What belongs to a worker, whichever engine it works for. Between jobs all counters and sums in it are zero. */
struct histo_cpu_scratch {
  struct histo_cpu_tables tables[HISTO_CPU_TURNS];
  struct histo_wide_tables *wide_tables;                 /* NULL until a slice needs them, and again between jobs */
  uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS]; /* of bytes */
  uint64_t sums[HISTO_MAX_COMPONENTS], squares[HISTO_MAX_COMPONENTS], dots[HISTO_MAX_COMPONENTS];
  uint64_t absolute_differences[HISTO_MAX_COMPONENTS], squared_differences[HISTO_MAX_COMPONENTS];
  unsigned components; /* a bit for each component that has numbers here */

  uint64_t outliers, repeats, out_of_range, gamut_errors;
  bool has_colours; /* there is something in these: */
  struct histo_colour_tables colours;
  struct histo_wide_tables *wide_saturations; /* of samples of more than HISTO_NATIVE_DEPTH bits; NULL as wide_tables */
  struct histo_scope_tables *scope;           /* waveforms and vectorscope; NULL as wide_tables */

  int64_t column_sums[HISTO_CPU_STRIP_BYTES];
  int64_t row_sums[HISTO_MAX_COMPONENTS][HISTO_CPU_BAND_ROWS]; /* by the component's number in its pass */
};

/* The counters of a pass for samples of two bytes. */
uint32_t *histo_cpu_scratch_counters (struct histo_cpu_scratch *scratch, const struct histo_cpu_pass *sliced,
                                      const struct histo_format *format);

/* Where the colours of samples of that depth are counted, as far as they are asked for. */
struct histo_colour_counters histo_cpu_scratch_colours (struct histo_cpu_scratch *scratch, uint32_t statistics, unsigned depth);

/* Makes sure that its tables are those of the pass `sliced` and can count `samples` more; if not, they are emptied first: those
 * of bytes into `histograms`, the others into `total`. */
void histo_cpu_scratch_reserve (struct histo_cpu_scratch *scratch, struct histo_cpu_total *total,
                                const struct histo_cpu_pass *sliced, uint64_t samples);

/* Adds all that was counted to `total`, and zeroes it. Row and column sums are project_slice.c's. */
void histo_cpu_scratch_merge (struct histo_cpu_scratch *scratch, struct histo_cpu_total *total);

#endif
