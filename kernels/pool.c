/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pool_private.h"

#include <stdlib.h>

#include "cores.h"
#include "log.h"

enum histo_status
histo_pool_open (const struct histo_config *config, const struct histo_pool_work *work, void *user_data,
                 struct histo_pool **result)
{
  const unsigned cores = histo_usable_cores ();
  struct histo_pool *pool = calloc (1, sizeof *pool);
  struct histo_worker_group *group;

  *result = NULL;
  if (!pool)
    goto no_memory;
  pool->config = config;
  pool->user_data = user_data;
  pool->threads = config->threads > 0 ? config->threads : cores;
  if (pool->threads > HISTO_POOL_MAX_THREADS)
    pool->threads = HISTO_POOL_MAX_THREADS;
  pool->job_count = config->max_in_flight;
  pool->job_done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pool->jobs = histo_pool_alloc (pool->job_count, sizeof *pool->jobs);
  pool->queue = calloc (pool->job_count, sizeof *pool->queue);
  pool->taken = calloc (pool->threads, sizeof *pool->taken);
  if (!pool->jobs || !pool->queue || !pool->taken)
    goto no_memory;
  pool->free_count = pool->threads;
  for (unsigned i = 0; i < pool->job_count; i++) {
    pool->jobs[i].merge_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_init (&pool->jobs[i].next_slice, 0);
    atomic_init (&pool->jobs[i].done, true);
  }
  group = pool->group = histo_worker_group_ref (work);
  if (!group)
    goto no_memory;

  pthread_mutex_lock (&group->lock);
  group->cores = cores;
  group->threads += pool->threads;
  if (pool->threads > group->most_threads)
    group->most_threads = pool->threads;
  pool->sibling = group->all;
  group->all = pool;
  pthread_mutex_unlock (&group->lock);
  *result = pool;
  return HISTO_OK;

no_memory:
  histo_log (config, HISTO_LOG_ERROR, "no memory for a queue of %u frames", config->max_in_flight);
  histo_pool_close (pool);
  return HISTO_ERROR_NO_MEMORY;
}

unsigned
histo_pool_threads (const struct histo_pool *pool)
{
  return pool->threads;
}

/* Works on the pool's jobs in the calling thread, until all have begun. */
static void
help_out (struct histo_pool *pool, void *scratch)
{
  pthread_mutex_lock (&pool->group->lock);
  while (pool->list)
    histo_pool_work_on_job (pool, scratch, 0);
  pthread_mutex_unlock (&pool->group->lock);
}

enum histo_status
histo_pool_submit (struct histo_pool *pool, unsigned index, uint64_t slice_count)
{
  struct histo_pool_job *job = &pool->jobs[index];
  struct histo_worker_group *group = pool->group;
  bool has_no_worker = false;
  unsigned wanted, available;
  void *scratch = NULL;

  if (slice_count == 0) {
    atomic_store_explicit (&job->done, true, memory_order_release);
    return HISTO_OK;
  }
  if (atomic_load (&group->worker_count) == 0) {
    histo_worker_group_grow (pool, 1);
    has_no_worker = atomic_load (&group->worker_count) == 0;
  }
  if (has_no_worker && group->work->scratch_bytes > 0) {
    scratch = histo_pool_alloc (1, group->work->scratch_bytes);
    if (!scratch)
      return HISTO_ERROR_NO_MEMORY;
  }

  job->slice_count = slice_count;
  atomic_store_explicit (&job->next_slice, 0, memory_order_relaxed);
  atomic_store_explicit (&job->done, false, memory_order_relaxed);

  pthread_mutex_lock (&group->lock);
  pool->queue[(pool->queue_head + pool->queue_length) % pool->job_count] = index;
  pool->queue_length++;
  histo_pool_place (pool);
  wanted = slice_count < pool->free_count ? (unsigned)slice_count : pool->free_count;
  available = group->idle - group->wakes;
  histo_pool_wake_workers (group, 1);
  pthread_mutex_unlock (&group->lock);

  if (has_no_worker) {
    help_out (pool, scratch);
    free (scratch);
  } else if (available < wanted) {
    histo_worker_group_grow (pool, wanted);
  }
  return HISTO_OK;
}

bool
histo_pool_is_done (const struct histo_pool *pool, unsigned index)
{
  return atomic_load_explicit (&pool->jobs[index].done, memory_order_acquire);
}

void
histo_pool_wait (struct histo_pool *pool, unsigned index)
{
  if (histo_pool_is_done (pool, index))
    return;

  pthread_mutex_lock (&pool->group->lock);
  while (!histo_pool_is_done (pool, index))
    pthread_cond_wait (&pool->job_done, &pool->group->lock);
  pthread_mutex_unlock (&pool->group->lock);
}

/* With the group's lock. */
static void
leave_group (struct histo_pool *pool)
{
  struct histo_worker_group *group = pool->group;
  struct histo_pool **place = &group->all;

  while (*place != pool)
    place = &(*place)->sibling;
  *place = pool->sibling;
  group->threads -= pool->threads;
  group->most_threads = 0;
  for (const struct histo_pool *other = group->all; other; other = other->sibling)
    if (other->threads > group->most_threads)
      group->most_threads = other->threads;
}

void
histo_pool_close (struct histo_pool *pool)
{
  struct histo_worker_group *group = pool ? pool->group : NULL;

  if (!pool)
    return;

  if (group) {
    pthread_mutex_lock (&group->lock);
    for (; pool->queue_length > 0; histo_pool_pop_job (pool)) {
      struct histo_pool_job *job = &pool->jobs[pool->queue[pool->queue_head]];

      atomic_store_explicit (&job->next_slice, job->slice_count, memory_order_relaxed);
    }
    histo_pool_place (pool);
    pool->closing = true;
    while (pool->free_count < pool->threads)
      pthread_cond_wait (&pool->job_done, &group->lock);
    leave_group (pool);
    pthread_mutex_unlock (&group->lock);
    histo_worker_group_unref (group);
  }
  pthread_cond_destroy (&pool->job_done);
  for (unsigned i = 0; pool->jobs && i < pool->job_count; i++)
    pthread_mutex_destroy (&pool->jobs[i].merge_lock);
  free (pool->taken);
  free (pool->queue);
  free (pool->jobs);
  free (pool);
}
