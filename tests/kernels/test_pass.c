/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* histo_plan_passes compared with brute force: a pass walked as pass.h describes visits each sample of each component exactly
 * once, pairs it with the correct sample of the operand, and touches no byte outside the rows. */

#include "pass.h"

#include <stdio.h>
#include <string.h>

#include "frames.h"
#include "runner.h"

/* The number of visits to each byte of a component's plane as the first byte of a sample, and the operand's byte paired with
 * it. */
struct visits {
  size_t size; /* bytes of the plane */
  uint8_t *count;
  size_t *partner;
};

struct subject {
  const struct histo_frame *frame;
  const char *name;
  struct visits visits[HISTO_MAX_COMPONENTS];
};

/* The number of bytes from a plane's first byte through the last sample of its last row. */
static size_t
plane_size (const struct histo_frame *frame, unsigned p)
{
  size_t row_bytes = 0;

  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];

    if (component->plane == p && component->width > 0) {
      size_t end = component->offset_bytes + (size_t)(component->width - 1) * component->step_bytes + component->sample_bytes;
      row_bytes = end > row_bytes ? end : row_bytes;
    }
  }
  return row_bytes > 0 && frame->planes[p].height > 0
             ? (frame->planes[p].height - 1) * frame->planes[p].stride_bytes + row_bytes
             : 0;
}

static void
visit (struct subject *subject, unsigned p, const struct histo_pass *pass, unsigned component, uint32_t row, size_t at)
{
  struct visits *visits = &subject->visits[component];
  size_t position = row * pass->stride_bytes + at;

  TEST_REQUIRE (subject->frame->components[component].plane == p, "%s: a pass over plane %u counts component %u", subject->name,
                p, component);
  TEST_REQUIRE (position < visits->size, "%s: byte %zu of plane %u is read, which has %zu", subject->name, position, p,
                visits->size);
  TEST_REQUIRE (visits->count[position] == 0, "%s: byte %zu of plane %u is counted twice for component %u", subject->name,
                position, p, component);
  visits->count[position]++;
  if (pass->operand != NULL)
    visits->partner[position] = row * pass->operand_stride_bytes + at;
}

/* The first byte of a row that belongs to a component. */
static size_t
first_byte (const struct histo_pass *pass)
{
  size_t first = SIZE_MAX;

  for (unsigned i = 0; i < pass->component_count; i++)
    first = pass->components[i].offset_bytes < first ? pass->components[i].offset_bytes : first;
  return first;
}

static void
walk_pass (struct subject *subject, unsigned p, const struct histo_pass *pass)
{
  TEST_REQUIRE (pass->period >= 1 && pass->period <= HISTO_MAX_PERIOD, "%s: period %u", subject->name, pass->period);
  TEST_REQUIRE (pass->end >= pass->begin, "%s: the body ends before it begins", subject->name);
  TEST_REQUIRE (pass->sample_bytes == 1 || pass->sample_bytes == 2, "%s: samples of %u bytes", subject->name,
                pass->sample_bytes);
  TEST_REQUIRE ((pass->end - pass->begin) % (pass->period * pass->sample_bytes) == 0,
                "%s: the body is not a multiple of the period", subject->name);
  TEST_REQUIRE (pass->height >= 1, "%s: a pass of no rows", subject->name);
  for (uint32_t row = 0; row < pass->height; row++) {
    /* Bytes of no component are also read, so they must be between the first and the last sample. */
    if (pass->end > pass->begin)
      TEST_REQUIRE (pass->begin >= first_byte (pass), "%s: the body begins before the first sample of plane %u", subject->name,
                    p);
    if (pass->end > pass->begin)
      TEST_REQUIRE (row * pass->stride_bytes + pass->end <= plane_size (subject->frame, p),
                    "%s: the body ends outside of plane %u", subject->name, p);
    for (size_t at = pass->begin; at < pass->end; at += pass->sample_bytes) {
      int component = pass->component_at[(at - pass->begin) / pass->sample_bytes % pass->period];

      if (component < 0)
        continue;
      TEST_REQUIRE (subject->frame->components[component].sample_bytes == pass->sample_bytes,
                    "%s: the body has samples of another size", subject->name);
      visit (subject, p, pass, (unsigned)component, row, at);
    }
    for (unsigned i = 0; i < pass->component_count; i++) {
      const struct histo_pass_component *component = &pass->components[i];
      const struct histo_component *source = &subject->frame->components[component->index];

      TEST_REQUIRE (component->sample_bytes == source->sample_bytes && component->depth == source->depth
                        && component->shift == source->shift && component->big_endian == source->big_endian
                        && component->bins == source->bins,
                    "%s: a component has a wrong format", subject->name);
      TEST_REQUIRE (component->head <= component->width, "%s: the head is too long", subject->name);
      TEST_REQUIRE (component->tail <= component->width - component->head, "%s: the tail is too long", subject->name);
      for (uint64_t s = 0; s < component->width; s++) {
        size_t at = component->offset_bytes + (size_t)s * component->step_bytes;

        if (s < component->head) {
          if (pass->begin < pass->end)
            TEST_REQUIRE (at + component->sample_bytes <= pass->begin, "%s: a sample of the head lies in the body",
                          subject->name);
          visit (subject, p, pass, component->index, row, at);
        } else if (s >= component->width - component->tail) {
          TEST_REQUIRE (at >= pass->end, "%s: a sample of the tail lies in the body", subject->name);
          visit (subject, p, pass, component->index, row, at);
        }
      }
      if (pass->begin == pass->end)
        TEST_REQUIRE (component->head == component->width, "%s: without a body, some samples are not in the head",
                      subject->name);
    }
  }
}

