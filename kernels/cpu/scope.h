/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bins of waveforms and of a picture's histograms, except hue, saturation and light, for the maximum number of workers of
 * an engine. Allocated for the first frame that needs them. */

#pragma once

#include <cudahisto/histo.h>
#include <pthread.h>

/* A worker's bins for the waveforms of a frame's components, one after the other, then for the histograms of its picture. */
struct histo_scope_tables {
  struct histo_scope_tables *next; /* in the list of free tables */
  size_t capacity;                 /* in bins */
  uint32_t counters[];
};

/* All zeros except `lock`, which is initialized, has no tables. */
struct histo_cpu_scope {
  pthread_mutex_t lock; /* protects the others */
  size_t capacity;      /* minimum capacity of the free tables */
  struct histo_scope_tables *free_tables;
};

/* The number of these bins for `stats`. */
size_t histo_scope_count (const struct histo_stats *stats);

/* The bins of a component's waveform, and of the histogram in row `row` of the list of statistics (HISTO_ROW_...). */
uint32_t *histo_scope_find_waveform (struct histo_scope_tables *tables, const struct histo_stats *stats, unsigned component);
uint32_t *histo_scope_find_histogram (struct histo_scope_tables *tables, const struct histo_stats *stats, unsigned row);

/* Adds all bins to `stats`, and zeroes them. */
void histo_scope_fold (struct histo_scope_tables *tables, struct histo_stats *stats);

/* Ensures that each of `workers` workers can take zeroed tables of `counters` bins. NO_MEMORY. */
enum histo_status histo_cpu_scope_reserve (struct histo_cpu_scope *scope, unsigned workers, size_t counters);

/* Takes tables for a worker, which zeroes and returns them. */
struct histo_scope_tables *histo_cpu_scope_take (struct histo_cpu_scope *scope);
void histo_cpu_scope_return (struct histo_cpu_scope *scope, struct histo_scope_tables *tables);

void histo_cpu_scope_clear (struct histo_cpu_scope *scope);
