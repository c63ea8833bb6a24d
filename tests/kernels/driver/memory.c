/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The memory of a frame. */

#include <string.h>
#include <time.h>
#include <pthread.h>

#include "cuda/host/cuda.h"
#include "rig.h"

TEST_FIXTURE (begin_script, end_script)

/* A frame of each kind that needs additional memory: for the copy of a pageable frame and the staging, for the bounce buffer of
 * a small one, for words of many bins, for row and column sums, for the bins of a scope, and for the shared and separate data
 * of many frames in a launch. */
enum demand {
  DEMAND_STAGED,
  DEMAND_SMALL,
  DEMAND_PINNED,
  DEMAND_DEEP,
  DEMAND_PROJECTED,
  DEMAND_SCOPE,
  DEMAND_MANY,
  DEMAND_UNLIKE,
  DEMAND_KINDS
};

struct demanding {
  struct test_device *device;
  struct test_frame frame, operand;
  struct histo_frame given[2];
  unsigned count;
  void *pinned;
  CUdeviceptr on_device;
  struct test_count expected;
};

static void
make_demanding (struct demanding *demanding, enum demand kind)
{
  const struct test_geometry geometry = { .width = 401, .height = 403, .extra_stride_bytes = 3 };
  struct test_random random = test_random_start (59);

  memset (demanding, 0, sizeof *demanding);
  demanding->device = test_device_open (false);
  demanding->count = 1;
  if (kind == DEMAND_SMALL) {
    test_frame_init_bytes (&demanding->frame, SOME_COPIED, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  } else {
    const struct test_layout *layout = test_layout_find (kind == DEMAND_DEEP    ? "P010_10LE"
                                                         : kind == DEMAND_SCOPE ? "NV12"
                                                                                : "GRAY8");

    test_frame_init (&demanding->frame, layout, &geometry, TEST_FILL_RANDOM, &random);
    test_frame_init (&demanding->operand, layout, &geometry, TEST_FILL_RANDOM, &random);
    demanding->frame.frame.operand = kind == DEMAND_STAGED || kind == DEMAND_DEEP ? &demanding->operand.frame : NULL;
  }
  for (unsigned c = 0; kind == DEMAND_DEEP && c < 3; c++)
    demanding->frame.frame.components[c].bins = demanding->operand.frame.components[c].bins = 1024;
  test_frame_ask (&demanding->frame.frame, HISTO_STATISTIC_PROJECTION, kind == DEMAND_PROJECTED);
  test_frame_ask (&demanding->frame.frame, HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE, kind == DEMAND_SCOPE);
  demanding->given[0] = demanding->frame.frame;
  if (kind == DEMAND_PINNED) {
    demanding->pinned = test_device_alloc_pinned (demanding->device, demanding->frame.memory[0].size);
    memcpy (demanding->pinned, demanding->frame.frame.planes[0].data, demanding->frame.memory[0].size);
    demanding->given[0].planes[0].data = demanding->pinned;
  } else if (kind == DEMAND_MANY || kind == DEMAND_UNLIKE) {
    demanding->on_device = test_device_alloc (demanding->device, demanding->frame.memory[0].size);
    test_device_upload (demanding->device, demanding->on_device, demanding->frame.frame.planes[0].data,
                        demanding->frame.memory[0].size, NULL);
    demanding->given[0].planes[0].data = (const void *)(uintptr_t)demanding->on_device;
    demanding->given[0].memory = HISTO_MEMORY_DEVICE;
    demanding->count = 2;
  }
  demanding->given[1] = demanding->given[0];
  demanding->given[1].chroma.shift_x = kind == DEMAND_UNLIKE; /* no requested statistic depends on it */
  test_frame_count (&demanding->frame.frame, &demanding->expected);
}

static void
clear_demanding (struct demanding *demanding)
{
  test_device_free_pinned (demanding->device, demanding->pinned);
  test_device_free (demanding->device, demanding->on_device);
  test_device_close (demanding->device);
  test_frame_clear (&demanding->frame);
  test_frame_clear (&demanding->operand);
  test_count_clear (&demanding->expected);
}

/* If memory is exhausted, a frame is refused with a message. The frames in flight are not affected, and the same frame is
 * accepted a moment later. */
TEST (a_frame_without_memory_is_refused)
{
  static const char *const functions[] = { "cuMemAlloc", "cuMemHostAlloc" };
  static struct demanding demanding;
  unsigned refused[DEMAND_KINDS] = { 0 };

  for (unsigned kind = 0; kind < DEMAND_KINDS; kind++)
    for (unsigned f = 0; f < sizeof functions / sizeof *functions; f++)
      for (unsigned n = 1, struck = 1; struck > 0; n++) {
        struct histo_engine *engine;
        struct test_frame before;
        struct test_random random = test_random_start (60);
        static struct test_count expected;
        histo_ticket first, ticket;
        enum histo_status status;

        begin_script ();
        test_frame_init_bytes (&before, 5000, 1, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
        test_frame_count (&before.frame, &expected);
        make_demanding (&demanding, kind);
        engine = open_fake (5);
        fake->hold (FAKECUDA_HOLD_KERNELS);
        ck_assert_int_eq (histo_submit (engine, &before.frame, &first), HISTO_OK);
        fake->fail_function (functions[f], n, OUT_OF_MEMORY, false);
        status = histo_submit_many (engine, demanding.given, demanding.count, &ticket);
        struck = fake->has_failed ();
        ck_assert_int_eq (status, struck ? HISTO_ERROR_NO_MEMORY : HISTO_OK);
        refused[kind] += struck;
        if (struck) {
          assert_reason ("histo_submit_many");
          ck_assert_int_eq (histo_submit_many (engine, demanding.given, demanding.count, &ticket), HISTO_OK);
        }
        ck_assert_uint_eq (ticket, first + 1);
        ck_assert_int_eq (histo_collect (engine, first, &stats), HISTO_OK);
        ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
        for (unsigned i = 0; i < demanding.count; i++) {
          ck_assert_int_eq (histo_collect (engine, ticket + i, &stats), HISTO_OK);
          ck_assert_pstr_eq (test_stats_difference (&demanding.expected.stats, &stats), NULL);
        }
        histo_close (&engine);
        clear_demanding (&demanding);
        test_frame_clear (&before);
        end_script ();
      }
  for (unsigned kind = 0; kind < DEMAND_KINDS; kind++)
    ck_assert_msg (refused[kind] > 0, "no frame of kind %u needed memory", kind);
}

/* The copy of a refused frame is not used as an operand, although it has an id and its copy had begun. */
TEST (a_refused_frame_leaves_no_copy)
{
  enum { ROUNDS = 6 };
  static struct test_count expected[2];
  struct test_frame frames[2], refused;
  struct histo_engine *engine;
  struct test_random random = test_random_start (61);

  for (unsigned i = 0; i < 2; i++)
    test_frame_init_bytes (&frames[i], 5000 + i, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  test_frame_init (&refused, test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 50, .height = 100 },
                   TEST_FILL_RANDOM, &random);
  refused.frame.statistics |= HISTO_STATISTIC_PROJECTION;
  refused.frame.id = 5;
  test_frame_count (&frames[0].frame, &expected[0]);
  frames[1].frame = refused.frame;
  frames[1].frame.statistics &= ~(uint32_t)HISTO_STATISTIC_PROJECTION;
  frames[1].frame.id = 6;
  frames[1].frame.operand = &refused.frame;
  test_frame_count (&frames[1].frame, &expected[1]);
  engine = open_fake (4);
  fake->hold (FAKECUDA_HOLD_KERNELS);
  for (unsigned round = 0; round < ROUNDS; round++) {
    histo_ticket first, second, ticket;

    ck_assert_int_eq (histo_submit (engine, &frames[0].frame, &first), HISTO_OK);
    for (unsigned i = 0; i < 3; i++) {
      fake->fail_function ("cuMemAlloc", round == 0 && i == 0 ? 2 : 1, OUT_OF_MEMORY, false); /* the sums', after the copy's */
      ck_assert_int_eq (histo_submit (engine, &refused.frame, &ticket), HISTO_ERROR_NO_MEMORY);
      test_log_clear (&test_log);
    }
    fake->fail_function ("cuMemAlloc", 0, 0, false);
    ck_assert_int_eq (histo_submit (engine, &frames[1].frame, &second), HISTO_OK);
    ck_assert_int_eq (histo_collect (engine, first, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected[0].stats, &stats), NULL);
    ck_assert_int_eq (histo_collect (engine, second, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected[1].stats, &stats), NULL);
  }
  histo_close (&engine);
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&frames[i]);
  test_frame_clear (&refused);
}

/* A frame is looked up in the copy of another frame with the same id, which had a plane without samples and stride. */
TEST (no_rows_are_found_in_a_plane_without_samples)
{
  enum { WIDTH = 2048, HEIGHT = 1024 };
  static struct test_count expected;
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  struct histo_frame empty, full;
  TEST_AT_END (histo_close) struct histo_engine *engine = NULL;
  struct test_random random = test_random_start (64);
  histo_ticket ticket;

  test_frame_init (&frame, test_layout_find ("GRAY8"), &(struct test_geometry){ .width = WIDTH, .height = 2 * HEIGHT },
                   TEST_FILL_RANDOM, &random);
  full = frame.frame;
  full.id = 7;
  full.plane_count = full.component_count = 2;
  full.planes[0].height = HEIGHT;
  full.planes[1] = full.planes[0];
  full.planes[1].data = (const uint8_t *)full.planes[0].data + HEIGHT * full.planes[0].stride_bytes;
  full.components[1] = full.components[0];
  full.components[1].plane = 1;
  empty = full;
  empty.planes[1].stride_bytes = 0;
  empty.components[1].width = 0;
  engine = open_fake (4);
  for (unsigned i = 0; i < 2; i++) {
    ck_assert_int_eq (histo_submit (engine, i == 0 ? &empty : &full, &ticket), HISTO_OK);
    test_frame_count (i == 0 ? &empty : &full, &expected);
    ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  }
  test_count_clear (&expected);
}

/* A frame that was refused because of the next one has separate words, which no launch has cleared. */
TEST (words_that_are_freed_are_not_cleared)
{
  static struct test_count expected;
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  struct test_device *device;
  struct histo_frame regions[2], small;
  struct histo_engine *engine;
  struct test_random random = test_random_start (65);
  CUdeviceptr memory;
  histo_ticket ticket;

  test_frame_init (&frame, test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 128, .height = 4 }, TEST_FILL_RANDOM,
                   &random);
  device = test_device_open (false);
  memory = test_device_alloc (device, frame.memory[0].size);
  test_device_upload (device, memory, frame.frame.planes[0].data, frame.memory[0].size, NULL);
  small = frame.frame;
  small.memory = HISTO_MEMORY_DEVICE;
  small.planes[0].data = (const void *)(uintptr_t)memory;
  for (unsigned i = 0; i < 2; i++) {
    regions[i] = small;
    regions[i].component_count = 3;
    for (unsigned c = 0; c < 3; c++)
      regions[i].components[c] = (struct histo_component){
        .offset_bytes = 2 * c, .step_bytes = 6, .width = 20 + i, .sample_bytes = 2, .depth = 11 + i, .bins = 2048 << i
      };
  }
  engine = open_fake (4);
  fake->fail_function ("cuMemAlloc", 2, OUT_OF_MEMORY, false);
  ck_assert_int_eq (histo_submit_many (engine, regions, 2, &ticket), HISTO_ERROR_NO_MEMORY);
  fake->fail_function ("cuMemAlloc", 1, OUT_OF_MEMORY, false);
  ck_assert_int_eq (histo_submit (engine, &regions[1], &ticket), HISTO_ERROR_NO_MEMORY);
  ck_assert_int_eq (histo_submit (engine, &small, &ticket), HISTO_OK);
  ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
  test_frame_count (&frame.frame, &expected);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  histo_close (&engine);
  test_count_clear (&expected);
  test_device_free (device, memory);
  test_device_close (device);
}

