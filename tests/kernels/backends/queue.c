/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several frames in flight: each result belongs to its frame. */

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

/* Submits until the engine is full, collects some, submits again; each frame may be the next one's operand. */
static void
check_in_flight (struct histo_engine *engine, const struct test_variant *variant, unsigned max_in_flight, bool with_ids,
                 struct test_random *random)
{
  enum { FRAMES = 12, ROUNDS = 120 };
  struct test_frame frames[FRAMES];
  static struct test_count plain[FRAMES], with_previous[FRAMES];
  histo_ticket oldest = 0, newest = 0;
  bool had_operand[ROUNDS + 1];

  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (77, 13, random);

    geometry.left = geometry.top = 0;
    test_frame_init (&frames[f], test_layout_find ("NV12"), &geometry, TEST_FILL_RANDOM, random);
    frames[f].frame.id = with_ids ? f + 1 : 0;
  }
  for (unsigned f = 0; f < FRAMES; f++) {
    test_frame_count (&frames[f].frame, &plain[f]);
    frames[f].frame.operand = &frames[(f + FRAMES - 1) % FRAMES].frame;
    test_frame_count (&frames[f].frame, &with_previous[f]);
  }

  while (oldest < ROUNDS) {
    uint64_t burst = 1 + test_random_below (random, max_in_flight);

    while (newest < ROUNDS && newest - oldest < max_in_flight && burst-- > 0) {
      struct histo_frame frame = frames[newest % FRAMES].frame;
      histo_ticket ticket = 0;

      /* With ids, the engine must also distinguish an operand that was not the last frame. */
      had_operand[newest + 1] = test_random_below (random, 4) != 0;
      if (!had_operand[newest + 1])
        frame.operand = NULL;
      ck_assert_msg (histo_submit (engine, &frame, &ticket) == HISTO_OK, "%s: %s", variant->name, test_log.text);
      ck_assert_uint_eq (ticket, ++newest);
    }
    burst = 1 + test_random_below (random, max_in_flight);
    while (oldest < newest && burst-- > 0) {
      unsigned f = (unsigned)(oldest++ % FRAMES);

      collect_equal (engine, oldest, had_operand[oldest] ? &with_previous[f].stats : &plain[f].stats, variant, &frames[f]);
    }
  }
  for (unsigned f = 0; f < FRAMES; f++)
    test_frame_clear (&frames[f]);
}

TEST (many_in_flight)
{
  static const unsigned limits[] = { 1, 2, 3, 8, 64 };
  struct test_random random = test_random_start (6);

  for (unsigned v = 0; v < all.count; v++) {
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
      for (unsigned with_ids = 0; with_ids < 2; with_ids++) {
        TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], limits[i]);
        check_in_flight (engine, &all.variants[v], limits[i], with_ids, &random);
      }
    }
  }
}

/* Frames of all sizes in one engine, in flight together: a slot must not remember the last frame it held. */
TEST (sizes_and_layouts_mixed)
{
  enum { FRAMES = 40, IN_FLIGHT = 5 };
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES], operands[FRAMES];
  struct test_random random = test_random_start (7);

  open_all (IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 200),
                                                          1 + (uint32_t)test_random_below (&random, 60), &random);
    test_frame_init (&frames[f], &test_layouts[test_random_below (&random, test_layout_count)], &geometry,
                     choose_fill (&random), &random);
    init_operand (&operands[f], &frames[f], &random);
    if (test_random_once_in (&random, 2))
      frames[f].frame.operand = &operands[f].frame;
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  assert_in_flight (frames, NULL, expected, FRAMES, IN_FLIGHT);
  for (unsigned f = 0; f < FRAMES; f++) {
    test_frame_clear (&frames[f]);
    test_frame_clear (&operands[f]);
  }
}

TEST (many_small_frames)
{
  enum { FRAMES = 3000 };
  struct test_random random = test_random_start (8);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  TEST_AT_END (histo_stats_clear) struct histo_stats total = { 0 };
  static struct test_count expected;

  open_all (16);
  test_frame_init_bytes (&frame, FRAMES, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  test_frame_count (&frame.frame, &expected);
  for (unsigned v = 0; v < all.count; v++) {
    histo_stats_reset (&total);
    for (histo_ticket t = 1; t <= FRAMES + 16; t++) {
      if (t > 16) {
        TEST_REQUIRE (histo_collect (all.engines[v], t - 16, &stats) == HISTO_OK, "%s", test_log.text);
        TEST_REQUIRE (histo_stats_add (&total, &stats) == HISTO_OK, "adding");
      }
      if (t <= FRAMES) {
        struct histo_frame piece = frame.frame;
        histo_ticket ticket;

        piece.planes[0].data = (const uint8_t *)piece.planes[0].data + t - 1;
        piece.components[0].width = 1;
        TEST_REQUIRE (histo_submit (all.engines[v], &piece, &ticket) == HISTO_OK, "%s", test_log.text);
      }
    }
    assert_equal (&expected.stats, &total, &all.variants[v], &frame);
  }
}