static unsigned
plane_of (const struct histo_frame *frame, const struct histo_pass *pass)
{
  for (unsigned p = 0; p < frame->plane_count; p++)
    if (frame->planes[p].data == pass->data)
      return p;
  ck_abort_msg ("a pass over memory outside all planes");
  return 0;
}

/* Returns the number of bytes that the passes leave to heads and tails. */
static uint64_t
check_plan (const struct histo_frame *frame, const char *name)
{
  struct subject subject = { frame, name, { { 0 } } };
  struct histo_pass passes[HISTO_MAX_PASSES];
  bool has_pass[HISTO_MAX_PASSES] = { false };
  unsigned count;
  uint64_t edges = 0;

  for (unsigned c = 0; c < frame->component_count; c++) {
    subject.visits[c].size = plane_size (frame, frame->components[c].plane);
    subject.visits[c].count = calloc (subject.visits[c].size + 1, 1);
    subject.visits[c].partner = calloc (subject.visits[c].size + 1, sizeof (size_t));
  }

  memset (passes, 0xff, sizeof passes);
  count = histo_plan_passes (frame, passes);
  ck_assert_uint_le (count, frame->plane_count);
  for (unsigned i = 0; i < count; i++) {
    unsigned p = plane_of (frame, &passes[i]);

    ck_assert_msg (!has_pass[p], "%s: plane %u has two passes", name, p);
    has_pass[p] = true;
    ck_assert_int_eq (passes[i].project, (frame->statistics & HISTO_STATISTIC_PROJECTION) != 0);
    if (frame->statistics & HISTO_STATISTIC_PROJECTION)
      ck_assert_uint_eq (passes[i].height, frame->planes[p].height);
    ck_assert_ptr_eq (passes[i].operand, frame->operand != NULL ? frame->operand->planes[p].data : NULL);
    walk_pass (&subject, p, &passes[i]);
    for (unsigned c = 0; c < passes[i].component_count; c++)
      edges += (passes[i].components[c].head + passes[i].components[c].tail) * passes[i].height;
  }

  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    unsigned p = component->plane;
    uint64_t visited = 0;

    for (size_t i = 0; i < subject.visits[c].size; i++)
      visited += subject.visits[c].count[i];
    TEST_REQUIRE (visited == component->width * frame->planes[p].height, "%s: %u visits to component %u", name,
                  (unsigned)visited, c);
    for (uint32_t row = 0; row < frame->planes[p].height; row++) {
      for (uint64_t s = 0; s < component->width; s++) {
        size_t at = component->offset_bytes + (size_t)s * component->step_bytes;
        size_t position = row * frame->planes[p].stride_bytes + at;

        TEST_REQUIRE (subject.visits[c].count[position] == 1, "%s: component %u, row %u, sample %u is not visited", name, c,
                      row, (unsigned)s);
        if (frame->operand != NULL)
          TEST_REQUIRE (subject.visits[c].partner[position] == row * frame->operand->planes[p].stride_bytes + at,
                        "%s: component %u, row %u, sample %u meets a wrong one of the operand", name, c, row, (unsigned)s);
      }
    }
  }
  for (unsigned c = 0; c < frame->component_count; c++) {
    free (subject.visits[c].count);
    free (subject.visits[c].partner);
  }
  return edges;
}

