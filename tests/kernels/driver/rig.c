/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* See rig.h. */

#include <string.h>

#include "cuda/host/cuda.h"
#include "rig.h"

struct test_log test_log = TEST_LOG_INIT;
const struct fakecuda *fake;
unsigned live_before;
struct histo_stats stats;
atomic_uint failing_calloc;

struct histo_config
config_for (enum histo_backend backend)
{
  test_log_clear (&test_log);
  return (struct histo_config){
    .backend = backend, .cuda_device = -1, .max_in_flight = 3, .log = test_log_add, .log_data = &test_log
  };
}

/* The linker redirects the engine's calls of calloc here. */
void *__real_calloc (size_t count, size_t size);
void *__wrap_calloc (size_t count, size_t size);

void *
__wrap_calloc (size_t count, size_t size)
{
  if (atomic_load (&failing_calloc) > 0 && atomic_fetch_sub (&failing_calloc, 1) == 1)
    return NULL;
  return __real_calloc (count, size);
}

void
begin_script (void)
{
  histo_cuda_zero_copy_bytes = SOME_COPIED;
  fake->reset ();
  live_before = fake->live ();
}

void
end_script (void)
{
  ck_assert_msg (fake->faults () == 0, "%s", fake->fault_text ());
  ck_assert_msg (fake->live () == live_before, "%u objects are still alive", fake->live () - live_before);
  ck_assert_uint_eq (fake->context_depth (), 0);
  fake->reset ();
  histo_stats_clear (&stats);
}

struct histo_engine *
open_fake (unsigned max_in_flight)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;

  config.max_in_flight = max_in_flight;
  ck_assert_msg (histo_open (&config, &engine) == HISTO_OK, "%s", test_log.text);
  return engine;
}

uint64_t
elapsed_ms (struct timespec since)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)((now.tv_sec - since.tv_sec) * 1000 + (now.tv_nsec - since.tv_nsec) / 1000000);
}

void
assert_reason (const char *what)
{
  /* Threads of the engine may still write to the log. */
  pthread_mutex_lock (&test_log.lock);
  ck_assert_msg (test_log.lines[HISTO_LOG_ERROR] > 0, "%s failed without a log line", what);
  ck_assert_msg (strlen (test_log.text) > 20, "%s failed with a short text: %s", what, test_log.text);
  pthread_mutex_unlock (&test_log.lock);
}

void
make_workload (struct workload *workload)
{
  static const char *const layouts[] = { "NV12", "bytes", "RGB", "every fifth byte", "YUY2", "GRAY8", "GRAY16_LE by value" };
  struct test_random random = test_random_start (51);

  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (40 + 8 * f, 6, &random);

    if (strcmp (layouts[f], "bytes") == 0) {
      test_frame_init_bytes (&workload->frames[f], 5000, 3, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
      test_frame_init_bytes (&workload->operands[f], 5000, 4, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    } else {
      test_frame_init (&workload->frames[f], test_layout_find (layouts[f]), &geometry, TEST_FILL_RANDOM, &random);
      test_frame_init (&workload->operands[f], workload->frames[f].layout, &geometry, TEST_FILL_RANDOM, &random);
    }
    if (f % 2 == 0)
      workload->frames[f].frame.operand = &workload->operands[f].frame;
    test_frame_ask (&workload->frames[f].frame, HISTO_STATISTIC_PROJECTION, strcmp (layouts[f], "GRAY8") == 0);
    test_frame_count (&workload->frames[f].frame, &workload->expected[f]);
  }
}

void
clear_workload (struct workload *workload)
{
  for (unsigned f = 0; f < FRAMES; f++) {
    test_frame_clear (&workload->frames[f]);
    test_frame_clear (&workload->operands[f]);
    test_count_clear (&workload->expected[f]);
  }
}

void
make_two (struct two_frames *two, uint64_t seed)
{
  enum { LENGTH = 4096 };
  struct test_random random = test_random_start (seed);

  two->device = test_device_open (false);
  for (unsigned i = 0; i < 2; i++) {
    TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };

    test_frame_init_bytes (&bytes, LENGTH, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    test_frame_count (&bytes.frame, &two->expected[i]);
    two->memory[i] = test_device_store (two->device, bytes.memory[0].bytes, LENGTH, LENGTH);
    two->frames[i] = bytes.frame;
    two->frames[i].memory = HISTO_MEMORY_DEVICE;
    two->frames[i].planes[0].data = (const void *)(uintptr_t)two->memory[i];
  }
}

void
clear_two (struct two_frames *two)
{
  for (unsigned i = 0; i < 2; i++) {
    test_device_free (two->device, two->memory[i]);
    test_count_clear (&two->expected[i]);
  }
  test_device_close (two->device);
}
