/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every number of a backend, over layouts, sizes, addresses and contents, against plain loops of the tests' own (on small frames)
 * and against the reference backend. argv[1]: the backend. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines.h"
#include "frames.h"
#include "runner.h"

#ifdef HAVE_CUDA
#include "cuda/cuda.h"
#include "cuda/project.h"
#include "device.h"
#include "fakecuda.h"
#endif

/* Small enough for a slow core, large enough for every head, body and tail, and for more than one block or thread. */
static const uint32_t sizes[][2] = {
  { 1, 1 },   { 2, 1 },   { 1, 2 },    { 3, 3 },    { 5, 2 },   { 7, 5 },    { 8, 8 },     { 15, 3 },
  { 16, 4 },  { 17, 7 },  { 31, 2 },   { 32, 1 },   { 33, 5 },  { 63, 3 },   { 64, 2 },    { 65, 3 },
  { 127, 2 }, { 128, 3 }, { 129, 1 },  { 255, 3 },  { 256, 2 }, { 257, 5 },  { 511, 3 },   { 1, 300 },
  { 2, 257 }, { 3, 100 }, { 1023, 2 }, { 1920, 3 }, { 64, 64 }, { 4099, 1 }, { 333, 127 }, { 1024, 33 },
};
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)

static struct test_log test_log = TEST_LOG_INIT;

static struct histo_engine *
open_variant (const struct test_variant *variant, unsigned max_in_flight)
{
  struct histo_config config = variant->config;
  struct histo_engine *engine = NULL;
  enum histo_status status;

  config.max_in_flight = max_in_flight;
  config.log = test_log_add;
  config.log_data = &test_log;
  test_log_clear (&test_log);
  status = histo_open (&config, &engine);
  ck_assert_msg (status == HISTO_OK, "%s: %s: %s", variant->name, histo_status_text (status), test_log.text);
  return engine;
}

static struct histo_engine *
open_reference (void)
{
  struct histo_engine *engine = NULL;

  ck_assert_int_eq (histo_open (&(struct histo_config){ .backend = HISTO_BACKEND_REFERENCE }, &engine), HISTO_OK);
  return engine;
}

static void
assert_equal (const struct histo_stats *expected, const struct histo_stats *actual, const struct test_variant *variant,
              const struct test_frame *frame)
{
  const char *difference = test_stats_difference (expected, actual);
  char text[256];

  if (difference == NULL)
    return;
  test_frame_describe (frame, text, sizeof text);
  ck_abort_msg ("%s: %s%s: %s", variant->name, text, frame->frame.operand != NULL ? ", with operand" : "", difference);
}

static void
assert_counts (struct histo_engine *engine, const struct test_variant *variant, const struct test_frame *frame,
               const struct histo_stats *expected, struct histo_stats *stats)
{
  enum histo_status status = test_engine_count (engine, &frame->frame, stats);
  char text[256];

  if (status != HISTO_OK) {
    test_frame_describe (frame, text, sizeof text);
    ck_abort_msg ("%s: %s: %s: %s", variant->name, text, histo_status_text (status), test_log.text);
  }
  assert_equal (expected, stats, variant, frame);
}

/* Opens every variant of the backend. */
struct engines {
  unsigned count;
  const struct test_variant *variants;
  struct histo_engine *engines[8];
};

static struct engines
open_all (unsigned max_in_flight)
{
  struct engines all = { 0 };

  all.variants = test_variants (&all.count);
  for (unsigned v = 0; v < all.count; v++)
    all.engines[v] = open_variant (&all.variants[v], max_in_flight);
  return all;
}

static void
close_all (struct engines *all)
{
  for (unsigned v = 0; v < all->count; v++)
    histo_close (&all->engines[v]);
}

/* A frame of the same picture elsewhere in memory: another address, stride and guard, the same crop. */
static void
init_operand (struct test_frame *operand, const struct test_frame *frame, struct test_random *random)
{
  struct test_geometry geometry = test_geometry_random (frame->geometry.width, frame->geometry.height, random);

  geometry.left = frame->geometry.left;
  geometry.top = frame->geometry.top;
  geometry.right = (uint32_t)test_random_below (random, 4);
  test_frame_init (operand, frame->layout, &geometry, (enum test_fill)test_random_below (random, TEST_FILL_COUNT), random);
}

static void
check_frame (struct engines *all, const struct test_layout *layout, const struct test_geometry *geometry, enum test_fill fill,
             bool with_operand, struct test_random *random)
{
  static struct test_count expected;
  struct test_frame frame, operand = { 0 };
  struct histo_stats stats = { 0 };

  test_frame_init (&frame, layout, geometry, fill, random);
  if (with_operand) {
    init_operand (&operand, &frame, random);
    frame.frame.operand = &operand.frame;
  }
  test_frame_count (&frame.frame, &expected);
  for (unsigned v = 0; v < all->count; v++)
    assert_counts (all->engines[v], &all->variants[v], &frame, &expected.stats, &stats);
  histo_stats_clear (&stats);
  test_frame_clear (&operand);
  test_frame_clear (&frame);
}

START_TEST (every_layout_and_size)
{
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 1);
  for (unsigned l = 0; l < test_layout_count; l++) {
    for (unsigned s = 0; s < SIZE_COUNT; s++) {
      struct test_geometry geometry;

      /* Wide steps in wide pictures are only slow. */
      if (test_layouts[l].components[0].step_bytes > 8 && sizes[s][0] * sizes[s][1] > 1000)
        continue;
      geometry = test_geometry_random (sizes[s][0], sizes[s][1], &random);
      check_frame (&all, &test_layouts[l], &geometry, (enum test_fill)test_random_below (&random, TEST_FILL_COUNT), s % 2 == 0,
                   &random);
    }
  }
  close_all (&all);
}
END_TEST

START_TEST (every_base_address)
{
  static const char *const names[] = { "GRAY8", "NV12", "YUY2", "RGB", "xRGB", "three bytes in five" };
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 2);
  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    for (unsigned offset = 0; offset < 16; offset++) {
      for (unsigned repeat = 0; repeat < 4; repeat++) {
        struct test_geometry geometry = { .width = 1 + (uint32_t)test_random_below (&random, 90),
                                          .height = 1 + (uint32_t)test_random_below (&random, 5),
                                          .base_offset = offset,
                                          .extra_stride_bytes = repeat * 5 };
        check_frame (&all, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, repeat % 2 == 0, &random);
      }
    }
  }
  close_all (&all);
}
END_TEST

START_TEST (every_address_of_both_factors)
{
  struct engines all = open_all (0);
  struct test_random random;
  struct histo_stats stats = { 0 };
  static struct test_count expected;

  test_random_init (&random, 3);
  for (unsigned offset = 0; offset < 16; offset++) {
    for (unsigned operand_offset = 0; operand_offset < 16; operand_offset++) {
      struct test_frame frame, operand;
      size_t size = 1 + test_random_below (&random, 200);

      test_frame_init_bytes (&frame, size, offset, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
      test_frame_init_bytes (&operand, size, operand_offset, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
      frame.frame.operand = &operand.frame;
      test_frame_count (&frame.frame, &expected);
      for (unsigned v = 0; v < all.count; v++)
        assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats, &stats);
      test_frame_clear (&operand);
      test_frame_clear (&frame);
    }
  }
  histo_stats_clear (&stats);
  close_all (&all);
}
END_TEST

/* At sizes around every power of two a vector loop may begin or end, before a page that cannot be read. */
START_TEST (every_length_of_bytes)
{
  struct engines all = open_all (0);
  struct test_random random;
  struct histo_stats stats = { 0 };
  static struct test_count expected;

  test_random_init (&random, 4);
  for (size_t size = 1; size <= 600; size++) {
    struct test_frame frame, operand;

    test_frame_init_bytes (&frame, size, 0, TEST_GUARD_END, (enum test_fill) (size % TEST_FILL_COUNT), &random);
    test_frame_init_bytes (&operand, size, 0, size % 2 == 0 ? TEST_GUARD_END : TEST_GUARD_START, TEST_FILL_RANDOM, &random);
    frame.frame.operand = &operand.frame;
    test_frame_count (&frame.frame, &expected);
    for (unsigned v = 0; v < all.count; v++)
      assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats, &stats);
    test_frame_clear (&operand);
    test_frame_clear (&frame);
  }
  histo_stats_clear (&stats);
  close_all (&all);
}
END_TEST

START_TEST (every_fill)
{
  static const char *const names[] = { "GRAY8", "I420", "YUY2", "RGB", "RGBA", "every fifth byte" };
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 5);
  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    for (unsigned fill = 0; fill < TEST_FILL_COUNT; fill++) {
      struct test_geometry geometry = test_geometry_random (321, 67, &random);
      check_frame (&all, test_layout_find (names[n]), &geometry, (enum test_fill)fill, fill % 2 == 0, &random);
    }
  }
  close_all (&all);
}
END_TEST

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
  struct histo_stats stats = { 0 };

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

      /* With ids an operand that was not the last frame must be told apart too. */
      had_operand[newest + 1] = test_random_below (random, 4) != 0;
      if (!had_operand[newest + 1])
        frame.operand = NULL;
      ck_assert_msg (histo_submit (engine, &frame, &ticket) == HISTO_OK, "%s: %s", variant->name, test_log.text);
      ck_assert_uint_eq (ticket, ++newest);
    }
    burst = 1 + test_random_below (random, max_in_flight);
    while (oldest < newest && burst-- > 0) {
      unsigned f = (unsigned)(oldest++ % FRAMES);

      ck_assert_msg (histo_collect (engine, oldest, &stats) == HISTO_OK, "%s: %s", variant->name, test_log.text);
      assert_equal (had_operand[oldest] ? &with_previous[f].stats : &plain[f].stats, &stats, variant, &frames[f]);
    }
  }
  histo_stats_clear (&stats);
  for (unsigned f = 0; f < FRAMES; f++)
    test_frame_clear (&frames[f]);
}

START_TEST (many_in_flight)
{
  static const unsigned limits[] = { 1, 2, 3, 8, 64 };
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_random random;

  test_random_init (&random, 6);
  for (unsigned v = 0; v < count; v++) {
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
      for (unsigned with_ids = 0; with_ids < 2; with_ids++) {
        struct histo_engine *engine = open_variant (&variants[v], limits[i]);
        check_in_flight (engine, &variants[v], limits[i], with_ids, &random);
        histo_close (&engine);
      }
    }
  }
}
END_TEST

