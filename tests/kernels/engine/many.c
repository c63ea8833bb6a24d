/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many frames in one call: all are accepted or none. */

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (NULL, end_test)

/* Frames that differ in everything except size, only in addresses, or in size and contents. */
enum { MANY = 9 };
enum kind { OF_ANY_LAYOUT, ALIKE, OF_ANY_SIZE, KINDS };

struct many {
  struct histo_frame frames[MANY];
  struct test_frame samples[MANY];
  struct test_count expected[MANY];
};

static void
make_many (struct many *many, enum kind kind, struct test_random *random)
{
  const bool alike = kind == ALIKE;
  static const char *const layouts[MANY]
      = { "GRAY8", "NV12", "RGB", "GRAY8", "YUY2", "RGBA", "GRAY8", "I420", "every fifth byte" };

  for (unsigned f = 0; f < MANY; f++) {
    const struct test_layout *layout = test_layout_find (layouts[alike ? 0 : kind == OF_ANY_SIZE ? 1 : f]);
    const uint32_t width = kind == OF_ANY_SIZE ? 1 + 16 * f / 3 : 33, height = kind == OF_ANY_SIZE ? 1 + f % 4 : 7;
    struct test_geometry geometry = test_geometry_random (width, height, random);

    if (alike)
      geometry = (struct test_geometry){ .width = 33, .height = 7, .extra_stride_bytes = 3, .base_offset = 16 * f };
    geometry.left = geometry.top = 0;
    test_frame_init (&many->samples[f], layout, &geometry, TEST_FILL_RANDOM, random);
    many->frames[f] = many->samples[f].frame;
    /* The operand is the previous frame if it has the same shape. */
    if (f > 0 && (alike || (f == 3 && kind == OF_ANY_LAYOUT)))
      many->frames[f].operand = &many->samples[alike ? f - 1 : 0].frame;
    if (kind == OF_ANY_SIZE)
      many->frames[f].statistics = test_frame_statistics (&many->samples[f]);
    test_frame_count (&many->frames[f], &many->expected[f]);
  }
}

static void
clear_many (struct many *many)
{
  for (unsigned f = 0; f < MANY; f++) {
    test_frame_clear (&many->samples[f]);
    test_count_clear (&many->expected[f]);
  }
}

static void
collect_many (const struct many *many, histo_ticket first, unsigned count)
{
  for (unsigned f = 0; f < count; f++) {
    ck_assert_int_eq (histo_collect (engine, first + f, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&many->expected[f].stats, &stats), NULL);
  }
}

/* Every number of frames from every slot on, so that they wrap around the ring at every position. */
TEST (many_frames_in_one_call)
{
  static struct many many;
  struct test_random random = test_random_start (26);

  for (unsigned kind = 0; kind < KINDS; kind++) {
    make_many (&many, (enum kind)kind, &random);
    for (unsigned slots = 1; slots <= MANY; slots += 4) {
      histo_ticket next = 1;

      open_engine (slots);
      for (unsigned count = 1; count <= slots; count++) {
        for (unsigned start = 0; start < slots; start++) {
          histo_ticket first = 99;

          ck_assert_int_eq (histo_submit_many (engine, many.frames, count, &first), HISTO_OK);
          ck_assert_uint_eq (first, next);
          next += count;
          collect_many (&many, first, count);
          /* One more frame, so that the ring begins one slot later. */
          if ((count + 1) % slots == 0 || slots == 1)
            continue;
          ck_assert_int_eq (test_engine_count (engine, &many.frames[0], &stats), HISTO_OK);
          next++;
        }
      }
    }
    clear_many (&many);
  }
}

TEST (many_frames_are_taken_all_or_none)
{
  static struct many many;
  struct test_random random = test_random_start (27);
  histo_ticket first, ticket;

  open_engine (8);
  make_many (&many, OF_ANY_LAYOUT, &random);
  ck_assert_int_eq (histo_submit_many (NULL, many.frames, 1, &first), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit_many (engine, NULL, 1, &first), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 0, &first), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 1, NULL), HISTO_ERROR_INVALID);

  /* More frames than slots, and more than free slots. */
  first = 99;
  ck_assert_int_eq (histo_submit_many (engine, many.frames, MANY, &first), HISTO_ERROR_BUSY);
  ck_assert_uint_eq (first, 0);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 5, &first), HISTO_OK);
  ck_assert_uint_eq (first, 1);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 4, &ticket), HISTO_ERROR_BUSY);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 3, &ticket), HISTO_OK);
  ck_assert_uint_eq (ticket, 6);
  ck_assert_int_eq (histo_submit (engine, many.frames, &ticket), HISTO_ERROR_BUSY);
  collect_many (&many, 1, 5);
  collect_many (&many, 6, 3);

  /* A bad frame at each position, and a bad operand. */
  for (unsigned bad = 0; bad < 6; bad++) {
    const struct histo_frame good = many.frames[bad];

    many.frames[bad].components[0].step_bytes = 0;
    ck_assert_int_eq (histo_submit_many (engine, many.frames, 6, &first), HISTO_ERROR_INVALID);
    ck_assert_uint_eq (first, 0);
    many.frames[bad] = good;
    many.frames[bad].operand = &many.frames[(bad + 1) % 6];
    ck_assert_int_eq (histo_submit_many (engine, many.frames, 6, &first), HISTO_ERROR_INVALID);
    many.frames[bad] = good;
  }
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 8, &first), HISTO_OK);
  ck_assert_uint_eq (first, 9);
  collect_many (&many, 9, 8);

  /* Closed with frames in flight. */
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 7, &first), HISTO_OK);
  histo_close (&engine);
  clear_many (&many);
}
