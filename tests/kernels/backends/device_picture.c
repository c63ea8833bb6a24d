/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statistics of pictures in device memory or in pinned memory: single frames, and many in one submission. */

#include <string.h>

#include "cuda/count.h"
#include "device_frames.h"
#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_on_device, end_on_device)

#define MANY 6

static const char *const names[]
    = { "I420", "NV12", "YUY2", "Y444", "GRAY8", "YUV9", "P010_10LE", "I420_10LE", "Y210", "P016_BE", "RGBA64_LE", "ARGB" };
#define NAME_COUNT (sizeof names / sizeof *names)

/* All of one layout and size. Each except the first has the previous one as its operand. All request the same statistics, or
 * not. */
struct group {
  const struct test_layout *layout;
  struct test_geometry geometry;
  unsigned count;
  unsigned offset; /* bytes after the start of an allocation */
  bool ask_alike;
};

static void
check_group (struct histo_engine *engine, const struct test_variant *variant, const struct group *group,
             struct test_random *random)
{
  CUdeviceptr memory[MANY][HISTO_MAX_PLANES] = { 0 };
  struct test_frame frames[MANY];
  struct histo_frame on_device[MANY];

  for (unsigned f = 0; f < group->count; f++) {
    test_frame_init (&frames[f], group->layout, &group->geometry, choose_fill (random), random);
    frames[f].frame.statistics = test_frame_statistics (&frames[f]);
    if (!group->ask_alike && test_random_once_in (random, 2))
      frames[f].frame.statistics &= (uint32_t)test_random_next (random);
    upload_frame (&frames[f], group->offset, f % 2 == 0 ? device->stream : NULL, &on_device[f], memory[f]);
    if (f > 0) {
      frames[f].frame.operand = &frames[f - 1].frame;
      on_device[f].operand = &on_device[f - 1];
    }
  }
  check_submission (engine, variant, on_device, group->count, frames, NULL);
  for (unsigned f = 0; f < group->count; f++) {
    free_planes (memory[f]);
    test_frame_clear (&frames[f]);
  }
}

TEST_TAGGED (pictures_in_device_memory, "device")
{
  struct test_random random = test_random_start (270);

  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close)
    struct histo_engine *engine = open_variant (&all.variants[v], 2 * MANY + 1); /* submissions wrap around */

    for (unsigned n = 0; n < NAME_COUNT; n++)
      for (unsigned i = 0; i < 10; i++) {
        const struct group group = {
          .layout = test_layout_find (names[n]),
          .geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, i == 0 ? 1500 : 300),
                                            1 + (uint32_t)test_random_below (&random, 40), &random),
          .count = i < 4 ? 1 : 2 + (unsigned)test_random_below (&random, MANY - 1),
          .offset = (unsigned)test_random_below (&random, 16),
          .ask_alike = i % 3 != 0,
        };

        check_group (engine, &all.variants[v], &group, &random);
      }
  }
}

TEST_TAGGED (pictures_in_pinned_memory, "device")
{
  static struct test_count expected;
  struct test_random random = test_random_start (271);

  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], 0);

    for (unsigned n = 0; n < NAME_COUNT; n++)
      for (unsigned offset = 0; offset < 16; offset += 5) {
        const struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 300),
                                                                    1 + (uint32_t)test_random_below (&random, 40), &random);
        TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
        struct pinned_frame pinned, pinned_operand;

        test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
        init_operand (&operand, &frame, &random);
        frame.frame.operand = &operand.frame;
        frame.frame.statistics = test_frame_choose_statistics (&frame, &random);
        pin_frame (&frame, offset, &pinned);
        pin_frame (&operand, 15 - offset, &pinned_operand);
        pinned.frame.operand = &pinned_operand.frame;
        test_frame_count (&frame.frame, &expected);
        ck_assert_msg (test_engine_count (engine, &pinned.frame, &stats) == HISTO_OK, "%s", test_log.text);
        assert_equal (&expected.stats, &stats, &all.variants[v], &frame);
        test_count_clear (&expected);
        unpin_frame (&pinned);
        unpin_frame (&pinned_operand);
      }
  }
}

/* More views of one picture than fit into a launch's list of addresses, each a row further down. */
TEST_TAGGED (views_of_a_picture, "device")
{
  enum { VIEWS = HISTO_CUDA_LISTED + 3, HEIGHT = 7 };
  static const struct test_geometry geometry = { .width = 50, .height = VIEWS + HEIGHT };
  static struct histo_frame views[VIEWS], on_host[VIEWS];
  CUdeviceptr memory[HISTO_MAX_PLANES] = { 0 };
  struct histo_frame on_device;
  TEST_AT_END (test_frame_clear) struct test_frame picture = { 0 };
  struct test_random random = test_random_start (272);

  test_frame_init (&picture, test_layout_find ("Y444"), &geometry, TEST_FILL_RANDOM, &random);
  picture.frame.statistics = test_frame_statistics (&picture);
  upload_frame (&picture, 0, NULL, &on_device, memory);
  for (unsigned f = 0; f < VIEWS; f++) {
    views[f] = view_rows (&on_device, f, f, HEIGHT);
    on_host[f] = view_rows (&picture.frame, f, f, HEIGHT);
  }
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], VIEWS);

    check_submission (engine, &all.variants[v], views, VIEWS, &picture, on_host);
  }
  free_planes (memory);
}
