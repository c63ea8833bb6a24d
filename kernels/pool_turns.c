/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pool_private.h"

void
histo_pool_unlink (struct histo_pool *pool)
{
  struct histo_pool_list *list = pool->list;

  if (!list)
    return;
  *(pool->previous ? &pool->previous->next : &list->first) = pool->next;
  *(pool->next ? &pool->next->previous : &list->last) = pool->previous;
  if (list == &pool->group->unserved)
    atomic_fetch_sub_explicit (&pool->group->waiting, 1, memory_order_relaxed);
  pool->list = NULL;
}

static void
append_pool (struct histo_pool *pool, struct histo_pool_list *list)
{
  pool->list = list;
  pool->previous = list->last;
  pool->next = NULL;
  *(list->last ? &list->last->next : &list->first) = pool;
  list->last = pool;
  if (list == &pool->group->unserved)
    atomic_fetch_add_explicit (&pool->group->waiting, 1, memory_order_relaxed);
}

void
histo_pool_place (struct histo_pool *pool)
{
  struct histo_pool_list *list = NULL;

  if (pool->queue_length > 0 && pool->free_count > 0)
    list = pool->free_count == pool->threads ? &pool->group->unserved : &pool->group->served;
  if (list == pool->list)
    return;
  histo_pool_unlink (pool);
  if (list)
    append_pool (pool, list);
}

struct histo_pool *
histo_pool_next (const struct histo_worker_group *group)
{
  return group->unserved.first ? group->unserved.first : group->served.first;
}

void
histo_pool_pop_job (struct histo_pool *pool)
{
  pool->queue_head = (pool->queue_head + 1) % pool->job_count;
  pool->queue_length--;
}

void
histo_pool_wake_workers (struct histo_worker_group *group, unsigned wakes)
{
  const struct histo_pool *pool = histo_pool_next (group);

  if (!pool)
    return;
  if (!pool->next && (!group->unserved.first || !group->served.first) && pool->queue_length == 1) {
    const struct histo_pool_job *job = &pool->jobs[pool->queue[pool->queue_head]];
    const uint64_t next = atomic_load_explicit (&job->next_slice, memory_order_relaxed);

    if (job->slice_count < next + wakes)
      wakes = job->slice_count > next ? (unsigned)(job->slice_count - next) : 0;
  }
  for (; wakes > 0 && group->wakes < group->idle; wakes--) {
    group->wakes++;
    pthread_cond_signal (&group->work_added);
  }
}
