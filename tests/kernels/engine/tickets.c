/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tickets: their order, their number, and how long a frame must live. */

#include <string.h>
#include <time.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (NULL, end_test)

TEST (tickets_count_from_one)
{
  struct histo_frame frame = good_frame ();
  histo_ticket ticket;

  open_engine (3);
  for (histo_ticket expected = 1; expected <= 20; expected++) {
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
    ck_assert_uint_eq (ticket, expected);
    if (expected >= 3)
      ck_assert_int_eq (histo_collect (engine, expected - 2, &stats), HISTO_OK);
  }
}

TEST (busy_at_the_limit)
{
  static const unsigned limits[] = { 1, 2, 8, 512 };

  for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct histo_frame frame = good_frame ();
    histo_ticket ticket;

    open_engine (limits[i]);
    for (unsigned n = 0; n < limits[i]; n++)
      ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_ERROR_BUSY);
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_ERROR_BUSY);
    ck_assert_int_eq (histo_collect (engine, 1, &stats), HISTO_OK);
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
    ck_assert_uint_eq (ticket, limits[i] + 1);
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_ERROR_BUSY);
  }
}

TEST (collect_takes_the_oldest_alone)
{
  struct histo_frame frame = good_frame ();
  histo_ticket ticket;

  open_engine (4);
  ck_assert_int_eq (histo_collect (engine, 0, &stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_collect (engine, 1, &stats), HISTO_ERROR_INVALID);
  for (unsigned n = 0; n < 3; n++)
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
  ck_assert_int_eq (histo_collect (engine, 2, &stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_collect (engine, 4, &stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_collect (engine, UINT64_MAX, &stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_collect (NULL, 1, &stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_collect (engine, 1, NULL), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_collect (engine, 1, &stats), HISTO_OK);
  ck_assert_int_eq (histo_collect (engine, 1, &stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_collect (engine, 2, &stats), HISTO_OK);
  ck_assert_int_eq (histo_collect (engine, 3, &stats), HISTO_OK);
  ck_assert_int_eq (histo_collect (engine, 4, &stats), HISTO_ERROR_INVALID);
}

TEST (ready_becomes_true)
{
  struct histo_frame frame = good_frame ();
  histo_ticket ticket;
  time_t begin = time (NULL);

  open_engine (2);
  ck_assert (!histo_ready (NULL, 1));
  ck_assert (!histo_ready (engine, 0));
  ck_assert (!histo_ready (engine, 1));
  ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
  while (!histo_ready (engine, 1)) {
    ck_assert_msg (time (NULL) - begin < 20, "never ready");
    nanosleep (&(struct timespec){ .tv_nsec = 100000 }, NULL);
  }
  ck_assert (!histo_ready (engine, 2));
  ck_assert_int_eq (histo_collect (engine, 1, &stats), HISTO_OK);
  ck_assert (!histo_ready (engine, 1));
}

TEST (close_with_frames_in_flight)
{
  struct test_random random = test_random_start (21);

  for (unsigned round = 0; round < 20; round++) {
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
    histo_ticket ticket;

    open_engine (8);
    test_frame_init_bytes (&frame, 300000, 1, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    for (unsigned n = 0; n <= round % 8; n++)
      ck_assert_int_eq (histo_submit (engine, &frame.frame, &ticket), HISTO_OK);
    histo_close (&engine);
    ck_assert_ptr_null (engine);
    /* The engine must not read it any more, or this faults. */
  }
}

/* The caller may free the frame, the operand and the arrays; only the samples must stay. */
TEST (frame_is_copied)
{
  struct test_random random = test_random_start (22);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  struct histo_frame given, operand;
  histo_ticket ticket;

  open_engine (0);
  test_frame_init_bytes (&frame, 100000, 0, TEST_GUARD_END, TEST_FILL_MAX, &random);
  given = operand = frame.frame;
  given.operand = &operand;
  ck_assert_int_eq (histo_submit (engine, &given, &ticket), HISTO_OK);
  memset (&given, 0xff, sizeof given);
  memset (&operand, 0xff, sizeof operand);
  ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].dot, UINT64_C (100000) * 255 * 255);
}

/* One histo_stats for frames with many components, with few, and with none collected. */
TEST (stats_are_replaced)
{
  struct test_random random = test_random_start (23);
  static struct test_count expected;

  open_engine (0);
  for (unsigned round = 0; round < 30; round++) {
    struct test_geometry geometry = test_geometry_random (20, 10, &random);
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

    test_frame_init (&frame, &test_layouts[test_random_below (&random, test_layout_count)], &geometry, TEST_FILL_RANDOM,
                     &random);
    test_frame_count (&frame.frame, &expected);
    ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  }
}