/* Frames of all sizes in one engine, in flight together: a slot must not remember the last frame it held. */
START_TEST (sizes_and_layouts_mixed)
{
  enum { FRAMES = 40, IN_FLIGHT = 5 };
  struct engines all = open_all (IN_FLIGHT);
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES], operands[FRAMES];
  struct histo_stats stats = { 0 };
  struct test_random random;

  test_random_init (&random, 7);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 200),
                                                          1 + (uint32_t)test_random_below (&random, 60), &random);
    test_frame_init (&frames[f], &test_layouts[test_random_below (&random, test_layout_count)], &geometry,
                     (enum test_fill)test_random_below (&random, TEST_FILL_COUNT), &random);
    init_operand (&operands[f], &frames[f], &random);
    if (test_random_once_in (&random, 2))
      frames[f].frame.operand = &operands[f].frame;
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  for (unsigned v = 0; v < all.count; v++) {
    histo_ticket ticket;

    for (unsigned f = 0; f < FRAMES + IN_FLIGHT; f++) {
      if (f >= IN_FLIGHT) {
        ck_assert_int_eq (histo_collect (all.engines[v], f - IN_FLIGHT + 1, &stats), HISTO_OK);
        assert_equal (&expected[f - IN_FLIGHT].stats, &stats, &all.variants[v], &frames[f - IN_FLIGHT]);
      }
      if (f < FRAMES)
        ck_assert_int_eq (histo_submit (all.engines[v], &frames[f].frame, &ticket), HISTO_OK);
    }
  }
  histo_stats_clear (&stats);
  for (unsigned f = 0; f < FRAMES; f++) {
    test_frame_clear (&frames[f]);
    test_frame_clear (&operands[f]);
  }
  close_all (&all);
}
END_TEST

START_TEST (many_small_frames)
{
  enum { FRAMES = 3000 };
  struct engines all = open_all (16);
  struct test_random random;
  struct test_frame frame;
  struct histo_stats stats = { 0 }, total = { 0 };
  static struct test_count expected;

  test_random_init (&random, 8);
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
  histo_stats_clear (&total);
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  close_all (&all);
}
END_TEST

/* Sums beyond 32 bits, rows beyond 65535, rows of one byte, one row of 50 MB. The reference says what is right. */
START_TEST (large_frames)
{
  static const struct {
    const char *layout;
    uint32_t width, height;
    size_t extra_stride_bytes;
    enum test_fill fill, operand_fill;
  } cases[] = {
    { "GRAY8", 4096, 2160, 64, TEST_FILL_RANDOM, TEST_FILL_RAMP }, /* a plane of 4K */
    { "NV12", 1920, 1080, 128, TEST_FILL_ALIAS, TEST_FILL_MAX },
    { "RGB", 1281, 721, 1, TEST_FILL_SKEWED, TEST_FILL_RANDOM },
    { "YUY2", 1919, 601, 3, TEST_FILL_TWO_VALUES, TEST_FILL_RANDOM },
    { "GRAY8", 1, 200001, 2, TEST_FILL_RANDOM, TEST_FILL_RANDOM },
    { "every fifth byte", 7, 100003, 4, TEST_FILL_RANDOM, TEST_FILL_RANDOM },
    { "the same bytes twice", 5000, 100, 0, TEST_FILL_RANDOM, TEST_FILL_RANDOM },
    { "GRAY16_LE", 4096, 1500, 0, TEST_FILL_MAX, TEST_FILL_MAX },
    { "P010_10LE", 1920, 1080, 64, TEST_FILL_RANDOM, TEST_FILL_MAX },
    { "12 bits of RGBx64", 1281, 401, 3, TEST_FILL_SKEWED, TEST_FILL_RANDOM },
    { "14 bits every third byte", 100003, 7, 0, TEST_FILL_RANDOM, TEST_FILL_RANDOM },
    { "bytes", 50000001, 1, 0, TEST_FILL_MAX, TEST_FILL_COUNT }, /* COUNT: no operand */
  };
  struct engines all = open_all (2);
  struct histo_engine *reference = open_reference ();
  struct histo_stats expected = { 0 }, stats = { 0 };
  struct test_random random;

  test_random_init (&random, 9);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct test_frame frame, operand = { 0 };

    if (strcmp (cases[i].layout, "bytes") == 0) {
      test_frame_init_bytes (&frame, cases[i].width, 3, TEST_GUARD_NONE, cases[i].fill, &random);
    } else {
      struct test_geometry geometry = {
        .width = cases[i].width, .height = cases[i].height, .extra_stride_bytes = cases[i].extra_stride_bytes, .base_offset = i
      };

      test_frame_init (&frame, test_layout_find (cases[i].layout), &geometry, cases[i].fill, &random);
      if (cases[i].operand_fill != TEST_FILL_COUNT) {
        geometry.base_offset = 5;
        test_frame_init (&operand, frame.layout, &geometry, cases[i].operand_fill, &random);
        frame.frame.operand = &operand.frame;
      }
    }
    ck_assert_int_eq (test_engine_count (reference, &frame.frame, &expected), HISTO_OK);
    for (unsigned v = 0; v < all.count; v++)
      assert_counts (all.engines[v], &all.variants[v], &frame, &expected, &stats);
    test_frame_clear (&operand);
    test_frame_clear (&frame);
  }
  histo_stats_clear (&stats);
  histo_stats_clear (&expected);
  histo_close (&reference);
  close_all (&all);
}
END_TEST

START_TEST (frame_is_its_own_operand)
{
  struct engines all = open_all (0);
  struct test_random random;
  struct histo_stats stats = { 0 };

  test_random_init (&random, 10);
  for (unsigned with_id = 0; with_id < 2; with_id++) {
    struct test_geometry geometry = test_geometry_random (101, 9, &random);
    struct test_frame frame;
    struct histo_frame itself;

    test_frame_init (&frame, test_layout_find ("RGB"), &geometry, TEST_FILL_RANDOM, &random);
    frame.frame.id = with_id ? 77 : 0;
    itself = frame.frame;
    /* An operand's own operand is not looked at. */
    itself.operand = (const struct histo_frame *)(uintptr_t)16;
    frame.frame.operand = &itself;
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
      for (unsigned c = 0; c < stats.component_count; c++) {
        ck_assert_uint_eq (stats.components[c].dot, stats.components[c].sum_of_squares);
        ck_assert_uint_eq (stats.components[c].dot_count, stats.components[c].count);
      }
    }
    test_frame_clear (&frame);
  }
  histo_stats_clear (&stats);
  close_all (&all);
}
END_TEST

/* The same samples under an id, then other samples at the same address under another id or none. */
START_TEST (ids_tell_samples_apart)
{
  struct engines all = open_all (3);
  struct test_random random;
  struct test_frame frame, operand;
  struct histo_stats stats = { 0 };
  static struct test_count expected;
  const struct test_geometry geometry = { .width = 300, .height = 4 };

  test_random_init (&random, 11);
  test_frame_init (&frame, test_layout_find ("GRAY8"), &geometry, TEST_FILL_RANDOM, &random);
  test_frame_init (&operand, frame.layout, &geometry, TEST_FILL_RANDOM, &random);
  frame.frame.operand = &operand.frame;
  for (unsigned round = 0; round < 40; round++) {
    /* The operand is now and then what was the frame before; else it is new. */
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
    test_frame_count (&frame.frame, &expected);
    for (unsigned v = 0; v < all.count; v++)
      assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats, &stats);
  }
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  test_frame_clear (&operand);
  close_all (&all);
}
END_TEST

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

/* An id says what is in memory, not which of it: whatever part of a picture was counted, another part is one's operand. */
START_TEST (ids_of_parts)
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
  struct engines all = open_all (0);
  const struct test_geometry geometry = { .width = WIDTH, .height = HEIGHT };
  struct test_frame picture, other;
  struct histo_stats stats = { 0 };
  struct test_random random;
  static struct test_count expected;

  test_random_init (&random, 17);
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
  histo_stats_clear (&stats);
  test_frame_clear (&picture);
  test_frame_clear (&other);
  close_all (&all);
}
END_TEST

/* Of a picture with an id, first some planes and components and then others: what was not copied is not there. */
START_TEST (ids_of_components)
{
  static const char *const layouts[] = { "I420", "NV12", "RGBA", "YUY2" };
  struct engines all = open_all (0);
  struct histo_stats stats = { 0 };
  struct test_random random;
  static struct test_count expected;

  test_random_init (&random, 18);
  for (unsigned l = 0; l < sizeof layouts / sizeof *layouts; l++) {
    const struct test_geometry geometry = { .width = 202, .height = 50, .extra_stride_bytes = l % 2 };
    struct test_frame picture, other;

    test_frame_init (&picture, test_layout_find (layouts[l]), &geometry, TEST_FILL_RANDOM, &random);
    test_frame_init (&other, picture.layout, &geometry, TEST_FILL_RANDOM, &random);
    picture.frame.id = 10 + l;
    for (unsigned before = 1; before < 8; before++)
      for (unsigned now = 1; now < 8; now++) {
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
    test_frame_clear (&picture);
    test_frame_clear (&other);
  }
  histo_stats_clear (&stats);
  close_all (&all);
}
END_TEST

START_TEST (rows_of_any_stride_where_there_is_one)
{
  static const size_t strides[] = { 0, 1, 299, 301, SIZE_MAX };
  struct engines all = open_all (0);
  struct test_random random;
  struct test_frame frame;
  struct histo_stats stats = { 0 };
  static struct test_count expected;

  test_random_init (&random, 12);
  test_frame_init_bytes (&frame, 300, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  test_frame_count (&frame.frame, &expected);
  for (unsigned i = 0; i < sizeof strides / sizeof *strides; i++) {
    struct test_frame operand = frame;

    operand.frame.planes[0].stride_bytes = strides[sizeof strides / sizeof *strides - 1 - i];
    frame.frame.planes[0].stride_bytes = strides[i];
    frame.frame.operand = &operand.frame;
    expected.stats.components[0].dot = expected.stats.components[0].sum_of_squares;
    expected.stats.components[0].dot_count = expected.stats.components[0].count;
    for (unsigned v = 0; v < all.count; v++)
      assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats, &stats);
  }
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  close_all (&all);
}
END_TEST

/* The sums and the histogram of one result must tell the same story. */
START_TEST (sums_follow_from_the_histogram)
{
  struct engines all = open_all (0);
  struct test_random random;
  struct histo_stats stats = { 0 };

  test_random_init (&random, 13);
  for (unsigned l = 0; l < test_layout_count; l++) {
    struct test_geometry geometry = test_geometry_random (97, 5, &random);
    struct test_frame frame;

    test_frame_init (&frame, &test_layouts[l], &geometry, TEST_FILL_SKEWED, &random);
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
      for (unsigned c = 0; c < stats.component_count; c++) {
        uint64_t count = 0, sum = 0, sum_of_squares = 0;

        for (uint64_t x = 0; x < stats.components[c].bins; x++) {
          count += stats.components[c].histogram[x];
          sum += stats.components[c].histogram[x] * x;
          sum_of_squares += stats.components[c].histogram[x] * x * x;
        }
        ck_assert_uint_eq (count, stats.components[c].count);
        if (stats.components[c].bins < 1u << stats.components[c].depth)
          continue;
        ck_assert_uint_eq (sum, stats.components[c].sum);
        ck_assert_uint_eq (sum_of_squares, stats.components[c].sum_of_squares);
      }
    }
    test_frame_clear (&frame);
  }
  histo_stats_clear (&stats);
  close_all (&all);
}
END_TEST

/* ---- samples of two bytes ------------------------------------------------------------------------------------------- */

