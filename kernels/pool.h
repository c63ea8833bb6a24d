/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Jobs that worker threads do. A job is a number of slices; any worker may take any slice of the job at the head of its pool's
 * queue, and while the last slices of one job are worked on, idle workers begin with the next.
 *
 * The threads belong to the process: all pools with the same kind of work share one crew of them. There are as many as the
 * pools together ask for, but no more than cores unless one pool alone asks for more; they start when a job needs them, and end
 * with the last pool. Pools that have something to do get workers in turn, those without a worker first; while one waits for
 * its first worker, none stays at the same job for longer than a few milliseconds. */

#ifndef HISTO_POOL_H
#define HISTO_POOL_H

#include "backend.h"

#define HISTO_POOL_MAX_THREADS 1024 /* of a pool and of a crew */

struct histo_pool;

/* A kind of work. Static: its address identifies the crew. */
struct histo_pool_work {
  const char *thread_name; /* at most 15 bytes */
  size_t scratch_bytes;    /* memory of a worker, zeroed at the start, aligned to 64 bytes; may be 0 */

  /* Works on one slice of `job`. Called by many workers at once, each with a `scratch` of its own and with a thread_index, 0 ..
   * histo_pool_threads - 1, that no other has in the pool at the same time. A worker that comes back gets the same index if it
   * is free. */
  void (*run) (void *user_data, void *scratch, unsigned thread_index, unsigned job, uint64_t slice);

  /* Called when a worker leaves `job`, to which it may come back: hands over what `run` left in `scratch`, and leaves that fit
   * for another pool. One worker of a job at a time. NULL: there is nothing to hand over. */
  void (*merge) (void *user_data, void *scratch, unsigned job);
};

/* Opens a pool for jobs 0 .. config->max_in_flight - 1, on which at most config->threads workers (0: one for each core that the
 * process may use) work at once. Starts no thread. `config` and `work` must outlive the pool. */
enum histo_status histo_pool_open (const struct histo_config *config, const struct histo_pool_work *work, void *user_data,
                                   struct histo_pool **pool);

/* Workers that work for the pool at once, at most. */
unsigned histo_pool_threads (const struct histo_pool *pool);

/* Puts `job`, which must be done or never used, at the end of the queue. Jobs without slices are done at once. One thread at a
 * time. Where threads cannot be started, those that exist do the work, or the caller if there are none; the log has a warning
 * then. NO_MEMORY, with nothing done, where the caller would have to work and there is no memory for its scratch; never with
 * scratch_bytes of 0. */
enum histo_status histo_pool_submit (struct histo_pool *pool, unsigned job, uint64_t slice_count);

/* Never waits. */
bool histo_pool_is_done (const struct histo_pool *pool, unsigned job);

/* Sleeps until then. */
void histo_pool_wait (struct histo_pool *pool, unsigned job);

/* Drops the slices that nobody has begun, waits for the others and frees the pool. Accepts NULL. A worker must not call it. */
void histo_pool_close (struct histo_pool *pool);

#endif
