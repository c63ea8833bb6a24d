/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The number of launches for frames, and their kernels. */

#include <time.h>
#include <pthread.h>

#include "cuda/count.h"
#include "rig.h"

TEST_FIXTURE (begin_script, end_script)

/* Counting frames of one size again takes no new device memory, and each frame costs one launch. */
TEST (a_frame_costs_one_launch)
{
  enum { COUNT = 50 };
  static struct workload workload;
  struct histo_engine *engine;
  uint64_t allocations, launches;

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
  histo_close (&engine);
  clear_workload (&workload);
}

/* Simpler frames have more specialised kernels. Another kernel would also be correct, but slower. */
TEST (simple_frames_have_kernels_of_their_own)
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
  struct test_device *device;
  CUdeviceptr memory;

  device = test_device_open (false);
  memory = test_device_store (device, zeros, sizeof zeros, sizeof zeros);
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_fake (MOST);
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
  }
  test_device_free (device, memory);
  test_device_close (device);
}

/* Frames of different sizes take one launch of each kernel that any of them needs, except for statistics that these kernels do
 * not support. */
TEST (unlike_frames_go_in_one_launch)
{
  enum { MOST = 2 * HISTO_CUDA_UNLIKE + 1, STRIDE = 512, ROWS = 8, LUMA = STRIDE * ROWS, SPACE = 2 * LUMA };
  static const struct {
    unsigned count, depth;
    bool has_operand, has_cells, is_by_value; /* has_cells: every second frame */
    uint32_t statistics;
    struct {
      const char *kernel;
      unsigned launches;
    } expected[3];
    unsigned launches; /* of all */
  } cases[] = {
    { 17, 8, false, false, false, 0, { { "histo_count_unlike", 1 } }, 1 },
    { 17, 8, true, false, false, HISTO_STATISTIC_DOT, { { "histo_count_dot_unlike", 1 } }, 1 },
    { 17, 10, false, false, false, 0, { { "histo_count_deep_unlike", 1 } }, 1 },
    { 17, 10, true, false, true, HISTO_STATISTIC_DOT, { { "histo_count_deep_dot_unlike", 1 } }, 1 },
    { 2, 8, false, false, false, HISTO_STATISTIC_HUE, { { "histo_count_unlike", 1 }, { "histo_picture_unlike", 1 } }, 2 },
    { 16,
      8,
      false,
      true,
      false,
      HISTO_STATISTIC_OUTLIERS,
      { { "histo_count_unlike", 1 }, { "histo_picture_unlike", 1 }, { "histo_picture_cells_unlike", 1 } },
      3 },
    { HISTO_CUDA_UNLIKE, 8, false, false, false, 0, { { "histo_count_unlike", 1 } }, 1 },
    { HISTO_CUDA_UNLIKE + 1, 8, false, false, false, 0, { { "histo_count_unlike", 1 } }, 2 },
    { MOST - 1, 8, false, false, false, 0, { { "histo_count_unlike", 2 } }, 2 },
    { 3, 8, false, false, false, HISTO_STATISTIC_VECTORSCOPE, { { "histo_vectorscope", 3 } }, 6 },
    { 3, 10, false, false, false, HISTO_STATISTIC_LIGHT, { { "histo_light", 3 } }, 6 },
    { 3, 16, false, false, true, 0, { { "histo_count_carry", 3 }, { "histo_add_tables", 3 } }, 6 },
    { 3, 13, false, false, false, HISTO_STATISTIC_SATURATION, { { "histo_picture", 3 }, { "histo_move", 3 } }, 9 },
  };
  static struct histo_frame frames[MOST];
  struct test_device *device;
  struct histo_frame operands[MOST];
  uint8_t *zeros = calloc (1, SPACE);
  CUdeviceptr memory;

  ck_assert_ptr_nonnull (zeros);
  device = test_device_open (false);
  memory = test_device_store (device, zeros, SPACE, SPACE);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_fake (MOST);
    uint64_t before[3] = { 0 }, all;
    histo_ticket first;

    for (unsigned k = 0; k < 3 && cases[i].expected[k].kernel != NULL; k++)
      before[k] = fake->launches (cases[i].expected[k].kernel);
    all = fake->function_calls ("cuLaunchKernel");
    for (unsigned f = 0; f < cases[i].count; f++) {
      const unsigned bytes = cases[i].depth > 8 ? 2 : 1, width = cases[i].has_cells && f % 2 == 0 ? 16 : 2 * (f + 1) + 1;

      frames[f] = (struct histo_frame){
        .memory = HISTO_MEMORY_DEVICE,
        .plane_count = 2,
        .planes
        = { { (const void *)(uintptr_t)memory, STRIDE, ROWS }, { (const void *)(uintptr_t)(memory + LUMA), STRIDE, ROWS / 2 } },
        .component_count = 3,
        .statistics = cases[i].statistics,
        .chroma = { .shift_x = 1, .shift_y = 1 },
        .light = { .luma = 1 },
      };
      for (unsigned c = 0; c < 3; c++)
        frames[f].components[c] = (struct histo_component){
          .plane = c > 0,
          .offset_bytes = c == 2 ? bytes : 0,
          .step_bytes = c == 0 ? bytes : 2 * bytes,
          .width = c == 0 ? width : (width + 1) / 2,
          .sample_bytes = bytes,
          .depth = cases[i].depth,
          .bins = cases[i].is_by_value ? 1u << cases[i].depth : 0,
        };
      operands[f] = frames[f];
      frames[f].operand = cases[i].has_operand ? &operands[f] : NULL;
    }
    ck_assert_msg (histo_submit_many (engine, frames, cases[i].count, &first) == HISTO_OK, "case %u: %s", i, test_log.text);
    for (unsigned f = 0; f < cases[i].count; f++)
      ck_assert_int_eq (histo_collect (engine, first + f, &stats), HISTO_OK);
    for (unsigned k = 0; k < 3 && cases[i].expected[k].kernel != NULL; k++)
      ck_assert_msg (fake->launches (cases[i].expected[k].kernel) == before[k] + cases[i].expected[k].launches,
                     "case %u: %u launches of %s", i, (unsigned)(fake->launches (cases[i].expected[k].kernel) - before[k]),
                     cases[i].expected[k].kernel);
    ck_assert_msg (fake->function_calls ("cuLaunchKernel") == all + cases[i].launches, "case %u: %u launches", i,
                   (unsigned)(fake->function_calls ("cuLaunchKernel") - all));
  }
  test_device_free (device, memory);
  test_device_close (device);
  free (zeros);
}