/* Rows further apart than the copy engine supports, in pinned memory; and a projection of the maximum number of rows. */
TEST (strides_and_heights_at_the_limit)
{
  enum { WIDTH = 100 };
  const size_t stride = (size_t)INT32_MAX + 1;
  struct histo_engine *engine;
  struct test_random random = test_random_start (62);
  struct histo_frame tall = { .memory = HISTO_MEMORY_DEVICE,
                              .plane_count = 1,
                              .component_count = 1,
                              .planes = { { (const void *)(uintptr_t)256, 16, UINT32_MAX } },
                              .components = { { .step_bytes = 1, .width = 1, .sample_bytes = 1, .depth = 8 } },
                              .statistics = HISTO_STATISTIC_PROJECTION };
  static struct test_count expected;
  struct histo_frame frame = tall;
  histo_ticket ticket;
  struct test_device *device = test_device_open (false);
  uint8_t *pinned = test_device_alloc_pinned (device, stride + WIDTH);

  test_random_bytes (&random, pinned, WIDTH);
  test_random_bytes (&random, pinned + stride, WIDTH);
  frame.memory = HISTO_MEMORY_HOST;
  frame.planes[0] = (struct histo_plane){ pinned, stride, 2 };
  frame.components[0].width = WIDTH;
  frame.statistics &= ~(uint32_t)HISTO_STATISTIC_PROJECTION;
  test_frame_count (&frame, &expected);
  histo_cuda_zero_copy_bytes = 0;
  engine = open_fake (2);
  ck_assert_msg (test_engine_count (engine, &frame, &stats) == HISTO_OK, "%s", test_log.text);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  fake->fail_function ("cuMemAlloc", 1, OUT_OF_MEMORY, false); /* 32 GiB of sums */
  ck_assert_int_eq (histo_submit (engine, &tall, &ticket), HISTO_ERROR_NO_MEMORY);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  histo_close (&engine);
  test_device_free_pinned (device, pinned);
  test_device_close (device);
}

