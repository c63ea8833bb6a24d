/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE /* pthread_setname_np */

#include "pool_private.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "process.h"

/* Time between attempts to start a thread after a failure. */
#define RETRY_NS 1000000000

static struct histo_worker_group *groups;

void *
histo_pool_alloc (size_t count, size_t element_bytes)
{
  void *memory = NULL;

  if (element_bytes > 0 && count > SIZE_MAX / element_bytes)
    return NULL;
  if (posix_memalign (&memory, HISTO_POOL_CACHE_LINE, count * element_bytes) != 0)
    return NULL;
  memset (memory, 0, count * element_bytes);
  return memory;
}

static void *
run_worker (void *data)
{
  struct histo_worker *worker = data;
  struct histo_worker_group *group = worker->group;

  pthread_mutex_lock (&group->lock);
  for (;;) {
    struct histo_pool *pool;

    while (group->wakes == 0 && !group->ending)
      pthread_cond_wait (&group->work_added, &group->lock);
    if (group->ending)
      break;
    group->wakes--;
    group->idle--;
    while ((pool = histo_pool_next (group)) != NULL)
      histo_pool_work_on_job (pool, worker->scratch, worker->number);
    group->idle++;
  }
  pthread_mutex_unlock (&group->lock);
  return NULL;
}

/* Called with start_lock. */
static bool
start_worker (struct histo_worker_group *group)
{
  struct histo_worker *worker = calloc (1, sizeof *worker);

  if (!worker)
    return false;
  worker->group = group;
  worker->number = atomic_load (&group->worker_count);
  worker->scratch = group->work->scratch_bytes > 0 ? histo_pool_alloc (1, group->work->scratch_bytes) : NULL;
  if ((group->work->scratch_bytes > 0 && !worker->scratch) || pthread_create (&worker->thread, NULL, run_worker, worker) != 0) {
    free (worker->scratch);
    free (worker);
    return false;
  }
#if defined(__linux__)
  pthread_setname_np (worker->thread, group->work->thread_name);
#endif
  worker->next = group->workers;
  group->workers = worker;
  atomic_fetch_add (&group->worker_count, 1);

  pthread_mutex_lock (&group->lock);
  group->idle++;
  pthread_mutex_unlock (&group->lock);
  return true;
}

/* The number of workers to start so that `wanted` can begin at once. */
static unsigned
count_missing (struct histo_worker_group *group, unsigned wanted)
{
  const unsigned started = atomic_load (&group->worker_count);
  unsigned limit, available;

  pthread_mutex_lock (&group->lock);
  limit = group->most_threads > group->cores ? group->most_threads : group->cores;
  if (limit > group->threads)
    limit = group->threads;
  available = group->idle - group->wakes;
  pthread_mutex_unlock (&group->lock);
  if (limit > HISTO_POOL_MAX_THREADS)
    limit = HISTO_POOL_MAX_THREADS;
  limit = limit > started ? limit - started : 0;
  wanted = wanted > available ? wanted - available : 0;
  return wanted < limit ? wanted : limit;
}

void
histo_worker_group_grow (struct histo_pool *pool, unsigned wanted)
{
  static const int faults[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
  struct histo_worker_group *group = pool->group;
  sigset_t blocked, before;
  unsigned count, started = 0;
  bool has_failed = false;

  pthread_mutex_lock (&group->start_lock);
  if (group->failed_ns > 0 && histo_clock_ns () - group->failed_ns < RETRY_NS) {
    has_failed = true;
  } else {
    unsigned missing = count_missing (group, wanted);

    /* Signals go to the application's threads, except those that a fault raises in this one: the SIGBUS of a truncated mapped
     * file must reach the application's handler. */
    sigfillset (&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
      sigdelset (&blocked, faults[i]);
    pthread_sigmask (SIG_SETMASK, &blocked, &before);
    for (; missing > 0 && !has_failed; missing--) {
      has_failed = !start_worker (group);
      started += !has_failed;
    }
    pthread_sigmask (SIG_SETMASK, &before, NULL);
    group->failed_ns = has_failed ? histo_clock_ns () : 0;
  }
  count = atomic_load (&group->worker_count);
  pthread_mutex_unlock (&group->start_lock);

  pthread_mutex_lock (&group->lock);
  histo_pool_wake_workers (group, started);
  pthread_mutex_unlock (&group->lock);
  if (!has_failed || pool->has_warned || count >= pool->threads)
    return;
  pool->has_warned = true;
  histo_log (pool->config, HISTO_LOG_WARNING, "only %u of %u worker threads (%s) could be started", count, pool->threads,
             group->work->thread_name);
}

static void
free_group (struct histo_worker_group *group)
{
  pthread_mutex_lock (&group->lock);
  group->ending = true;
  pthread_cond_broadcast (&group->work_added);
  pthread_mutex_unlock (&group->lock);

  while (group->workers) {
    struct histo_worker *worker = group->workers;

    group->workers = worker->next;
    pthread_join (worker->thread, NULL);
    free (worker->scratch);
    free (worker);
  }
  pthread_cond_destroy (&group->work_added);
  pthread_mutex_destroy (&group->lock);
  pthread_mutex_destroy (&group->start_lock);
  free (group);
}

struct histo_worker_group *
histo_worker_group_ref (const struct histo_pool_work *work)
{
  const unsigned generation = histo_process_generation ();
  struct histo_worker_group *group;

  histo_process_lock ();
  for (group = groups; group && (group->work != work || group->generation != generation); group = group->next)
    ;
  if (!group) {
    group = histo_pool_alloc (1, sizeof *group);
    if (group) {
      group->work = work;
      group->generation = generation;
      group->start_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
      group->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
      group->work_added = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
      group->next = groups;
      groups = group;
    }
  }
  if (group)
    group->pools++;
  histo_process_unlock ();
  return group;
}

void
histo_worker_group_unref (struct histo_worker_group *group)
{
  bool is_last;

  histo_process_lock ();
  is_last = --group->pools == 0;
  if (is_last) {
    struct histo_worker_group **place = &groups;

    while (*place != group)
      place = &(*place)->next;
    *place = group->next;
  }
  histo_process_unlock ();
  if (is_last)
    free_group (group);
}