/* A frame with derived components is read once: the kernel that derives also counts. */
TEST (derived_components_are_counted_at_once)
{
  enum { WIDTH = 33, ROWS = 5, STRIDE = 272, SPACE = 4 * STRIDE * ROWS }; /* SPACE: of a frame or its operand */
  static const struct {
    const char *expected[3];
    unsigned step_samples, components, derived, depth;
    bool has_operand, is_narrower, is_lower; /* narrower, lower: the last component */
    uint32_t statistics;
    unsigned more_stride;
    unsigned last_bins; /* of the last component; 0: as the others */
  } cases[] = {
    { { "histo_derive_count" }, 4, 3, 1, .depth = 8 },
    { { "histo_derive_count" }, 4, 4, 3, .depth = 8 },
    { { "histo_derive_count" }, 3, 3, 1, .depth = 8 },
    { { "histo_derive_count" }, 1, 3, 3, .depth = 8 },
    { { "histo_derive_count" }, 1, 4, 1, .depth = 8 },
    { { "histo_derive_count" }, 4, 3, 1, .depth = 8, .has_operand = true },
    { { "histo_derive_count", "histo_picture" }, 4, 3, 3, .depth = 8, .statistics = HISTO_STATISTIC_HUE },
    { { "histo_derive_count", "histo_derive", "histo_picture" },
      4,
      3,
      1,
      .depth = 8,
      .has_operand = true,
      .statistics = HISTO_STATISTIC_DIFFERENCE },
    { { "histo_derive", "histo_derive", "histo_count_dot" },
      4,
      3,
      1,
      .depth = 8,
      .has_operand = true,
      .statistics = HISTO_STATISTIC_DOT },
    { { "histo_derive", "histo_count" }, 4, 4, 1, .depth = 8, .is_narrower = true },
    { { "histo_derive", "histo_count" }, 1, 4, 1, .depth = 8, .is_lower = true },
    { { "histo_derive_count" }, 3, 3, 1, .depth = 8, .more_stride = 4 },
    { { "histo_derive", "histo_count" }, 4, 3, 1, .depth = 8, .more_stride = 4 },
    { { "histo_derive", "histo_count" }, 3, 3, 1, .depth = 8, .more_stride = 2 },
    { { "histo_derive", "histo_count" }, 1, 3, 1, .depth = 8, .more_stride = 1 },
    { { "histo_derive_count_deep" }, 4, 3, 1, .depth = 10 },
    { { "histo_derive_count_deep" }, 4, 4, 3, .depth = 16 },
    { { "histo_derive_count_deep" }, 1, 3, 3, .depth = 12 },
    { { "histo_derive_count_deep" }, 1, 4, 1, .depth = 10, .last_bins = 256 },
    { { "histo_derive_count_deep", "histo_picture" }, 1, 3, 3, .depth = 10, .statistics = HISTO_STATISTIC_HUE },
    { { "histo_derive_deep", "histo_count_deep" }, 3, 3, 1, .depth = 10 },
    { { "histo_derive_deep", "histo_count_deep" }, 4, 3, 1, .depth = 10, .more_stride = 8 },
    { { "histo_derive_deep", "histo_count_deep" }, 1, 3, 1, .depth = 10, .more_stride = 4 },
    { { "histo_derive_deep", "histo_count_deep" }, 4, 4, 1, .depth = 10, .is_narrower = true },
    { { "histo_derive_deep", "histo_count_deep" }, 1, 4, 1, .depth = 10, .last_bins = 1024 },
    { { "histo_derive_deep", "histo_count_carry", "histo_add_tables" }, 4, 3, 1, .depth = 13 },
  };
  static const uint8_t zeros[2 * SPACE];
  struct test_device *device = test_device_open (false);
  const CUdeviceptr memory = test_device_store (device, zeros, sizeof zeros, sizeof zeros);

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_fake (1);
    const unsigned bytes = cases[i].depth > 8 ? 2 : 1;
    struct histo_frame frame = {
      .statistics = cases[i].statistics,
      .memory = HISTO_MEMORY_DEVICE,
      .plane_count = cases[i].step_samples == 1 ? cases[i].components : 1,
      .component_count = cases[i].components,
      .derived_count = cases[i].derived,
    };
    struct histo_frame operand;
    uint64_t before[3] = { 0 }, all = fake->function_calls ("cuLaunchKernel");
    unsigned expected = 0;

    ck_assert (histo_find_matrix (&frame.matrix, 0.2126, 0.0722, true, cases[i].depth));
    for (unsigned p = 0; p < frame.plane_count; p++)
      frame.planes[p]
          = (struct histo_plane){ (const void *)(uintptr_t)(memory + p * STRIDE * ROWS), STRIDE + cases[i].more_stride, ROWS };
    for (unsigned c = 0; c < frame.component_count; c++)
      frame.components[c] = (struct histo_component){
        .plane = cases[i].step_samples == 1 ? c : 0,
        .offset_bytes = cases[i].step_samples == 1 ? 0 : c * bytes,
        .step_bytes = cases[i].step_samples * bytes,
        .width = cases[i].is_narrower && c + 1 == frame.component_count ? WIDTH - 1 : WIDTH,
        .sample_bytes = bytes,
        .depth = cases[i].depth,
        .bins = c + 1 == frame.component_count && cases[i].last_bins > 0 ? cases[i].last_bins
                : cases[i].depth == 13                                   ? 1u << 13
                                                                         : 0,
      };
    if (cases[i].is_lower)
      frame.planes[frame.plane_count - 1].height--;
    operand = frame;
    operand.planes[0].data = (const uint8_t *)frame.planes[0].data + SPACE;
    frame.operand = cases[i].has_operand ? &operand : NULL;
    for (; expected < 3 && cases[i].expected[expected] != NULL; expected++)
      before[expected] = fake->launches (cases[i].expected[expected]);
    ck_assert_msg (test_engine_count (engine, &frame, &stats) == HISTO_OK, "case %u: %s", i, test_log.text);
    ck_assert_uint_eq (stats.components[0].histogram[0], WIDTH * ROWS);
    for (unsigned k = 0; k < expected; k++)
      ck_assert_msg (fake->launches (cases[i].expected[k]) > before[k], "case %u: no launch of %s", i, cases[i].expected[k]);
    ck_assert_msg (fake->function_calls ("cuLaunchKernel") == all + expected, "case %u: %u launches", i,
                   (unsigned)(fake->function_calls ("cuLaunchKernel") - all));
  }
  test_device_free (device, memory);
  test_device_close (device);
}