TEST (every_layout)
{
  struct test_random random = test_random_start (40);

  for (unsigned l = 0; l < test_layout_count; l++) {
    for (uint32_t width = 0; width <= 18; width++) {
      for (unsigned repeat = 0; repeat < 12; repeat++) {
        struct test_geometry geometry = test_geometry_random (width, (uint32_t)test_random_below (&random, 5), &random);
        TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
        char name[256];

        test_frame_init (&frame, &test_layouts[l], &geometry, TEST_FILL_ZERO, &random);
        geometry.extra_stride_bytes = repeat % 3 == 0 ? geometry.extra_stride_bytes : test_random_below (&random, 9);
        test_frame_init (&operand, &test_layouts[l], &geometry, TEST_FILL_ZERO, &random);
        test_frame_describe (&frame, name, sizeof name);
        if (repeat % 2 == 0)
          frame.frame.operand = &operand.frame;
        test_frame_ask (&frame.frame, HISTO_STATISTIC_PROJECTION, repeat % 4 == 3);
        check_plan (&frame.frame, name);
      }
    }
  }
}

/* Components of any offset, step, width and sample in up to four planes. */
TEST (random_components)
{
  static const uint8_t bytes[4][4096];
  struct test_random random = test_random_start (41);

  for (unsigned round = 0; round < 40000; round++) {
    struct histo_frame frame = { .statistics = HISTO_STATISTIC_DOT }, operand;
    size_t max_step = test_random_once_in (&random, 4) ? 9 : 4, max_offset = test_random_once_in (&random, 4) ? 40 : 5;
    unsigned sample_bytes = 1 + (unsigned)test_random_below (&random, 2);
    char name[64];

    test_frame_ask (&frame, HISTO_STATISTIC_PROJECTION, test_random_once_in (&random, 4));
    frame.plane_count = 1 + (unsigned)test_random_below (&random, test_random_once_in (&random, 3) ? 4 : 1);
    frame.component_count = 1 + (unsigned)test_random_below (&random, 4);
    for (unsigned c = 0; c < frame.component_count; c++) {
      struct histo_component *component = &frame.components[c];

      component->plane = (unsigned)test_random_below (&random, frame.plane_count);
      component->step_bytes = sample_bytes * (1 + test_random_below (&random, max_step));
      component->offset_bytes = sample_bytes * test_random_below (&random, max_offset);
      component->width = test_random_below (&random, 12);
      component->sample_bytes = sample_bytes;
      component->depth = 8 * sample_bytes;
      component->bins = HISTO_BINS;
      if (sample_bytes == 2) {
        component->depth = 9 + (unsigned)test_random_below (&random, 8);
        component->shift = (unsigned)test_random_below (&random, 17 - component->depth);
        component->big_endian = test_random_once_in (&random, 2);
        component->step_bytes += test_random_once_in (&random, 20);
        component->offset_bytes += test_random_once_in (&random, 20) || round % 8 == 0;
        if (test_random_once_in (&random, 20))
          component->sample_bytes = 1;
      }
    }
    for (unsigned p = 0; p < frame.plane_count; p++) {
      size_t row_bytes;

      frame.planes[p].height = 1;
      row_bytes = plane_size (&frame, p);
      frame.planes[p] = (struct histo_plane){ bytes[p], row_bytes + test_random_below (&random, 6),
                                              (uint32_t)test_random_below (&random, 4) };
      /* Interleaved rows, like fields of a frame, and consecutive rows. */
      if (test_random_once_in (&random, 4))
        frame.planes[p].stride_bytes = (row_bytes + 7) / 8 * 8;
    }
    operand = frame;
    for (unsigned p = 0; p < frame.plane_count; p++)
      if (test_random_once_in (&random, 2))
        operand.planes[p].stride_bytes += test_random_below (&random, 5);
    if (test_random_once_in (&random, 2))
      frame.operand = &operand;
    snprintf (name, sizeof name, "random frame %u", round);
    check_plan (&frame, name);
  }
}

/* Common layouts must be all body, or the fast backends are slow: at most a pixel at each end of a row is outside. */
TEST (common_layouts_are_body)
{
  struct test_random random = test_random_start (42);

  for (unsigned l = 0; l < 20; l++) {
    struct test_geometry geometry = { .width = 200, .height = 3, .left = 4, .right = 4 };
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

    test_frame_init (&frame, &test_layouts[l], &geometry, TEST_FILL_ZERO, &random);
    ck_assert_uint_le (check_plan (&frame.frame, test_layouts[l].name), 8 * 3);
  }
}

