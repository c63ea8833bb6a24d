/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames in device memory, in pinned memory, and alternating between all kinds. */

#include "device_frames.h"
#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_on_device, end_on_device)

static void
check_device_frames (struct histo_engine *engine, const struct test_variant *variant, struct test_random *random)
{
  static struct test_count expected;

  for (unsigned l = 0; l < test_layout_count; l++) {
    for (unsigned repeat = l % test_stride (1); repeat < 4; repeat += test_stride (1)) {
      CUdeviceptr memory[HISTO_MAX_PLANES] = { 0 }, operand_memory[HISTO_MAX_PLANES] = { 0 };
      unsigned size = (unsigned)test_random_below (random, SIZE_COUNT);
      struct test_geometry geometry = test_geometry_random (sizes[size][0], sizes[size][1], random);
      /* Without a stream the samples must be complete; with one the engine must wait for it. */
      CUstream stream = repeat % 2 == 0 ? device->stream : NULL;
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
      struct histo_frame on_device, operand_on_device;

      if (test_layouts[l].components[0].step_bytes > 8)
        continue;
      test_frame_init (&frame, &test_layouts[l], &geometry, choose_fill (random), random);
      if (test_frame_can_derive (&frame))
        test_frame_derive (&frame, (unsigned)test_random_next (random));
      init_operand (&operand, &frame, random);
      upload_frame (&frame, (unsigned)test_random_below (random, 16), stream, &on_device, memory);
      if (repeat < 2) {
        upload_frame (&operand, (unsigned)test_random_below (random, 16), stream != NULL ? device->other_stream : NULL,
                      &operand_on_device, operand_memory);
        frame.frame.operand = &operand.frame;
        on_device.operand = &operand_on_device;
      }

      test_frame_count (&frame.frame, &expected);
      ck_assert_msg (test_engine_count (engine, &on_device, &stats) == HISTO_OK, "%s: %s", variant->name, test_log.text);
      assert_equal (&expected.stats, &stats, variant, &frame);

      free_planes (memory);
      free_planes (operand_memory);
    }
  }
}

/* In the device's primary context, which the engine retains, and in the caller's own context. */
TEST_TAGGED (device_memory, "device")
{
  struct test_random random = test_random_start (14);

  for (unsigned v = 0; v < all.count; v++) {
    for (unsigned own_context = 0; own_context < 2; own_context++) {
      struct test_variant variant = all.variants[v];
      TEST_AT_END (histo_close) struct histo_engine *engine = NULL;

      test_device_close (device);
      device = test_device_open (own_context);
      variant.config.cuda_context = own_context ? device->context : NULL;
      engine = open_variant (&variant, 0);
      check_device_frames (engine, &variant, &random);
    }
  }
}

/* Luma and chroma of pixels at any address: some are loaded in words, which have bytes of other pixels and rows. */
TEST_TAGGED (derived_at_every_address, "device")
{
  static const char *const names[] = { "BGRx", "RGB", "ARGB", "RGBA64_LE", "ARGB64_BE", "GBR_10LE", "GBRA_12BE" };
  static struct test_count expected;
  struct test_random random = test_random_start (304);

  for (unsigned v = 0; v < all.count; v++) {
    struct histo_engine *engine = open_variant (&all.variants[v], 0);

    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
      for (unsigned offset = 0; offset < 16; offset++) {
        const struct test_geometry geometry = { .width = 64, .height = 5 };
        CUdeviceptr memory[HISTO_MAX_PLANES] = { 0 };
        struct histo_frame on_device;
        struct test_frame frame;

        test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
        test_frame_derive (&frame, offset / 2 % 2 == 0 ? 3 : 1);
        frame.frame.statistics = 0;
        upload_frame (&frame, offset, NULL, &on_device, memory);
        test_frame_count (&frame.frame, &expected);
        ck_assert_msg (test_engine_count (engine, &on_device, &stats) == HISTO_OK, "%s", test_log.text);
        assert_equal (&expected.stats, &stats, &all.variants[v], &frame);
        free_planes (memory);
        test_frame_clear (&frame);
      }
    histo_close (&engine);
  }
}

/* The device reads pinned memory when the kernel runs, so several frames of all layouts are in flight, with operands in pinned
 * and in pageable memory. */
