/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The dot product: addresses of both factors, and the samples that an id identifies. */

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

TEST (every_address_of_both_factors)
{
  struct test_random random = test_random_start (3);

  for (unsigned offset = 0; offset < 16; offset++) {
    for (unsigned operand_offset = 0; operand_offset < 16; operand_offset++) {
      TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
      size_t size = 1 + test_random_below (&random, 200);

      test_frame_init_bytes (&frame, size, offset, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
      test_frame_init_bytes (&operand, size, operand_offset, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
      frame.frame.operand = &operand.frame;
      check_counts (&frame);
    }
  }
}

TEST (frame_is_its_own_operand)
{
  struct test_random random = test_random_start (10);

  for (unsigned with_id = 0; with_id < 2; with_id++) {
    struct test_geometry geometry = test_geometry_random (101, 9, &random);
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
    struct histo_frame itself;

    test_frame_init (&frame, test_layout_find ("RGB"), &geometry, TEST_FILL_RANDOM, &random);
    frame.frame.id = with_id ? 77 : 0;
    itself = frame.frame;
    /* The operand's own operand is ignored. */
    itself.operand = (const struct histo_frame *)(uintptr_t)16;
    frame.frame.operand = &itself;
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
      for (unsigned c = 0; c < stats.component_count; c++) {
        ck_assert_uint_eq (stats.components[c].dot, stats.components[c].sum_of_squares);
        ck_assert_uint_eq (stats.components[c].dot_count, stats.components[c].count);
      }
    }
  }
}

/* The same samples with an id, then other samples at the same address with another id or none. */
TEST (ids_tell_samples_apart)
{
  struct test_random random = test_random_start (11);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
  const struct test_geometry geometry = { .width = 300, .height = 4 };

  open_all (3);
  test_frame_init (&frame, test_layout_find ("GRAY8"), &geometry, TEST_FILL_RANDOM, &random);
  test_frame_init (&operand, frame.layout, &geometry, TEST_FILL_RANDOM, &random);
  frame.frame.operand = &operand.frame;
  for (unsigned round = 0; round < 40; round++) {
    /* The operand is sometimes the previous frame, otherwise new. */
    if (test_random_once_in (&random, 2)) {
      struct test_frame swap = frame;
      frame = operand;
      operand = swap;
      operand.frame.operand = NULL;
      frame.frame.operand = &operand.frame;
    } else {
      test_frame_refill (&operand, TEST_FILL_RANDOM, &random);
      operand.frame.id = test_random_once_in (&random, 3) ? 0 : round * 2 + 1;
    }
    test_frame_refill (&frame, TEST_FILL_RANDOM, &random);
    frame.frame.id = test_random_once_in (&random, 3) ? 0 : round * 2 + 2;
    check_counts (&frame);
  }
}

/* A view of a picture of one plane of bytes. */
static struct histo_frame
view_part (const struct test_frame *picture, size_t offset_bytes, size_t stride_bytes, uint64_t width, uint32_t height)
{
  struct histo_frame view = picture->frame;

  view.planes[0].data = (const uint8_t *)view.planes[0].data + offset_bytes;
  view.planes[0].stride_bytes = stride_bytes;
  view.planes[0].height = height;
  view.components[0].width = width;
  return view;
}

/* An id identifies memory, not a part of it: after any part of a picture was counted, another part is an operand. */
TEST (ids_of_parts)
{
  enum { WIDTH = 640, HEIGHT = 480, STRIDE = WIDTH };
  static const struct {
    size_t offset_bytes, stride_bytes;
    uint64_t width;
    uint32_t height;
  } parts[] = {
    { 0, STRIDE, WIDTH, 200 },               /* its first rows */
    { 0, STRIDE, WIDTH, HEIGHT },            /* all */
    { 280 * STRIDE, STRIDE, WIDTH, 200 },    /* its last rows */
    { 40, STRIDE, WIDTH - 40, 200 },         /* cropped */
    { 0, STRIDE, WIDTH - 40, 200 },          /* on the other side */
    { 0, 2 * STRIDE, WIDTH, 200 },           /* a field */
    { STRIDE, 2 * STRIDE, WIDTH, 200 },      /* the other */
    { 0, STRIDE, (uint64_t)WIDTH * 200, 1 }, /* as bytes */
    { 0, 2 * STRIDE, 2 * WIDTH, 100 },       /* of twice the width */
  };
  enum { PARTS = sizeof parts / sizeof *parts };
  const struct test_geometry geometry = { .width = WIDTH, .height = HEIGHT };
  TEST_AT_END (test_frame_clear) struct test_frame picture = { 0 }, other = { 0 };
  struct test_random random = test_random_start (17);
  static struct test_count expected;

  test_frame_init (&picture, test_layout_find ("GRAY8"), &geometry, TEST_FILL_RANDOM, &random);
  test_frame_init (&other, picture.layout, &geometry, TEST_FILL_RANDOM, &random);
  picture.frame.id = 7;
  for (unsigned before = 0; before < PARTS; before++)
    for (unsigned now = 0; now < PARTS; now++) {
      struct histo_frame first = view_part (&picture, parts[before].offset_bytes, parts[before].stride_bytes,
                                            parts[before].width, parts[before].height);
      struct histo_frame operand
          = view_part (&picture, parts[now].offset_bytes, parts[now].stride_bytes, parts[now].width, parts[now].height);
      struct histo_frame frame = view_part (&other, 0, parts[now].stride_bytes, parts[now].width, parts[now].height);

      if ((before + now) % test_stride (3) != 0)
        continue;
      frame.operand = &operand;
      frame.id = 8;
      test_frame_count (&frame, &expected);
      for (unsigned v = 0; v < all.count; v++) {
        ck_assert_int_eq (test_engine_count (all.engines[v], &first, &stats), HISTO_OK);
        ck_assert_msg (test_engine_count (all.engines[v], &frame, &stats) == HISTO_OK, "part %u after part %u: %s", now, before,
                       test_log.text);
        ck_assert_msg (test_stats_difference (&expected.stats, &stats) == NULL, "%s, part %u after part %u: %s",
                       all.variants[v].name, now, before, test_stats_difference (&expected.stats, &stats));
      }
    }
}

/* First some planes and components of a picture with an id, then others: samples that were not copied are not found. */
TEST (ids_of_components)
{
  static const char *const layouts[] = { "I420", "NV12", "RGBA", "YUY2" };
  struct test_random random = test_random_start (18);
  static struct test_count expected;

  for (unsigned l = 0; l < sizeof layouts / sizeof *layouts; l++) {
    const struct test_geometry geometry = { .width = 202, .height = 50, .extra_stride_bytes = l % 2 };
    TEST_AT_END (test_frame_clear) struct test_frame picture = { 0 }, other = { 0 };

    test_frame_init (&picture, test_layout_find (layouts[l]), &geometry, TEST_FILL_RANDOM, &random);
    test_frame_init (&other, picture.layout, &geometry, TEST_FILL_RANDOM, &random);
    picture.frame.id = 10 + l;
    for (unsigned before = 1; before < 8; before++)
      for (unsigned now = 1; now < 8; now += test_stride (1)) {
        struct histo_frame first = picture.frame, operand = picture.frame, frame = other.frame;

        for (unsigned c = 0; c < 3; c++) {
          first.components[c].width = before >> c & 1 ? first.components[c].width : 0;
          operand.components[c].width = frame.components[c].width = now >> c & 1 ? frame.components[c].width : 0;
        }
        frame.operand = &operand;
        test_frame_count (&frame, &expected);
        for (unsigned v = 0; v < all.count; v++) {
          ck_assert_int_eq (test_engine_count (all.engines[v], &first, &stats), HISTO_OK);
          ck_assert_msg (test_engine_count (all.engines[v], &frame, &stats) == HISTO_OK, "%s", test_log.text);
          ck_assert_msg (test_stats_difference (&expected.stats, &stats) == NULL, "%s, %s, components %u after %u: %s",
                         all.variants[v].name, layouts[l], now, before, test_stats_difference (&expected.stats, &stats));
        }
      }
  }
}
