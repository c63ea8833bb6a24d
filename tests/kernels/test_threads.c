/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which thread may call which function, which thread logs, and the cost of waiting. argv[1]: the backend. */

#define _GNU_SOURCE

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engines.h"
#include "fakecuda.h"
#include "frames.h"
#include "runner.h"

static struct histo_config
base_config (void)
{
  unsigned count;

  return test_variants (&count)[0].config;
}

static void
sleep_us (unsigned us)
{
  nanosleep (&(struct timespec){ .tv_nsec = (long)us * 1000 }, NULL);
}

/* ---- ready ---------------------------------------------------------------------------------------------------------- */

enum { ROUNDS = 600 };

struct collector {
  struct histo_engine *engine;
  const struct histo_stats *expected;
  enum histo_status status;
  bool is_wrong;
};

static void *
collect_all (void *data)
{
  struct collector *collector = data;
  struct histo_stats stats = { 0 };

  for (histo_ticket ticket = 1; ticket <= ROUNDS && collector->status == HISTO_OK;) {
    enum histo_status status = HISTO_ERROR_INVALID;

    if (ticket % 2 || histo_ready (collector->engine, ticket))
      status = histo_collect (collector->engine, ticket, &stats);
    if (status == HISTO_ERROR_INVALID) { /* not submitted, or not ready */
      sleep_us (5);
      continue;
    }
    collector->status = status;
    collector->is_wrong = collector->is_wrong || test_stats_difference (collector->expected, &stats) != NULL;
    ticket++;
  }
  histo_stats_clear (&stats);
  return NULL;
}