/* Frames of one launch are waited for once, and so is the next launch in their slots. */
TEST (a_launch_is_waited_for_once)
{
  enum { IN_A_LAUNCH = 5 };
  static struct two_frames two;
  struct histo_engine *engine;

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
  clear_two (&two);
}

struct many_traffic {
  struct histo_engine *engine;
  const struct histo_frame *frames; /* two, alternating */
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
TEST (many_frames_from_two_threads)
{
  static struct two_frames two;
  struct many_traffic traffic = { .frames = two.frames, .status = HISTO_OK };
  histo_ticket last = 0;
  pthread_t submitter;
  time_t begin = time (NULL);

  make_two (&two, 56);
  for (unsigned n = 0; n < MANY_LAUNCHES; n++)
    last += many_in_launch (n);
  traffic.engine = open_fake (2 * MANY_MOST + 1);
  ck_assert_int_eq (pthread_create (&submitter, NULL, submit_many, &traffic), 0);
  for (histo_ticket ticket = 1; ticket <= last;) {
    enum histo_status status = histo_collect (traffic.engine, ticket, &stats);

    if (status == HISTO_ERROR_INVALID) { /* not submitted yet */
      nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
      TEST_REQUIRE (time (NULL) - begin < 60, "ticket %u is never submitted", (unsigned)ticket);
      continue;
    }
    TEST_REQUIRE (status == HISTO_OK, "%s", histo_status_text (status));
    ck_assert_pstr_eq (test_stats_difference (&two.expected[ticket % 2].stats, &stats), NULL);
    ticket++;
  }
  pthread_join (submitter, NULL);
  ck_assert_int_eq (traffic.status, HISTO_OK);
  histo_close (&traffic.engine);
  clear_two (&two);
}

/* dot=previous: with ids, an operand that is still on the device is not copied again. */
TEST (an_operand_with_an_id_is_copied_once)
{
  enum { COUNT = 20 };
  struct test_frame frames[2];
  struct test_random random = test_random_start (52);
  struct histo_engine *engine;
  static struct test_count expected;
  uint64_t copies;

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
  histo_close (&engine);
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&frames[i]);
}

