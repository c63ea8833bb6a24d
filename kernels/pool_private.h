/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The structs of worker pools, and the functions that their files share. pool.c calls pool_workers.c, which calls pool_jobs.c,
 * which calls pool_turns.c. */

#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "pool.h"

#define HISTO_POOL_CACHE_LINE 64

/* A job of a pool. */
struct histo_pool_job {
  _Alignas(HISTO_POOL_CACHE_LINE) atomic_uint_fast64_t next_slice;
  _Alignas(HISTO_POOL_CACHE_LINE) uint64_t slice_count;
  unsigned workers;           /* that may still take a slice or have yet to merge; protected by the group's lock */
  pthread_mutex_t merge_lock; /* held during histo_pool_work.merge */
  atomic_bool done;           /* set with the group's lock */
};

/* Pools with work and fewer workers than they may have. */
struct histo_pool_list {
  struct histo_pool *first, *last;
};

/* The pools of a kind of work, and their worker threads. */
struct histo_worker_group {
  const struct histo_pool_work *work;

  /* Protected by histo_process_lock(). */
  struct histo_worker_group *next;
  unsigned generation; /* of the process; a child does not use its parent's groups */
  unsigned pools;

  pthread_mutex_t start_lock; /* held to start threads and to change the following; locked before `lock` */
  struct histo_worker *workers;
  atomic_uint worker_count;
  uint64_t failed_ns; /* time of the last failure to start a thread; 0: none */

  pthread_mutex_t lock; /* protects the following */
  pthread_cond_t work_added;
  struct histo_pool_list unserved, served; /* without a worker; with some */
  struct histo_pool *all;                  /* every pool of the group: see histo_pool.sibling */
  unsigned threads, most_threads;          /* requested by all pools together, and by the largest */
  unsigned cores;                          /* usable by the process */
  unsigned idle;                           /* workers that wait for work_added, or are about to */
  unsigned wakes;                          /* number of these to wake */
  bool ending;

  _Alignas(HISTO_POOL_CACHE_LINE) atomic_uint waiting; /* pools in `unserved`; changed with the lock */
};

struct histo_worker {
  struct histo_worker *next;
  struct histo_worker_group *group;
  pthread_t thread;
  unsigned number; /* index of the worker, from 0 */
  void *scratch;
};

struct histo_pool {
  const struct histo_config *config;
  void *user_data;
  struct histo_worker_group *group;
  unsigned threads; /* maximum number of workers at once */
  bool has_warned;

  struct histo_pool_job *jobs;
  unsigned job_count;

  /* Protected by the group's lock. */
  struct histo_pool_list *list; /* the group's list that contains it, or NULL */
  struct histo_pool *previous, *next;
  struct histo_pool *sibling; /* in the group's list of all pools */
  pthread_cond_t job_done;
  unsigned *queue; /* ring of job_count jobs */
  unsigned queue_head, queue_length;
  bool *taken; /* whether each thread index is in use */
  unsigned free_count;
  bool closing;
};

/* ---- pool_turns.c: which pool gets the next worker. All need the group's lock. --------------------------------------- */

/* Moves the pool to the end of its correct list, unless it is there already. */
void histo_pool_place (struct histo_pool *pool);

/* Takes the pool out of its list, if it is in one. */
void histo_pool_unlink (struct histo_pool *pool);

/* The pool that gets the next worker; NULL if no pool has work. */
struct histo_pool *histo_pool_next (const struct histo_worker_group *group);

/* Removes the first job from the pool's queue. */
void histo_pool_pop_job (struct histo_pool *pool);

/* Wakes at most `wakes` idle workers; if only one job is left, at most one for each of its slices. */
void histo_pool_wake_workers (struct histo_worker_group *group, unsigned wakes);

/* ---- pool_jobs.c: working on jobs ------------------------------------------------------------------------------------ */

/* Works on the first job of a pool that has one, and fewer workers than it may have, with thread index `number` if it is free.
 * Called with the group's lock, which it releases while it works. */
void histo_pool_work_on_job (struct histo_pool *pool, void *scratch, unsigned number);

/* ---- pool_workers.c: the threads of a group -------------------------------------------------------------------------- */

/* The group for a kind of work, with one more pool counted. NULL if there is no memory. */
struct histo_worker_group *histo_worker_group_ref (const struct histo_pool_work *work);

/* Ends the group's threads and frees it with the last pool. */
void histo_worker_group_unref (struct histo_worker_group *group);

/* Starts threads so that `wanted` workers can begin at once, within the limits and as far as threads can be started. Logs a
 * warning once for each pool. */
void histo_worker_group_grow (struct histo_pool *pool, unsigned wanted);

/* Allocates zeroed memory, aligned to HISTO_POOL_CACHE_LINE, for `count` elements. NULL if there is no memory. */
void *histo_pool_alloc (size_t count, size_t element_bytes);
