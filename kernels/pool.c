/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE /* pthread_setname_np, sched_getaffinity */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pool.h"

#define HISTO_CACHE_LINE 64
#define HISTO_POOL_MAX_THREADS 1024
#define HISTO_POOL_WAKES 2 /* sleepers that each waking thread wakes: all are up after log2 (threads) steps */

struct histo_pool_job {
  _Alignas(HISTO_CACHE_LINE) atomic_uint_fast64_t next_slice;
  _Alignas(HISTO_CACHE_LINE) uint64_t slice_count;
  unsigned workers;           /* that may still take a slice or have yet to merge; under the pool's lock */
  pthread_mutex_t merge_lock; /* around histo_pool_work.merge */
  atomic_bool done;           /* set under the pool's lock */
};

struct histo_pool_worker {
  struct histo_pool *pool;
  pthread_t thread;
  void *scratch;
};

struct histo_pool {
  const struct histo_pool_work *work;
  void *user_data;

  struct histo_pool_worker *workers;
  unsigned threads; /* workers that run */

  struct histo_pool_job *jobs;
  unsigned job_count;

  pthread_mutex_t lock;
  pthread_cond_t work_added;
  pthread_cond_t job_done;
  unsigned *queue; /* a ring of job_count jobs */
  unsigned queue_head, queue_length;
  unsigned sleepers; /* workers that wait for work_added and were not yet woken */
  bool closing;
};

static void *
histo_alloc_aligned (size_t count, size_t bytes)
{
  void *memory = NULL;

  if (bytes && count > SIZE_MAX / bytes)
    return NULL;
  if (posix_memalign (&memory, HISTO_CACHE_LINE, count * bytes))
    return NULL;
  memset (memory, 0, count * bytes);
  return memory;
}