START_TEST (every_base_address_of_deep_samples)
{
  static const char *const names[] = { "GRAY16_BE",
                                       "GRAY10_LE",
                                       "P010_10LE",
                                       "RGBA64_LE",
                                       "RGB48",
                                       "12 bits of RGBx64",
                                       "13 bits from odd places",
                                       "12 bits every fifth byte",
                                       "a 16-bit sample at each byte",
                                       "bytes and 10 bits in one plane" };
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 110);
  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    for (unsigned offset = 0; offset < 16; offset++) {
      for (unsigned repeat = 0; repeat < 4; repeat++) {
        struct test_geometry geometry = { .width = 1 + (uint32_t)test_random_below (&random, 90),
                                          .height = 1 + (uint32_t)test_random_below (&random, 5),
                                          .base_offset = offset,
                                          .extra_stride_bytes = repeat * 5 };
        check_frame (&all, test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, repeat % 2 == 0, &random);
      }
    }
  }
  close_all (&all);
}
END_TEST

/* One row before a page that cannot be read, of any number of samples. */
START_TEST (every_length_of_deep_samples)
{
  static const char *const names[] = { "GRAY16_LE", "GRAY10_LE", "ARGB64_BE", "RGB48", "every second of 15 bits" };
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 111);
  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    for (uint32_t width = 1; width <= 150; width++) {
      struct test_geometry geometry
          = { .width = width, .height = 1, .guard = width % 3 == 0 ? TEST_GUARD_START : TEST_GUARD_END };
      check_frame (&all, test_layout_find (names[n]), &geometry, (enum test_fill) (width % TEST_FILL_COUNT), true, &random);
    }
  }
  close_all (&all);
}
END_TEST

/* Values up to 65535 in lanes of 16 and 32 bits, the most that two of them add up to included. */
START_TEST (every_fill_of_deep_samples)
{
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 112);
  for (unsigned l = 0; l < test_layout_count; l++) {
    if (test_layouts[l].samples[test_layouts[l].component_count - 1].sample_bytes != 2)
      continue;
    for (unsigned fill = 0; fill < TEST_FILL_COUNT; fill++) {
      struct test_geometry geometry = test_geometry_random (321, 67, &random);
      check_frame (&all, &test_layouts[l], &geometry, (enum test_fill)fill, fill % 2 == 0, &random);
    }
  }
  close_all (&all);
}
END_TEST

/* Both factors at their highest. */
START_TEST (highest_products_of_deep_samples)
{
  static const char *const names[] = {
    "GRAY16_LE", "GRAY16_BE", "P016_BE", "RGBA64_LE", "RGB48", "every second of 15 bits", "a 16-bit sample at each byte"
  };
  struct engines all = open_all (0);
  struct histo_stats stats = { 0 };
  static struct test_count expected;
  struct test_random random;

  test_random_init (&random, 113);
  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    const struct test_geometry geometry = { .width = 2000, .height = 60, .extra_stride_bytes = n % 3 };
    struct test_frame frame, operand;

    test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_MAX, &random);
    test_frame_init (&operand, frame.layout, &geometry, TEST_FILL_MAX, &random);
    frame.frame.operand = &operand.frame;
    test_frame_count (&frame.frame, &expected);
    for (unsigned v = 0; v < all.count; v++)
      assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats, &stats);
    test_frame_clear (&operand);
    test_frame_clear (&frame);
  }
  histo_stats_clear (&stats);
  close_all (&all);
}
END_TEST

/* Any depth, place, byte order and number of counters in any pattern. */
START_TEST (random_deep_formats)
{
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 114);
  for (unsigned round = 0; round < 400; round++) {
    struct test_layout layout = { .name = "random 16-bit format", .plane_count = 1 };
    struct test_geometry geometry;
    unsigned period = 1 + (unsigned)test_random_below (&random, 4);
    bool is_uniform = !test_random_once_in (&random, 4);

    layout.component_count = 1 + (unsigned)test_random_below (&random, period);
    for (unsigned c = 0; c < layout.component_count; c++) {
      layout.components[c].offset_bytes = 2 * c;
      layout.components[c].step_bytes = 2 * period;
      layout.samples[c] = layout.samples[0];
      if (c > 0 && is_uniform)
        continue;
      layout.samples[c].sample_bytes = 2;
      layout.samples[c].depth = 9 + (unsigned)test_random_below (&random, 8);
      layout.samples[c].shift = (unsigned)test_random_below (&random, 17 - layout.samples[c].depth);
      layout.samples[c].big_endian = test_random_once_in (&random, 2);
      layout.samples[c].bins = 0;
      if (test_random_once_in (&random, 2))
        layout.samples[c].bins = 1u << layout.samples[c].depth;
    }
    geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 300),
                                     1 + (uint32_t)test_random_below (&random, 9), &random);
    check_frame (&all, &layout, &geometry, (enum test_fill)test_random_below (&random, TEST_FILL_COUNT), round % 2 == 0,
                 &random);
  }
  close_all (&all);
}
END_TEST

/* A counter for each value, from the first to the last, at every depth; and what is said of them is exact. */
START_TEST (every_depth_by_value)
{
  static const enum test_fill fills[] = { TEST_FILL_RANDOM, TEST_FILL_ZERO, TEST_FILL_MAX, TEST_FILL_ONE_BIN, TEST_FILL_RAMP };
  struct engines all = open_all (0);
  struct histo_stats stats = { 0 }, total = { 0 };
  static struct test_count expected;
  struct test_random random;

  test_random_init (&random, 115);
  for (unsigned depth = 9; depth <= 16; depth++) {
    for (unsigned f = 0; f < sizeof fills / sizeof *fills; f++) {
      const unsigned place = (unsigned)test_random_below (&random, 17 - depth);
      const bool is_big_endian = test_random_once_in (&random, 2);
      struct test_layout layout = { .name = "a plane by value", .plane_count = 1, .component_count = 1 + f % 4 };
      struct test_geometry geometry;
      struct test_frame frame, operand;

      for (unsigned c = 0; c < layout.component_count; c++) {
        layout.components[c].offset_bytes = 2 * c;
        layout.components[c].step_bytes = 2 * layout.component_count;
        layout.samples[c].sample_bytes = 2;
        layout.samples[c].depth = depth;
        layout.samples[c].shift = place;
        layout.samples[c].big_endian = is_big_endian;
        layout.samples[c].bins = 1u << depth;
      }
      geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 700), 31, &random);
      test_frame_init (&frame, &layout, &geometry, fills[f], &random);
      init_operand (&operand, &frame, &random);
      frame.frame.operand = f % 2 == 0 ? &operand.frame : NULL;
      test_frame_count (&frame.frame, &expected);
      for (unsigned v = 0; v < all.count; v++) {
        assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats, &stats);
        /* A window of several frames. */
        histo_stats_reset (&total);
        for (unsigned i = 0; i < 3; i++) {
          ck_assert_int_eq (test_engine_count (all.engines[v], i == 1 ? &operand.frame : &frame.frame, &stats), HISTO_OK);
          ck_assert_int_eq (histo_stats_add (&total, &stats), HISTO_OK);
        }
        for (unsigned c = 0; c < total.component_count; c++) {
          const struct histo_component_stats *component = &total.components[c];
          struct histo_summary summary;
          uint64_t count = 0;

          for (uint32_t value = 0; value < component->bins; value++)
            count += component->histogram[value];
          ck_assert_uint_eq (count, component->count);
          ck_assert (histo_summarize (component, &summary));
          ck_assert_uint_eq (summary.resolution, 1);
          ck_assert (component->histogram[summary.min] > 0 && component->histogram[summary.max] > 0);
        }
      }
      test_frame_clear (&operand);
      test_frame_clear (&frame);
    }
  }
  histo_stats_clear (&total);
  histo_stats_clear (&stats);
  close_all (&all);
}
END_TEST

/* One value everywhere is smallest, largest, middle and mean, whatever it is. More samples than a counter of 16 bits holds. */
START_TEST (flat_pictures_by_value)
{
  static const struct {
    unsigned depth;
    uint16_t value;
  } cases[] = { { 10, 943 },   { 9, 511 },    { 11, 1 },     { 12, 4094 },  { 13, 8191 },
                { 14, 10001 }, { 15, 16383 }, { 16, 65535 }, { 16, 32767 }, { 16, 0 } };
  enum { WIDTH = 1001, HEIGHT = 331 };
  static uint16_t samples[WIDTH * HEIGHT * 3];
  struct engines all = open_all (0);
  struct histo_stats stats = { 0 };

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct histo_frame frame = {
      .plane_count = 1,
      .component_count = 3,
      .planes = { { samples, WIDTH * 6, HEIGHT } },
    };

    for (unsigned c = 0; c < 3; c++)
      frame.components[c] = (struct histo_component){ .offset_bytes = 2 * c,
                                                      .step_bytes = 6,
                                                      .width = WIDTH,
                                                      .sample_bytes = 2,
                                                      .depth = cases[i].depth,
                                                      .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
                                                      .bins = 1u << cases[i].depth };
    for (unsigned s = 0; s < WIDTH * HEIGHT * 3; s++)
      samples[s] = cases[i].value;
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_msg (test_engine_count (all.engines[v], &frame, &stats) == HISTO_OK, "%s", test_log.text);
      for (unsigned c = 0; c < 3; c++) {
        struct histo_summary summary;

        ck_assert (histo_summarize (&stats.components[c], &summary));
        ck_assert_double_eq (summary.mean, cases[i].value);
        ck_assert_double_eq (summary.variance, 0);
        ck_assert_uint_eq (summary.min, cases[i].value);
        ck_assert_uint_eq (summary.low, cases[i].value);
        ck_assert_uint_eq (summary.median, cases[i].value);
        ck_assert_uint_eq (summary.high, cases[i].value);
        ck_assert_uint_eq (summary.max, cases[i].value);
        ck_assert_uint_eq (stats.components[c].histogram[cases[i].value], WIDTH * HEIGHT);
      }
    }
  }
  histo_stats_clear (&stats);
  close_all (&all);
}
END_TEST

/* Frames of few and of many counters in one slot, one after another: what one leaves there is no part of the next one's numbers. */
START_TEST (counters_take_turns)
{
  static const char *const names[]
      = { "NV12", "I422_12BE", "RGBA64_LE by value", "P010_10LE", "15 bits of RGBx64 by value", "GRAY16_LE by value" };
  struct engines all = open_all (1);
  struct test_random random;

  test_random_init (&random, 116);
  for (unsigned round = 0; round < 60; round++) {
    const struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 90), 7, &random);

    check_frame (&all, test_layout_find (names[test_random_below (&random, sizeof names / sizeof *names)]), &geometry,
                 (enum test_fill)test_random_below (&random, TEST_FILL_COUNT), round % 2 == 0, &random);
  }
  close_all (&all);
}
END_TEST

/* ---- projections ---------------------------------------------------------------------------------------------------- */

struct vectors {
  struct histo_weights weights[HISTO_MAX_COMPONENTS];
  int16_t *numbers;
};

