/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* See rig.h. */

#include "rig.h"
#include "runner.h"

const uint32_t sizes[SIZE_COUNT][2] = {
  { 1, 1 },   { 2, 1 },   { 1, 2 },    { 3, 3 },    { 5, 2 },   { 7, 5 },    { 8, 8 },     { 15, 3 },
  { 16, 4 },  { 17, 7 },  { 31, 2 },   { 32, 1 },   { 33, 5 },  { 63, 3 },   { 64, 2 },    { 65, 3 },
  { 127, 2 }, { 128, 3 }, { 129, 1 },  { 255, 3 },  { 256, 2 }, { 257, 5 },  { 511, 3 },   { 1, 300 },
  { 2, 257 }, { 3, 100 }, { 1023, 2 }, { 1920, 3 }, { 64, 64 }, { 4099, 1 }, { 333, 127 }, { 1024, 33 },
};

struct test_log test_log = TEST_LOG_INIT;
struct engines all;
struct histo_stats stats;

struct histo_engine *
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

struct histo_engine *
open_reference (void)
{
  struct histo_engine *engine = NULL;

  ck_assert_int_eq (histo_open (&(struct histo_config){ .backend = HISTO_BACKEND_REFERENCE }, &engine), HISTO_OK);
  return engine;
}

void
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

void
assert_counts (struct histo_engine *engine, const struct test_variant *variant, const struct test_frame *frame,
               const struct histo_stats *expected)
{
  enum histo_status status = test_engine_count (engine, &frame->frame, &stats);
  char text[256];

  if (status != HISTO_OK) {
    test_frame_describe (frame, text, sizeof text);
    ck_abort_msg ("%s: %s: %s: %s", variant->name, text, histo_status_text (status), test_log.text);
  }
  assert_equal (expected, &stats, variant, frame);
}

void
assert_all_count (const struct test_frame *frame, const struct histo_stats *expected)
{
  for (unsigned v = 0; v < all.count; v++)
    assert_counts (all.engines[v], &all.variants[v], frame, expected);
}

void
check_counts (const struct test_frame *frame)
{
  static struct test_count expected;

  test_frame_count (&frame->frame, &expected);
  assert_all_count (frame, &expected.stats);
  test_count_clear (&expected);
}

void
collect_equal (struct histo_engine *engine, histo_ticket ticket, const struct histo_stats *expected,
               const struct test_variant *variant, const struct test_frame *frame)
{
  ck_assert_msg (histo_collect (engine, ticket, &stats) == HISTO_OK, "%s: %s", variant->name, test_log.text);
  assert_equal (expected, &stats, variant, frame);
}

void
assert_in_flight (const struct test_frame *frames, const struct histo_frame *const *submitted,
                  const struct test_count *expected, unsigned count, unsigned in_flight)
{
  for (unsigned v = 0; v < all.count; v++) {
    histo_ticket ticket;

    for (unsigned f = 0; f < count + in_flight; f++) {
      if (f >= in_flight) {
        const unsigned first = f - in_flight;

        collect_equal (all.engines[v], first + 1, &expected[first].stats, &all.variants[v], &frames[first]);
      }
      if (f < count)
        ck_assert_msg (histo_submit (all.engines[v], submitted ? submitted[f] : &frames[f].frame, &ticket) == HISTO_OK, "%s",
                       test_log.text);
    }
  }
}

void
close_all (void)
{
  for (unsigned v = 0; v < all.count; v++)
    histo_close (&all.engines[v]);
}

void
open_all (unsigned max_in_flight)
{
  close_all ();
  all.variants = test_variants (&all.count);
  for (unsigned v = 0; v < all.count; v++)
    all.engines[v] = open_variant (&all.variants[v], max_in_flight);
}

void
begin_test (void)
{
  open_all (0);
}

void
end_test (void)
{
  close_all ();
  histo_stats_clear (&stats);
}

void
init_operand (struct test_frame *operand, const struct test_frame *frame, struct test_random *random)
{
  struct test_geometry geometry = test_geometry_random (frame->geometry.width, frame->geometry.height, random);

  geometry.left = frame->geometry.left;
  geometry.top = frame->geometry.top;
  geometry.right = (uint32_t)test_random_below (random, 4);
  test_frame_init (operand, frame->layout, &geometry, choose_fill (random), random);
  operand->frame.derived_count = frame->frame.derived_count;
}

bool
is_omitted (unsigned layout, unsigned size)
{
  /* Wide steps in wide pictures are only slow. */
  if (test_layouts[layout].components[0].step_bytes > 8 && sizes[size][0] * sizes[size][1] > 1000)
    return true;
  return (layout + size) % test_stride (5) != 0;
}

void
check_frame (const struct test_layout *layout, const struct test_geometry *geometry, enum test_fill fill, bool with_operand,
             struct test_random *random)
{
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };

  test_frame_init (&frame, layout, geometry, fill, random);
  if (with_operand) {
    init_operand (&operand, &frame, random);
    frame.frame.operand = &operand.frame;
  }
  check_counts (&frame);
}

void
check_every_base (const char *const *names, unsigned count, uint64_t salt)
{
  struct test_random random = test_random_start (salt);

  for (unsigned n = 0; n < count; n++) {
    for (unsigned offset = 0; offset < 16; offset++) {
      for (unsigned repeat = 0; repeat < 4; repeat++) {
        struct test_geometry geometry = { .width = 1 + (uint32_t)test_random_below (&random, 90),
                                          .height = 1 + (uint32_t)test_random_below (&random, 5),
                                          .base_offset = offset,
                                          .extra_stride_bytes = repeat * 5 };
        check_frame (test_layout_find (names[n]), &geometry, TEST_FILL_RANDOM, repeat % 2 == 0, &random);
      }
    }
  }
}

enum test_fill
choose_fill (struct test_random *random)
{
  return (enum test_fill)test_random_below (random, TEST_FILL_COUNT);
}

uint32_t
mix (uint64_t column, uint64_t row, uint64_t seed)
{
  uint64_t x = (column + 1) * UINT64_C (0x9e3779b97f4a7c15) ^ (row + 1) * UINT64_C (0xc2b2ae3d27d4eb4f) ^ seed;

  x = (x ^ x >> 29) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 32) * UINT64_C (0x94d049bb133111eb);
  return (uint32_t)(x >> 33);
}

uint32_t
paint_value (void *data, uint64_t column, uint32_t row)
{
  const uint32_t *value = data;

  (void)column;
  (void)row;
  return *value;
}

struct test_layout
make_planes (unsigned depth)
{
  struct test_layout layout = { .name = "planes", .plane_count = 3, .component_count = 3 };

  for (unsigned c = 0; c < 3; c++) {
    layout.components[c].plane = c;
    layout.components[c].step_bytes = depth > 8 ? 2 : 1;
    layout.samples[c].sample_bytes = depth > 8 ? 2 : 1;
    layout.samples[c].depth = depth;
  }
  return layout;
}
