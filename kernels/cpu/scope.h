/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The counters of waveforms and vectorscopes, for as many workers as an engine has at once. There are none until a frame needs
 * them. */

#ifndef HISTO_CPU_SCOPE_H
#define HISTO_CPU_SCOPE_H

#include <cudahisto/histo.h>
#include <pthread.h>

/* A worker's counters for what a frame has in its `stats`: the waveforms of its components, one behind the other, and the
 * vectorscope. */
struct histo_scope_tables {
  struct histo_scope_tables *next; /* of the free ones */
  size_t capacity;                 /* counters */
  uint32_t counters[];
};

/* All zeros but `lock`, which is initialized, has no tables. */
struct histo_cpu_scope {
  pthread_mutex_t lock; /* around the others */
  size_t capacity;      /* of tables that are free, at least */
  struct histo_scope_tables *free_tables;
};

/* How many counters such numbers take: 0 where there is neither waveform nor vectorscope. */
size_t histo_scope_count (const struct histo_stats *stats);

/* Where those of a component's waveform are, and those of the vectorscope. */
uint32_t *histo_scope_find_waveform (struct histo_scope_tables *tables, const struct histo_stats *stats, unsigned component);
uint32_t *histo_scope_find_vectorscope (struct histo_scope_tables *tables, const struct histo_stats *stats);

/* Adds all of them to `stats`, and makes them zeros. */
void histo_scope_fold (struct histo_scope_tables *tables, struct histo_stats *stats);

/* Makes sure that each of `workers` workers can take tables of so many counters, all zeros. NO_MEMORY. */
enum histo_status histo_cpu_scope_reserve (struct histo_cpu_scope *scope, unsigned workers, size_t counters);

/* Tables for a worker, which gives them back when they are all zeros again. */
struct histo_scope_tables *histo_cpu_scope_take (struct histo_cpu_scope *scope);
void histo_cpu_scope_return (struct histo_cpu_scope *scope, struct histo_scope_tables *tables);

void histo_cpu_scope_clear (struct histo_cpu_scope *scope);

#endif