/* The submitting thread also calls histo_ready, for the ticket being collected and for old ones. */
TEST (both_threads_call_ready)
{
  struct histo_config config = base_config ();
  struct collector collector = { 0 };
  static struct test_count expected;
  struct test_random random = test_random_start (51);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  unsigned ready = 0;
  pthread_t thread;

  config.max_in_flight = 3;
  test_frame_init_bytes (&frame, 20000, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  test_frame_count (&frame.frame, &expected);
  ck_assert_int_eq (histo_open (&config, &collector.engine), HISTO_OK);
  collector.expected = &expected.stats;
  ck_assert_int_eq (pthread_create (&thread, NULL, collect_all, &collector), 0);
  for (unsigned n = 0; n < ROUNDS;) {
    histo_ticket ticket;
    enum histo_status status = histo_submit (collector.engine, &frame.frame, &ticket);

    for (histo_ticket asked = n > 4 ? n - 4 : 0; asked <= n + 2; asked++)
      ready += histo_ready (collector.engine, asked);
    if (status == HISTO_ERROR_BUSY) {
      sleep_us (5);
      continue;
    }
    ck_assert_int_eq (status, HISTO_OK);
    n++;
  }
  pthread_join (thread, NULL);
  ck_assert_int_eq (collector.status, HISTO_OK);
  ck_assert (!collector.is_wrong);
  ck_assert_uint_gt (ready, 0);
  for (histo_ticket asked = 0; asked <= ROUNDS + 2; asked++)
    ck_assert (!histo_ready (collector.engine, asked));
  histo_close (&collector.engine);
}

/* ---- the log -------------------------------------------------------------------------------------------------------- */

/* A callback that returns after another thread's submit. */
struct waiting_log {
  struct histo_engine *engine;
  atomic_bool is_armed, has_begun, is_submitted;
  atomic_uint lines, timeouts;
};

static void
wait_in_log (void *data, enum histo_log_level level, const char *message)
{
  struct waiting_log *log = data;

  (void)message;
  if (level != HISTO_LOG_ERROR || !atomic_load (&log->is_armed) || atomic_fetch_add (&log->lines, 1) > 0)
    return;
  atomic_store (&log->has_begun, true);
  for (unsigned i = 0; i < 10000 && !atomic_load (&log->is_submitted); i++)
    sleep_us (1000);
  if (!atomic_load (&log->is_submitted))
    atomic_fetch_add (&log->timeouts, 1);
  histo_ready (log->engine, 1);
  if (histo_engine_info (log->engine)->backend != HISTO_BACKEND_CUDA)
    atomic_fetch_add (&log->timeouts, 1);
}

TEST (the_log_is_called_under_no_lock)
{
  const struct fakecuda *fake = fakecuda_find ();
  struct histo_config config = base_config ();
  struct waiting_log log = { 0 };
  struct histo_stats stats = { 0 };
  struct test_random random = test_random_start (52);
  struct test_frame frame;
  histo_ticket ticket;
  enum histo_status status;

  if (!fake || test_backend () != HISTO_BACKEND_CUDA)
    return;
  fake->reset ();
  config.log = wait_in_log;
  config.log_data = &log;
  test_frame_init_bytes (&frame, 2 << 20, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  ck_assert_int_eq (histo_open (&config, &log.engine), HISTO_OK);
  ck_assert_int_eq (test_engine_count (log.engine, &frame.frame, &stats), HISTO_OK);

  /* A thread of the staging launches the frame, and logs the failure. */
  atomic_store (&log.is_armed, true);
  fake->fail_function ("cuLaunchKernel", 1, 999, false);
  ck_assert_int_eq (histo_submit (log.engine, &frame.frame, &ticket), HISTO_OK);
  for (unsigned i = 0; i < 10000 && !atomic_load (&log.has_begun); i++)
    sleep_us (1000);
  ck_assert (atomic_load (&log.has_begun));
  status = histo_submit (log.engine, &frame.frame, &ticket);
  atomic_store (&log.is_submitted, true);
  ck_assert (status == HISTO_OK || status == HISTO_ERROR_DEVICE);
  ck_assert_int_eq (histo_collect (log.engine, 2, &stats), HISTO_ERROR_DEVICE);
  ck_assert_uint_eq (log.timeouts, 0);
  ck_assert_uint_ge (log.lines, 1);
  histo_close (&log.engine);
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  fake->reset ();
}

/* ---- waiting -------------------------------------------------------------------------------------------------------- */

static uint64_t
thread_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int
compare_times (const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* The processor time of the waiting thread. Some of it is for the numbers, and other processes disturb some waits. */
TEST_TAGGED (waiting_costs_little_time, "long")
{
  enum { WAITS = 31 };
  const struct fakecuda *fake = test_backend () == HISTO_BACKEND_CUDA ? fakecuda_find () : NULL;
  struct histo_config config = base_config ();
  struct histo_engine *engine = NULL;
  struct histo_stats stats = { 0 };
#if defined(__SANITIZE_THREAD__)
  const uint64_t most_ns = 500000; /* the checker's own time */
#else
  const uint64_t most_ns = 400000; /* 200 us of polling, and a sleep, on a processor that other processes slow down */
#endif
  uint64_t times[WAITS];
  struct test_random random = test_random_start (53);
  struct test_frame frame;

  if (test_backend () == HISTO_BACKEND_REFERENCE)
    return; /* never waits */
  if (fake)
    fake->set_delay_us (3000);
  test_frame_init_bytes (&frame, fake ? 2000 : 8 << 20, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  for (unsigned i = 0; i < WAITS; i++) {
    histo_ticket ticket;
    uint64_t begin;

    ck_assert_int_eq (histo_submit (engine, &frame.frame, &ticket), HISTO_OK);
    begin = thread_ns ();
    ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
    times[i] = thread_ns () - begin;
  }
  qsort (times, WAITS, sizeof *times, compare_times);
  printf ("a wait: %.0f us of processor time, %.0f to %.0f\n", (double)times[WAITS / 2] / 1e3, (double)times[0] / 1e3,
          (double)times[WAITS - 1] / 1e3);
  ck_assert_msg (times[0] <= most_ns, "no wait took less than %.0f us of processor time", (double)times[0] / 1e3);
  histo_close (&engine);
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  if (fake)
    fake->reset ();
}

int
main (int argc, char **argv)
{
  test_engines_init (argc, argv);
  return test_run (NULL, "");
}