/* Copies arrive as late as possible: weights arrive before a kernel reads them, in every stream. Without memory for new
 * weights, the old ones stay. */
TEST (weights_arrive_before_they_are_used)
{
  enum { WIDTH = 40, HEIGHT = 30, FRAMES_AT_ONCE = 2, ROUNDS = 10 };
  const struct test_geometry geometry = { .width = WIDTH, .height = HEIGHT };
  struct histo_weights weights[HISTO_MAX_COUNTED] = { { 0 } };
  int16_t row[WIDTH], column[HEIGHT];
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  struct histo_frame on_device;
  struct test_device *device;
  CUdeviceptr memory;
  struct histo_engine *engine;
  struct test_random random = test_random_start (63);
  static struct test_count expected;
  histo_ticket ticket;

  test_frame_init (&frame, test_layout_find ("GRAY8"), &geometry, TEST_FILL_RANDOM, &random);
  frame.frame.statistics |= HISTO_STATISTIC_PROJECTION;
  test_frame_count (&frame.frame, &expected);
  device = test_device_open (false);
  memory = test_device_store (device, frame.frame.planes[0].data, WIDTH * HEIGHT, WIDTH * HEIGHT);
  on_device = frame.frame;
  on_device.memory = HISTO_MEMORY_DEVICE;
  on_device.planes[0].data = (const void *)(uintptr_t)memory;
  engine = open_fake (FRAMES_AT_ONCE);
  fake->hold (FAKECUDA_HOLD_COPIES);
  for (unsigned round = 0; round < ROUNDS; round++) {
    test_random_bytes (&random, (uint8_t *)row, sizeof row);
    test_random_bytes (&random, (uint8_t *)column, sizeof column);
    weights[0] = (struct histo_weights){ row, WIDTH, column, HEIGHT };
    ck_assert_int_eq (histo_set_weights (engine, 0, &weights[0]), HISTO_OK);
    test_frame_project (&frame.frame, weights, &expected);
    memset (row, 0, sizeof row);
    for (unsigned n = 1; round == 0 && n <= 2; n++) {
      fake->fail_function ("cuMemAlloc", n, OUT_OF_MEMORY, false);
      ck_assert_int_eq (histo_set_weights (engine, 0, &weights[0]), HISTO_ERROR_NO_MEMORY);
    }
    for (unsigned i = 0; i < FRAMES_AT_ONCE; i++)
      ck_assert_int_eq (histo_submit (engine, &on_device, &ticket), HISTO_OK);
    for (unsigned i = 0; i < FRAMES_AT_ONCE; i++) {
      ck_assert_int_eq (histo_collect (engine, ticket - 1 + i, &stats), HISTO_OK);
      ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    }
  }
  histo_close (&engine);
  test_count_clear (&expected);
  test_device_free (device, memory);
  test_device_close (device);
}

