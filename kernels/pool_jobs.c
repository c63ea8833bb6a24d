/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pool_private.h"

#include "clock.h"

#define WAKES 2 /* idle workers that a worker wakes when it takes work: all run after log2 (threads) steps */
/* Time that a worker stays with a job while a pool has no worker: long compared with the cost of changing jobs. */
#define TURN_NS 2000000

/* Whether a worker must leave its job because a pool has no worker. *turn_ends_ns: 0 before the first call. */
static bool
must_leave (const struct histo_worker_group *group, uint64_t *turn_ends_ns)
{
  uint64_t now_ns;

  if (atomic_load_explicit (&group->waiting, memory_order_relaxed) == 0)
    return false;
  now_ns = histo_clock_ns ();
  if (*turn_ends_ns == 0)
    *turn_ends_ns = now_ns + TURN_NS;
  return now_ns >= *turn_ends_ns;
}

/* Runs `slice` of a job and then others, until none remain or another pool needs the worker. Then it merges the result. */
static void
work_on_slices (struct histo_pool *pool, void *scratch, unsigned thread_index, unsigned index, uint64_t slice)
{
  const struct histo_pool_work *work = pool->group->work;
  struct histo_pool_job *job = &pool->jobs[index];
  uint64_t turn_ends_ns = 0;

  if (slice >= job->slice_count)
    return;
  do {
    work->run (pool->user_data, scratch, thread_index, index, slice);
    if (must_leave (pool->group, &turn_ends_ns))
      break;
    slice = atomic_fetch_add_explicit (&job->next_slice, 1, memory_order_relaxed);
  } while (slice < job->slice_count);

  if (!work->merge)
    return;
  pthread_mutex_lock (&job->merge_lock);
  work->merge (pool->user_data, scratch, index);
  pthread_mutex_unlock (&job->merge_lock);
}

/* Takes the thread index `number`, or the next free one: a worker that gets the same index again finds its data in its own
 * cache. */
static unsigned
take_index (struct histo_pool *pool, unsigned number)
{
  unsigned thread_index = number % pool->threads;

  while (pool->taken[thread_index])
    thread_index = (thread_index + 1) % pool->threads;
  pool->taken[thread_index] = true;
  pool->free_count--;
  return thread_index;
}

void
histo_pool_work_on_job (struct histo_pool *pool, void *scratch, unsigned number)
{
  struct histo_worker_group *group = pool->group;
  const unsigned index = pool->queue[pool->queue_head], thread_index = take_index (pool, number);
  struct histo_pool_job *job = &pool->jobs[index];
  const uint64_t slice = atomic_fetch_add_explicit (&job->next_slice, 1, memory_order_relaxed);
  bool is_exhausted;

  job->workers++;
  if (slice + 1 >= job->slice_count)
    histo_pool_pop_job (pool);
  histo_pool_unlink (pool);
  histo_pool_place (pool);
  histo_pool_wake_workers (group, WAKES);
  pthread_mutex_unlock (&group->lock);

  work_on_slices (pool, scratch, thread_index, index, slice);

  pthread_mutex_lock (&group->lock);
  pool->taken[thread_index] = false;
  pool->free_count++;
  /* The job is not submitted again while it counts this worker. */
  is_exhausted = atomic_load_explicit (&job->next_slice, memory_order_relaxed) >= job->slice_count;
  if (is_exhausted && pool->queue_length > 0 && pool->queue[pool->queue_head] == index)
    histo_pool_pop_job (pool);
  histo_pool_place (pool);
  job->workers--;
  if (job->workers == 0 && is_exhausted) {
    atomic_store_explicit (&job->done, true, memory_order_release);
    pthread_cond_broadcast (&pool->job_done);
  } else if (pool->closing) {
    pthread_cond_broadcast (&pool->job_done);
  }
}
