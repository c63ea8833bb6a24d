/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Worker threads and a queue of jobs. A job is a number of slices; any worker may take any slice of the job at the head of
 * the queue, and while the last slices of one job are worked on, idle workers begin with the next. */

#ifndef HISTO_POOL_H
#define HISTO_POOL_H

#include "backend.h"

struct histo_pool;

/* Cores that the process may use, at least 1. */
unsigned histo_pool_usable_cores (void);

struct histo_pool_work {
  size_t scratch_bytes; /* private memory of a worker, zeroed at the start, aligned to 64 bytes */

  /* Works on one slice of `job`. Called by many workers at once, each with its own `scratch`. */
  void (*run) (void *user_data, void *scratch, unsigned job, uint64_t slice);

  /* Hands over what `run` left in `scratch`, once a worker has no more slices of `job`. One worker of a job at a time. */
  void (*merge) (void *user_data, void *scratch, unsigned job);
};

/* Starts config->threads workers (0: one for each core that the process may use) for jobs 0 .. config->max_in_flight - 1.
 * At least one worker was started when it succeeds. `config` and `work` must outlive the pool. */
enum histo_status histo_pool_open (const struct histo_config *config, const struct histo_pool_work *work, void *user_data,
                                   struct histo_pool **pool);

unsigned histo_pool_threads (const struct histo_pool *pool);

/* Puts `job`, which must be done or never used, at the end of the queue. Jobs without slices are done at once. */
void histo_pool_submit (struct histo_pool *pool, unsigned job, uint64_t slice_count);

/* Never waits. */
bool histo_pool_is_done (const struct histo_pool *pool, unsigned job);

void histo_pool_wait (struct histo_pool *pool, unsigned job);

/* Drops the slices that nobody has begun, waits for the others and frees the pool. Accepts NULL. */
void histo_pool_close (struct histo_pool *pool);

#endif