/* Pixels [x, x + width) of rows [y, y + height) of an NV12 frame, all even. */
static struct histo_frame
cut_out (const struct histo_frame *frame, unsigned x, unsigned y, unsigned width, unsigned height)
{
  struct histo_frame part = *frame;

  for (unsigned p = 0; p < 2; p++) {
    part.planes[p].data = (const uint8_t *)frame->planes[p].data + (y >> p) * frame->planes[p].stride_bytes;
    part.planes[p].height = height >> p;
  }
  for (unsigned c = 0; c < 3; c++) {
    part.components[c].offset_bytes += x;
    part.components[c].width = c == 0 ? width : width / 2;
  }
  return part;
}

/* Regions of a picture, and its luma alone, are in its copy. The regions' operands and the picture's are in the copy of the
 * previous picture. Weights, which are an operand of each picture, are copied once. */
static void
count_parts (size_t extra_stride_bytes)
{
  enum { COUNT = 12, SLOTS = 3, PARTS = 5 };
  const struct test_geometry geometry = { .width = 64, .height = 48, .left = 2, .extra_stride_bytes = extra_stride_bytes };
  struct test_frame frames[2], weights;
  struct test_random random = test_random_start (54);
  struct histo_engine *engine;
  static struct test_count expected[PARTS];
  uint64_t copies;

  begin_script ();
  for (unsigned i = 0; i < 2; i++)
    test_frame_init (&frames[i], test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, &random);
  test_frame_init (&weights, test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, &random);
  weights.frame.id = 7;
  engine = open_fake (SLOTS);
  copies = fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync");
  for (unsigned n = 0; n < COUNT; n++) {
    struct histo_frame *frame = &frames[n % 2].frame, *previous = &frames[(n + 1) % 2].frame;
    struct histo_frame parts[PARTS], operands[PARTS];
    histo_ticket tickets[PARTS];
    unsigned collected = 0;

    test_frame_refill (&frames[n % 2], TEST_FILL_RANDOM, &random);
    frame->id = 1000 + n;
    parts[0] = *frame;
    operands[0] = *previous;
    parts[1] = cut_out (frame, 10, 6, 40, 30);
    operands[1] = cut_out (previous, 10, 6, 40, 30);
    parts[2] = cut_out (frame, 24, 8, 40, 40); /* to the last sample */
    operands[2] = cut_out (previous, 24, 8, 40, 40);
    parts[3] = cut_out (frame, 0, 0, 64, 20);
    operands[3] = cut_out (previous, 0, 0, 64, 20);
    parts[4] = *frame;
    operands[4] = weights.frame;
    for (unsigned p = 0; p < PARTS; p++) {
      parts[p].operand = p < 4 && n == 0 ? NULL : &operands[p];
      parts[p].component_count = operands[p].component_count = p == 4 ? 1 : 3;
      parts[p].plane_count = operands[p].plane_count = p == 4 ? 1 : 2;
      parts[p].statistics = p == 4 ? HISTO_STATISTIC_DOT : HISTO_STATISTIC_DOT | HISTO_STATISTIC_SATURATION;
      test_frame_count (&parts[p], &expected[p]);
    }
    for (unsigned p = 0; p < PARTS; p++) {
      while (histo_submit (engine, &parts[p], &tickets[p]) == HISTO_ERROR_BUSY) {
        ck_assert_int_eq (histo_collect (engine, tickets[collected], &stats), HISTO_OK);
        ck_assert_pstr_eq (test_stats_difference (&expected[collected++].stats, &stats), NULL);
      }
    }
    for (; collected < PARTS; collected++) {
      ck_assert_int_eq (histo_collect (engine, tickets[collected], &stats), HISTO_OK);
      ck_assert_pstr_eq (test_stats_difference (&expected[collected].stats, &stats), NULL);
    }
  }
  copies = fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync") - copies;
  ck_assert_uint_eq (copies, 2 * COUNT + 1); /* two planes of each picture, and one of the weights */
  histo_close (&engine);
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&frames[i]);
  test_frame_clear (&weights);
  end_script ();
}

