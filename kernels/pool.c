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
#include "pool.h"
#include "process.h"

#define CACHE_LINE 64
#define WAKES 2 /* idle workers that a worker wakes when it takes work: all are up after log2 (threads) steps */
/* How long a worker stays with a job while some pool has no worker at all: long compared with the cost of changing jobs. */
#define TURN_NS 2000000
/* When starting a thread has failed, it is tried again, but not with every frame. */
#define RETRY_NS 1000000000

struct job {
  _Alignas(CACHE_LINE) atomic_uint_fast64_t next_slice;
  _Alignas(CACHE_LINE) uint64_t slice_count;
  unsigned workers;           /* that may still take a slice or have yet to merge; under the crew's lock */
  pthread_mutex_t merge_lock; /* around histo_pool_work.merge */
  atomic_bool done;           /* set under the crew's lock */
};

/* Pools with something to do and fewer workers than they may have. */
struct pool_list {
  struct histo_pool *first, *last;
};

/* The pools of a kind of work, and the threads that work for them. */
struct crew {
  const struct histo_pool_work *work;

  /* Under histo_process_lock(). */
  struct crew *next;
  unsigned generation; /* of the process; the crew of a parent is none */
  unsigned pools;

  pthread_mutex_t start_lock; /* held to start threads, and to change what follows; taken before `lock` */
  struct worker *workers;
  atomic_uint worker_count;
  uint64_t failed_ns; /* when a thread could not be started; 0: never */

  pthread_mutex_t lock; /* what follows */
  pthread_cond_t work_added;
  struct pool_list unserved, served; /* without a worker, and with some */
  unsigned threads, most_threads;    /* that all pools together ask for, and the most that one has */
  unsigned cores;                    /* that the process may use */
  unsigned idle;                     /* workers that wait for work_added, or are about to, ... */
  unsigned wakes;                    /* ... and how many of them are to go on */
  bool ending;

  _Alignas(CACHE_LINE) atomic_uint waiting; /* pools in `unserved`; changed under the lock */
};

struct worker {
  struct worker *next;
  struct crew *crew;
  pthread_t thread;
  unsigned number; /* of the crew's workers, from 0 */
  void *scratch;
};

struct histo_pool {
  const struct histo_config *config;
  void *user_data;
  struct crew *crew;
  unsigned threads; /* workers at once, at most */
  bool has_warned;

  struct job *jobs;
  unsigned job_count;

  /* Under the crew's lock. */
  struct pool_list *list; /* the crew's that it is in, or NULL */
  struct histo_pool *previous, *next;
  pthread_cond_t job_done;
  unsigned *queue; /* a ring of job_count jobs */
  unsigned queue_head, queue_length;
  bool *taken; /* of each thread index, whether a worker has it */
  unsigned free_count;
  bool closing;
};

static struct crew *crews;

/* Zeroed. */
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

/* ---- whose turn it is; all under the crew's lock ----------------------------------------------------------------------- */

static void
unlink_pool (struct histo_pool *pool)
{
  struct pool_list *list = pool->list;

  if (!list)
    return;
  *(pool->previous ? &pool->previous->next : &list->first) = pool->next;
  *(pool->next ? &pool->next->previous : &list->last) = pool->previous;
  if (list == &pool->crew->unserved)
    atomic_fetch_sub_explicit (&pool->crew->waiting, 1, memory_order_relaxed);
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
  if (list == &pool->crew->unserved)
    atomic_fetch_add_explicit (&pool->crew->waiting, 1, memory_order_relaxed);
}

/* Moves the pool to the end of the list that it belongs to, if it is not in that already. */
static void
place_pool (struct histo_pool *pool)
{
  struct pool_list *list = NULL;

  if (pool->queue_length > 0 && pool->free_count > 0)
    list = pool->free_count == pool->threads ? &pool->crew->unserved : &pool->crew->served;
  if (list == pool->list)
    return;
  unlink_pool (pool);
  if (list)
    append_pool (pool, list);
}

static struct histo_pool *
next_pool (const struct crew *crew)
{
  return crew->unserved.first ? crew->unserved.first : crew->served.first;
}

static void
pop_job (struct histo_pool *pool)
{
  pool->queue_head = (pool->queue_head + 1) % pool->job_count;
  pool->queue_length--;
}

