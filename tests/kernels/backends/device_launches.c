/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Consecutive launches in the same slots. */

#include <string.h>

#include "device_frames.h"
#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_on_device, end_on_device)

/* A refused submission of many frames collects the accepted ones while older frames are in flight: the copies of the older
 * frames stay until they are counted. */
TEST_TAGGED (refused_after_others, "device")
{
  enum { BYTES = 1 << 20, ROUNDS = 5 };
  struct test_random random = test_random_start (69);
  struct test_frame bytes[2];
  static struct test_count expected[2];

  for (unsigned i = 0; i < 2; i++) {
    test_frame_init_bytes (&bytes[i], BYTES, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    test_frame_count (&bytes[i].frame, &expected[i]);
  }
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], 8);

    for (unsigned round = 0; round < ROUNDS; round++) {
      struct histo_frame refused[3] = { bytes[1].frame, bytes[1].frame, bytes[1].frame };
      histo_ticket first, second, ticket;

      refused[0].components[0].width = refused[1].components[0].width = 0;
      refused[2].components[0].width = UINT64_C (1) << 37;
      ck_assert_int_eq (histo_submit (engine, &bytes[0].frame, &first), HISTO_OK);
      ck_assert_int_eq (histo_submit_many (engine, refused, 3, &ticket), HISTO_ERROR_UNSUPPORTED);
      ck_assert_int_eq (histo_submit (engine, &bytes[1].frame, &second), HISTO_OK);
      for (unsigned i = 0; i < 2; i++) {
        collect_equal (engine, i == 0 ? first : second, &expected[i].stats, &all.variants[v], &bytes[i]);
      }
    }
  }
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&bytes[i]);
}

/* Launches of every kind alternate in the same slots: a launch leaves nothing in the next one's numbers. */
TEST_TAGGED (kinds_alternate, "device")
{
  enum { SLOTS = 1030, MOST = 515, ROUNDS = 80, KINDS = 13 };
  static const struct {
    const char *layout;
    uint32_t width, height;
    unsigned count;
    bool has_operand, project;
  } kinds[KINDS] = {
    { "GRAY8", 48, 1, MOST, false, false },
    { "GRAY8", 48, 3, MOST, false, false },
    { "GRAY8", 48, 3, 5, false, false },
    { "GRAY8", 48, 3, 5, false, true },
    { "GRAY8", 48, 3, 5, true, false },
    { "GRAY8", 48, 3, 1, false, false },
    { "NV12", 20, 2, 5, false, false },
    { "NV12", 20, 2, 1, true, false },
    { "P010_10LE", 20, 2, 3, true, false },
    { "P010_10LE", 20, 2, 1, false, false },
    { "GRAY8", 0, 0, MOST, false, false },
    { "GRAY16_LE by value", 20, 2, 1, false, false },
    { "RGBA64_LE by value", 20, 2, 1, true, false },
  };
  static struct test_frame frames[KINDS][2];
  static struct histo_frame on_device[KINDS][2], many[MOST];
  static struct test_count expected[2];
  CUdeviceptr memory[KINDS][2][HISTO_MAX_PLANES] = { { { 0 } } };
  struct test_random random = test_random_start (68);

  for (unsigned k = 0; k < KINDS; k++) {
    /* The gap between rows keeps the frame from becoming one row, a small frame. */
    const struct test_geometry geometry = { .width = kinds[k].width, .height = kinds[k].height, .extra_stride_bytes = 16 };

    for (unsigned i = 0; i < 2; i++) {
      test_frame_init (&frames[k][i], test_layout_find (kinds[k].layout), &geometry, TEST_FILL_RANDOM, &random);
      upload_frame (&frames[k][i], 0, NULL, &on_device[k][i], memory[k][i]);
      test_frame_ask (&frames[k][i].frame, HISTO_STATISTIC_PROJECTION, kinds[k].project);
      test_frame_ask (&on_device[k][i], HISTO_STATISTIC_PROJECTION, kinds[k].project);
    }
    for (unsigned i = 0; kinds[k].has_operand && i < 2; i++) {
      frames[k][i].frame.operand = &frames[k][1 - i].frame;
      on_device[k][i].operand = &on_device[k][1 - i];
    }
  }
  for (unsigned v = 0; v < all.count; v++) {
    TEST_AT_END (histo_close) struct histo_engine *engine = open_variant (&all.variants[v], SLOTS);

    for (unsigned round = 0; round < ROUNDS; round++) {
      const unsigned k = (unsigned)test_random_below (&random, KINDS);
      histo_ticket first;

      for (unsigned f = 0; f < kinds[k].count; f++)
        many[f] = on_device[k][f % 2];
      first = submit_frames (engine, many, kinds[k].count);
      for (unsigned i = 0; i < 2; i++) {
        memset (&expected[i], 0, sizeof expected[i]);
        test_frame_count (&frames[k][i].frame, &expected[i]);
      }
      for (unsigned f = 0; f < kinds[k].count; f++) {
        collect_equal (engine, first + f, &expected[f % 2].stats, &all.variants[v], &frames[k][f % 2]);
      }
      for (unsigned i = 0; i < 2; i++)
        test_count_clear (&expected[i]);
    }
  }
  for (unsigned k = 0; k < KINDS; k++) {
    for (unsigned i = 0; i < 2; i++) {
      free_planes (memory[k][i]);
      test_frame_clear (&frames[k][i]);
    }
  }
}