unsigned
histo_pool_usable_cores (void)
{
  long cores = 0;

#if defined(__linux__)
  for (int possible = 1024; !cores && possible <= 1 << 20; possible *= 4) {
    cpu_set_t *set = CPU_ALLOC ((size_t)possible);
    const size_t bytes = CPU_ALLOC_SIZE ((size_t)possible);
    bool too_small;

    if (!set)
      break;
    CPU_ZERO_S (bytes, set);
    too_small = sched_getaffinity (0, bytes, set) && errno == EINVAL;
    cores = CPU_COUNT_S (bytes, set);
    CPU_FREE (set);
    if (!too_small)
      break;
  }
#endif
  if (cores < 1)
    cores = sysconf (_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : (unsigned)cores;
}

/* Wakes a few sleepers where the queue has slices for them. Under the lock. */
static void
histo_pool_wake (struct histo_pool *pool)
{
  unsigned wakes = HISTO_POOL_WAKES;

  if (pool->queue_length == 1) {
    const struct histo_pool_job *job = &pool->jobs[pool->queue[pool->queue_head]];
    const uint64_t next = atomic_load_explicit (&job->next_slice, memory_order_relaxed);

    if (job->slice_count < next + wakes)
      wakes = job->slice_count > next ? (unsigned)(job->slice_count - next) : 0;
  }
  while (wakes-- && pool->sleepers && pool->queue_length) {
    pool->sleepers--;
    pthread_cond_signal (&pool->work_added);
  }
}

static void
histo_pool_pop (struct histo_pool *pool)
{
  pool->queue_head = (pool->queue_head + 1) % pool->job_count;
  pool->queue_length--;
}

/* Works on `slice` of a job and then on others, until there are none, and hands over what came of them. */
static void
histo_pool_work_on (struct histo_pool_worker *worker, unsigned index, uint64_t slice)
{
  struct histo_pool *pool = worker->pool;
  struct histo_pool_job *job = &pool->jobs[index];

  if (slice >= job->slice_count)
    return;
  do {
    pool->work->run (pool->user_data, worker->scratch, index, slice);
    slice = atomic_fetch_add_explicit (&job->next_slice, 1, memory_order_relaxed);
  } while (slice < job->slice_count);

  pthread_mutex_lock (&job->merge_lock);
  pool->work->merge (pool->user_data, worker->scratch, index);
  pthread_mutex_unlock (&job->merge_lock);
}

static void *
histo_pool_run (void *data)
{
  struct histo_pool_worker *worker = data;
  struct histo_pool *pool = worker->pool;

  pthread_mutex_lock (&pool->lock);
  for (;;) {
    struct histo_pool_job *job;
    unsigned index;
    uint64_t slice;

    if (!pool->queue_length) {
      if (pool->closing)
        break;
      pool->sleepers++;
      pthread_cond_wait (&pool->work_added, &pool->lock);
      continue;
    }

    index = pool->queue[pool->queue_head];
    job = &pool->jobs[index];
    job->workers++;
    slice = atomic_fetch_add_explicit (&job->next_slice, 1, memory_order_relaxed);
    if (slice + 1 >= job->slice_count)
      histo_pool_pop (pool);
    histo_pool_wake (pool);
    pthread_mutex_unlock (&pool->lock);

    histo_pool_work_on (worker, index, slice);

    pthread_mutex_lock (&pool->lock);
    /* The job has no slices left, and nobody submits it anew while this worker counts among its workers. */
    if (pool->queue_length && pool->queue[pool->queue_head] == index)
      histo_pool_pop (pool);
    if (!--job->workers) {
      atomic_store_explicit (&job->done, true, memory_order_release);
      pthread_cond_broadcast (&pool->job_done);
    }
  }
  pthread_mutex_unlock (&pool->lock);
  return NULL;
}

/* Starts workers until there are `threads`, or one cannot be had. */
static void
histo_pool_start (struct histo_pool *pool, unsigned threads)
{
  static const int faults[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
  sigset_t blocked, before;

  /* Signals are for the application's own threads, but for those that a thread raises itself: a mapped file that became
   * shorter must reach the application's handler. */
  sigfillset (&blocked);
  for (size_t i = 0; i < sizeof (faults) / sizeof (faults[0]); i++)
    sigdelset (&blocked, faults[i]);
  pthread_sigmask (SIG_SETMASK, &blocked, &before);
  for (; pool->threads < threads; pool->threads++) {
    struct histo_pool_worker *worker = &pool->workers[pool->threads];

    worker->pool = pool;
    worker->scratch = histo_alloc_aligned (1, pool->work->scratch_bytes);
    if (!worker->scratch)
      break;
    if (pthread_create (&worker->thread, NULL, histo_pool_run, worker)) {
      free (worker->scratch);
      break;
    }
#if defined(__linux__)
    pthread_setname_np (worker->thread, "cudahisto");
#endif
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

enum histo_status
histo_pool_open (const struct histo_config *config, const struct histo_pool_work *work, void *user_data,
                 struct histo_pool **result)
{
  struct histo_pool *pool = calloc (1, sizeof (*pool));
  unsigned threads = config->threads ? config->threads : histo_pool_usable_cores ();

  *result = NULL;
  if (threads > HISTO_POOL_MAX_THREADS)
    threads = HISTO_POOL_MAX_THREADS;
  if (!pool)
    goto no_memory;

  pool->work = work;
  pool->user_data = user_data;
  pool->job_count = config->max_in_flight;
  pool->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  pool->work_added = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pool->job_done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pool->workers = calloc (threads, sizeof (*pool->workers));
  pool->jobs = histo_alloc_aligned (pool->job_count, sizeof (*pool->jobs));
  pool->queue = calloc (pool->job_count, sizeof (*pool->queue));
  if (!pool->workers || !pool->jobs || !pool->queue)
    goto no_memory;
  for (unsigned i = 0; i < pool->job_count; i++) {
    pool->jobs[i].merge_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_init (&pool->jobs[i].next_slice, 0);
    atomic_init (&pool->jobs[i].done, true);
  }

  histo_pool_start (pool, threads);
  if (!pool->threads) {
    histo_log (config, HISTO_LOG_ERROR, "no worker thread could be started");
    goto fail;
  }
  if (pool->threads < threads)
    histo_log (config, HISTO_LOG_WARNING, "only %u of %u worker threads could be started", pool->threads, threads);
  *result = pool;
  return HISTO_OK;

no_memory:
  histo_log (config, HISTO_LOG_ERROR, "no memory for %u worker threads", threads);
fail:
  histo_pool_close (pool);
  return HISTO_ERROR_NO_MEMORY;
}

unsigned
histo_pool_threads (const struct histo_pool *pool)
{
  return pool->threads;
}

void
histo_pool_submit (struct histo_pool *pool, unsigned index, uint64_t slice_count)
{
  struct histo_pool_job *job = &pool->jobs[index];

  if (!slice_count) {
    atomic_store_explicit (&job->done, true, memory_order_release);
    return;
  }
  job->slice_count = slice_count;
  atomic_store_explicit (&job->next_slice, 0, memory_order_relaxed);
  atomic_store_explicit (&job->done, false, memory_order_relaxed);

  pthread_mutex_lock (&pool->lock);
  pool->queue[(pool->queue_head + pool->queue_length) % pool->job_count] = index;
  pool->queue_length++;
  if (pool->sleepers) {
    pool->sleepers--;
    pthread_cond_signal (&pool->work_added);
  }
  pthread_mutex_unlock (&pool->lock);
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

  pthread_mutex_lock (&pool->lock);
  while (!histo_pool_is_done (pool, index))
    pthread_cond_wait (&pool->job_done, &pool->lock);
  pthread_mutex_unlock (&pool->lock);
}

void
histo_pool_close (struct histo_pool *pool)
{
  if (!pool)
    return;

  pthread_mutex_lock (&pool->lock);
  pool->closing = true;
  for (; pool->queue_length; histo_pool_pop (pool)) {
    struct histo_pool_job *job = &pool->jobs[pool->queue[pool->queue_head]];

    atomic_store_explicit (&job->next_slice, job->slice_count, memory_order_relaxed);
  }
  pthread_cond_broadcast (&pool->work_added);
  pthread_mutex_unlock (&pool->lock);

  for (unsigned i = 0; i < pool->threads; i++) {
    pthread_join (pool->workers[i].thread, NULL);
    free (pool->workers[i].scratch);
  }
  pthread_cond_destroy (&pool->job_done);
  pthread_cond_destroy (&pool->work_added);
  pthread_mutex_destroy (&pool->lock);
  for (unsigned i = 0; pool->jobs && i < pool->job_count; i++)
    pthread_mutex_destroy (&pool->jobs[i].merge_lock);
  free (pool->queue);
  free (pool->jobs);
  free (pool->workers);
  free (pool);
}