/* Each kernel ends as late as possible, and its numbers are seen earlier: the slot's next frame still comes after the end, on
 * either stream. */
TEST (numbers_come_before_the_end)
{
  enum { LAUNCHES = 40, BYTES = 4096 };
  static struct two_frames two;

  make_two (&two, 64);
  for (unsigned slots = 1; slots <= 5; slots++) {
    struct histo_engine *engine = open_fake (slots);
    struct histo_frame host[2];
    void *pinned[2];
    histo_ticket oldest = 1, newest = 0;
    unsigned is_over = 0;

    test_device_enter (two.device);
    for (unsigned i = 0; i < 2; i++) {
      pinned[i] = test_device_alloc_pinned (two.device, BYTES);
      ck_assert_int_eq ((int)two.device->driver.cuMemcpyDtoHAsync (pinned[i], two.memory[i], BYTES, two.device->stream), 0);
      ck_assert_int_eq ((int)two.device->driver.cuStreamSynchronize (two.device->stream), 0);
      host[i] = two.frames[i];
      host[i].memory = HISTO_MEMORY_HOST;
      host[i].planes[0].data = pinned[i];
    }
    test_device_leave (two.device);
    fake->hold (FAKECUDA_HOLD_TAILS);
    while (oldest <= LAUNCHES) {
      for (; newest < LAUNCHES && newest - oldest + 1 < slots; newest++) {
        histo_ticket ticket;

        ck_assert_int_eq (histo_submit (engine, newest % 7 == 3 ? &host[newest % 2] : &two.frames[newest % 2], &ticket),
                          HISTO_OK);
      }
      /* Collect polls for the numbers only briefly. Some arrive with the end of the previous kernel. */
      for (unsigned i = 0; i < 50 && !histo_ready (engine, oldest); i++)
        nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
      ck_assert_msg (histo_collect (engine, oldest, &stats) == HISTO_OK, "%s", test_log.text);
      ck_assert_pstr_eq (test_stats_difference (&two.expected[(oldest - 1) % 2].stats, &stats), NULL);
      is_over += fake->pending () == 0;
      oldest++;
    }
    fake->hold (FAKECUDA_HOLD_NOTHING);
    histo_close (&engine);
    ck_assert_msg (fake->faults () == 0, "%u slots: %s", slots, fake->fault_text ());
    ck_assert_uint_lt (is_over, LAUNCHES);
    test_device_enter (two.device);
    for (unsigned i = 0; i < 2; i++)
      test_device_free_pinned (two.device, pinned[i]);
    test_device_leave (two.device);
  }
  clear_two (&two);
}