/* Submits `count` frames, and collects and checks them. */
static void
check_tagged (struct histo_engine *engine, const struct histo_frame *frames, unsigned count, const struct histo_frame *host)
{
  static struct test_count expected;
  const histo_ticket first = submit_frames (engine, frames, count);

  test_frame_count (host, &expected);
  for (unsigned i = 0; i < count; i++) {
    ck_assert_msg (histo_collect (engine, first + i, &stats) == HISTO_OK, "%s", test_log.text);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  }
  test_count_clear (&expected);
}

/* Words of earlier launches with the same tag are not mistaken for a new launch's: for many frames, deep frames, and frames
 * with an operand in one of the two launches. */
TEST_TAGGED (tags_wrap_around, "device long")
{
  enum { TAGS = 65535, SLOTS = 2 };
  struct test_variant variant = test_variants (&(unsigned){ 0 })[0];
  struct histo_engine *engine = open_variant (&variant, SLOTS);
  struct test_frame deep[2], colour[2], grey[2];
  struct histo_frame on_device[2];
  CUdeviceptr memory[2][HISTO_MAX_PLANES] = { 0 };
  struct test_random random = test_random_start (67);

  for (unsigned i = 0; i < 2; i++) {
    test_frame_init (&deep[i], test_layout_find ("I422_12BE"), &(struct test_geometry){ .width = 20, .height = 2 },
                     TEST_FILL_RANDOM, &random);
    test_frame_init (&colour[i], test_layout_find ("NV12"), &(struct test_geometry){ .width = 20, .height = 2 },
                     TEST_FILL_RANDOM, &random);
    test_frame_init (&grey[i], test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 16, .height = 1 },
                     TEST_FILL_RANDOM, &random);
    upload_frame (&grey[i], 0, NULL, &on_device[i], memory[i]);
  }
  for (unsigned round = 0; round < 2; round++) {
    struct histo_frame many[SLOTS] = { on_device[round], on_device[round] },
                       frames[] = { deep[round].frame, colour[round].frame };

    for (unsigned k = 0; k < 2; k++) { /* tags 1 and 2 */
      frames[k].operand = k == 0 ? &deep[round].frame : &colour[round].frame;
      for (unsigned slot = 0; slot < SLOTS; slot++)
        check_tagged (engine, &frames[k], 1, &frames[k]);
      check_tagged (engine, many, SLOTS, &grey[round].frame); /* without a tag */
    }
    test_frame_ask (&many[0], HISTO_STATISTIC_PROJECTION, true);
    test_frame_ask (&many[1], HISTO_STATISTIC_PROJECTION, true);
    test_frame_ask (&grey[round].frame, HISTO_STATISTIC_PROJECTION, true);
    check_tagged (engine, many, SLOTS, &grey[round].frame); /* tag 3 */
    grey[round].frame.statistics &= ~(uint32_t)HISTO_STATISTIC_PROJECTION;
    for (unsigned tag = 4; tag <= TAGS && round == 0; tag++)
      for (unsigned slot = 0; slot < SLOTS; slot++) {
        const histo_ticket ticket = submit_frames (engine, &grey[0].frame, 1);

        ck_assert_msg (histo_collect (engine, ticket, &stats) == HISTO_OK, "%s", test_log.text);
      }
  }
  histo_close (&engine);
  for (unsigned i = 0; i < 2; i++) {
    test_device_free (device, memory[i][0]);
    test_frame_clear (&deep[i]);
    test_frame_clear (&colour[i]);
    test_frame_clear (&grey[i]);
  }
}