TEST (parts_of_a_frame_with_an_id_are_not_copied)
{
  count_parts (0);
  count_parts (13);
}

/* A picture in host memory and its regions, in one call: the regions go in one launch, except one without a copied operand.
 * Slots are reused in which other frames were alone. */
TEST (regions_of_a_copy_go_in_one_launch)
{
  enum { COUNT = 12, REGIONS = 16, MOST = 1 + REGIONS, SLOTS = 2 * MOST };
  const struct test_geometry geometry = { .width = 64, .height = 48 };
  struct test_frame frames[2], stranger;
  struct test_random random = test_random_start (57);
  struct histo_engine *engine;
  static struct test_count expected[MOST];
  uint64_t together, all, copies;

  for (unsigned i = 0; i < 2; i++)
    test_frame_init (&frames[i], test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, &random);
  test_frame_init (&stranger, test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, &random);
  engine = open_fake (SLOTS);
  for (unsigned n = 0; n < COUNT; n++) {
    const struct histo_frame *previous = &frames[(n + 1) % 2].frame;
    const bool has_stranger = n % 4 == 3;
    struct histo_frame submitted[MOST], operands[MOST];
    histo_ticket first;

    test_frame_refill (&frames[n % 2], TEST_FILL_RANDOM, &random);
    frames[n % 2].frame.id = 1000 + n;
    for (unsigned i = 0; i < MOST; i++) {
      submitted[i] = i == 0 ? frames[n % 2].frame : cut_out (&frames[n % 2].frame, 2 * i, i & ~1u, 64 - 2 * i, 2 + (i & ~1u));
      operands[i] = i == 0 ? *previous : cut_out (previous, 2 * i, i & ~1u, 64 - 2 * i, 2 + (i & ~1u));
      if (has_stranger && i == MOST / 2)
        operands[i] = cut_out (&stranger.frame, 2 * i, i & ~1u, 64 - 2 * i, 2 + (i & ~1u));
      submitted[i].operand = n > 0 ? &operands[i] : NULL;
      test_frame_count (&submitted[i], &expected[i]);
    }
    together = fake->launches (n > 0 ? "histo_count_dot_unlike" : "histo_count_unlike");
    all = fake->function_calls ("cuLaunchKernel");
    copies = fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync");
    ck_assert_int_eq (histo_submit_many (engine, submitted, MOST, &first), HISTO_OK);
    for (unsigned i = 0; i < MOST; i++) {
      ck_assert_int_eq (histo_collect (engine, first + i, &stats), HISTO_OK);
      ck_assert_pstr_eq (test_stats_difference (&expected[i].stats, &stats), NULL);
    }
    together = fake->launches (n > 0 ? "histo_count_dot_unlike" : "histo_count_unlike") - together;
    copies = fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync") - copies;
    ck_assert_uint_eq (together, has_stranger ? 2 : 1);
    ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel") - all, has_stranger ? 4 : 2);
    ck_assert_uint_eq (copies, has_stranger ? 4 : 2);
  }
  histo_close (&engine);
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&frames[i]);
  test_frame_clear (&stranger);
}