/* Wakes idle workers, as many as there is something to do for, but not more than `wakes`. */
static void
wake_workers (struct crew *crew, unsigned wakes)
{
  const struct histo_pool *pool = next_pool (crew);

  if (!pool)
    return;
  if (!pool->next && (!crew->unserved.first || !crew->served.first) && pool->queue_length == 1) {
    const struct job *job = &pool->jobs[pool->queue[pool->queue_head]];
    const uint64_t next = atomic_load_explicit (&job->next_slice, memory_order_relaxed);

    if (job->slice_count < next + wakes)
      wakes = job->slice_count > next ? (unsigned)(job->slice_count - next) : 0;
  }
  for (; wakes > 0 && crew->wakes < crew->idle; wakes--) {
    crew->wakes++;
    pthread_cond_signal (&crew->work_added);
  }
}

/* ---- working -------------------------------------------------------------------------------------------------------- */

/* Whether a worker is to leave its job, because a pool has no worker. *turn_ends_ns: 0 before the first call. */
static bool
must_leave (const struct crew *crew, uint64_t *turn_ends_ns)
{
  uint64_t now_ns;

  if (atomic_load_explicit (&crew->waiting, memory_order_relaxed) == 0)
    return false;
  now_ns = read_clock_ns ();
  if (*turn_ends_ns == 0)
    *turn_ends_ns = now_ns + TURN_NS;
  return now_ns >= *turn_ends_ns;
}

/* Works on `slice` of a job and then on others, until there are none or it is another pool's turn, and hands over the
 * result. */
static void
work_on_slices (struct histo_pool *pool, void *scratch, unsigned thread_index, unsigned index, uint64_t slice)
{
  const struct histo_pool_work *work = pool->crew->work;
  struct job *job = &pool->jobs[index];
  uint64_t turn_ends_ns = 0;

  if (slice >= job->slice_count)
    return;
  do {
    work->run (pool->user_data, scratch, thread_index, index, slice);
    if (must_leave (pool->crew, &turn_ends_ns))
      break;
    slice = atomic_fetch_add_explicit (&job->next_slice, 1, memory_order_relaxed);
  } while (slice < job->slice_count);

  if (!work->merge)
    return;
  pthread_mutex_lock (&job->merge_lock);
  work->merge (pool->user_data, scratch, index);
  pthread_mutex_unlock (&job->merge_lock);
}

/* Takes the thread index `number`, or the next one that is free: a worker that gets the same again finds what it wrote there in
 * its own cache. */
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

/* Works on the first job of a pool that has one, and fewer workers than it may have. With the crew's lock, which it releases
 * while it works. */
static void
work_for_pool (struct histo_pool *pool, void *scratch, unsigned number)
{
  struct crew *crew = pool->crew;
  const unsigned index = pool->queue[pool->queue_head], thread_index = take_index (pool, number);
  struct job *job = &pool->jobs[index];
  const uint64_t slice = atomic_fetch_add_explicit (&job->next_slice, 1, memory_order_relaxed);
  bool is_exhausted;

  job->workers++;
  if (slice + 1 >= job->slice_count)
    pop_job (pool);
  unlink_pool (pool);
  place_pool (pool);
  wake_workers (crew, WAKES);
  pthread_mutex_unlock (&crew->lock);

  work_on_slices (pool, scratch, thread_index, index, slice);

  pthread_mutex_lock (&crew->lock);
  pool->taken[thread_index] = false;
  pool->free_count++;
  /* Nobody submits the job again while it still counts this worker. */
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
  struct crew *crew = worker->crew;

  pthread_mutex_lock (&crew->lock);
  for (;;) {
    struct histo_pool *pool;

    while (crew->wakes == 0 && !crew->ending)
      pthread_cond_wait (&crew->work_added, &crew->lock);
    if (crew->ending)
      break;
    crew->wakes--;
    crew->idle--;
    while ((pool = next_pool (crew)) != NULL)
      work_for_pool (pool, worker->scratch, worker->number);
    crew->idle++;
  }
  pthread_mutex_unlock (&crew->lock);
  return NULL;
}

/* ---- the crew ------------------------------------------------------------------------------------------------------- */