/* Launches of one frame and of many unlike frames alternate, so that slots change their streams. All samples are on one stream,
 * and their operands on another. A launch waits once for each earlier launch in its slots, and for each of the two streams. */
TEST (a_launch_waits_once_for_another)
{
  enum { REGIONS = 14, FRAME = 1 + REGIONS, SLOTS = 8 * FRAME + 16, FRAMES_BEFORE = 20, FRAMES_MEASURED = 20, MOST = 5 };
  static struct two_frames two;
  struct histo_frame frames[REGIONS], operands[REGIONS];
  struct histo_engine *engine;
  histo_ticket ticket, oldest = 1;
  uint64_t waits = 0, events = 0;

  make_two (&two, 64);
  engine = open_fake (SLOTS);
  for (unsigned i = 0; i < REGIONS; i++) {
    frames[i] = two.frames[0];
    frames[i].stream = two.device->stream;
    frames[i].components[0].width -= i;
    operands[i] = frames[i];
    operands[i].stream = two.device->other_stream;
    frames[i].operand = &operands[i];
  }
  fake->hold (FAKECUDA_HOLD_TAILS);
  for (unsigned f = 0; f < FRAMES_BEFORE + FRAMES_MEASURED; f++) {
    if (f == FRAMES_BEFORE) {
      waits = fake->function_calls ("cuStreamWaitEvent");
      events = fake->function_calls ("cuEventRecord");
    }
    ck_assert_int_eq (histo_submit (engine, &two.frames[0], &ticket), HISTO_OK);
    ck_assert_int_eq (histo_submit_many (engine, frames, REGIONS, &ticket), HISTO_OK);
    for (; oldest <= ticket; oldest++) {
      for (unsigned i = 0; i < 50 && !histo_ready (engine, oldest); i++)
        nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
      ck_assert_msg (histo_collect (engine, oldest, &stats) == HISTO_OK, "%s", test_log.text);
    }
  }
  waits = fake->function_calls ("cuStreamWaitEvent") - waits;
  events = fake->function_calls ("cuEventRecord") - events;
  fake->hold (FAKECUDA_HOLD_NOTHING);
  ck_assert_uint_le (waits, FRAMES_MEASURED * MOST);
  ck_assert_uint_le (events, FRAMES_MEASURED * MOST);
  histo_close (&engine);
  clear_two (&two);
}

