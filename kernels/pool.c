/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE /* pthread_setname_np */

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cores.h"
#include "log.h"
#include "pool.h"
#include "process.h"

#define CACHE_LINE 64
#define WAKES 2 /* idle workers that a worker wakes when it takes work: all run after log2 (threads) steps */
/* Time that a worker stays with a job while a pool has no worker: long compared with the cost of changing jobs. */
#define TURN_NS 2000000
/* Time between attempts to start a thread after a failure. */
#define RETRY_NS 1000000000

struct job {
  _Alignas(CACHE_LINE) atomic_uint_fast64_t next_slice;
  _Alignas(CACHE_LINE) uint64_t slice_count;
  unsigned workers;           /* that may still take a slice or have yet to merge; protected by the group's lock */
  pthread_mutex_t merge_lock; /* held during histo_pool_work.merge */
  atomic_bool done;           /* set with the group's lock */
};

/* Pools with work and fewer workers than they may have. */
struct pool_list {
  struct histo_pool *first, *last;
};

/* The pools of a kind of work, and their worker threads. */
struct worker_group {
  const struct histo_pool_work *work;

  /* Protected by histo_process_lock(). */
  struct worker_group *next;
  unsigned generation; /* of the process; a child does not use its parent's groups */
  unsigned pools;

  pthread_mutex_t start_lock; /* held to start threads and to change the following; locked before `lock` */
  struct worker *workers;
  atomic_uint worker_count;
  uint64_t failed_ns; /* time of the last failure to start a thread; 0: none */

  pthread_mutex_t lock; /* protects the following */
  pthread_cond_t work_added;
  struct pool_list unserved, served; /* without a worker; with some */
  unsigned threads, most_threads;    /* requested by all pools together, and by the largest */
  unsigned cores;                    /* usable by the process */
  unsigned idle;                     /* workers that wait for work_added, or are about to */
  unsigned wakes;                    /* number of these to wake */
  bool ending;

  _Alignas(CACHE_LINE) atomic_uint waiting; /* pools in `unserved`; changed with the lock */
};

struct worker {
  struct worker *next;
  struct worker_group *group;
  pthread_t thread;
  unsigned number; /* index of the worker, from 0 */
  void *scratch;
};

struct histo_pool {
  const struct histo_config *config;
  void *user_data;
  struct worker_group *group;
  unsigned threads; /* maximum number of workers at once */
  bool has_warned;

  struct job *jobs;
  unsigned job_count;

  /* Protected by the group's lock. */
  struct pool_list *list; /* the group's list that contains it, or NULL */
  struct histo_pool *previous, *next;
  pthread_cond_t job_done;
  unsigned *queue; /* ring of job_count jobs */
  unsigned queue_head, queue_length;
  bool *taken; /* whether each thread index is in use */
  unsigned free_count;
  bool closing;
};

static struct worker_group *groups;

/* Allocates zeroed memory. */
static void *
alloc_zeroed (size_t count, size_t bytes)
{
  void *memory = NULL;

  if (bytes > 0 && count > SIZE_MAX / bytes)
    return NULL;
  if (posix_memalign (&memory, CACHE_LINE, count * bytes) != 0)
    return NULL;
  memset (memory, 0, count * bytes);
  return memory;
}

static uint64_t
read_clock_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- turns; all with the group's lock
 * ------------------------------------------------------------------------------------- */

static void
unlink_pool (struct histo_pool *pool)
{
  struct pool_list *list = pool->list;

  if (!list)
    return;
  *(pool->previous ? &pool->previous->next : &list->first) = pool->next;
  *(pool->next ? &pool->next->previous : &list->last) = pool->previous;
  if (list == &pool->group->unserved)
    atomic_fetch_sub_explicit (&pool->group->waiting, 1, memory_order_relaxed);
  pool->list = NULL;
}

static void
append_pool (struct histo_pool *pool, struct pool_list *list)
{
  pool->list = list;
  pool->previous = list->last;
  pool->next = NULL;
  *(list->last ? &list->last->next : &list->first) = pool;
  list->last = pool;
  if (list == &pool->group->unserved)
    atomic_fetch_add_explicit (&pool->group->waiting, 1, memory_order_relaxed);
}

/* Moves the pool to the end of its correct list, unless it is there already. */
static void
place_pool (struct histo_pool *pool)
{
  struct pool_list *list = NULL;

  if (pool->queue_length > 0 && pool->free_count > 0)
    list = pool->free_count == pool->threads ? &pool->group->unserved : &pool->group->served;
  if (list == pool->list)
    return;
  unlink_pool (pool);
  if (list)
    append_pool (pool, list);
}

static struct histo_pool *
next_pool (const struct worker_group *group)
{
  return group->unserved.first ? group->unserved.first : group->served.first;
}

static void
pop_job (struct histo_pool *pool)
{
  pool->queue_head = (pool->queue_head + 1) % pool->job_count;
  pool->queue_length--;
}