/* A picture and the previous one, its reference and the picture, as the element submits them: no copy overwrites memory that a
 * frame in flight reads. */
TEST (a_copy_stays_while_it_is_read)
{
  enum { COUNT = 48, MOST = 8 };
  const struct test_geometry geometry = { .width = 64, .height = 48 };
  static struct test_frame frames[COUNT];
  static struct test_count expected[COUNT];
  struct test_random random = test_random_start (54);

  for (unsigned n = 0; n < COUNT; n++) {
    test_frame_init (&frames[n], test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, &random);
    frames[n].frame.id = 1000 + n;
    frames[n].frame.operand = n == 0 ? NULL : &frames[n % 2 == 0 ? n - 2 : n - 1].frame;
    frames[n].frame.statistics = HISTO_STATISTIC_DIFFERENCE;
    test_frame_count (&frames[n].frame, &expected[n]);
  }
  for (unsigned round = 0; round < FAKECUDA_HOLDS * MOST; round++) {
    const unsigned in_flight = 1 + round % MOST;
    histo_ticket tickets[COUNT];
    struct histo_engine *engine;

    begin_script ();
    engine = open_fake (2 * MOST);
    fake->hold ((enum fakecuda_hold) (round / MOST));
    for (unsigned n = 0; n < COUNT + in_flight; n++) {
      if (n >= in_flight) {
        ck_assert_int_eq (histo_collect (engine, tickets[n - in_flight], &stats), HISTO_OK);
        ck_assert_pstr_eq (test_stats_difference (&expected[n - in_flight].stats, &stats), NULL);
      }
      if (n < COUNT)
        ck_assert_int_eq (histo_submit (engine, &frames[n].frame, &tickets[n]), HISTO_OK);
    }
    histo_close (&engine);
    end_script ();
  }
  for (unsigned n = 0; n < COUNT; n++)
    test_frame_clear (&frames[n]);
}

