/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Worker threads that engines share: their number, their turns, and failures to start them. */

#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cudahisto/histo.h>

#include "cores.h"
#include "frames.h"
#include "pool.h"
#include "engines.h"
#include "runner.h"
#include "watch.h"

/* ---- threads of this process ----------------------------------------------------------------------------------------- */

/* Threads that may still be started; -1: any number. */
static atomic_int threads_left = -1;

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*run) (void *), void *data)
{
  int (*create) (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  void *symbol = dlsym (RTLD_NEXT, "pthread_create");

  if (atomic_load (&threads_left) == 0)
    return EAGAIN;
  if (atomic_load (&threads_left) > 0)
    atomic_fetch_sub (&threads_left, 1);
  memcpy (&create, &symbol, sizeof create);
  return create (thread, attributes, run, data);
}

/* The value of a field of /proc/self/task/<id>/status. */
static void
read_field (const char *id, const char *field, char *value, size_t size)
{
  char path[300], line[256];
  FILE *file;

  value[0] = '\0';
  snprintf (path, sizeof path, "/proc/self/task/%s/status", id);
  file = fopen (path, "r");
  while (file && fgets (line, sizeof line, file))
    if (!strncmp (line, field, strlen (field))) {
      snprintf (value, size, "%s", line + strlen (field) + strspn (line + strlen (field), "\t "));
      value[strcspn (value, "\n")] = '\0';
    }
  if (file)
    fclose (file);
}

/* The number of threads with that name. *blocked: the signals that all of them block. */
static unsigned
count_threads (const char *name, uint64_t *blocked)
{
  DIR *tasks = opendir ("/proc/self/task");
  unsigned count = 0;

  *blocked = UINT64_MAX;
  ck_assert_ptr_nonnull (tasks);
  for (struct dirent *entry = readdir (tasks); entry; entry = readdir (tasks)) {
    char value[64];

    if (entry->d_name[0] == '.')
      continue;
    read_field (entry->d_name, "Name:", value, sizeof value);
    if (strcmp (value, name) != 0)
      continue;
    read_field (entry->d_name, "SigBlk:", value, sizeof value);
    *blocked &= strtoull (value, NULL, 16);
    count++;
  }
  closedir (tasks);
  return count;
}

static unsigned
count_workers (void)
{
  uint64_t blocked;

  return count_threads ("test-worker", &blocked);
}

/* ---- work ----------------------------------------------------------------------------------------------------------- */

struct scratch {
  unsigned slices;      /* run and not yet merged */
  unsigned first_index; /* from 1; 0: none yet */
};

struct owner {
  struct histo_config config;
  struct histo_pool *pool;
  unsigned slice_us;
  atomic_uint indices_taken[64], at_work, most_at_work, slices, merged, clashes;
  atomic_bool hold;  /* slices do not end */
  atomic_uint moves; /* of workers to an index other than their first */
};

static void
sleep_us (unsigned us)
{
  nanosleep (&(struct timespec){ .tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000 }, NULL);
}

static void
run (void *data, void *scratch_in, unsigned thread_index, unsigned job, uint64_t slice)
{
  struct owner *owner = data;
  struct scratch *scratch = scratch_in;
  unsigned at_work = atomic_fetch_add (&owner->at_work, 1) + 1, most = atomic_load (&owner->most_at_work);

  (void)job;
  (void)slice;
  if (scratch->first_index == 0)
    scratch->first_index = thread_index + 1;
  atomic_fetch_add (&owner->moves, scratch->first_index != thread_index + 1);
  while (most < at_work && !atomic_compare_exchange_weak (&owner->most_at_work, &most, at_work))
    ;
  if (atomic_fetch_add (&owner->indices_taken[thread_index], 1) != 0)
    atomic_fetch_add (&owner->clashes, 1);
  do
    sleep_us (owner->slice_us);
  while (atomic_load (&owner->hold));
  scratch->slices++;
  atomic_fetch_add (&owner->slices, 1);
  atomic_fetch_sub (&owner->indices_taken[thread_index], 1);
  atomic_fetch_sub (&owner->at_work, 1);
}

static void
merge (void *data, void *scratch_in, unsigned job)
{
  struct owner *owner = data;
  struct scratch *scratch = scratch_in;

  (void)job;
  atomic_fetch_add (&owner->merged, scratch->slices);
  scratch->slices = 0;
}

static const struct histo_pool_work work = { "test-worker", sizeof (struct scratch), run, merge };

static struct test_log test_log = TEST_LOG_INIT;

static void
open_owner (struct owner *owner, unsigned threads, unsigned jobs, unsigned slice_us)
{
  memset (owner, 0, sizeof *owner);
  owner->config
      = (struct histo_config){ .threads = threads, .max_in_flight = jobs, .log = test_log_add, .log_data = &test_log };
  owner->slice_us = slice_us;
  ck_assert_int_eq (histo_pool_open (&owner->config, &work, owner, &owner->pool), HISTO_OK);
}

static void
wait_for (atomic_uint *value, unsigned least)
{
  for (unsigned i = 0; i < 20000 && atomic_load (value) < least; i++)
    sleep_us (1000);
  ck_assert_uint_ge (atomic_load (value), least);
}

/* ---- number of threads ------------------------------------------------------------------------------------------------- */

TEST (threads_start_with_work_and_end_with_the_last_pool)
{
  static struct owner first, second;

  ck_assert_uint_eq (count_workers (), 0);
  open_owner (&first, 3, 2, 2000);
  open_owner (&second, 3, 2, 2000);
  ck_assert_uint_eq (count_workers (), 0);
  ck_assert_int_eq (histo_pool_submit (first.pool, 0, 1), HISTO_OK);
  histo_pool_wait (first.pool, 0);
  ck_assert_uint_eq (count_workers (), 1); /* one slice needs one thread */
  ck_assert_int_eq (histo_pool_submit (first.pool, 0, 30), HISTO_OK);
  histo_pool_wait (first.pool, 0);
  ck_assert_uint_eq (count_workers (), 3);
  histo_pool_close (first.pool);
  ck_assert_uint_eq (count_workers (), 3);
  ck_assert_int_eq (histo_pool_submit (second.pool, 1, 30), HISTO_OK);
  histo_pool_wait (second.pool, 1);
  histo_pool_close (second.pool);
  ck_assert_uint_eq (count_workers (), 0);
  ck_assert_uint_eq (first.merged, 31);
  ck_assert_uint_eq (second.merged, 30);
}

TEST (two_hundred_pools_share_threads)
{
  enum { POOLS = 200, THREADS = 6 };
  static struct owner owners[POOLS];
  unsigned most = histo_usable_cores () > THREADS ? histo_usable_cores () : THREADS;

  for (unsigned i = 0; i < POOLS; i++)
    open_owner (&owners[i], THREADS, 2, 50);
  for (unsigned i = 0; i < POOLS; i++)
    ck_assert_int_eq (histo_pool_submit (owners[i].pool, i % 2, 20), HISTO_OK);
  ck_assert_uint_le (count_workers (), most);
  for (unsigned i = 0; i < POOLS; i++) {
    histo_pool_wait (owners[i].pool, i % 2);
    ck_assert_uint_eq (owners[i].merged, 20);
    ck_assert_uint_eq (owners[i].clashes, 0);
    ck_assert_uint_le (owners[i].most_at_work, THREADS);
  }
  ck_assert_uint_le (count_workers (), most);
  for (unsigned i = 0; i < POOLS; i++)
    histo_pool_close (owners[i].pool);
}

/* A closed pool that was larger than the machine no longer raises the number of workers. */
TEST (a_closed_pool_needs_no_threads)
{
  const unsigned cores = histo_usable_cores (), pools = cores + 8;
  struct owner *owners = calloc (pools, sizeof *owners);
  static struct owner large;

  ck_assert_ptr_nonnull (owners);
  for (unsigned i = 0; i < pools; i++)
    open_owner (&owners[i], 1, 1, 1000);
  open_owner (&large, pools, 1, 0);
  histo_pool_close (large.pool);
  for (unsigned i = 0; i < pools; i++)
    ck_assert_int_eq (histo_pool_submit (owners[i].pool, 0, 20), HISTO_OK);
  ck_assert_uint_le (count_workers (), cores);
  for (unsigned i = 0; i < pools; i++) {
    histo_pool_wait (owners[i].pool, 0);
    ck_assert_uint_eq (owners[i].merged, 20);
  }
  for (unsigned i = 0; i < pools; i++)
    histo_pool_close (owners[i].pool);
  free (owners);
}

/* A worker that returns finds the data for its index in its own cache. */
TEST (workers_get_the_same_index_again)
{
  static struct owner owner;

  open_owner (&owner, 4, 8, 100);
  for (unsigned round = 0; round < 30; round++) {
    for (unsigned job = 0; job < 8; job++)
      ck_assert_int_eq (histo_pool_submit (owner.pool, job, 1 + (round + job) % 7), HISTO_OK);
    for (unsigned job = 0; job < 8; job++)
      histo_pool_wait (owner.pool, job);
  }
  ck_assert_uint_eq (owner.moves, 0);
  ck_assert_uint_eq (owner.clashes, 0);
  histo_pool_close (owner.pool);
}

/* A pool uses no more threads than requested, even if there are more, and all of them if it can. */
TEST (pools_keep_to_their_number)
{
  static struct owner large, small;

  open_owner (&large, 8, 1, 2000);
  open_owner (&small, 2, 4, 2000);
  atomic_store (&large.hold, true);
  ck_assert_int_eq (histo_pool_submit (large.pool, 0, 8), HISTO_OK);
  wait_for (&large.at_work, 8);
  atomic_store (&large.hold, false);
  histo_pool_wait (large.pool, 0);
  for (unsigned job = 0; job < 4; job++)
    ck_assert_int_eq (histo_pool_submit (small.pool, job, 20), HISTO_OK);
  for (unsigned job = 0; job < 4; job++)
    histo_pool_wait (small.pool, job);
  ck_assert_uint_eq (small.merged, 80);
  ck_assert_uint_eq (small.most_at_work, 2);
  ck_assert_uint_eq (small.clashes, 0);
  histo_pool_close (small.pool);
  histo_pool_close (large.pool);
}

TEST (threads_have_a_name_and_leave_signals_alone)
{
  static struct owner owner;
  uint64_t blocked;

  open_owner (&owner, 2, 1, 2000);
  ck_assert_int_eq (histo_pool_submit (owner.pool, 0, 8), HISTO_OK);
  histo_pool_wait (owner.pool, 0);
  ck_assert_uint_eq (count_threads ("test-worker", &blocked), 2);
  for (size_t i = 0; i < 6; i++) {
    static const int signals[6] = { SIGPROF, SIGINT, SIGTERM, SIGCHLD, SIGUSR1, SIGALRM };

    ck_assert (blocked & UINT64_C (1) << (signals[i] - 1));
  }
  ck_assert (!(blocked & UINT64_C (1) << (SIGBUS - 1)));
  ck_assert (!(blocked & UINT64_C (1) << (SIGSEGV - 1)));
  histo_pool_close (owner.pool);
}

/* ---- whose turn it is ------------------------------------------------------------------------------------------------ */

/* More large jobs than threads, and then a small one: it is done first. */
TEST (small_jobs_do_not_wait_for_large_ones)
{
  enum { MOST = 72 };
  static struct owner large[MOST], small;
  unsigned count = histo_usable_cores () < MOST - 2 ? histo_usable_cores () + 2 : MOST;

  for (unsigned i = 0; i < count; i++) {
    open_owner (&large[i], i % 2 ? 1 : 3, 1, 1000);
    ck_assert_int_eq (histo_pool_submit (large[i].pool, 0, 1500), HISTO_OK);
  }
  open_owner (&small, 1, 1, 1000);
  ck_assert_int_eq (histo_pool_submit (small.pool, 0, 3), HISTO_OK);
  histo_pool_wait (small.pool, 0);
  ck_assert_uint_eq (small.merged, 3);
  for (unsigned i = 0; i < count; i++)
    ck_assert (!histo_pool_is_done (large[i].pool, 0));
  /* No pool starves: all have had workers in turn. */
  for (unsigned i = 0; i < count; i++)
    wait_for (&large[i].slices, 5);
  for (unsigned i = 0; i < count; i++)
    histo_pool_close (large[i].pool);
  histo_pool_close (small.pool);
}

/* The same slices, whatever the interruptions. */
TEST (interrupted_jobs_are_complete)
{
  enum { POOLS = 40, JOBS = 3, SLICES = 40 };
  static struct owner owners[POOLS];

  for (unsigned i = 0; i < POOLS; i++)
    open_owner (&owners[i], 1 + i % 3, JOBS, 300);
  for (unsigned round = 1; round <= 3; round++) {
    for (unsigned job = 0; job < JOBS; job++)
      for (unsigned i = 0; i < POOLS; i++)
        ck_assert_int_eq (histo_pool_submit (owners[i].pool, job, SLICES), HISTO_OK);
    for (unsigned i = 0; i < POOLS; i++) {
      for (unsigned job = 0; job < JOBS; job++)
        histo_pool_wait (owners[i].pool, job);
      ck_assert_uint_eq (owners[i].merged, round * JOBS * SLICES);
      ck_assert_uint_le (owners[i].most_at_work, 1 + i % 3);
      ck_assert_uint_eq (owners[i].clashes, 0);
    }
  }
  for (unsigned i = 0; i < POOLS; i++)
    histo_pool_close (owners[i].pool);
}

TEST (close_drops_slices_not_begun)
{
  static struct owner owner, other;

  open_owner (&other, 1, 1, 100);
  for (unsigned round = 0; round < 20; round++) {
    open_owner (&owner, 2, 3, 500);
    for (unsigned job = 0; job < 3; job++)
      ck_assert_int_eq (histo_pool_submit (owner.pool, job, 2000), HISTO_OK);
    sleep_us (round * 100);
    histo_pool_close (owner.pool);
    ck_assert_uint_eq (owner.at_work, 0);
    ck_assert_uint_eq (owner.slices, owner.merged);
    ck_assert_uint_lt (owner.slices, 6000);
  }
  ck_assert_int_eq (histo_pool_submit (other.pool, 0, 5), HISTO_OK);
  histo_pool_wait (other.pool, 0);
  ck_assert_uint_eq (other.merged, 5);
  histo_pool_close (other.pool);
}

/* ---- threads that cannot be had ---------------------------------------------------------------------------------------- */

TEST (few_threads_do_the_work)
{
  static struct owner owner;

  test_log_clear (&test_log);
  open_owner (&owner, 4, 2, 100);
  atomic_store (&threads_left, 1);
  ck_assert_int_eq (histo_pool_submit (owner.pool, 0, 50), HISTO_OK);
  ck_assert_int_eq (histo_pool_submit (owner.pool, 1, 50), HISTO_OK);
  histo_pool_wait (owner.pool, 0);
  histo_pool_wait (owner.pool, 1);
  ck_assert_uint_eq (owner.merged, 100);
  ck_assert_uint_eq (owner.most_at_work, 1);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], 1);
  ck_assert_ptr_nonnull (strstr (test_log.text, "only 1 of 4"));
  atomic_store (&threads_left, -1);
  histo_pool_close (owner.pool);
}