/* Each frame needs more memory than the last one in its slot, for its numbers or for the copy of its operand, and the last
 * one's kernel ends as late as possible. The numbers of the first frame already need separate memory. */
TEST (memory_stays_until_the_end)
{
  enum { COUNT = 3, LENGTH = 3000 };
  static const unsigned depths[COUNT] = { 12, 12, 16 }, components[COUNT] = { 2, 3, 1 };
  struct test_random random = test_random_start (65);

  for (unsigned i = 0; i < 2; i++) {
    const bool has_operand = i > 0;
    struct histo_engine *engine;

    begin_script ();
    histo_cuda_zero_copy_bytes = 0;
    engine = open_fake (1);
    fake->hold (FAKECUDA_HOLD_TAILS);
    for (unsigned n = 0; n < COUNT; n++) {
      const unsigned depth = depths[has_operand ? 0 : n];
      const size_t length = has_operand ? LENGTH * (n + 1) : LENGTH;
      struct test_frame bytes[2];
      static struct test_count expected;
      struct timespec begin;
      histo_ticket ticket;

      for (unsigned b = 0; b < 2; b++) {
        test_frame_init_bytes (&bytes[b], length, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
        bytes[b].frame.component_count = components[has_operand ? 0 : n];
        for (unsigned c = 0; c < bytes[b].frame.component_count; c++)
          bytes[b].frame.components[c] = (struct histo_component){
            .step_bytes = 2, .width = length / 2, .sample_bytes = 2, .depth = depth, .bins = 1U << depth
          };
      }
      bytes[0].frame.operand = has_operand ? &bytes[1].frame : NULL;
      test_frame_count (&bytes[0].frame, &expected);
      ck_assert_msg (histo_submit (engine, &bytes[0].frame, &ticket) == HISTO_OK, "%s", test_log.text);
      ck_assert_msg (fake->faults () == 0, "frame %u: %s", n, fake->fault_text ());
      clock_gettime (CLOCK_MONOTONIC, &begin);
      while (depth <= 12 && !histo_ready (engine, ticket) && elapsed_ms (begin) < 120000)
        nanosleep (&(struct timespec){ .tv_nsec = 100000 }, NULL);
      if (depth <= 12) { /* numbers of deeper samples are copied, and so arrive after the end */
        ck_assert_msg (histo_ready (engine, ticket), "frame %u: no wait for the end of the previous one", n);
        ck_assert_msg (fake->pending () > 0, "frame %u: its end has come", n);
      }
      ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
      ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
      test_count_clear (&expected);
      for (unsigned b = 0; b < 2; b++)
        test_frame_clear (&bytes[b]);
    }
    fake->hold (FAKECUDA_HOLD_NOTHING);
    histo_close (&engine);
    end_script ();
  }
}

struct submission {
  struct histo_engine *engine;
  const struct histo_frame *frame;
  histo_ticket ticket;
  enum histo_status status;
};

static void *
submit_one (void *data)
{
  struct submission *submission = data;

  submission->status = histo_submit (submission->engine, submission->frame, &submission->ticket);
  return NULL;
}

/* While a frame waits for memory, an earlier frame is launched and collected. */
TEST (allocating_delays_no_other_frame)
{
  static struct workload workload;
  const struct timespec step = { .tv_nsec = 1000000 };
  struct submission submission;
  struct timespec begin;
  histo_ticket staged;
  pthread_t submitter;
  uint64_t allocations;

  make_workload (&workload);
  histo_cuda_zero_copy_bytes = 0;
  submission = (struct submission){ .engine = open_fake (2), .frame = &workload.frames[6].frame };
  fake->block ("cuMemcpyHtoDAsync");
  ck_assert_int_eq (histo_submit (submission.engine, &workload.frames[1].frame, &staged), HISTO_OK);
  fake->block_also ("cuMemHostGetDevicePointer"); /* for the words of the frame */
  allocations = fake->function_calls ("cuMemHostAlloc");
  ck_assert_int_eq (pthread_create (&submitter, NULL, submit_one, &submission), 0);
  clock_gettime (CLOCK_MONOTONIC, &begin);
  while (fake->function_calls ("cuMemHostAlloc") == allocations && elapsed_ms (begin) < 120000)
    nanosleep (&step, NULL);
  ck_assert_uint_gt (fake->function_calls ("cuMemHostAlloc"), allocations);
  ck_assert (!histo_ready (submission.engine, staged));
  fake->block ("cuMemHostGetDevicePointer");
  while (!histo_ready (submission.engine, staged) && elapsed_ms (begin) < 120000)
    nanosleep (&step, NULL);
  ck_assert_msg (histo_ready (submission.engine, staged), "it waits for another frame's memory");
  ck_assert_int_eq (histo_collect (submission.engine, staged, &stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&workload.expected[1].stats, &stats), NULL);
  fake->block (NULL);
  pthread_join (submitter, NULL);
  ck_assert_int_eq (submission.status, HISTO_OK);
  ck_assert_int_eq (histo_collect (submission.engine, submission.ticket, &stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&workload.expected[6].stats, &stats), NULL);
  histo_close (&submission.engine);
  clear_workload (&workload);
}

/* The fake driver has an address space for each context. Otherwise the suites could not detect a frame counted in a wrong
 * context. */
TEST (memory_of_another_context_is_a_fault)
{
  static const uint8_t samples[4096];
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;
  struct test_device *device, *other;
  enum histo_status status;
  struct histo_frame frame;
  CUdeviceptr memory;
  histo_ticket ticket;

  device = test_device_open (true);
  other = test_device_open (true);
  memory = test_device_store (other, samples, sizeof samples, sizeof samples);
  frame = (struct histo_frame){
    .memory = HISTO_MEMORY_DEVICE,
    .plane_count = 1,
    .planes = { { .data = (const void *)(uintptr_t)memory, .stride_bytes = sizeof samples, .height = 1 } },
    .component_count = 1,
    .components = { { .step_bytes = 1, .width = sizeof samples, .sample_bytes = 1, .depth = 8 } },
  };
  for (unsigned is_own = 2; is_own-- > 0;) { /* a fault loses the device, so it comes last */
    config.cuda_context = is_own ? other->context : device->context;
    ck_assert_msg (histo_open (&config, &engine) == HISTO_OK, "%s", test_log.text);
    status = histo_submit (engine, &frame, &ticket); /* may already report the fault */
    if (status == HISTO_OK)
      status = histo_collect (engine, ticket, &stats);
    ck_assert_int_eq (status, is_own ? HISTO_OK : HISTO_ERROR_DEVICE);
    ck_assert_int_eq (fake->faults () > 0, !is_own);
    histo_close (&engine);
  }
  ck_assert_msg (strstr (fake->fault_text (), "memory of another context") != NULL, "%s", fake->fault_text ());
  fake->reset (); /* the fault was expected */
  test_device_free (other, memory);
  test_device_close (other);
  test_device_close (device);
}
