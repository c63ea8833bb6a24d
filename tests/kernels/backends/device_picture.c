/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statistics of pictures in device memory or in pinned memory: single frames, and many in one submission. */

#include <string.h>

#include "cuda/count.h"
#include "device_frames.h"
#include "rig.h"
#include "runner.h"

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
check_group (struct histo_engine *engine, const struct test_variant *variant, const struct test_device *device,
             const struct group *group, struct test_random *random)
{
  CUdeviceptr memory[MANY][HISTO_MAX_PLANES] = { 0 };
  struct test_frame frames[MANY];
  struct histo_frame on_device[MANY];

  test_device_enter (device);
  for (unsigned f = 0; f < group->count; f++) {
    test_frame_init (&frames[f], group->layout, &group->geometry, (enum test_fill)test_random_below (random, TEST_FILL_COUNT),
                     random);
    frames[f].frame.statistics = test_frame_statistics (&frames[f]);
    if (!group->ask_alike && test_random_once_in (random, 2))
      frames[f].frame.statistics &= (uint32_t)test_random_next (random);
    upload_frame (device, &frames[f], group->offset, f % 2 == 0 ? device->stream : NULL, &on_device[f], memory[f]);
    if (f > 0) {
      frames[f].frame.operand = &frames[f - 1].frame;
      on_device[f].operand = &on_device[f - 1];
    }
  }
  test_device_leave (device);
  check_submission (engine, variant, on_device, group->count, frames, NULL);
  test_device_enter (device);
  for (unsigned f = 0; f < group->count; f++) {
    free_planes (device, memory[f]);
    test_frame_clear (&frames[f]);
  }
  test_device_leave (device);
}

START_TEST (pictures_in_device_memory)
{
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  struct test_random random = test_random_start (270);

  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], 2 * MANY + 1); /* submissions wrap around */

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

        check_group (engine, &variants[v], device, &group, &random);
      }
    histo_close (&engine);
  }
  test_device_close (device);
}
END_TEST

START_TEST (pictures_in_pinned_memory)
{
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  static struct test_count expected;
  struct histo_stats stats = { 0 };
  struct test_random random = test_random_start (271);

  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], 0);

    for (unsigned n = 0; n < NAME_COUNT; n++)
      for (unsigned offset = 0; offset < 16; offset += 5) {
        const struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 300),
                                                                    1 + (uint32_t)test_random_below (&random, 40), &random);
        struct test_frame frame, operand;
        struct pinned_frame pinned, pinned_operand;

        test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, &random);
        init_operand (&operand, &frame, &random);
        frame.frame.operand = &operand.frame;
        frame.frame.statistics = test_frame_choose_statistics (&frame, &random);
        test_device_enter (device);
        pin_frame (device, &frame, offset, &pinned);
        pin_frame (device, &operand, 15 - offset, &pinned_operand);
        test_device_leave (device);
        pinned.frame.operand = &pinned_operand.frame;
        test_frame_count (&frame.frame, &expected);
        ck_assert_msg (test_engine_count (engine, &pinned.frame, &stats) == HISTO_OK, "%s", test_log.text);
        assert_equal (&expected.stats, &stats, &variants[v], &frame);
        test_count_clear (&expected);
        test_device_enter (device);
        unpin_frame (device, &pinned);
        unpin_frame (device, &pinned_operand);
        test_device_leave (device);
        test_frame_clear (&operand);
        test_frame_clear (&frame);
      }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_device_close (device);
}
END_TEST

/* More views of one picture than fit into a launch's list of addresses, each a row further down. */
START_TEST (views_of_a_picture)
{
  enum { VIEWS = HISTO_CUDA_LISTED + 3, HEIGHT = 7 };
  static const struct test_geometry geometry = { .width = 50, .height = VIEWS + HEIGHT };
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  static struct histo_frame views[VIEWS], on_host[VIEWS];
  CUdeviceptr memory[HISTO_MAX_PLANES] = { 0 };
  struct histo_frame on_device;
  struct test_frame picture;
  struct test_random random = test_random_start (272);

  test_frame_init (&picture, test_layout_find ("Y444"), &geometry, TEST_FILL_RANDOM, &random);
  picture.frame.statistics = test_frame_statistics (&picture);
  test_device_enter (device);
  upload_frame (device, &picture, 0, NULL, &on_device, memory);
  test_device_leave (device);
  for (unsigned f = 0; f < VIEWS; f++) {
    views[f] = view_rows (&on_device, f, f, HEIGHT);
    on_host[f] = view_rows (&picture.frame, f, f, HEIGHT);
  }
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], VIEWS);

    check_submission (engine, &variants[v], views, VIEWS, &picture, on_host);
    histo_close (&engine);
  }
  test_device_enter (device);
  free_planes (device, memory);
  test_device_leave (device);
  test_frame_clear (&picture);
  test_device_close (device);
}
END_TEST

void
add_device_picture (Suite *suite)
{
  TEST_ADD (suite, pictures_in_device_memory);
  TEST_ADD (suite, pictures_in_pinned_memory);
  TEST_ADD (suite, views_of_a_picture);
}