TEST_TAGGED (pinned_memory, "device")
{
  enum { FRAMES = 24, IN_FLIGHT = 4 };
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES], operands[FRAMES];
  struct pinned_frame pinned[FRAMES], pinned_operands[FRAMES];
  const struct histo_frame *submitted[FRAMES];
  struct test_random random = test_random_start (15);

  open_all (IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 200),
                                                          1 + (uint32_t)test_random_below (&random, 40), &random);

    test_frame_init (&frames[f], &test_layouts[f], &geometry, TEST_FILL_RANDOM, &random);
    if (test_frame_can_derive (&frames[f]))
      test_frame_derive (&frames[f], (unsigned)test_random_next (&random));
    init_operand (&operands[f], &frames[f], &random);
    pin_frame (&frames[f], (unsigned)test_random_below (&random, 16), &pinned[f]);
    pin_frame (&operands[f], (unsigned)test_random_below (&random, 16), &pinned_operands[f]);
    if (f % 3 != 0) {
      frames[f].frame.operand = &operands[f].frame;
      pinned[f].frame.operand = f % 3 == 1 ? &operands[f].frame : &pinned_operands[f].frame;
    }
    test_frame_count (&frames[f].frame, &expected[f]);
  }

  for (unsigned f = 0; f < FRAMES; f++)
    submitted[f] = &pinned[f].frame;
  assert_in_flight (frames, submitted, expected, FRAMES, IN_FLIGHT);
  close_all ();
  for (unsigned f = 0; f < FRAMES; f++) {
    unpin_frame (&pinned[f]);
    unpin_frame (&pinned_operands[f]);
    test_frame_clear (&frames[f]);
    test_frame_clear (&operands[f]);
  }
}

/* Frames of several sizes in pageable, pinned and device memory, in flight together, most with the previous frame as operand.
 * Some are copied and some are not, and none may overtake another. */
TEST_TAGGED (memory_mixed, "device")
{
  enum { FRAMES = 90, IN_FLIGHT = 7 };
  const uint32_t heights[] = { 20, 150, 600, test_is_short ("sizes") ? 1200 : 4000 }; /* of 1000 bytes */
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES];
  struct histo_frame given[FRAMES], operands[FRAMES];
  struct pinned_frame pinned[FRAMES] = { 0 };
  CUdeviceptr memory[FRAMES][HISTO_MAX_PLANES] = { 0 };
  const struct histo_frame *submitted[FRAMES];
  struct test_random random = test_random_start (16);
  unsigned size = 0;

  open_all (IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = { .width = 1000, .base_offset = (unsigned)test_random_below (&random, 16) };

    if (f == 0 || test_random_once_in (&random, 3))
      size = (unsigned)test_random_below (&random, sizeof heights / sizeof *heights);
    geometry.height = heights[size];
    geometry.extra_stride_bytes = test_random_once_in (&random, 2) ? 0 : 24;
    test_frame_init (&frames[f], test_layout_find ("GRAY8"), &geometry, TEST_FILL_RANDOM, &random);
    frames[f].frame.id = f + 1;
    given[f] = frames[f].frame;
    switch (test_random_below (&random, 4)) {
    case 0:
      pin_frame (&frames[f], 0, &pinned[f]);
      given[f] = pinned[f].frame;
      break;
    case 1:
      upload_frame (&frames[f], 0, device->stream, &given[f], memory[f]);
      break;
    default:
      break;
    }
    operands[f] = given[f];
    if (f > 0 && given[f].memory == given[f - 1].memory && given[f].planes[0].height == given[f - 1].planes[0].height) {
      frames[f].frame.operand = &frames[f - 1].frame;
      given[f].operand = &operands[f - 1];
    }
    test_frame_count (&frames[f].frame, &expected[f]);
  }

  for (unsigned f = 0; f < FRAMES; f++)
    submitted[f] = &given[f];
  assert_in_flight (frames, submitted, expected, FRAMES, IN_FLIGHT);
  close_all ();
  for (unsigned f = 0; f < FRAMES; f++) {
    unpin_frame (&pinned[f]);
    test_device_free (device, memory[f][0]);
    test_frame_clear (&frames[f]);
  }
}
