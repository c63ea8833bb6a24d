/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Row and column sums of frames in device memory. */

#include "cuda/project.h"
#include "device_frames.h"
#include "fakecuda.h"
#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_on_device, end_on_device)

/* One row with more strips than the maximum number of blocks, in every memory, and two in one launch. */
TEST_TAGGED (long_rows_projected, "device large")
{
  enum { BYTES = (1 << 25) + 1, FRAMES = 2 };
  struct test_random random = test_random_start (70);
  TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };
  static struct test_count expected;
  struct histo_frame frames[FRAMES];
  struct pinned_frame pinned;
  CUdeviceptr memory;

  test_frame_init_bytes (&bytes, BYTES, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  bytes.frame.statistics |= HISTO_STATISTIC_PROJECTION;
  test_frame_count (&bytes.frame, &expected);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, bytes.memory[0].size);
  pin_frame (&bytes, 0, &pinned);
  for (unsigned f = 0; f < FRAMES; f++)
    frames[f] = describe_bytes (&bytes, memory, BYTES);
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], FRAMES);
    histo_ticket ticket;

    assert_counts (engine, &all.variants[v], &bytes, &expected.stats);
    ck_assert_msg (test_engine_count (engine, &pinned.frame, &stats) == HISTO_OK, "%s", test_log.text);
    assert_equal (&expected.stats, &stats, &all.variants[v], &bytes);
    ticket = submit_frames (engine, frames, FRAMES);

    for (unsigned f = 0; f < FRAMES; f++)
      collect_equal (engine, ticket + f, &expected.stats, &all.variants[v], &bytes);
  }
  test_count_clear (&expected);
  unpin_frame (&pinned);
  test_device_free (device, memory);
}

/* Many frames in one launch: each gets fewer slices than its rows need. A slice has at most HISTO_CUDA_PROJECT_ROWS rows. */
TEST_TAGGED (tall_frames_projected, "device")
{
  enum { WIDTH = 16, HEIGHT = 5 * HISTO_CUDA_PROJECT_ROWS + 1, FRAMES = HISTO_CUDA_LISTED };
  struct test_random random = test_random_start (71);
  TEST_AT_END (test_frame_clear) struct test_frame bytes = { 0 };
  static struct test_count expected;
  struct histo_frame frames[FRAMES];
  CUdeviceptr memory;

  test_frame_init_bytes (&bytes, WIDTH * HEIGHT, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  bytes.frame.statistics |= HISTO_STATISTIC_PROJECTION;
  bytes.frame.planes[0].stride_bytes = bytes.frame.components[0].width = WIDTH;
  bytes.frame.planes[0].height = HEIGHT;
  test_frame_count (&bytes.frame, &expected);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, bytes.memory[0].size);
  for (unsigned f = 0; f < FRAMES; f++)
    frames[f] = describe_bytes (&bytes, memory, WIDTH);
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], FRAMES);
    const histo_ticket ticket = submit_frames (engine, frames, FRAMES);

    for (unsigned f = 0; f < FRAMES; f++)
      collect_equal (engine, ticket + f, &expected.stats, &all.variants[v], &bytes);
  }
  test_count_clear (&expected);
  test_device_free (device, memory);
}

/* Many frames, views of one picture: each gets one block, whose warps need more than one round for their rows. */
TEST_TAGGED (many_projected, "device")
{
  enum { FRAMES = 130, WIDTH = 304, HEIGHT = 4000 };
  const bool is_real = fakecuda_find () == NULL;
  const unsigned frame_count = is_real ? FRAMES : 5;
  const uint32_t height = is_real ? HEIGHT : 200;
  const struct test_geometry geometry = { .width = WIDTH, .height = height + FRAMES };
  static struct histo_frame frames[FRAMES];
  static struct test_count expected;
  struct test_random random = test_random_start (66);
  TEST_AT_END (test_frame_clear) struct test_frame picture = { 0 };
  CUdeviceptr memory[HISTO_MAX_PLANES];

  test_frame_init (&picture, test_layout_find ("GRAY8"), &geometry, TEST_FILL_RANDOM, &random);
  picture.frame.statistics |= HISTO_STATISTIC_PROJECTION;
  upload_frame (&picture, 0, NULL, &frames[0], memory);
  for (unsigned f = 0; f < frame_count; f++) {
    frames[f] = frames[0];
    frames[f].planes[0].height = height;
    frames[f].planes[0].data = (const void *)(uintptr_t)(memory[0] + f * picture.frame.planes[0].stride_bytes);
  }
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], FRAMES);

    for (unsigned k = 0; k < 3; k++) { /* without weights; with some whose sums fit into 32 bits, and with some whose do not */
      int16_t numbers[WIDTH + HEIGHT];
      struct histo_weights weights[HISTO_MAX_COUNTED] = { { 0 } };
      histo_ticket first;

      for (unsigned i = 0; i < WIDTH + HEIGHT; i++) {
        numbers[i] = k == 1 ? (int16_t)test_random_next (&random) : (int16_t)(INT16_MAX - test_random_below (&random, 512));
        if (k == 2 && i % 9 == 0)
          numbers[i] = (int16_t)-numbers[i];
      }
      if (k > 0)
        weights[0] = (struct histo_weights){ numbers, WIDTH, numbers + WIDTH, height };
      ck_assert_int_eq (histo_set_weights (engine, 0, &weights[0]), HISTO_OK);
      ck_assert_int_eq (histo_submit_many (engine, frames, frame_count, &first), HISTO_OK);
      for (unsigned f = 0; f < frame_count; f++) {
        struct histo_frame view = picture.frame;

        ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s", test_log.text);
        if (f % 21 != 0 && f + 1 != frame_count) /* the reference is too slow for all */
          continue;
        view.planes[0].height = height;
        view.planes[0].data = (const uint8_t *)view.planes[0].data + f * view.planes[0].stride_bytes;
        test_frame_count (&view, &expected);
        test_frame_project (&view, weights, &expected);
        ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
        test_count_clear (&expected);
      }
    }
  }
  test_device_free (device, memory[0]);
}
