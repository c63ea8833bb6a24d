/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Clocks, and medians. */

#pragma once

#include <stdlib.h>
#include <time.h>

static inline double
seconds_of (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline double
seconds_now (void)
{
  return seconds_of (CLOCK_MONOTONIC);
}

/* The processor time of all threads. */
static inline double
cpu_seconds_now (void)
{
  return seconds_of (CLOCK_PROCESS_CPUTIME_ID);
}

static inline int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static inline void
sort_times (double *values, unsigned count)
{
  qsort (values, count, sizeof *values, compare_doubles);
}

/* Sorts the values. */
static inline double
median (double *values, unsigned count)
{
  sort_times (values, count);
  return values[count / 2];
}
