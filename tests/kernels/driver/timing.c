/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which call waits for which. */

#include <time.h>

#include "cuda/host/cuda.h"
#include "rig.h"

TEST_FIXTURE (begin_script, end_script)

TEST (submit_and_ready_do_not_wait)
{
  static struct workload workload;
  struct histo_engine *engine;
  struct timespec begin;
  histo_ticket ticket;

  make_workload (&workload);
  engine = open_fake (FRAMES);
  fake->set_delay_us (300000);
  clock_gettime (CLOCK_MONOTONIC, &begin);
  for (unsigned f = 0; f < FRAMES; f++)
    ck_assert_int_eq (histo_submit (engine, &workload.frames[f].frame, &ticket), HISTO_OK);
  for (unsigned f = 0; f < FRAMES; f++)
    histo_ready (engine, f + 1);
  /* A second and a half of kernels is in flight. */
  ck_assert_uint_lt (elapsed_ms (begin), 290 * FRAMES);
  ck_assert (!histo_ready (engine, FRAMES));
  for (unsigned f = 0; f < FRAMES; f++) {
    ck_assert_int_eq (histo_collect (engine, f + 1, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&workload.expected[f].stats, &stats), NULL);
  }
  ck_assert_uint_ge (elapsed_ms (begin), 300 * FRAMES);
  histo_close (&engine);
  clear_workload (&workload);
}

TEST (held_frames_are_not_ready)
{
  static struct workload workload;
  struct histo_engine *engine;
  histo_ticket ticket;

  make_workload (&workload);
  engine = open_fake (FRAMES);
  fake->hold (FAKECUDA_HOLD_KERNELS);
  for (unsigned f = 0; f < FRAMES; f++)
    ck_assert_int_eq (histo_submit (engine, &workload.frames[f].frame, &ticket), HISTO_OK);
  for (unsigned f = 0; f < FRAMES; f++)
    ck_assert (!histo_ready (engine, f + 1));
  ck_assert_int_eq (histo_submit (engine, &workload.frames[0].frame, &ticket), HISTO_ERROR_BUSY);
  for (unsigned f = 0; f < FRAMES; f++) {
    ck_assert_int_eq (histo_collect (engine, f + 1, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&workload.expected[f].stats, &stats), NULL);
  }
  histo_close (&engine);
  clear_workload (&workload);
}

TEST (close_waits_for_the_device)
{
  static struct workload workload;
  struct histo_engine *engine;
  histo_ticket ticket;

  make_workload (&workload);
  engine = open_fake (FRAMES);
  fake->hold (FAKECUDA_HOLD_COPIES);
  for (unsigned f = 0; f < FRAMES; f++)
    ck_assert_int_eq (histo_submit (engine, &workload.frames[f].frame, &ticket), HISTO_OK);
  histo_close (&engine);
  clear_workload (&workload);
}

/* The caller may free the samples of a refused frame, even if the device reads them in place. */
TEST (a_refused_frame_is_not_read_any_more)
{
  static const char *const functions[] = { "cuLaunchKernel", "cuEventRecord" };

  for (unsigned i = 0; i < 4; i++) {
    struct test_device *device;
    struct histo_engine *engine;
    histo_ticket ticket;
    void *pinned;

    begin_script ();
    histo_cuda_zero_copy_bytes = i < 2 ? 0 : 1024;
    device = test_device_open (false);
    pinned = test_device_alloc_pinned (device, 1000);
    engine = open_fake (FRAMES);
    fake->hold (i < 2 ? FAKECUDA_HOLD_COPIES : FAKECUDA_HOLD_KERNELS);
    fake->fail_function (functions[i % 2], 1, UNKNOWN, false);
    ck_assert_int_eq (histo_submit (engine,
                                    &(struct histo_frame){
                                        .plane_count = 1,
                                        .component_count = 1,
                                        .planes = { { pinned, 1000, 1 } },
                                        .components = { { .step_bytes = 1, .width = 1000, .sample_bytes = 1, .depth = 8 } } },
                                    &ticket),
                      HISTO_ERROR_DEVICE);
    ck_assert_uint_eq (fake->pending (), 0);
    histo_close (&engine);
    test_device_free_pinned (device, pinned);
    test_device_close (device);
    end_script ();
  }
}

/* Numbers return through memory to which earlier frames wrote. The mark of new numbers must work after 2^8 or 2^16 frames, and
 * in a component that none of these frames had. */
TEST (old_numbers_are_not_taken_for_new)
{
  static const unsigned frames_between[] = { 255, 65535 };
  struct test_random random = test_random_start (53);
  TEST_AT_END (test_frame_clear) struct test_frame old_frame = { 0 }, new_frame = { 0 };
  static struct test_count expected;
  struct histo_frame empty = { .memory = HISTO_MEMORY_DEVICE,
                               .plane_count = 1,
                               .component_count = 1,
                               .components = { { .step_bytes = 1, .sample_bytes = 1, .depth = 8 } } };

  test_frame_init_bytes (&old_frame, 1000, 0, TEST_GUARD_END, TEST_FILL_MAX, &random);
  test_frame_init_bytes (&new_frame, 900, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  test_frame_count (&new_frame.frame, &expected);
  for (unsigned i = 0; i < sizeof frames_between / sizeof *frames_between; i++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_fake (1);
    histo_ticket ticket;

    ck_assert_int_eq (test_engine_count (engine, &old_frame.frame, &stats), HISTO_OK);
    for (unsigned n = 0; n < frames_between[i]; n++)
      TEST_REQUIRE (test_engine_count (engine, &empty, &stats) == HISTO_OK, "%s", test_log.text);
    fake->hold (FAKECUDA_HOLD_KERNELS);
    ck_assert_int_eq (histo_submit (engine, &new_frame.frame, &ticket), HISTO_OK);
    ck_assert_msg (!histo_ready (engine, ticket), "ready before the kernel ran, %u frames later", frames_between[i]);
    ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    fake->hold (FAKECUDA_HOLD_NOTHING);
  }
}