/* The same for regions in one launch, after their picture was collected and many others followed. */
TEST (a_copy_stays_while_its_regions_are_counted)
{
  enum { PICTURES = 8, REGIONS = 2 };
  const struct test_geometry geometry = { .width = 64, .height = 48 };
  struct test_frame pictures[PICTURES];
  static struct test_count expected[PICTURES + REGIONS];
  struct histo_frame regions[REGIONS];
  struct test_random random = test_random_start (58);
  struct histo_engine *engine;
  histo_ticket ticket;

  for (unsigned n = 0; n < PICTURES; n++) {
    test_frame_init (&pictures[n], test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, &random);
    pictures[n].frame.id = 1000 + n;
    test_frame_count (&pictures[n].frame, &expected[n == 0 ? 0 : REGIONS + n]);
  }
  for (unsigned i = 0; i < REGIONS; i++) {
    regions[i] = cut_out (&pictures[0].frame, 8 * i, 4 * i, 32, 20 + 2 * i);
    test_frame_count (&regions[i], &expected[1 + i]);
  }
  engine = open_fake (PICTURES + REGIONS);
  fake->hold (FAKECUDA_HOLD_KERNELS);
  ck_assert_int_eq (histo_submit (engine, &pictures[0].frame, &ticket), HISTO_OK);
  ck_assert_int_eq (histo_submit_many (engine, regions, REGIONS, &ticket), HISTO_OK);
  ck_assert_int_eq (histo_collect (engine, 1, &stats), HISTO_OK);
  for (unsigned n = 1; n < PICTURES; n++)
    ck_assert_int_eq (histo_submit (engine, &pictures[n].frame, &ticket), HISTO_OK);
  for (histo_ticket t = 2; t <= PICTURES + REGIONS; t++) {
    ck_assert_int_eq (histo_collect (engine, t, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected[t - 1].stats, &stats), NULL);
  }
  histo_close (&engine);
  for (unsigned n = 0; n < PICTURES; n++)
    test_frame_clear (&pictures[n]);
}

/* Each picture in flight, the previous one and the one being uploaded has one copy, whatever its parts. */
TEST (a_picture_has_one_copy_for_all_its_parts)
{
  enum { COUNT = 20, PICTURES = 3, MOST = 17 };
  TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };
  struct test_random random = test_random_start (55);

  test_frame_init_bytes (&bytes, 4000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  for (unsigned parts = 1; parts <= MOST; parts += 8) {
    struct histo_frame frames[2] = { bytes.frame, bytes.frame };
    histo_ticket ticket = 0, collected = 0;
    struct histo_engine *engine;
    uint64_t allocations;

    begin_script ();
    engine = open_fake (PICTURES * parts);
    allocations = fake->function_calls ("cuMemAlloc");
    for (unsigned i = 0; i < COUNT * parts; i++) {
      frames[0].id = 1000 + i / parts;
      frames[1].id = frames[0].id - 1;
      frames[0].operand = i < parts ? NULL : &frames[1];
      while (histo_submit (engine, &frames[0], &ticket) == HISTO_ERROR_BUSY)
        ck_assert_int_eq (histo_collect (engine, ++collected, &stats), HISTO_OK);
    }
    while (collected < ticket)
      ck_assert_int_eq (histo_collect (engine, ++collected, &stats), HISTO_OK);
    ck_assert_uint_le (fake->function_calls ("cuMemAlloc") - allocations, PICTURES + 2);
    histo_close (&engine);
    end_script ();
  }
}
