/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs jobs on worker threads. A job is a number of slices. Any worker may run any slice of the first job in its pool's queue.
 * While workers run the last slices of a job, idle workers begin with the next.
 *
 * The threads belong to the process: all pools with the same kind of work share a group of workers. A group has as many threads
 * as its pools request together, but no more than cores unless one pool alone requests more. Threads start when a job needs
 * them, and end with the last pool. Pools with work get workers in turn, pools without a worker first. While a pool waits for
 * its first worker, no worker stays with the same job for longer than a few milliseconds. */

#pragma once

#include <cudahisto/histo.h>

#define HISTO_POOL_MAX_THREADS 1024 /* of a pool and of a group */

struct histo_pool;

/* A kind of work. Static: its address identifies the group of workers. */
struct histo_pool_work {
  const char *thread_name; /* at most 15 bytes */
  size_t scratch_bytes;    /* memory of a worker, initially zeroed, aligned to 64 bytes; may be 0 */

  /* Runs one slice of `job`. Many workers call it at once. Each has its own `scratch` and a thread_index, 0 ..
   * histo_pool_threads - 1, that is unique in the pool at that time. A worker that returns gets the same index if it is
   * free. */
  void (*run) (void *user_data, void *scratch, unsigned thread_index, unsigned job, uint64_t slice);

  /* Called when a worker leaves `job`, to which it may return. Moves the results of `run` out of `scratch`, and leaves
   * `scratch` usable for another pool. One worker of a job at a time. NULL if there is nothing to move. */
  void (*merge) (void *user_data, void *scratch, unsigned job);
};

/* Opens a pool for jobs 0 .. config->max_in_flight - 1. At most config->threads workers (0: one for each core that the process
 * may use) work on them at once. Starts no thread. `config` and `work` must outlive the pool. */
enum histo_status histo_pool_open (const struct histo_config *config, const struct histo_pool_work *work, void *user_data,
                                   struct histo_pool **pool);

/* The maximum number of workers that work for the pool at once. */
unsigned histo_pool_threads (const struct histo_pool *pool);

/* Appends `job`, which must be done or never used, to the queue. Jobs without slices are done at once. One thread at a time. If
 * no thread can be started, the existing threads do the work, or the caller if there are none; the log has a warning. NO_MEMORY
 * if the caller would have to work and there is no memory for its scratch; then nothing was queued. This cannot happen if
 * scratch_bytes is 0. */
enum histo_status histo_pool_submit (struct histo_pool *pool, unsigned job, uint64_t slice_count);

/* Never waits. */
bool histo_pool_is_done (const struct histo_pool *pool, unsigned job);

/* Sleeps until the job is done. */
void histo_pool_wait (struct histo_pool *pool, unsigned job);

/* Drops the slices that have not begun, waits for the others and frees the pool. Accepts NULL. A worker must not call it. */
void histo_pool_close (struct histo_pool *pool);