/* Weights of `rows` rows and `columns` columns: ones, the extremes, or anything. */
static void
make_vectors (struct vectors *vectors, uint64_t columns, uint64_t rows, struct test_random *random)
{
  const uint64_t numbers = HISTO_MAX_COMPONENTS * (columns + rows);
  int16_t *next;

  next = vectors->numbers = malloc (numbers * sizeof *next);
  ck_assert_ptr_nonnull (next);
  for (unsigned c = 0; c < HISTO_MAX_COMPONENTS; c++) {
    const uint64_t kind = test_random_below (random, 4);

    for (uint64_t i = 0; i < columns + rows; i++)
      next[i] = kind == 0                         ? INT16_MIN
                : kind == 1                       ? INT16_MAX
                : test_random_once_in (random, 9) ? (test_random_once_in (random, 2) ? INT16_MIN : INT16_MAX)
                                                  : (int16_t)test_random_next (random);
    vectors->weights[c] = (struct histo_weights){ next, columns, next + columns, rows };
    next += columns + rows;
    if (test_random_once_in (random, 4))
      vectors->weights[c].row = NULL;
    if (test_random_once_in (random, 4))
      vectors->weights[c].column = NULL;
  }
}

static void
check_projection (struct engines *all, const struct test_layout *layout, const struct test_geometry *geometry,
                  enum test_fill fill, bool with_weights, struct test_random *random)
{
  const struct histo_weights ones = { 0 };
  static struct test_count expected;
  struct test_frame frame, operand = { 0 };
  struct histo_stats stats = { 0 };
  struct vectors vectors = { 0 };

  test_frame_init (&frame, layout, geometry, fill, random);
  frame.frame.project = true;
  if (test_random_once_in (random, 3)) {
    init_operand (&operand, &frame, random);
    frame.frame.operand = &operand.frame;
  }
  test_frame_count (&frame.frame, &expected);
  if (with_weights) {
    make_vectors (&vectors, (uint64_t)geometry->width + 4, (uint64_t)geometry->height + 4, random);
    test_frame_project (&frame.frame, vectors.weights, &expected);
  }
  for (unsigned v = 0; v < all->count; v++) {
    for (unsigned c = 0; c < HISTO_MAX_COMPONENTS; c++)
      ck_assert_int_eq (histo_set_weights (all->engines[v], c, with_weights ? &vectors.weights[c] : &ones), HISTO_OK);
    assert_counts (all->engines[v], &all->variants[v], &frame, &expected.stats, &stats);
  }
  free (vectors.numbers);
  histo_stats_clear (&stats);
  test_count_clear (&expected);
  test_frame_clear (&operand);
  test_frame_clear (&frame);
}

START_TEST (every_layout_projected)
{
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 120);
  for (unsigned l = 0; l < test_layout_count; l++) {
    for (unsigned s = 0; s < SIZE_COUNT; s++) {
      struct test_geometry geometry;

      if (test_layouts[l].components[0].step_bytes > 8 && sizes[s][0] * sizes[s][1] > 1000)
        continue;
      geometry = test_geometry_random (sizes[s][0], sizes[s][1], &random);
      check_projection (&all, &test_layouts[l], &geometry, (enum test_fill)test_random_below (&random, TEST_FILL_COUNT),
                        s % 3 != 0, &random);
    }
  }
  close_all (&all);
}
END_TEST

/* Pictures that are wider and higher than what a worker or a block takes at once. */
START_TEST (large_frames_projected)
{
  static const struct {
    const char *layout;
    uint32_t width, height;
    enum test_fill fill;
  } cases[] = {
    { "GRAY8", 1920, 1080, TEST_FILL_MAX },         { "GRAY8", 40001, 37, TEST_FILL_RANDOM },
    { "GRAY8", 1, 5003, TEST_FILL_RANDOM },         { "GRAY8", 5, 3001, TEST_FILL_RANDOM },
    { "RGB", 4099, 301, TEST_FILL_RANDOM },         { "YUY2", 3001, 67, TEST_FILL_SKEWED },
    { "every fifth byte", 9001, 9, TEST_FILL_MAX }, { "steps 1 and 4, far offset", 6001, 19, TEST_FILL_RANDOM },
    { "GRAY16_LE", 9001, 300, TEST_FILL_MAX },      { "RGBA64_LE", 3001, 40, TEST_FILL_RANDOM },
    { "P010_10LE", 1920, 270, TEST_FILL_RANDOM },   { "14 bits every third byte", 9001, 9, TEST_FILL_RANDOM },
  };
  struct engines all = open_all (0);
  struct test_random random;

  test_random_init (&random, 121);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct test_geometry geometry = { .width = cases[i].width, .height = cases[i].height, .extra_stride_bytes = i % 3 };
    const struct test_layout *layout = test_layout_find (cases[i].layout);

    check_projection (&all, layout, &geometry, cases[i].fill, true, &random);
  }
  close_all (&all);
}
END_TEST

/* Row weights from which sums of neighbours do and do not fit into 32 bits: [from, to) have `weight`, the others `rest`. */
START_TEST (extreme_weights)
{
  static const struct {
    unsigned from, to;
    int16_t weight, rest;
  } cases[] = {
    { 0, 1024, INT16_MIN, 0 },  { 0, 1024, INT16_MAX, 0 },   { 0, 1024, INT16_MIN + 1, 0 },    { 0, 1024, 16448, 0 },
    { 0, 1024, -16449, 0 },     { 200, 457, INT16_MAX, 0 },  { 200, 458, INT16_MAX, 0 },       { 200, 457, INT16_MIN, 0 },
    { 200, 458, INT16_MIN, 0 }, { 766, 1024, INT16_MAX, 0 }, { 0, 512, INT16_MIN, INT16_MAX },
  };
  struct engines all = open_all (0);
  static struct test_count expected;
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame frame;

  test_random_init (&random, 124);
  test_frame_init (&frame, test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 1024, .height = 3 }, TEST_FILL_MAX,
                   &random);
  frame.frame.project = true;
  test_frame_count (&frame.frame, &expected);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    int16_t numbers[1024];
    const struct histo_weights weights[HISTO_MAX_COMPONENTS] = { { numbers, 1024, numbers, 1024 } };

    for (unsigned k = 0; k < 1024; k++)
      numbers[k] = k >= cases[i].from && k < cases[i].to ? cases[i].weight : cases[i].rest;
    test_frame_project (&frame.frame, weights, &expected);
    for (unsigned v = 0; v < all.count; v++) {
      ck_assert_int_eq (histo_set_weights (all.engines[v], 0, &weights[0]), HISTO_OK);
      assert_counts (all.engines[v], &all.variants[v], &frame, &expected.stats, &stats);
    }
  }
  histo_stats_clear (&stats);
  test_count_clear (&expected);
  test_frame_clear (&frame);
  close_all (&all);
}
END_TEST

/* The sum of all row sums is that of all samples, and so is that of all column sums. With one row, columns are the samples. */
START_TEST (sums_of_sums)
{
  struct engines all = open_all (0);
  struct test_random random;
  struct test_frame frame;
  struct histo_stats stats = { 0 };

  test_random_init (&random, 122);
  test_frame_init (&frame, test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 77, .height = 31 }, TEST_FILL_RANDOM,
                   &random);
  frame.frame.project = true;
  for (unsigned v = 0; v < all.count; v++) {
    uint64_t rows = 0, columns = 0;

    ck_assert_int_eq (test_engine_count (all.engines[v], &frame.frame, &stats), HISTO_OK);
    ck_assert_uint_eq (stats.components[0].rows, 31);
    ck_assert_uint_eq (stats.components[0].columns, 77);
    for (unsigned y = 0; y < 31; y++)
      rows += (uint64_t)stats.components[0].row_sums[y];
    for (unsigned x = 0; x < 77; x++)
      columns += (uint64_t)stats.components[0].column_sums[x];
    ck_assert_uint_eq (rows, stats.components[0].sum);
    ck_assert_uint_eq (columns, stats.components[0].sum);
  }
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  close_all (&all);
}
END_TEST

/* Frames that are projected and frames that are not take the same slots. */
START_TEST (projected_frames_in_flight)
{
  enum { FRAMES = 20, IN_FLIGHT = 3 };
  struct engines all = open_all (IN_FLIGHT);
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES];
  struct histo_stats stats = { 0 };
  struct test_random random;

  test_random_init (&random, 123);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 200),
                                                          1 + (uint32_t)test_random_below (&random, 60), &random);
    test_frame_init (&frames[f], &test_layouts[test_random_below (&random, test_layout_count)], &geometry, TEST_FILL_RANDOM,
                     &random);
    frames[f].frame.project = f % 3 != 1;
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  for (unsigned v = 0; v < all.count; v++) {
    histo_ticket ticket;

    for (unsigned f = 0; f < FRAMES + IN_FLIGHT; f++) {
      if (f >= IN_FLIGHT) {
        ck_assert_int_eq (histo_collect (all.engines[v], f - IN_FLIGHT + 1, &stats), HISTO_OK);
        assert_equal (&expected[f - IN_FLIGHT].stats, &stats, &all.variants[v], &frames[f - IN_FLIGHT]);
      }
      if (f < FRAMES)
        ck_assert_int_eq (histo_submit (all.engines[v], &frames[f].frame, &ticket), HISTO_OK);
    }
  }
  histo_stats_clear (&stats);
  for (unsigned f = 0; f < FRAMES; f++) {
    test_count_clear (&expected[f]);
    test_frame_clear (&frames[f]);
  }
  close_all (&all);
}
END_TEST

#ifdef HAVE_CUDA
/* Copies a frame's planes into device memory, each `offset` bytes off an allocation that ends with its last sample. */
static void
upload_frame (const struct test_device *device, const struct test_frame *frame, unsigned offset, CUstream stream,
              struct histo_frame *on_device, CUdeviceptr memory[HISTO_MAX_PLANES])
{
  *on_device = frame->frame;
  on_device->memory = HISTO_MEMORY_DEVICE;
  on_device->stream = stream;
  on_device->operand = NULL;
  for (unsigned p = 0; p < frame->layout->plane_count; p++) {
    size_t size = frame->memory[p].size;
    size_t begin = (size_t)((const uint8_t *)frame->frame.planes[p].data - frame->memory[p].bytes);

    memory[p] = test_device_alloc (device, size + offset);
    test_device_upload (device, memory[p] + offset, frame->memory[p].bytes, size, stream);
    on_device->planes[p].data = (const void *)(uintptr_t)(memory[p] + offset + begin);
  }
}

/* A frame whose planes are in pinned memory, `offset` bytes off its allocations. */
struct pinned_frame {
  struct histo_frame frame;
  void *memory[HISTO_MAX_PLANES];
};

static void
pin_frame (const struct test_device *device, const struct test_frame *frame, unsigned offset, struct pinned_frame *pinned)
{
  *pinned = (struct pinned_frame){ .frame = frame->frame };
  for (unsigned p = 0; p < frame->layout->plane_count; p++) {
    uint8_t *bytes = pinned->memory[p] = test_device_alloc_pinned (device, frame->memory[p].size + offset);
    const uint8_t *data = frame->frame.planes[p].data;

    memcpy (bytes + offset, frame->memory[p].bytes, frame->memory[p].size);
    pinned->frame.planes[p].data = bytes + offset + (data - frame->memory[p].bytes);
  }
}