/* With start_lock. */
static bool
start_worker (struct crew *crew)
{
  struct worker *worker = calloc (1, sizeof *worker);

  if (!worker)
    return false;
  worker->crew = crew;
  worker->number = atomic_load (&crew->worker_count);
  worker->scratch = crew->work->scratch_bytes > 0 ? alloc_zeroed (1, crew->work->scratch_bytes) : NULL;
  if ((crew->work->scratch_bytes > 0 && !worker->scratch) || pthread_create (&worker->thread, NULL, run_worker, worker) != 0) {
    free (worker->scratch);
    free (worker);
    return false;
  }
#if defined(__linux__)
  pthread_setname_np (worker->thread, crew->work->thread_name);
#endif
  worker->next = crew->workers;
  crew->workers = worker;
  atomic_fetch_add (&crew->worker_count, 1);

  pthread_mutex_lock (&crew->lock);
  crew->idle++;
  pthread_mutex_unlock (&crew->lock);
  return true;
}

/* How many workers to start, so that `wanted` can begin at once. */
static unsigned
count_missing (struct crew *crew, unsigned wanted)
{
  const unsigned started = atomic_load (&crew->worker_count);
  unsigned limit, available;

  pthread_mutex_lock (&crew->lock);
  limit = crew->most_threads > crew->cores ? crew->most_threads : crew->cores;
  if (limit > crew->threads)
    limit = crew->threads;
  available = crew->idle - crew->wakes;
  pthread_mutex_unlock (&crew->lock);
  if (limit > HISTO_POOL_MAX_THREADS)
    limit = HISTO_POOL_MAX_THREADS;
  limit = limit > started ? limit - started : 0;
  wanted = wanted > available ? wanted - available : 0;
  return wanted < limit ? wanted : limit;
}

