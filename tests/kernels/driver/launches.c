/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How many launches frames take, and of which kernels. */

#include <time.h>
#include <pthread.h>

#include "rig.h"

/* Frames of one size over and over must not take device memory over and over, and one launch is all that a frame costs. */
START_TEST (a_frame_costs_one_launch)
{
  enum { COUNT = 50 };
  static struct workload workload;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  uint64_t allocations, launches;

  begin_script ();
  make_workload (&workload);
  engine = open_fake (2);
  for (unsigned n = 0; n < 10; n++)
    ck_assert_int_eq (test_engine_count (engine, &workload.frames[0].frame, &stats), HISTO_OK);
  allocations = fake->function_calls ("cuMemAlloc");
  launches = fake->function_calls ("cuLaunchKernel");
  for (unsigned n = 0; n < COUNT; n++)
    ck_assert_int_eq (test_engine_count (engine, &workload.frames[0].frame, &stats), HISTO_OK);
  ck_assert_uint_eq (fake->function_calls ("cuMemAlloc"), allocations);
  ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel"), launches + COUNT);
  histo_stats_clear (&stats);
  histo_close (&engine);
  clear_workload (&workload);
  end_script ();
}
END_TEST

/* The simpler a frame is, the more specialised is its kernel: another would count it correctly, too, but not as fast. */
START_TEST (simple_frames_have_kernels_of_their_own)
{
  enum { MOST = 512, SPACE = 1024 }; /* of a frame and its operand */
  static const struct {
    const char *kernel;
    uint64_t width, gap; /* bytes: of a row, and between rows */
    uint32_t height;
    unsigned count;
    bool is_listed, has_operand;
  } cases[] = {
    { "histo_count_packed", 64, 0, 3, 1, false, false },
    { "histo_count_packed", 64, 0, 3, 4, false, false },
    { "histo_count_packed_listed", 64, 0, 3, 4, true, false },
    { "histo_count_plane", 64, 16, 3, 1, false, false },
    { "histo_count_plane", 64, 16, 3, 4, false, false },
    { "histo_count_plane_listed", 64, 16, 3, 4, true, false },
    { "histo_count_plane_dot", 64, 0, 3, 4, false, true },
    { "histo_count_plane_dot", 64, 16, 3, 1, false, true },
    { "histo_count_small", 64, 0, 3, MOST, false, false },
    { "histo_count", 64, 8, 3, 1, false, false },
    { "histo_count", 60, 0, 3, 1, false, false },
    { "histo_count", 60, 4, 3, 4, true, false },
    { "histo_count_dot", 64, 0, 3, 4, true, true },
  };
  static const uint8_t zeros[(MOST + 1) * SPACE];
  static struct histo_frame frames[MOST], operands[MOST];
  struct histo_stats stats = { 0 };
  struct test_device *device;
  CUdeviceptr memory;

  begin_script ();
  device = test_device_open (false);
  memory = test_device_store (device, zeros, sizeof zeros, sizeof zeros);
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct histo_engine *engine = open_fake (MOST);
    const uint64_t launches = fake->launches (cases[c].kernel), all = fake->function_calls ("cuLaunchKernel");
    histo_ticket first;

    for (unsigned f = 0; f < cases[c].count; f++) {
      frames[f] = (struct histo_frame){
        .statistics = HISTO_STATISTIC_DOT,
        .memory = HISTO_MEMORY_DEVICE,
        .plane_count = 1,
        .planes = { { .data = (const void *)(uintptr_t)(memory + (cases[c].is_listed ? f ^ 1 : f) * SPACE),
                      .stride_bytes = cases[c].width + cases[c].gap,
                      .height = cases[c].height } },
        .component_count = 1,
        .components = { { .step_bytes = 1, .width = cases[c].width, .sample_bytes = 1, .depth = 8 } },
      };
      operands[f] = frames[f];
      operands[f].planes[0].data = (const uint8_t *)frames[f].planes[0].data + SPACE / 2;
      frames[f].operand = cases[c].has_operand ? &operands[f] : NULL;
    }
    ck_assert_int_eq (histo_submit_many (engine, frames, cases[c].count, &first), HISTO_OK);
    for (unsigned f = 0; f < cases[c].count; f++)
      ck_assert_int_eq (histo_collect (engine, first + f, &stats), HISTO_OK);
    ck_assert_msg (fake->launches (cases[c].kernel) == launches + 1 && fake->function_calls ("cuLaunchKernel") == all + 1,
                   "case %u was not counted by one launch of %s", c, cases[c].kernel);
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_device_drop (device, memory);
  test_device_close (device);
  end_script ();
}
END_TEST