static void
unpin_frame (const struct test_device *device, struct pinned_frame *pinned)
{
  for (unsigned p = 0; p < HISTO_MAX_PLANES; p++)
    test_device_free_pinned (device, pinned->memory[p]);
}

/* `width` bytes of a byte stream, from `data` on. */
static struct histo_frame
describe_bytes (const struct test_frame *bytes, CUdeviceptr data, uint64_t width)
{
  struct histo_frame frame = bytes->frame;

  frame.memory = HISTO_MEMORY_DEVICE;
  frame.planes[0].data = (const void *)(uintptr_t)data;
  frame.components[0].width = width;
  return frame;
}

static void
check_device_frames (struct histo_engine *engine, const struct test_variant *variant, const struct test_device *device,
                     struct test_random *random)
{
  struct histo_stats stats = { 0 };
  static struct test_count expected;

  for (unsigned l = 0; l < test_layout_count; l++) {
    for (unsigned repeat = 0; repeat < 4; repeat++) {
      CUdeviceptr memory[HISTO_MAX_PLANES] = { 0 }, operand_memory[HISTO_MAX_PLANES] = { 0 };
      unsigned size = (unsigned)test_random_below (random, SIZE_COUNT);
      struct test_geometry geometry = test_geometry_random (sizes[size][0], sizes[size][1], random);
      /* Without a stream the samples must be complete; with one the engine must wait for it. */
      CUstream stream = repeat % 2 == 0 ? device->stream : NULL;
      struct test_frame frame, operand;
      struct histo_frame on_device, operand_on_device;

      if (test_layouts[l].components[0].step_bytes > 8)
        continue;
      test_frame_init (&frame, &test_layouts[l], &geometry, (enum test_fill)test_random_below (random, TEST_FILL_COUNT),
                       random);
      init_operand (&operand, &frame, random);
      test_device_enter (device);
      upload_frame (device, &frame, (unsigned)test_random_below (random, 16), stream, &on_device, memory);
      if (repeat < 2) {
        upload_frame (device, &operand, (unsigned)test_random_below (random, 16), stream != NULL ? device->other_stream : NULL,
                      &operand_on_device, operand_memory);
        frame.frame.operand = &operand.frame;
        on_device.operand = &operand_on_device;
      }
      test_device_leave (device);

      test_frame_count (&frame.frame, &expected);
      ck_assert_msg (test_engine_count (engine, &on_device, &stats) == HISTO_OK, "%s: %s", variant->name, test_log.text);
      assert_equal (&expected.stats, &stats, variant, &frame);

      test_device_enter (device);
      for (unsigned p = 0; p < HISTO_MAX_PLANES; p++) {
        test_device_free (device, memory[p]);
        test_device_free (device, operand_memory[p]);
      }
      test_device_leave (device);
      test_frame_clear (&operand);
      test_frame_clear (&frame);
    }
  }
  histo_stats_clear (&stats);
}

/* In the device's primary context, which the engine retains, and in a context of the caller's own. */
START_TEST (device_memory)
{
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_random random;

  test_random_init (&random, 14);
  for (unsigned v = 0; v < count; v++) {
    for (unsigned own_context = 0; own_context < 2; own_context++) {
      struct test_variant variant = variants[v];
      struct test_device *device = test_device_open (own_context);
      struct histo_engine *engine;

      variant.config.cuda_context = own_context ? device->context : NULL;
      engine = open_variant (&variant, 0);
      check_device_frames (engine, &variant, device, &random);
      histo_close (&engine);
      test_device_close (device);
    }
  }
}
END_TEST

#define MANY 6

/* Frames of a layout and a size in device memory: `count` in one submission, or one by itself. */
struct many {
  const struct test_layout *layout;
  struct test_geometry geometry;
  unsigned count;
  unsigned offset, operand_offset; /* bytes off an allocation, of all; MAX_OFFSET: each its own */
  bool has_operand, project;
};

#define MAX_OFFSET 16

static unsigned
choose_offset (unsigned offset, struct test_random *random)
{
  return offset < MAX_OFFSET ? offset : (unsigned)test_random_below (random, MAX_OFFSET);
}

static void
check_many_on_device (struct histo_engine *engine, const struct test_variant *variant, const struct test_device *device,
                      const struct many *many, struct test_random *random)
{
  CUdeviceptr memory[MANY][HISTO_MAX_PLANES] = { 0 }, operand_memory[MANY][HISTO_MAX_PLANES] = { 0 };
  struct test_frame frames[MANY], operands[MANY];
  struct histo_frame on_device[MANY], operands_on_device[MANY];
  static struct test_count expected;
  struct histo_stats stats = { 0 };
  enum histo_status status;
  histo_ticket first;

  test_device_enter (device);
  for (unsigned f = 0; f < many->count; f++) {
    CUstream stream = f % 3 == 0 ? device->stream : f % 3 == 1 ? device->other_stream : NULL;

    test_frame_init (&frames[f], many->layout, &many->geometry, (enum test_fill)test_random_below (random, TEST_FILL_COUNT),
                     random);
    test_frame_init (&operands[f], many->layout, &many->geometry, TEST_FILL_RANDOM, random);
    frames[f].frame.project = many->project;
    upload_frame (device, &frames[f], choose_offset (many->offset, random), stream, &on_device[f], memory[f]);
    if (many->has_operand) { /* else nobody would wait for it */
      upload_frame (device, &operands[f], choose_offset (many->operand_offset, random), device->other_stream,
                    &operands_on_device[f], operand_memory[f]);
      frames[f].frame.operand = &operands[f].frame;
      on_device[f].operand = &operands_on_device[f];
    }
  }
  test_device_leave (device);
  status
      = many->count > 1 ? histo_submit_many (engine, on_device, many->count, &first) : histo_submit (engine, on_device, &first);
  ck_assert_msg (status == HISTO_OK, "%s: %s", variant->name, test_log.text);
  for (unsigned f = 0; f < many->count; f++) {
    memset (&expected, 0, sizeof expected);
    test_frame_count (&frames[f].frame, &expected);
    ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s: %s", variant->name, test_log.text);
    assert_equal (&expected.stats, &stats, variant, &frames[f]);
    test_count_clear (&expected);
  }
  test_device_enter (device);
  for (unsigned f = 0; f < many->count; f++) {
    for (unsigned p = 0; p < HISTO_MAX_PLANES; p++) {
      test_device_free (device, memory[f][p]);
      test_device_free (device, operand_memory[f][p]);
    }
    test_frame_clear (&frames[f]);
    test_frame_clear (&operands[f]);
  }
  test_device_leave (device);
  histo_stats_clear (&stats);
}

START_TEST (many_in_device_memory)
{
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  struct test_random random;

  test_random_init (&random, 61);
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], 2 * MANY + 1); /* submissions wrap around */

    for (unsigned l = 0; l < test_layout_count; l++) {
      for (unsigned repeat = 0; repeat < 3 && test_layouts[l].components[0].step_bytes <= 8; repeat++) {
        const uint32_t *size = sizes[test_random_below (&random, SIZE_COUNT)];
        unsigned offset = (unsigned)test_random_below (&random, 2 * MAX_OFFSET);
        const struct many many = {
          .layout = &test_layouts[l],
          .geometry = test_geometry_random (size[0], size[1], &random),
          .count = 2 + (unsigned)test_random_below (&random, MANY - 1),
          .offset = offset,
          .operand_offset = offset,
          .has_operand = test_random_below (&random, 2) == 0,
          .project = test_random_below (&random, 3) == 0,
        };

        check_many_on_device (engine, &variants[v], device, &many, &random);
      }
    }
    histo_close (&engine);
  }
  test_device_close (device);
}
END_TEST

/* The planes of a picture from row `row` on, so that there are `height` in each. */
static struct histo_frame
view_rows (const struct histo_frame *picture, unsigned row, unsigned chroma_row, uint32_t height)
{
  struct histo_frame view = *picture;

  for (unsigned p = 0; p < picture->plane_count; p++) {
    view.planes[p].data
        = (const uint8_t *)picture->planes[p].data + (p == 0 ? row : chroma_row) * picture->planes[p].stride_bytes;
    view.planes[p].height = height;
  }
  return view;
}

/* Views of one picture: where they, and their operands, follow at one distance, the kernel needs no list of their addresses. */
START_TEST (views_in_device_memory)
{
  enum { VIEWS = 5, HEIGHT = 9, ROWS = 2 * (HEIGHT + 20) };
  static const char *const layouts[] = { "GRAY8", "NV12", "P010_10LE" };
  static const struct {
    unsigned rows[VIEWS], chroma_rows[VIEWS], operand_rows[VIEWS];
  } cases[] = {
    { { 0, 3, 6, 9, 12 }, { 0, 3, 6, 9, 12 }, { 1, 4, 7, 10, 13 } },    /* one distance */
    { { 12, 9, 6, 3, 0 }, { 16, 13, 10, 7, 4 }, { 13, 10, 7, 4, 1 } },  /* back */
    { { 5, 5, 5, 5, 5 }, { 5, 5, 5, 5, 5 }, { 5, 5, 5, 5, 5 } },        /* none */
    { { 0, 3, 6, 9, 13 }, { 0, 3, 6, 9, 13 }, { 1, 4, 7, 10, 14 } },    /* but the last */
    { { 0, 3, 6, 9, 12 }, { 0, 3, 6, 10, 13 }, { 1, 4, 7, 10, 13 } },   /* but in a plane */
    { { 0, 3, 6, 9, 12 }, { 0, 3, 6, 9, 12 }, { 12, 12, 12, 12, 12 } }, /* but for the operand */
  };
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  struct test_random random;

  test_random_init (&random, 67);
  for (unsigned l = 0; l < sizeof layouts / sizeof *layouts; l++) {
    const struct test_geometry geometry = { .width = 80, .height = ROWS };
    static struct test_count expected;
    struct histo_stats stats = { 0 };
    struct test_frame picture;
    struct histo_frame on_device;
    CUdeviceptr memory[HISTO_MAX_PLANES] = { 0 };

    test_frame_init (&picture, test_layout_find (layouts[l]), &geometry, TEST_FILL_RANDOM, &random);
    test_device_enter (device);
    upload_frame (device, &picture, 0, NULL, &on_device, memory);
    test_device_leave (device);
    for (unsigned v = 0; v < count; v++) {
      struct histo_engine *engine = open_variant (&variants[v], VIEWS);

      for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const unsigned c = i / 2;
        struct histo_frame views[VIEWS], operands[VIEWS];
        histo_ticket first;

        for (unsigned f = 0; f < VIEWS; f++) {
          views[f] = view_rows (&on_device, cases[c].rows[f], cases[c].chroma_rows[f], HEIGHT);
          operands[f] = view_rows (&on_device, cases[c].operand_rows[f], cases[c].operand_rows[f], HEIGHT);
          views[f].operand = i % 2 ? &operands[f] : NULL;
        }
        ck_assert_int_eq (histo_submit_many (engine, views, VIEWS, &first), HISTO_OK);
        for (unsigned f = 0; f < VIEWS; f++) {
          struct histo_frame view = view_rows (&picture.frame, cases[c].rows[f], cases[c].chroma_rows[f], HEIGHT);
          const struct histo_frame operand
              = view_rows (&picture.frame, cases[c].operand_rows[f], cases[c].operand_rows[f], HEIGHT);

          view.operand = i % 2 ? &operand : NULL;
          test_frame_count (&view, &expected);
          ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s: %s", variants[v].name, test_log.text);
          assert_equal (&expected.stats, &stats, &variants[v], &picture);
        }
      }
      histo_close (&engine);
    }
    histo_stats_clear (&stats);
    test_device_enter (device);
    for (unsigned p = 0; p < HISTO_MAX_PLANES; p++)
      test_device_free (device, memory[p]);
    test_device_leave (device);
    test_frame_clear (&picture);
  }
  test_device_close (device);
}
END_TEST