TEST (without_threads_the_caller_does_the_work)
{
  static struct owner owner;

  test_log_clear (&test_log);
  open_owner (&owner, 4, 2, 100);
  atomic_store (&threads_left, 0);
  ck_assert_int_eq (histo_pool_submit (owner.pool, 0, 50), HISTO_OK);
  ck_assert (histo_pool_is_done (owner.pool, 0));
  ck_assert_int_eq (histo_pool_submit (owner.pool, 0, 50), HISTO_OK);
  ck_assert (histo_pool_is_done (owner.pool, 0));
  ck_assert_uint_eq (owner.merged, 100);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], 1);
  atomic_store (&threads_left, -1);
  /* Later threads can be started again. */
  sleep_us (1100000);
  ck_assert_int_eq (histo_pool_submit (owner.pool, 0, 50), HISTO_OK);
  histo_pool_wait (owner.pool, 0);
  ck_assert_uint_eq (owner.merged, 150);
  ck_assert_uint_ge (count_workers (), 1);
  histo_pool_close (owner.pool);
}

/* ---- engines -------------------------------------------------------------------------------------------------------- */

static unsigned
count_engine_workers (void)
{
  uint64_t blocked;

  return count_threads ("histo-worker", &blocked);
}

TEST (engines_share_threads)
{
  enum { ENGINES = 200, THREADS = 5 };
  struct histo_config config
      = { .backend = HISTO_BACKEND_CPU, .cuda_device = -1, .threads = THREADS, .log = test_log_add, .log_data = &test_log };
  struct histo_engine *engines[ENGINES] = { 0 };
  TEST_AT_END (histo_stats_clear) struct histo_stats stats = { 0 };
  static struct test_count expected;
  struct test_random random = test_random_start (31);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  unsigned most = histo_usable_cores () > THREADS ? histo_usable_cores () : THREADS;

  test_frame_init_bytes (&frame, 1 << 20, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  test_frame_count (&frame.frame, &expected);
  for (unsigned i = 0; i < ENGINES; i++) {
    histo_ticket ticket;

    ck_assert_int_eq (histo_open (&config, &engines[i]), HISTO_OK);
    ck_assert_uint_eq (histo_engine_info (engines[i])->threads, THREADS);
    ck_assert_int_eq (histo_submit (engines[i], &frame.frame, &ticket), HISTO_OK);
  }
  ck_assert_uint_le (count_engine_workers (), most);
  for (unsigned i = 0; i < ENGINES; i++) {
    ck_assert_int_eq (histo_collect (engines[i], 1, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  }
  ck_assert_uint_le (count_engine_workers (), most);
  ck_assert_uint_ge (count_engine_workers (), 1);
  for (unsigned i = 0; i < ENGINES; i++)
    histo_close (&engines[i]);
  ck_assert_uint_eq (count_engine_workers (), 0);
}

TEST (engines_count_without_threads)
{
  struct histo_config config
      = { .backend = HISTO_BACKEND_CPU, .cuda_device = -1, .threads = 2, .log = test_log_add, .log_data = &test_log };
  TEST_AT_END (histo_stats_clear) struct histo_stats stats = { 0 };
  static struct test_count expected;
  struct test_random random = test_random_start (32);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  TEST_AT_END (histo_close) struct histo_engine *engine = NULL;

  test_frame_init_bytes (&frame, 1 << 20, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  test_frame_count (&frame.frame, &expected);
  test_log_clear (&test_log);
  atomic_store (&threads_left, 0);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], 1);
  atomic_store (&threads_left, -1);
}

TEST_MAIN