/* Wakes at most `wakes` idle workers, and no more than there is work for. */
static void
wake_workers (struct worker_group *group, unsigned wakes)
{
  const struct histo_pool *pool = next_pool (group);

  if (!pool)
    return;
  if (!pool->next && (!group->unserved.first || !group->served.first) && pool->queue_length == 1) {
    const struct job *job = &pool->jobs[pool->queue[pool->queue_head]];
    const uint64_t next = atomic_load_explicit (&job->next_slice, memory_order_relaxed);

    if (job->slice_count < next + wakes)
      wakes = job->slice_count > next ? (unsigned)(job->slice_count - next) : 0;
  }
  for (; wakes > 0 && group->wakes < group->idle; wakes--) {
    group->wakes++;
    pthread_cond_signal (&group->work_added);
  }
}

/* ---- working -------------------------------------------------------------------------------------------------------- */

/* Whether a worker must leave its job because a pool has no worker. *turn_ends_ns: 0 before the first call. */
static bool
must_leave (const struct worker_group *group, uint64_t *turn_ends_ns)
{
  uint64_t now_ns;

  if (atomic_load_explicit (&group->waiting, memory_order_relaxed) == 0)
    return false;
  now_ns = read_clock_ns ();
  if (*turn_ends_ns == 0)
    *turn_ends_ns = now_ns + TURN_NS;
  return now_ns >= *turn_ends_ns;
}