/* One component in rows of whole vectors, for which there is a kernel, and what only looks like that. */
START_TEST (planes_in_device_memory)
{
  static const struct {
    uint32_t width, height;
    size_t extra_stride;
    unsigned counts[2];
  } cases[] = {
    { 64, 3, 0, { 1, 4 } },        { 64, 3, 8, { 1, 4 } },     { 64, 3, 64, { 1, 4 } },   { 1000, 3, 0, { 1, 4 } },
    { 1000, 3, 8, { 1, 4 } },      { 1920, 30, 64, { 1, 4 } }, { 1920, 30, 8, { 1, 4 } }, { 8, 1, 0, { 1, 4 } },
    { 1920, 1080, 128, { 1, 1 } }, /* more vectors than a thread has in flight: alone, and of many */
    { 3840, 2160, 256, { 4, 4 } },
  };
  static const unsigned offsets[] = { 0, 8 };
  const bool is_real = fakecuda_find () == NULL;
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  struct test_random random;

  test_random_init (&random, 64);
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], MANY);

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
      for (unsigned k = 0; k < 2 * 2 * 3; k++) {
        const bool is_large = cases[i].height > 1000; /* for a GPU, which takes another way then */
        const struct many many = {
          .layout = test_layout_find ("GRAY8"),
          .geometry = { .width = cases[i].width, .height = cases[i].height, .extra_stride_bytes = cases[i].extra_stride },
          .count = cases[i].counts[k % 2],
          .offset = offsets[k / 2 % 2],
          .operand_offset = offsets[k / 4 % 2],
          .has_operand = k / 4 < 2,
        };

        if (!is_large || (is_real && (k == 0 || k == 8))) /* aligned alike; without an operand */
          check_many_on_device (engine, &variants[v], device, &many, &random);
      }
    }
    histo_close (&engine);
  }
  test_device_close (device);
}
END_TEST

/* Many such frames, packed or in rows with gaps, from fewer vectors than a thread has in flight to many rounds of a block. At one distance, or,
 * with every second pair exchanged, at none. */
START_TEST (planes_of_any_length)
{
  static const struct {
    unsigned count;
    uint32_t width, height, gap; /* gap: bytes between rows */
    bool has_operand;
  } cases[] = {
    { 2, 2000000, 1, 0, false }, { 3, 16, 1, 0, false },     { 64, 50000, 1, 0, false }, { 64, 16, 701, 32, false },
    { 63, 16400, 3, 16, false }, { 511, 4096, 1, 0, false }, { 40, 160, 37, 16, false }, { 300, 16384, 1, 0, false },
    { 5, 524288, 1, 0, true },   { 130, 16, 129, 16, true }, { 70, 32768, 1, 0, true },  { 2, 16384, 1, 0, true },
    { 7, 1040, 200, 48, true },
  };
  enum { MOST = 511, DISTANCE = 48 };
  static struct histo_frame frames[MOST], operands[MOST];
  static struct test_count expected;
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  struct histo_stats stats = { 0 };
  struct test_random random;

  test_random_init (&random, 68);
  for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    const unsigned c = i / 2, frame_count = cases[c].count;
    const bool is_listed = i % 2 && !cases[c].has_operand;
    const uint64_t stride = cases[c].width + cases[c].gap, size = stride * cases[c].height, pitch = size + DISTANCE;
    struct test_frame bytes;
    CUdeviceptr memory;

    test_frame_init_bytes (&bytes, pitch * (frame_count + 1), 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, pitch * (frame_count + 1));
    for (unsigned v = 0; v < count; v++) {
      struct histo_engine *engine = open_variant (&variants[v], frame_count);
      histo_ticket first;

      for (unsigned f = 0; f < frame_count; f++) {
        const uint64_t at = is_listed && (f ^ 1) < frame_count ? f ^ 1 : f;

        frames[f] = describe_bytes (&bytes, memory + at * pitch, cases[c].width);
        frames[f].planes[0].height = cases[c].height;
        frames[f].planes[0].stride_bytes = stride;
        operands[f] = frames[f];
        operands[f].planes[0].data = (const uint8_t *)operands[f].planes[0].data + pitch;
        frames[f].operand = cases[c].has_operand ? &operands[f] : NULL;
      }
      for (unsigned again = 0; again < 2; again++) {
        ck_assert_msg (histo_submit_many (engine, frames, frame_count, &first) == HISTO_OK, "%s", test_log.text);
        for (unsigned f = 0; f < frame_count; f++) {
          struct histo_frame frame = frames[f], operand = operands[f];
          const uint8_t *base = bytes.memory[0].bytes;

          frame.memory = operand.memory = HISTO_MEMORY_HOST;
          frame.planes[0].data = base + ((uintptr_t)frames[f].planes[0].data - memory);
          operand.planes[0].data = base + ((uintptr_t)operands[f].planes[0].data - memory);
          frame.operand = cases[c].has_operand ? &operand : NULL;
          test_frame_count (&frame, &expected);
          ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s", test_log.text);
          assert_equal (&expected.stats, &stats, &variants[v], &bytes);
        }
      }
      histo_close (&engine);
    }
    test_device_drop (device, memory);
    test_frame_clear (&bytes);
  }
  test_count_clear (&expected);
  histo_stats_clear (&stats);
  test_device_close (device);
}
END_TEST

/* As many as fit into a launch's parameter with their addresses, and one more; several launches at once. */
START_TEST (planes_by_the_dozen)
{
  enum { LAUNCHES = 6, MOST = 67, STEP = 16, LENGTH = 4096 };
  static const unsigned counts[LAUNCHES] = { 2, 64, 65, 63, 64, 67 };
  static const bool projects[LAUNCHES] = { false, false, false, false, true, true };
  static struct histo_frame frames[MOST];
  static struct test_count expected;
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame bytes;
  CUdeviceptr memory;

  test_random_init (&random, 66);
  test_frame_init_bytes (&bytes, LENGTH + STEP * MOST, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, LENGTH + STEP * MOST);
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], LAUNCHES * MOST);
    histo_ticket first[LAUNCHES];

    for (unsigned i = 0; i < LAUNCHES; i++) {
      for (unsigned f = 0; f < counts[i]; f++) {
        /* No two alike, in no order. */
        frames[f] = describe_bytes (&bytes, memory + STEP * ((7 * f + i) % MOST), LENGTH);
        frames[f].project = projects[i];
      }
      ck_assert_msg (histo_submit_many (engine, frames, counts[i], &first[i]) == HISTO_OK, "%s", test_log.text);
    }
    for (unsigned i = 0; i < LAUNCHES; i++)
      for (unsigned f = 0; f < counts[i]; f++) {
        struct histo_frame frame = bytes.frame;

        frame.components[0].width = LENGTH;
        frame.project = projects[i];
        frame.planes[0].data = bytes.memory[0].bytes + STEP * ((7 * f + i) % MOST);
        test_frame_count (&frame, &expected);
        ck_assert_msg (histo_collect (engine, first[i] + f, &stats) == HISTO_OK, "%s", test_log.text);
        ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
        test_count_clear (&expected);
      }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_device_drop (device, memory);
  test_frame_clear (&bytes);
  test_device_close (device);
}
END_TEST

/* A submission that is refused is collected before those that were there first: their copies stay what they are until they are counted. */
START_TEST (refused_behind_others)
{
  enum { BYTES = 1 << 20, ROUNDS = 5 };
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame bytes[2];
  static struct test_count expected[2];

  test_random_init (&random, 69);
  for (unsigned i = 0; i < 2; i++) {
    test_frame_init_bytes (&bytes[i], BYTES, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    test_frame_count (&bytes[i].frame, &expected[i]);
  }
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], 8);

    for (unsigned round = 0; round < ROUNDS; round++) {
      struct histo_frame refused[3] = { bytes[1].frame, bytes[1].frame, bytes[1].frame };
      histo_ticket first, second, ticket;

      refused[0].components[0].width = refused[1].components[0].width = 0;
      refused[2].components[0].width = UINT64_C (1) << 37;
      ck_assert_int_eq (histo_submit (engine, &bytes[0].frame, &first), HISTO_OK);
      ck_assert_int_eq (histo_submit_many (engine, refused, 3, &ticket), HISTO_ERROR_UNSUPPORTED);
      ck_assert_int_eq (histo_submit (engine, &bytes[1].frame, &second), HISTO_OK);
      for (unsigned i = 0; i < 2; i++) {
        ck_assert_msg (histo_collect (engine, i == 0 ? first : second, &stats) == HISTO_OK, "%s", test_log.text);
        assert_equal (&expected[i].stats, &stats, &variants[v], &bytes[i]);
      }
    }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&bytes[i]);
}
END_TEST

/* One row of more strips than blocks can add to a word, in every memory, and two in one launch. */
START_TEST (long_rows_projected)
{
  enum { BYTES = (1 << 25) + 1, FRAMES = 2 };
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame bytes;
  static struct test_count expected;
  struct histo_frame frames[FRAMES];
  struct pinned_frame pinned;
  histo_ticket ticket;
  CUdeviceptr memory;

  test_random_init (&random, 70);
  test_frame_init_bytes (&bytes, BYTES, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  bytes.frame.project = true;
  test_frame_count (&bytes.frame, &expected);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, bytes.memory[0].size);
  test_device_enter (device);
  pin_frame (device, &bytes, 0, &pinned);
  test_device_leave (device);
  for (unsigned f = 0; f < FRAMES; f++)
    frames[f] = describe_bytes (&bytes, memory, BYTES);
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], FRAMES);

    assert_counts (engine, &variants[v], &bytes, &expected.stats, &stats);
    ck_assert_msg (test_engine_count (engine, &pinned.frame, &stats) == HISTO_OK, "%s", test_log.text);
    assert_equal (&expected.stats, &stats, &variants[v], &bytes);
    ck_assert_int_eq (histo_submit_many (engine, frames, FRAMES, &ticket), HISTO_OK);
    for (unsigned f = 0; f < FRAMES; f++) {
      ck_assert_msg (histo_collect (engine, ticket + f, &stats) == HISTO_OK, "%s", test_log.text);
      assert_equal (&expected.stats, &stats, &variants[v], &bytes);
    }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_count_clear (&expected);
  test_device_enter (device);
  unpin_frame (device, &pinned);
  test_device_leave (device);
  test_device_drop (device, memory);
  test_frame_clear (&bytes);
  test_device_close (device);
}
END_TEST

