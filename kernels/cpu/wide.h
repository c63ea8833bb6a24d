/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Wide tables for as many workers as an engine has at once. They take 1 MiB each, so there are none until a frame needs
 * them. */

#ifndef HISTO_CPU_WIDE_H
#define HISTO_CPU_WIDE_H

#include <pthread.h>

#include "histogram.h"

/* All zeros but `lock`, which is initialized, has no tables. */
struct histo_cpu_wide {
  pthread_mutex_t lock; /* around `free_tables` and `free_count` */
  struct histo_wide_tables *tables;
  struct histo_wide_tables **free_tables;
  unsigned free_count;
};

/* Makes tables for `workers` workers, all zeros, if there are none yet. NO_MEMORY. */
enum histo_status histo_cpu_wide_reserve (struct histo_cpu_wide *wide, unsigned workers);

/* Tables for a worker, which gives them back when they are all zeros again. */
struct histo_wide_tables *histo_cpu_wide_take (struct histo_cpu_wide *wide);
void histo_cpu_wide_return (struct histo_cpu_wide *wide, struct histo_wide_tables *tables);

void histo_cpu_wide_clear (struct histo_cpu_wide *wide);

#endif