/* Rows without a gap are one row. */
TEST (rows_without_a_gap_are_one)
{
  static const char *const names[] = { "GRAY8", "NV12", "RGB", "RGBA", "I420" };
  struct test_random random = test_random_start (43);

  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
    struct test_geometry geometry = { .width = 16, .height = 8 };
    struct histo_pass passes[HISTO_MAX_PASSES];
    TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 }, operand = { 0 };
    unsigned count;

    test_frame_init (&frame, test_layout_find (names[n]), &geometry, TEST_FILL_ZERO, &random);
    count = histo_plan_passes (&frame.frame, passes);
    ck_assert_uint_eq (count, frame.layout->plane_count);
    for (unsigned i = 0; i < count; i++)
      ck_assert_uint_eq (passes[i].height, 1);

    /* Not if the operand's rows have a gap. */
    geometry.extra_stride_bytes = 1;
    test_frame_init (&operand, frame.layout, &geometry, TEST_FILL_ZERO, &random);
    frame.frame.operand = &operand.frame;
    histo_plan_passes (&frame.frame, passes);
    ck_assert_uint_eq (passes[0].height, 8);
  }
}

/* A frame of consecutive 2-byte samples: pattern, bytes of the body, rows. */
TEST (samples_of_two_bytes)
{
  static const uint8_t bytes[4096];
  struct histo_frame frame = {
    .plane_count = 1,
    .component_count = 2,
    .planes = { { bytes + 1, 64, 8 } },
    .components = {
      { .offset_bytes = 0, .step_bytes = 4, .width = 16, .sample_bytes = 2, .depth = 10, .shift = 6, .bins = 1024 },
      { .offset_bytes = 2, .step_bytes = 4, .width = 16, .sample_bytes = 2, .depth = 10, .shift = 6, .bins = 256 },
    },
  };
  struct histo_pass passes[HISTO_MAX_PASSES];

  ck_assert_uint_eq (histo_plan_passes (&frame, passes), 1);
  ck_assert_uint_eq (passes[0].sample_bytes, 2);
  ck_assert_uint_eq (passes[0].period, 2);
  ck_assert_int_eq (passes[0].component_at[0], 0);
  ck_assert_int_eq (passes[0].component_at[1], 1);
  ck_assert_uint_eq (passes[0].begin, 0);
  ck_assert_uint_eq (passes[0].end, 512);
  ck_assert_uint_eq (passes[0].height, 1);

  frame.statistics |= HISTO_STATISTIC_PROJECTION;
  histo_plan_passes (&frame, passes);
  ck_assert_uint_eq (passes[0].end, 64);
  ck_assert_uint_eq (passes[0].height, 8);

  /* From an odd address, and with a gap. */
  frame.statistics &= ~(uint32_t)HISTO_STATISTIC_PROJECTION;
  frame.planes[0].stride_bytes = 67;
  frame.components[0].offset_bytes = 1;
  frame.components[1].offset_bytes = 3;
  histo_plan_passes (&frame, passes);
  ck_assert_uint_eq (passes[0].sample_bytes, 2);
  ck_assert_uint_eq (passes[0].begin, 1);
  ck_assert_uint_eq (passes[0].end, 65);
  ck_assert_uint_eq (passes[0].height, 8);

  /* With one-byte samples beside them, positions of unequal parity, or a step that changes the parity, there is no pattern. */
  frame.components[1].offset_bytes = 2;
  histo_plan_passes (&frame, passes);
  ck_assert_uint_eq (passes[0].begin, passes[0].end);
  frame.components[1].offset_bytes = 3;
  frame.components[1].sample_bytes = 1;
  histo_plan_passes (&frame, passes);
  ck_assert_uint_eq (passes[0].begin, passes[0].end);
  frame.component_count = 1;
  frame.components[0].step_bytes = 3;
  histo_plan_passes (&frame, passes);
  ck_assert_uint_eq (passes[0].begin, passes[0].end);
  ck_assert_uint_eq (passes[0].components[0].head, 16);
}

TEST (nothing_to_count_needs_no_pass)
{
  struct histo_frame frame = {
    .plane_count = 2,
    .component_count = 2,
    .planes = { { NULL, 0, 0 }, { NULL, 0, 5 } },
    .components = { { .plane = 0, .step_bytes = 1, .width = 5, .sample_bytes = 1, .depth = 8 },
                    { .plane = 1, .step_bytes = 1, .width = 0, .sample_bytes = 1, .depth = 8 } },
  };
  struct histo_pass passes[HISTO_MAX_PASSES];

  ck_assert_uint_eq (histo_plan_passes (&frame, passes), 0);
}

TEST_MAIN