/* So many frames in one launch that each gets fewer slices than its rows need: a slice has at most HISTO_CUDA_PROJECT_ROWS. */
START_TEST (tall_frames_projected)
{
  enum { WIDTH = 16, HEIGHT = 5 * HISTO_CUDA_PROJECT_ROWS + 1, FRAMES = HISTO_CUDA_LISTED };
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame bytes;
  static struct test_count expected;
  struct histo_frame frames[FRAMES];
  histo_ticket ticket;
  CUdeviceptr memory;

  test_random_init (&random, 71);
  test_frame_init_bytes (&bytes, WIDTH * HEIGHT, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  bytes.frame.project = true;
  bytes.frame.planes[0].stride_bytes = bytes.frame.components[0].width = WIDTH;
  bytes.frame.planes[0].height = HEIGHT;
  test_frame_count (&bytes.frame, &expected);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, bytes.memory[0].size);
  for (unsigned f = 0; f < FRAMES; f++)
    frames[f] = describe_bytes (&bytes, memory, WIDTH);
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], FRAMES);

    ck_assert_int_eq (histo_submit_many (engine, frames, FRAMES, &ticket), HISTO_OK);
    for (unsigned f = 0; f < FRAMES; f++) {
      ck_assert_msg (histo_collect (engine, ticket + f, &stats) == HISTO_OK, "%s", test_log.text);
      assert_equal (&expected.stats, &stats, &variants[v], &bytes);
    }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_count_clear (&expected);
  test_device_drop (device, memory);
  test_frame_clear (&bytes);
  test_device_close (device);
}
END_TEST

/* Launches of every kind in the same runs, one after another: what one leaves in its words is no part of the next one's numbers. */
START_TEST (kinds_take_turns)
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
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  static struct test_frame frames[KINDS][2];
  static struct histo_frame on_device[KINDS][2], many[MOST];
  static struct test_count expected[2];
  CUdeviceptr memory[KINDS][2][HISTO_MAX_PLANES] = { { { 0 } } };
  struct histo_stats stats = { 0 };
  struct test_random random;

  test_random_init (&random, 68);
  test_device_enter (device);
  for (unsigned k = 0; k < KINDS; k++) {
    /* With a gap between rows, or these would be one, and the frame a small one. */
    const struct test_geometry geometry = { .width = kinds[k].width, .height = kinds[k].height, .extra_stride_bytes = 16 };

    for (unsigned i = 0; i < 2; i++) {
      test_frame_init (&frames[k][i], test_layout_find (kinds[k].layout), &geometry, TEST_FILL_RANDOM, &random);
      upload_frame (device, &frames[k][i], 0, NULL, &on_device[k][i], memory[k][i]);
      frames[k][i].frame.project = on_device[k][i].project = kinds[k].project;
    }
    for (unsigned i = 0; kinds[k].has_operand && i < 2; i++) {
      frames[k][i].frame.operand = &frames[k][1 - i].frame;
      on_device[k][i].operand = &on_device[k][1 - i];
    }
  }
  test_device_leave (device);
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], SLOTS);

    for (unsigned round = 0; round < ROUNDS; round++) {
      const unsigned k = (unsigned)test_random_below (&random, KINDS);
      histo_ticket first;

      for (unsigned f = 0; f < kinds[k].count; f++)
        many[f] = on_device[k][f % 2];
      ck_assert_msg (
          (kinds[k].count > 1 ? histo_submit_many (engine, many, kinds[k].count, &first) : histo_submit (engine, many, &first))
              == HISTO_OK,
          "%s", test_log.text);
      for (unsigned i = 0; i < 2; i++) {
        memset (&expected[i], 0, sizeof expected[i]);
        test_frame_count (&frames[k][i].frame, &expected[i]);
      }
      for (unsigned f = 0; f < kinds[k].count; f++) {
        ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s", test_log.text);
        assert_equal (&expected[f % 2].stats, &stats, &variants[v], &frames[k][f % 2]);
      }
      for (unsigned i = 0; i < 2; i++)
        test_count_clear (&expected[i]);
    }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_device_enter (device);
  for (unsigned k = 0; k < KINDS; k++) {
    for (unsigned i = 0; i < 2; i++) {
      for (unsigned p = 0; p < HISTO_MAX_PLANES; p++)
        test_device_free (device, memory[k][i][p]);
      test_frame_clear (&frames[k][i]);
    }
  }
  test_device_leave (device);
  test_device_close (device);
}
END_TEST

/* Submits `count` frames, and collects and checks them. */
static void
check_tagged (struct histo_engine *engine, const struct histo_frame *frames, unsigned count, const struct histo_frame *host)
{
  struct histo_stats stats = { 0 };
  static struct test_count expected;
  histo_ticket ticket;

  ck_assert_msg ((count > 1 ? histo_submit_many (engine, frames, count, &ticket) : histo_submit (engine, frames, &ticket))
                     == HISTO_OK,
                 "%s", test_log.text);
  test_frame_count (host, &expected);
  for (unsigned i = 0; i < count; i++) {
    ck_assert_msg (histo_collect (engine, ticket + i, &stats) == HISTO_OK, "%s", test_log.text);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  }
  test_count_clear (&expected);
  histo_stats_clear (&stats);
}

/* Words that a run has from its launches of long ago do not look like those of a launch with the same tag: of many frames, of deep ones, of
 * some with an operand, with other numbers the second time. */
START_TEST (tags_come_round)
{
  enum { TAGS = 65535, SLOTS = 2 };
  struct test_variant variant = test_variants (&(unsigned){ 0 })[0];
  struct histo_engine *engine = open_variant (&variant, SLOTS);
  struct test_device *device = test_device_open (false);
  struct test_frame deep[2], colour[2], grey[2];
  struct histo_frame on_device[2];
  CUdeviceptr memory[2][HISTO_MAX_PLANES] = { 0 };
  struct histo_stats stats = { 0 };
  struct test_random random;

  test_random_init (&random, 67);
  test_device_enter (device);
  for (unsigned i = 0; i < 2; i++) {
    test_frame_init (&deep[i], test_layout_find ("I422_12BE"), &(struct test_geometry){ .width = 20, .height = 2 },
                     TEST_FILL_RANDOM, &random);
    test_frame_init (&colour[i], test_layout_find ("NV12"), &(struct test_geometry){ .width = 20, .height = 2 },
                     TEST_FILL_RANDOM, &random);
    test_frame_init (&grey[i], test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 16, .height = 1 },
                     TEST_FILL_RANDOM, &random);
    upload_frame (device, &grey[i], 0, NULL, &on_device[i], memory[i]);
  }
  test_device_leave (device);
  for (unsigned round = 0; round < 2; round++) {
    struct histo_frame many[SLOTS] = { on_device[round], on_device[round] },
                       frames[] = { deep[round].frame, colour[round].frame };

    for (unsigned k = 0; k < 2; k++) { /* tags 1 and 2 */
      frames[k].operand = k == 0 ? &deep[round].frame : &colour[round].frame;
      for (unsigned slot = 0; slot < SLOTS; slot++)
        check_tagged (engine, &frames[k], 1, &frames[k]);
      check_tagged (engine, many, SLOTS, &grey[round].frame); /* without a tag */
    }
    many[0].project = many[1].project = grey[round].frame.project = true;
    check_tagged (engine, many, SLOTS, &grey[round].frame); /* tag 3 */
    grey[round].frame.project = false;
    for (unsigned tag = 4; tag <= TAGS && round == 0; tag++)
      for (unsigned slot = 0; slot < SLOTS; slot++) {
        histo_ticket ticket;

        ck_assert_msg (histo_submit (engine, &grey[0].frame, &ticket) == HISTO_OK, "%s", test_log.text);
        ck_assert_msg (histo_collect (engine, ticket, &stats) == HISTO_OK, "%s", test_log.text);
      }
  }
  histo_close (&engine);
  histo_stats_clear (&stats);
  test_device_enter (device);
  for (unsigned i = 0; i < 2; i++) {
    test_device_free (device, memory[i][0]);
    test_frame_clear (&deep[i]);
    test_frame_clear (&colour[i]);
    test_frame_clear (&grey[i]);
  }
  test_device_leave (device);
  test_device_close (device);
}
END_TEST

/* A component without samples before the one that is counted: the words of this are not the frame's first. */
START_TEST (empty_component_first)
{
  enum { FRAMES = 601 };
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  static struct histo_frame frames[FRAMES];
  static struct test_count expected;
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame bytes;
  CUdeviceptr memory[HISTO_MAX_PLANES];

  test_random_init (&random, 65);
  test_frame_init_bytes (&bytes, 4096, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  bytes.frame.component_count = 2;
  bytes.frame.components[1] = bytes.frame.components[0];
  bytes.frame.components[0].width = 0;
  test_frame_count (&bytes.frame, &expected);
  test_device_enter (device);
  upload_frame (device, &bytes, 0, NULL, &frames[0], memory);
  test_device_leave (device);
  for (unsigned f = 1; f < FRAMES; f++)
    frames[f] = frames[0];
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], FRAMES);

    for (unsigned many = 1; many <= FRAMES; many += FRAMES - 1) {
      histo_ticket first;

      if (many == 1)
        ck_assert_int_eq (histo_submit (engine, frames, &first), HISTO_OK);
      else
        ck_assert_int_eq (histo_submit_many (engine, frames, many, &first), HISTO_OK);
      for (unsigned f = 0; f < many; f++) {
        ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s", test_log.text);
        ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
      }
    }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_device_drop (device, memory[0]);
  test_frame_clear (&bytes);
  test_device_close (device);
}
END_TEST

/* So many frames that each is a block's, and a warp of it has rows for more than one of its rounds; views of one picture. */
START_TEST (many_projected)
{
  enum { FRAMES = 130, WIDTH = 304, HEIGHT = 4000 };
  const bool is_real = fakecuda_find () == NULL;
  const unsigned frame_count = is_real ? FRAMES : 5;
  const uint32_t height = is_real ? HEIGHT : 200;
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  const struct test_geometry geometry = { .width = WIDTH, .height = height + FRAMES };
  struct test_device *device = test_device_open (false);
  static struct histo_frame frames[FRAMES];
  static struct test_count expected;
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame picture;
  CUdeviceptr memory[HISTO_MAX_PLANES];

  test_random_init (&random, 66);
  test_frame_init (&picture, test_layout_find ("GRAY8"), &geometry, TEST_FILL_RANDOM, &random);
  picture.frame.project = true;
  test_device_enter (device);
  upload_frame (device, &picture, 0, NULL, &frames[0], memory);
  test_device_leave (device);
  for (unsigned f = 0; f < frame_count; f++) {
    frames[f] = frames[0];
    frames[f].planes[0].height = height;
    frames[f].planes[0].data = (const void *)(uintptr_t)(memory[0] + f * picture.frame.planes[0].stride_bytes);
  }
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], FRAMES);

    for (unsigned k = 0; k < 3; k++) { /* without weights; with some whose sums fit into 32 bits, and with some whose do not */
      int16_t numbers[WIDTH + HEIGHT];
      struct histo_weights weights[HISTO_MAX_COMPONENTS] = { { 0 } };
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
        if (f % 21 != 0 && f + 1 != frame_count) /* they take the reference too long */
          continue;
        view.planes[0].height = height;
        view.planes[0].data = (const uint8_t *)view.planes[0].data + f * view.planes[0].stride_bytes;
        test_frame_count (&view, &expected);
        test_frame_project (&view, weights, &expected);
        ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
        test_count_clear (&expected);
      }
    }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_device_drop (device, memory[0]);
  test_frame_clear (&picture);
  test_device_close (device);
}
END_TEST