/* Starts threads so that `wanted` workers can begin at once, as far as the limits allow and threads can be started. */
static void
grow_crew (struct histo_pool *pool, unsigned wanted)
{
  static const int faults[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
  struct crew *crew = pool->crew;
  sigset_t blocked, before;
  unsigned count, started = 0;
  bool has_failed = false;

  pthread_mutex_lock (&crew->start_lock);
  if (crew->failed_ns > 0 && read_clock_ns () - crew->failed_ns < RETRY_NS) {
    has_failed = true;
  } else {
    unsigned missing = count_missing (crew, wanted);

    /* Signals go to the application's own threads, except those that a fault raises in this one: the SIGBUS of a mapped file
     * that was truncated must reach the application's handler. */
    sigfillset (&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
      sigdelset (&blocked, faults[i]);
    pthread_sigmask (SIG_SETMASK, &blocked, &before);
    for (; missing > 0 && !has_failed; missing--) {
      has_failed = !start_worker (crew);
      started += !has_failed;
    }
    pthread_sigmask (SIG_SETMASK, &before, NULL);
    crew->failed_ns = has_failed ? read_clock_ns () : 0;
  }
  count = atomic_load (&crew->worker_count);
  pthread_mutex_unlock (&crew->start_lock);

  pthread_mutex_lock (&crew->lock);
  wake_workers (crew, started);
  pthread_mutex_unlock (&crew->lock);
  if (!has_failed || pool->has_warned || count >= pool->threads)
    return;
  pool->has_warned = true;
  histo_log (pool->config, HISTO_LOG_WARNING, "only %u of %u worker threads (%s) could be started", count, pool->threads,
             crew->work->thread_name);
}

static void
free_crew (struct crew *crew)
{
  pthread_mutex_lock (&crew->lock);
  crew->ending = true;
  pthread_cond_broadcast (&crew->work_added);
  pthread_mutex_unlock (&crew->lock);

  while (crew->workers) {
    struct worker *worker = crew->workers;

    crew->workers = worker->next;
    pthread_join (worker->thread, NULL);
    free (worker->scratch);
    free (worker);
  }
  pthread_cond_destroy (&crew->work_added);
  pthread_mutex_destroy (&crew->lock);
  pthread_mutex_destroy (&crew->start_lock);
  free (crew);
}

/* The crew for a kind of work, with one more pool counted. NULL: there is no memory. */
static struct crew *
ref_crew (const struct histo_pool_work *work)
{
  const unsigned generation = histo_process_generation ();
  struct crew *crew;

  histo_process_lock ();
  for (crew = crews; crew && (crew->work != work || crew->generation != generation); crew = crew->next)
    ;
  if (!crew) {
    crew = alloc_zeroed (1, sizeof *crew);
    if (crew) {
      crew->work = work;
      crew->generation = generation;
      crew->start_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
      crew->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
      crew->work_added = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
      crew->next = crews;
      crews = crew;
    }
  }
  if (crew)
    crew->pools++;
  histo_process_unlock ();
  return crew;
}

static void
unref_crew (struct crew *crew)
{
  bool is_last;

  histo_process_lock ();
  is_last = --crew->pools == 0;
  if (is_last) {
    struct crew **place = &crews;

    while (*place != crew)
      place = &(*place)->next;
    *place = crew->next;
  }
  histo_process_unlock ();
  if (is_last)
    free_crew (crew);
}

/* ---- pools ---------------------------------------------------------------------------------------------------------- */

enum histo_status
histo_pool_open (const struct histo_config *config, const struct histo_pool_work *work, void *user_data,
                 struct histo_pool **result)
{
  const unsigned cores = histo_usable_cores ();
  struct histo_pool *pool = calloc (1, sizeof *pool);
  struct crew *crew;

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
  crew = pool->crew = ref_crew (work);
  if (!crew)
    goto no_memory;

  pthread_mutex_lock (&crew->lock);
  crew->cores = cores;
  crew->threads += pool->threads;
  if (pool->threads > crew->most_threads)
    crew->most_threads = pool->threads;
  pthread_mutex_unlock (&crew->lock);
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

/* Works on the pool's jobs in the calling thread, until all have been begun. */
static void
help_out (struct histo_pool *pool, void *scratch)
{
  pthread_mutex_lock (&pool->crew->lock);
  while (pool->list)
    work_for_pool (pool, scratch, 0);
  pthread_mutex_unlock (&pool->crew->lock);
}

enum histo_status
histo_pool_submit (struct histo_pool *pool, unsigned index, uint64_t slice_count)
{
  struct job *job = &pool->jobs[index];
  struct crew *crew = pool->crew;
  bool has_no_worker = false;
  unsigned wanted, available;
  void *scratch = NULL;

  if (slice_count == 0) {
    atomic_store_explicit (&job->done, true, memory_order_release);
    return HISTO_OK;
  }
  if (atomic_load (&crew->worker_count) == 0) {
    grow_crew (pool, 1);
    has_no_worker = atomic_load (&crew->worker_count) == 0;
  }
  if (has_no_worker && crew->work->scratch_bytes > 0) {
    scratch = alloc_zeroed (1, crew->work->scratch_bytes);
    if (!scratch)
      return HISTO_ERROR_NO_MEMORY;
  }

  job->slice_count = slice_count;
  atomic_store_explicit (&job->next_slice, 0, memory_order_relaxed);
  atomic_store_explicit (&job->done, false, memory_order_relaxed);

  pthread_mutex_lock (&crew->lock);
  pool->queue[(pool->queue_head + pool->queue_length) % pool->job_count] = index;
  pool->queue_length++;
  place_pool (pool);
  wanted = slice_count < pool->free_count ? (unsigned)slice_count : pool->free_count;
  available = crew->idle - crew->wakes;
  wake_workers (crew, 1);
  pthread_mutex_unlock (&crew->lock);

  if (has_no_worker) {
    help_out (pool, scratch);
    free (scratch);
  } else if (available < wanted) {
    grow_crew (pool, wanted);
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

  pthread_mutex_lock (&pool->crew->lock);
  while (!histo_pool_is_done (pool, index))
    pthread_cond_wait (&pool->job_done, &pool->crew->lock);
  pthread_mutex_unlock (&pool->crew->lock);
}

void
histo_pool_close (struct histo_pool *pool)
{
  struct crew *crew = pool ? pool->crew : NULL;

  if (!pool)
    return;

  if (crew) {
    pthread_mutex_lock (&crew->lock);
    for (; pool->queue_length > 0; pop_job (pool)) {
      struct job *job = &pool->jobs[pool->queue[pool->queue_head]];

      atomic_store_explicit (&job->next_slice, job->slice_count, memory_order_relaxed);
    }
    place_pool (pool);
    pool->closing = true;
    while (pool->free_count < pool->threads)
      pthread_cond_wait (&pool->job_done, &crew->lock);
    crew->threads -= pool->threads;
    pthread_mutex_unlock (&crew->lock);
    unref_crew (crew);
  }
  pthread_cond_destroy (&pool->job_done);
  for (unsigned i = 0; pool->jobs && i < pool->job_count; i++)
    pthread_mutex_destroy (&pool->jobs[i].merge_lock);
  free (pool->taken);
  free (pool->queue);
  free (pool->jobs);
  free (pool);
}
