/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Wide tables for the maximum number of workers of an engine. Each takes 1 MiB, so they are allocated for the first frame that
 * needs them. */

#pragma once

#include <pthread.h>

#include "histogram.h"

/* All zeros except `lock`, which is initialized, has no tables. */
struct histo_cpu_wide {
  pthread_mutex_t lock; /* protects `free_tables` and `free_count` */
  struct histo_wide_tables *tables;
  struct histo_wide_tables **free_tables;
  unsigned free_count;
};

/* Allocates zeroed tables for `workers` workers, if not yet done. NO_MEMORY. */
enum histo_status histo_cpu_wide_reserve (struct histo_cpu_wide *wide, unsigned workers);

/* Takes tables for a worker, which zeroes and returns them. */
struct histo_wide_tables *histo_cpu_wide_take (struct histo_cpu_wide *wide);
void histo_cpu_wide_return (struct histo_cpu_wide *wide, struct histo_wide_tables *tables);

void histo_cpu_wide_clear (struct histo_cpu_wide *wide);