/* Enough of them for the kernel that takes small frames, two a block, at all lengths and addresses, in launches that follow each other:
 * one behind the other, one before the other, and in no order. */
START_TEST (many_small_in_device_memory)
{
  enum { FRAMES = 601, ROUNDS = 7, MOST = 5000 };
  unsigned count;
  const struct test_variant *variants = test_variants (&count);
  struct test_device *device = test_device_open (false);
  static struct histo_frame frames[ROUNDS][FRAMES];
  static struct test_count expected;
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame bytes;
  CUdeviceptr memory;

  test_random_init (&random, 62);
  test_frame_init_bytes (&bytes, MOST + FRAMES, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  memory = test_device_store (device, bytes.memory[0].bytes, bytes.memory[0].size, MOST + FRAMES);
  for (unsigned v = 0; v < count; v++) {
    struct histo_engine *engine = open_variant (&variants[v], 2 * FRAMES);
    uint64_t sizes_of_rounds[ROUNDS]
        = { 4096, 1, 15, 17, 1 + test_random_below (&random, 64), 1 + test_random_below (&random, MOST), 4096 };
    unsigned places[ROUNDS][FRAMES];
    histo_ticket first[ROUNDS];

    for (unsigned round = 0; round <= ROUNDS; round++) {
      for (unsigned f = 0; round < ROUNDS && f < FRAMES; f++) {
        places[round][f] = round % 3 == 0 ? f : round % 3 == 1 ? FRAMES - 1 - f : 7 * f % FRAMES;
        if (round == ROUNDS - 1 && f == FRAMES - 1)
          places[round][f] = 0; /* but for the last */
        frames[round][f] = describe_bytes (&bytes, memory + places[round][f], sizes_of_rounds[round]);
      }
      if (round < ROUNDS)
        ck_assert_int_eq (histo_submit_many (engine, frames[round], FRAMES, &first[round]), HISTO_OK);
      for (unsigned f = 0; round > 0 && f < FRAMES; f++) { /* those before */
        struct histo_frame frame = frames[round - 1][f];

        frame.memory = HISTO_MEMORY_HOST;
        frame.planes[0].data = bytes.memory[0].bytes + places[round - 1][f];
        test_frame_count (&frame, &expected);
        ck_assert_msg (histo_collect (engine, first[round - 1] + f, &stats) == HISTO_OK, "%s", test_log.text);
        ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
      }
    }
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_device_drop (device, memory);
  test_frame_clear (&bytes);
  test_device_close (device);
}
END_TEST

/* The device reads pinned memory when it comes to it, so several frames of all layouts are in flight, with operands in pinned
 * memory and in ordinary memory. */
START_TEST (pinned_memory)
{
  enum { FRAMES = 24, IN_FLIGHT = 4 };
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES], operands[FRAMES];
  struct pinned_frame pinned[FRAMES], pinned_operands[FRAMES];
  struct test_device *device = test_device_open (false);
  struct engines all = open_all (IN_FLIGHT);
  struct histo_stats stats = { 0 };
  struct test_random random;

  test_random_init (&random, 15);
  test_device_enter (device);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (1 + (uint32_t)test_random_below (&random, 200),
                                                          1 + (uint32_t)test_random_below (&random, 40), &random);

    test_frame_init (&frames[f], &test_layouts[f], &geometry, TEST_FILL_RANDOM, &random);
    init_operand (&operands[f], &frames[f], &random);
    pin_frame (device, &frames[f], (unsigned)test_random_below (&random, 16), &pinned[f]);
    pin_frame (device, &operands[f], (unsigned)test_random_below (&random, 16), &pinned_operands[f]);
    if (f % 3 != 0) {
      frames[f].frame.operand = &operands[f].frame;
      pinned[f].frame.operand = f % 3 == 1 ? &operands[f].frame : &pinned_operands[f].frame;
    }
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  test_device_leave (device);

  for (unsigned v = 0; v < all.count; v++) {
    histo_ticket ticket;

    for (unsigned f = 0; f < FRAMES + IN_FLIGHT; f++) {
      if (f >= IN_FLIGHT) {
        ck_assert_msg (histo_collect (all.engines[v], f - IN_FLIGHT + 1, &stats) == HISTO_OK, "%s", test_log.text);
        assert_equal (&expected[f - IN_FLIGHT].stats, &stats, &all.variants[v], &frames[f - IN_FLIGHT]);
      }
      if (f < FRAMES)
        ck_assert_msg (histo_submit (all.engines[v], &pinned[f].frame, &ticket) == HISTO_OK, "%s", test_log.text);
    }
  }
  histo_stats_clear (&stats);
  close_all (&all);
  test_device_enter (device);
  for (unsigned f = 0; f < FRAMES; f++) {
    unpin_frame (device, &pinned[f]);
    unpin_frame (device, &pinned_operands[f]);
    test_frame_clear (&frames[f]);
    test_frame_clear (&operands[f]);
  }
  test_device_leave (device);
  test_device_close (device);
}
END_TEST
/* Frames of several sizes in ordinary, pinned and device memory, in flight together, most with the frame before for an operand: some
 * are copied on their way and some are not, and none may overtake another. */
START_TEST (memory_mixed)
{
  enum { FRAMES = 90, IN_FLIGHT = 7 };
  static const uint32_t heights[] = { 20, 150, 600, 4000 }; /* of 1000 bytes */
  static struct test_count expected[FRAMES];
  struct test_frame frames[FRAMES];
  struct histo_frame given[FRAMES], operands[FRAMES];
  struct pinned_frame pinned[FRAMES] = { 0 };
  CUdeviceptr memory[FRAMES][HISTO_MAX_PLANES] = { 0 };
  struct test_device *device = test_device_open (false);
  struct engines all = open_all (IN_FLIGHT);
  struct histo_stats stats = { 0 };
  struct test_random random;
  unsigned size = 0;

  test_random_init (&random, 16);
  test_device_enter (device);
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
      pin_frame (device, &frames[f], 0, &pinned[f]);
      given[f] = pinned[f].frame;
      break;
    case 1:
      upload_frame (device, &frames[f], 0, device->stream, &given[f], memory[f]);
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
  test_device_leave (device);

  for (unsigned v = 0; v < all.count; v++) {
    histo_ticket ticket;

    for (unsigned f = 0; f < FRAMES + IN_FLIGHT; f++) {
      if (f >= IN_FLIGHT) {
        ck_assert_msg (histo_collect (all.engines[v], f - IN_FLIGHT + 1, &stats) == HISTO_OK, "%s", test_log.text);
        assert_equal (&expected[f - IN_FLIGHT].stats, &stats, &all.variants[v], &frames[f - IN_FLIGHT]);
      }
      if (f < FRAMES)
        ck_assert_msg (histo_submit (all.engines[v], &given[f], &ticket) == HISTO_OK, "%s", test_log.text);
    }
  }
  histo_stats_clear (&stats);
  close_all (&all);
  test_device_enter (device);
  for (unsigned f = 0; f < FRAMES; f++) {
    unpin_frame (device, &pinned[f]);
    test_device_free (device, memory[f][0]);
    test_frame_clear (&frames[f]);
  }
  test_device_leave (device);
  test_device_close (device);
}
END_TEST
#endif

int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("backends");

#ifdef HAVE_CUDA
  /* "cuda narrow": with the kernels for devices of less shared memory. "cuda copied": without frames that stay in host memory. */
  if (argc > 2 && strcmp (argv[2], "narrow") == 0)
    histo_cuda_shared_limit = 48 * 1024;
  if (argc > 2 && strcmp (argv[2], "copied") == 0)
    histo_cuda_zero_copy_bytes = 0;
#endif
  test_engines_init (argc, argv);
  TEST_ADD (suite, every_layout_and_size);
  TEST_ADD (suite, every_base_address);
  TEST_ADD (suite, every_address_of_both_factors);
  TEST_ADD (suite, every_length_of_bytes);
  TEST_ADD (suite, every_fill);
  TEST_ADD (suite, many_in_flight);
  TEST_ADD (suite, sizes_and_layouts_mixed);
  TEST_ADD (suite, many_small_frames);
  TEST_ADD_TAGGED (suite, large_frames, "large");
  TEST_ADD (suite, frame_is_its_own_operand);
  TEST_ADD (suite, ids_tell_samples_apart);
  TEST_ADD (suite, ids_of_parts);
  TEST_ADD (suite, ids_of_components);
  TEST_ADD (suite, rows_of_any_stride_where_there_is_one);
  TEST_ADD (suite, sums_follow_from_the_histogram);
  TEST_ADD (suite, every_base_address_of_deep_samples);
  TEST_ADD (suite, every_length_of_deep_samples);
  TEST_ADD (suite, every_fill_of_deep_samples);
  TEST_ADD (suite, highest_products_of_deep_samples);
  TEST_ADD (suite, random_deep_formats);
  TEST_ADD (suite, every_depth_by_value);
  TEST_ADD (suite, flat_pictures_by_value);
  TEST_ADD (suite, counters_take_turns);
  TEST_ADD (suite, every_layout_projected);
  TEST_ADD (suite, large_frames_projected);
  TEST_ADD (suite, extreme_weights);
  TEST_ADD (suite, sums_of_sums);
  TEST_ADD (suite, projected_frames_in_flight);
#ifdef HAVE_CUDA
  if (test_backend () == HISTO_BACKEND_CUDA) {
    TEST_ADD (suite, device_memory);
    TEST_ADD (suite, many_in_device_memory);
    TEST_ADD (suite, views_in_device_memory);
    TEST_ADD (suite, planes_in_device_memory);
    TEST_ADD_TAGGED (suite, planes_of_any_length, "large");
    TEST_ADD (suite, planes_by_the_dozen);
    TEST_ADD (suite, refused_behind_others);
    TEST_ADD_TAGGED (suite, long_rows_projected, "large");
    TEST_ADD (suite, tall_frames_projected);
    TEST_ADD (suite, kinds_take_turns);
    TEST_ADD_TAGGED (suite, tags_come_round, "long");
    TEST_ADD (suite, empty_component_first);
    TEST_ADD (suite, many_projected);
    TEST_ADD (suite, many_small_in_device_memory);
    TEST_ADD (suite, pinned_memory);
    TEST_ADD (suite, memory_mixed);
  }
#endif
  return test_run_suite (suite);
}
