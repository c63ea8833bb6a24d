/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a frame's samples reach the device. */

#include <string.h>
#include <time.h>
#include <pthread.h>

#include "cuda/host/cuda.h"
#include "rig.h"

TEST_FIXTURE (begin_script, end_script)

static uint64_t
count_copies (void)
{
  return fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync");
}

/* Frames that reach the device in every way: two staged pageable ones, the second with the first as operand, so that it needs
 * its copy; a small pageable one; a large pinned one, with or without an operand to stage; a small pinned one; one in device
 * memory. */
enum { STAGED, STAGED_AFTER, SMALL, PINNED, SMALL_PINNED, ON_DEVICE, WAYS, MIXED_FRAMES = 4 * WAYS };

struct mixed {
  struct test_device *device;
  struct test_frame frames[MIXED_FRAMES];
  void *pinned[MIXED_FRAMES];
  CUdeviceptr on_device[MIXED_FRAMES];
  struct histo_frame given[MIXED_FRAMES];
  struct test_count expected[MIXED_FRAMES];
};

static void
make_mixed (struct mixed *mixed)
{
  static const char *const layouts[WAYS] = { "NV12", "NV12", "bytes", "GRAY8", "bytes", "GRAY8" };
  struct test_random random = test_random_start (56);

  mixed->device = test_device_open (false);
  for (unsigned f = 0; f < MIXED_FRAMES; f++) {
    struct test_frame *frame = &mixed->frames[f];
    struct test_geometry geometry = { .width = 401, .height = 403, .extra_stride_bytes = 3 };
    const struct histo_frame *operand = NULL;
    unsigned way = f % WAYS;
    size_t size;

    if (way == SMALL || way == SMALL_PINNED)
      test_frame_init_bytes (frame, SOME_COPIED - f, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    else
      test_frame_init (frame, test_layout_find (layouts[way]), &geometry, TEST_FILL_RANDOM, &random);
    frame->frame.id = f + 1;
    mixed->given[f] = frame->frame;
    size = frame->memory[0].size;
    if (way == PINNED || way == SMALL_PINNED) {
      mixed->pinned[f] = test_device_alloc_pinned (mixed->device, size);
      memcpy (mixed->pinned[f], frame->frame.planes[0].data, size);
      mixed->given[f].planes[0].data = mixed->pinned[f];
    } else if (way == ON_DEVICE) {
      mixed->on_device[f] = test_device_alloc (mixed->device, size);
      test_device_upload (mixed->device, mixed->on_device[f], frame->frame.planes[0].data, size, mixed->device->stream);
      mixed->given[f].planes[0].data = (const void *)(uintptr_t)mixed->on_device[f];
      mixed->given[f].memory = HISTO_MEMORY_DEVICE;
      mixed->given[f].stream = mixed->device->stream;
    }
    if (way == STAGED_AFTER)
      operand = &mixed->frames[f - 1].frame;
    else if (way == PINNED && f < MIXED_FRAMES / 2)
      operand = &frame->frame;
    mixed->given[f].operand = frame->frame.operand = operand;
    test_frame_count (&frame->frame, &mixed->expected[f]);
  }
}

static void
clear_mixed (struct mixed *mixed)
{
  for (unsigned f = 0; f < MIXED_FRAMES; f++) {
    test_device_free_pinned (mixed->device, mixed->pinned[f]);
    test_device_free (mixed->device, mixed->on_device[f]);
    test_frame_clear (&mixed->frames[f]);
  }
  test_device_close (mixed->device);
  memset (mixed, 0, sizeof *mixed);
}

static void
submit_mixed (struct histo_engine *engine, const struct mixed *mixed)
{
  for (unsigned f = 0; f < MIXED_FRAMES; f++) {
    histo_ticket ticket;

    ck_assert_msg (histo_submit (engine, &mixed->given[f], &ticket) == HISTO_OK, "%s", test_log.text);
  }
}

static void
collect_mixed (struct histo_engine *engine, const struct mixed *mixed, histo_ticket first)
{
  for (unsigned f = 0; f < MIXED_FRAMES; f++) {
    ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s", test_log.text);
    ck_assert_pstr_eq (test_stats_difference (&mixed->expected[f].stats, &stats), NULL);
  }
}

static void *
unblock_later (void *unused)
{
  (void)unused;
  nanosleep (&(struct timespec){ .tv_nsec = 50000000 }, NULL);
  fake->block (NULL);
  return NULL;
}

/* A frame with copies not yet enqueued delays only later frames, and only their launch. */
TEST (frames_wait_for_their_turn)
{
  static const enum fakecuda_hold holds[]
      = { FAKECUDA_HOLD_NOTHING, FAKECUDA_HOLD_COPIES, FAKECUDA_HOLD_KERNELS, FAKECUDA_HOLD_EVENTS, FAKECUDA_HOLD_TAILS };
  static struct mixed mixed;

  for (unsigned i = 0; i < sizeof holds / sizeof *holds; i++) {
    struct histo_engine *engine;
    pthread_t thread;
    uint64_t launches;

    begin_script ();
    make_mixed (&mixed);
    engine = open_fake (MIXED_FRAMES + 3);
    submit_mixed (engine, &mixed);
    collect_mixed (engine, &mixed, 1);

    fake->hold (holds[i]);
    launches = fake->function_calls ("cuLaunchKernel");
    fake->block ("cuMemcpyHtoDAsync"); /* only the staging's */
    submit_mixed (engine, &mixed);
    for (unsigned f = 0; f < MIXED_FRAMES; f++)
      ck_assert (!histo_ready (engine, MIXED_FRAMES + 1 + f));
    ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel"), launches);
    ck_assert_int_eq (pthread_create (&thread, NULL, unblock_later, NULL), 0);
    collect_mixed (engine, &mixed, MIXED_FRAMES + 1);
    pthread_join (thread, NULL);
    ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel"), launches + MIXED_FRAMES);
    histo_close (&engine);
    clear_mixed (&mixed);
    end_script ();
  }
}

/* Frames follow one that fails before its launch: none of them may count as finished, and no call may wait for them for
 * ever. */
TEST (a_failure_of_the_staging_fails_the_queue)
{
  static const char *const functions[] = { "cuMemcpyHtoDAsync", "cuEventRecord",     "cuEventSynchronize",
                                           "cuCtxPushCurrent",  "cuStreamWaitEvent", "cuLaunchKernel" };
  static struct mixed mixed;

  for (unsigned i = 0; i < 2 * sizeof functions / sizeof *functions; i++) {
    const char *function = functions[i / 2];
    struct histo_engine *engine;
    histo_ticket ticket;
    pthread_t thread;
    unsigned failures = 0;

    begin_script ();
    make_mixed (&mixed);
    engine = open_fake (MIXED_FRAMES + 1);
    fake->block ("cuMemcpyHtoDAsync");
    submit_mixed (engine, &mixed);
    fake->fail_function (function, 1, UNKNOWN, i % 2);
    ck_assert_int_eq (pthread_create (&thread, NULL, unblock_later, NULL), 0);
    for (unsigned f = 0; f < MIXED_FRAMES; f++) {
      enum histo_status status = histo_collect (engine, f + 1, &stats);

      failures += status != HISTO_OK;
      if (status == HISTO_OK)
        ck_assert_pstr_eq (test_stats_difference (&mixed.expected[f].stats, &stats), NULL);
      else
        ck_assert_int_eq (status, HISTO_ERROR_DEVICE);
    }
    ck_assert_msg (failures > 0, "the failure of %s had no effect", function);
    ck_assert_int_eq (histo_submit (engine, &mixed.given[0], &ticket), HISTO_ERROR_DEVICE);
    assert_reason (function);
    pthread_join (thread, NULL);
    histo_close (&engine);
    ck_assert_msg (fake->faults () == 0, "%s", fake->fault_text ());
    fake->reset (); /* a working device, to free the test's own objects */
    clear_mixed (&mixed);
    end_script ();
  }
}

/* With frames at every stage between submit and collect. */
TEST (close_ends_the_staging)
{
  static struct mixed mixed;

  for (unsigned i = 0; i < 20; i++) {
    struct histo_engine *engine;
    pthread_t thread;

    begin_script ();
    make_mixed (&mixed);
    engine = open_fake (MIXED_FRAMES);
    if (i < 4)
      fake->block ("cuMemcpyHtoDAsync");
    fake->hold ((enum fakecuda_hold) (i % FAKECUDA_HOLDS));
    submit_mixed (engine, &mixed);
    if (i < 4)
      ck_assert_int_eq (pthread_create (&thread, NULL, unblock_later, NULL), 0);
    histo_close (&engine);
    if (i < 4)
      pthread_join (thread, NULL);
    clear_mixed (&mixed);
    end_script ();
  }
}

/* More than the staging's memory holds, and no copy ends before a thread waits for it. */
TEST (staging_uses_its_memory_again)
{
  enum { COUNT = 3, BYTES = 6 << 20 };
  struct test_frame frames[COUNT];
  static struct test_count expected;
  struct test_random random = test_random_start (57);
  histo_ticket ticket;
  TEST_AT_END (histo_close) struct histo_engine *engine = open_fake (COUNT);

  fake->hold (FAKECUDA_HOLD_COPIES);
  for (unsigned i = 0; i < COUNT; i++) {
    test_frame_init_bytes (&frames[i], BYTES + i, 1, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
    ck_assert_int_eq (histo_submit (engine, &frames[i].frame, &ticket), HISTO_OK);
  }
  for (unsigned i = 0; i < COUNT; i++) {
    test_frame_count (&frames[i].frame, &expected);
    ck_assert_int_eq (histo_collect (engine, i + 1, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    test_frame_clear (&frames[i]);
  }
}

/* The cost of a frame: small frames cost only a launch, pinned or not, with and without an operand. */
TEST (small_frames_are_not_copied)
{
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
  struct test_device *device;
  struct test_random random = test_random_start (58);
  static struct test_count expected;
  uint8_t *pinned;

  test_frame_init_bytes (&frame, 1000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  test_frame_init_bytes (&operand, 1000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  device = test_device_open (false);
  pinned = test_device_alloc_pinned (device, 1000);
  memcpy (pinned, frame.frame.planes[0].data, 1000);
  for (unsigned i = 0; i < 8; i++) {
    bool is_small = i & 1, is_pinned = i & 2, has_operand = i & 4;
    struct histo_frame given = frame.frame;
    TEST_AT_END (histo_close) struct histo_engine *engine = NULL;
    uint64_t launches, copies, waits;

    histo_cuda_zero_copy_bytes = is_small ? 1024 : 1023; /* copies come in units of 256 bytes */
    if (is_pinned)
      given.planes[0].data = pinned;
    frame.frame.operand = has_operand ? &operand.frame : NULL;
    given.operand = frame.frame.operand;
    test_frame_count (&frame.frame, &expected);
    engine = open_fake (2);
    copies = count_copies ();
    waits = fake->function_calls ("cuStreamWaitEvent");
    launches = fake->function_calls ("cuLaunchKernel");
    ck_assert_int_eq (test_engine_count (engine, &given, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    ck_assert_uint_eq (count_copies () - copies, (is_small ? 0u : 1u + has_operand));
    ck_assert_uint_eq (fake->function_calls ("cuStreamWaitEvent") - waits, !is_small);
    ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel") - launches, 1);
  }
  test_device_free_pinned (device, pinned);
  test_device_close (device);
}