/* Frames that went in one launch are waited for once, and the next launch in their slots is waited for as well. */
START_TEST (a_launch_is_waited_for_once)
{
  enum { IN_A_LAUNCH = 5 };
  static struct two_frames two;
  struct histo_stats stats = { 0 };
  struct histo_engine *engine;

  begin_script ();
  make_two (&two, 55);
  engine = open_fake (IN_A_LAUNCH); /* always in the same slots */
  for (unsigned round = 0; round < 4; round++) {
    struct histo_frame frames[IN_A_LAUNCH];
    histo_ticket first;
    uint64_t waits;

    for (unsigned i = 0; i < IN_A_LAUNCH; i++)
      frames[i] = two.frames[round % 2];
    fake->hold (FAKECUDA_HOLD_KERNELS);
    waits = fake->function_calls ("cuEventSynchronize");
    ck_assert_int_eq (histo_submit_many (engine, frames, IN_A_LAUNCH, &first), HISTO_OK);
    for (unsigned i = 0; i < IN_A_LAUNCH; i++) {
      ck_assert_int_eq (histo_collect (engine, first + i, &stats), HISTO_OK);
      ck_assert_pstr_eq (test_stats_difference (&two.expected[round % 2].stats, &stats), NULL);
    }
    ck_assert_uint_eq (fake->function_calls ("cuEventSynchronize"), waits + 1);
    fake->hold (FAKECUDA_HOLD_NOTHING);
  }
  histo_close (&engine);
  histo_stats_clear (&stats);
  clear_two (&two);
  end_script ();
}
END_TEST

struct many_traffic {
  struct histo_engine *engine;
  const struct histo_frame *frames; /* two, by turns */
  enum histo_status status;
};

enum { MANY_LAUNCHES = 300, MANY_MOST = 5 };

static unsigned
many_in_launch (unsigned n)
{
  return 1 + n * 7 % MANY_MOST;
}

static void *
submit_many (void *data)
{
  struct many_traffic *traffic = data;
  histo_ticket expected = 1, first;

  for (unsigned n = 0; n < MANY_LAUNCHES && traffic->status == HISTO_OK;) {
    struct histo_frame frames[MANY_MOST];
    enum histo_status status;

    for (unsigned i = 0; i < many_in_launch (n); i++)
      frames[i] = traffic->frames[(expected + i) % 2];
    status = histo_submit_many (traffic->engine, frames, many_in_launch (n), &first);
    if (status == HISTO_ERROR_BUSY)
      nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
    else if (status != HISTO_OK || first != expected)
      traffic->status = status != HISTO_OK ? status : HISTO_ERROR_INVALID;
    else
      expected += many_in_launch (n++);
  }
  return NULL;
}

/* One thread submits launches of one to five frames, another collects. */
START_TEST (many_frames_from_two_threads)
{
  static struct two_frames two;
  struct many_traffic traffic = { .frames = two.frames, .status = HISTO_OK };
  struct histo_stats stats = { 0 };
  histo_ticket last = 0;
  pthread_t submitter;
  time_t begin = time (NULL);

  begin_script ();
  make_two (&two, 56);
  for (unsigned n = 0; n < MANY_LAUNCHES; n++)
    last += many_in_launch (n);
  traffic.engine = open_fake (2 * MANY_MOST + 1);
  ck_assert_int_eq (pthread_create (&submitter, NULL, submit_many, &traffic), 0);
  for (histo_ticket ticket = 1; ticket <= last;) {
    enum histo_status status = histo_collect (traffic.engine, ticket, &stats);

    if (status == HISTO_ERROR_INVALID) { /* not submitted yet */
      nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
      TEST_REQUIRE (time (NULL) - begin < 60, "ticket %u never comes", (unsigned)ticket);
      continue;
    }
    TEST_REQUIRE (status == HISTO_OK, "%s", histo_status_text (status));
    ck_assert_pstr_eq (test_stats_difference (&two.expected[ticket % 2].stats, &stats), NULL);
    ticket++;
  }
  pthread_join (submitter, NULL);
  ck_assert_int_eq (traffic.status, HISTO_OK);
  histo_close (&traffic.engine);
  histo_stats_clear (&stats);
  clear_two (&two);
  end_script ();
}
END_TEST

/* dot=previous: with ids, an operand that is still on the device is not copied again. */
START_TEST (an_operand_with_an_id_is_copied_once)
{
  enum { COUNT = 20 };
  struct test_frame frames[2];
  struct test_random random;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  static struct test_count expected;
  uint64_t copies;

  begin_script ();
  test_random_init (&random, 52);
  for (unsigned i = 0; i < 2; i++)
    test_frame_init_bytes (&frames[i], 4000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  engine = open_fake (2);
  copies = fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync");
  for (unsigned n = 0; n < COUNT; n++) {
    struct test_frame *frame = &frames[n % 2], *previous = &frames[(n + 1) % 2];

    test_frame_refill (frame, TEST_FILL_RANDOM, &random);
    frame->frame.id = 1000 + n;
    frame->frame.operand = n > 0 ? &previous->frame : NULL;
    test_frame_count (&frame->frame, &expected);
    ck_assert_int_eq (test_engine_count (engine, &frame->frame, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  }
  copies = fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync") - copies;
  ck_assert_uint_eq (copies, COUNT);
  histo_stats_clear (&stats);
  histo_close (&engine);
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&frames[i]);
  end_script ();
}
END_TEST

void
add_launches (Suite *suite)
{
  TEST_ADD (suite, a_frame_costs_one_launch);
  TEST_ADD (suite, simple_frames_have_kernels_of_their_own);
  TEST_ADD (suite, a_launch_is_waited_for_once);
  TEST_ADD (suite, many_frames_from_two_threads);
  TEST_ADD (suite, an_operand_with_an_id_is_copied_once);
}