/* Runs `slice` of a job and then others, until none remain or another pool needs the worker. Then it merges the result. */
static void
work_on_slices (struct histo_pool *pool, void *scratch, unsigned thread_index, unsigned index, uint64_t slice)
{
  const struct histo_pool_work *work = pool->group->work;
  struct job *job = &pool->jobs[index];
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

/* Works on the first job of a pool that has one, and fewer workers than it may have. Called with the group's lock, which it
 * releases while it works. */
static void
work_for_pool (struct histo_pool *pool, void *scratch, unsigned number)
{
  struct worker_group *group = pool->group;
  const unsigned index = pool->queue[pool->queue_head], thread_index = take_index (pool, number);
  struct job *job = &pool->jobs[index];
  const uint64_t slice = atomic_fetch_add_explicit (&job->next_slice, 1, memory_order_relaxed);
  bool is_exhausted;

  job->workers++;
  if (slice + 1 >= job->slice_count)
    pop_job (pool);
  unlink_pool (pool);
  place_pool (pool);
  wake_workers (group, WAKES);
  pthread_mutex_unlock (&group->lock);

  work_on_slices (pool, scratch, thread_index, index, slice);

  pthread_mutex_lock (&group->lock);
  pool->taken[thread_index] = false;
  pool->free_count++;
  /* The job is not submitted again while it counts this worker. */
  is_exhausted = atomic_load_explicit (&job->next_slice, memory_order_relaxed) >= job->slice_count;
  if (is_exhausted && pool->queue_length > 0 && pool->queue[pool->queue_head] == index)
    pop_job (pool);
  place_pool (pool);
  job->workers--;
  if (job->workers == 0 && is_exhausted) {
    atomic_store_explicit (&job->done, true, memory_order_release);
    pthread_cond_broadcast (&pool->job_done);
  } else if (pool->closing) {
    pthread_cond_broadcast (&pool->job_done);
  }
}

static void *
run_worker (void *data)
{
  struct worker *worker = data;
  struct worker_group *group = worker->group;

  pthread_mutex_lock (&group->lock);
  for (;;) {
    struct histo_pool *pool;

    while (group->wakes == 0 && !group->ending)
      pthread_cond_wait (&group->work_added, &group->lock);
    if (group->ending)
      break;
    group->wakes--;
    group->idle--;
    while ((pool = next_pool (group)) != NULL)
      work_for_pool (pool, worker->scratch, worker->number);
    group->idle++;
  }
  pthread_mutex_unlock (&group->lock);
  return NULL;
}

/* ---- the group of workers
 * ------------------------------------------------------------------------------------------------- */

/* Called with start_lock. */
static bool
start_worker (struct worker_group *group)
{
  struct worker *worker = calloc (1, sizeof *worker);

  if (!worker)
    return false;
  worker->group = group;
  worker->number = atomic_load (&group->worker_count);
  worker->scratch = group->work->scratch_bytes > 0 ? alloc_zeroed (1, group->work->scratch_bytes) : NULL;
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
count_missing (struct worker_group *group, unsigned wanted)
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

/* Starts threads so that `wanted` workers can begin at once, within the limits and as far as threads can be started. */
static void
grow_group (struct histo_pool *pool, unsigned wanted)
{
  static const int faults[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
  struct worker_group *group = pool->group;
  sigset_t blocked, before;
  unsigned count, started = 0;
  bool has_failed = false;

  pthread_mutex_lock (&group->start_lock);
  if (group->failed_ns > 0 && read_clock_ns () - group->failed_ns < RETRY_NS) {
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
    group->failed_ns = has_failed ? read_clock_ns () : 0;
  }
  count = atomic_load (&group->worker_count);
  pthread_mutex_unlock (&group->start_lock);

  pthread_mutex_lock (&group->lock);
  wake_workers (group, started);
  pthread_mutex_unlock (&group->lock);
  if (!has_failed || pool->has_warned || count >= pool->threads)
    return;
  pool->has_warned = true;
  histo_log (pool->config, HISTO_LOG_WARNING, "only %u of %u worker threads (%s) could be started", count, pool->threads,
             group->work->thread_name);
}

static void
free_group (struct worker_group *group)
{
  pthread_mutex_lock (&group->lock);
  group->ending = true;
  pthread_cond_broadcast (&group->work_added);
  pthread_mutex_unlock (&group->lock);

  while (group->workers) {
    struct worker *worker = group->workers;

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

/* The group for a kind of work, with one more pool counted. NULL if there is no memory. */
static struct worker_group *
ref_group (const struct histo_pool_work *work)
{
  const unsigned generation = histo_process_generation ();
  struct worker_group *group;

  histo_process_lock ();
  for (group = groups; group && (group->work != work || group->generation != generation); group = group->next)
    ;
  if (!group) {
    group = alloc_zeroed (1, sizeof *group);
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

static void
unref_group (struct worker_group *group)
{
  bool is_last;

  histo_process_lock ();
  is_last = --group->pools == 0;
  if (is_last) {
    struct worker_group **place = &groups;

    while (*place != group)
      place = &(*place)->next;
    *place = group->next;
  }
  histo_process_unlock ();
  if (is_last)
    free_group (group);
}

/* ---- pools ---------------------------------------------------------------------------------------------------------- */

enum histo_status
histo_pool_open (const struct histo_config *config, const struct histo_pool_work *work, void *user_data,
                 struct histo_pool **result)
{
  const unsigned cores = histo_usable_cores ();
  struct histo_pool *pool = calloc (1, sizeof *pool);
  struct worker_group *group;

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
  pool->jobs = alloc_zeroed (pool->job_count, sizeof *pool->jobs);
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
  group = pool->group = ref_group (work);
  if (!group)
    goto no_memory;

  pthread_mutex_lock (&group->lock);
  group->cores = cores;
  group->threads += pool->threads;
  if (pool->threads > group->most_threads)
    group->most_threads = pool->threads;
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
    work_for_pool (pool, scratch, 0);
  pthread_mutex_unlock (&pool->group->lock);
}

enum histo_status
histo_pool_submit (struct histo_pool *pool, unsigned index, uint64_t slice_count)
{
  struct job *job = &pool->jobs[index];
  struct worker_group *group = pool->group;
  bool has_no_worker = false;
  unsigned wanted, available;
  void *scratch = NULL;

  if (slice_count == 0) {
    atomic_store_explicit (&job->done, true, memory_order_release);
    return HISTO_OK;
  }
  if (atomic_load (&group->worker_count) == 0) {
    grow_group (pool, 1);
    has_no_worker = atomic_load (&group->worker_count) == 0;
  }
  if (has_no_worker && group->work->scratch_bytes > 0) {
    scratch = alloc_zeroed (1, group->work->scratch_bytes);
    if (!scratch)
      return HISTO_ERROR_NO_MEMORY;
  }

  job->slice_count = slice_count;
  atomic_store_explicit (&job->next_slice, 0, memory_order_relaxed);
  atomic_store_explicit (&job->done, false, memory_order_relaxed);

  pthread_mutex_lock (&group->lock);
  pool->queue[(pool->queue_head + pool->queue_length) % pool->job_count] = index;
  pool->queue_length++;
  place_pool (pool);
  wanted = slice_count < pool->free_count ? (unsigned)slice_count : pool->free_count;
  available = group->idle - group->wakes;
  wake_workers (group, 1);
  pthread_mutex_unlock (&group->lock);

  if (has_no_worker) {
    help_out (pool, scratch);
    free (scratch);
  } else if (available < wanted) {
    grow_group (pool, wanted);
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

void
histo_pool_close (struct histo_pool *pool)
{
  struct worker_group *group = pool ? pool->group : NULL;

  if (!pool)
    return;

  if (group) {
    pthread_mutex_lock (&group->lock);
    for (; pool->queue_length > 0; pop_job (pool)) {
      struct job *job = &pool->jobs[pool->queue[pool->queue_head]];

      atomic_store_explicit (&job->next_slice, job->slice_count, memory_order_relaxed);
    }
    place_pool (pool);
    pool->closing = true;
    while (pool->free_count < pool->threads)
      pthread_cond_wait (&pool->job_done, &group->lock);
    group->threads -= pool->threads;
    pthread_mutex_unlock (&group->lock);
    unref_group (group);
  }
  pthread_cond_destroy (&pool->job_done);
  for (unsigned i = 0; pool->jobs && i < pool->job_count; i++)
    pthread_mutex_destroy (&pool->jobs[i].merge_lock);
  free (pool->taken);
  free (pool->queue);
  free (pool->jobs);
  free (pool);
}
