/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames: what submit refuses and with which status, the limits that it takes, and frames without samples. */

#include "rig.h"
#include "runner.h"

#define REFUSED(expected, change)                                     \
  do {                                                                \
    struct histo_frame frame = good_frame ();                         \
    frame.change;                                                     \
    assert_refused (engine, &frame, HISTO_ERROR_##expected, #change); \
  } while (0)

START_TEST (submit_refuses_nonsense)
{
  struct histo_engine *engine = open_engine (0);
  struct histo_frame good = good_frame ();
  histo_ticket ticket = 0;

  ck_assert_int_eq (histo_submit (NULL, &good, &ticket), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit (engine, NULL, &ticket), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit (engine, &good, NULL), HISTO_ERROR_INVALID);

  REFUSED (INVALID, memory = (enum histo_memory)7);
  if (test_backend () != HISTO_BACKEND_CUDA)
    REFUSED (INVALID, memory = HISTO_MEMORY_DEVICE);
  REFUSED (INVALID, plane_count = 0);
  REFUSED (INVALID, plane_count = HISTO_MAX_PLANES + 1);
  REFUSED (INVALID, plane_count = UINT32_MAX);
  REFUSED (INVALID, component_count = 0);
  REFUSED (INVALID, component_count = HISTO_MAX_COMPONENTS + 1);
  REFUSED (INVALID, component_count = UINT32_MAX);

  REFUSED (INVALID, planes[0].data = NULL);
  REFUSED (INVALID, planes[1].data = NULL);
  REFUSED (INVALID, planes[0].stride_bytes = 15);
  REFUSED (INVALID, planes[0].stride_bytes = 0);
  REFUSED (INVALID, planes[1].stride_bytes = 15);
  REFUSED (INVALID, planes[0].stride_bytes = SIZE_MAX);
  REFUSED (INVALID, planes[0].stride_bytes = SIZE_MAX / 2);

  REFUSED (INVALID, components[0].plane = 2);
  REFUSED (INVALID, components[2].plane = UINT32_MAX);
  REFUSED (INVALID, components[0].step_bytes = 0);
  REFUSED (INVALID, components[2].step_bytes = 0);
  REFUSED (INVALID, components[0].step_bytes = 5);
  REFUSED (INVALID, components[0].step_bytes = SIZE_MAX);
  REFUSED (INVALID, components[0].offset_bytes = 49);
  REFUSED (INVALID, components[2].offset_bytes = 50);
  REFUSED (INVALID, components[0].offset_bytes = SIZE_MAX);
  REFUSED (INVALID, components[0].offset_bytes = SIZE_MAX - 15);
  REFUSED (INVALID, components[0].width = 65);
  REFUSED (INVALID, components[0].width = UINT64_MAX);
  REFUSED (INVALID, components[0].width = UINT64_C (1) << 63);
  REFUSED (INVALID, components[2].width = (UINT64_C (1) << 63) + 8);
  REFUSED (INVALID, components[0].sample_bytes = 0);
  REFUSED (INVALID, components[0].depth = 0);
  REFUSED (INVALID, components[0].depth = 9);
  REFUSED (INVALID, components[0].depth = UINT32_MAX);
  REFUSED (INVALID, components[0].shift = 1);
  REFUSED (INVALID, components[0].shift = UINT32_MAX);
  histo_close (&engine);
}
END_TEST

#define DEEP_REFUSED(expected, change)                                \
  do {                                                                \
    struct histo_frame frame = deep_frame ();                         \
    frame.change;                                                     \
    assert_refused (engine, &frame, HISTO_ERROR_##expected, #change); \
  } while (0)

START_TEST (submit_refuses_nonsense_in_two_bytes)
{
  struct histo_engine *engine = open_engine (0);

  DEEP_REFUSED (INVALID, components[2].step_bytes = 1);
  DEEP_REFUSED (INVALID, components[2].step_bytes = 0);
  DEEP_REFUSED (INVALID, components[2].offset_bytes = 35);
  DEEP_REFUSED (INVALID, components[2].depth = 8);
  DEEP_REFUSED (INVALID, components[2].depth = 17);
  DEEP_REFUSED (INVALID, components[2].depth = UINT32_MAX);
  DEEP_REFUSED (INVALID, components[2].shift = 7);
  DEEP_REFUSED (INVALID, components[2].shift = UINT32_MAX);
  DEEP_REFUSED (INVALID, components[2].bins = 1);
  DEEP_REFUSED (INVALID, components[2].bins = 255);
  DEEP_REFUSED (INVALID, components[2].bins = 512);
  DEEP_REFUSED (INVALID, components[2].bins = 4096);
  DEEP_REFUSED (INVALID, components[2].bins = UINT32_MAX);
  DEEP_REFUSED (INVALID, components[2].sample_bytes = 3);
  DEEP_REFUSED (INVALID, components[2].sample_bytes = UINT32_MAX);
  REFUSED (INVALID, components[0].depth = 7);
  REFUSED (INVALID, components[0].bins = 255);
  REFUSED (INVALID, components[0].bins = 512);
  histo_close (&engine);
}
END_TEST

START_TEST (every_depth_may_have_a_counter_for_each_value)
{
  struct histo_engine *engine = open_engine (0);
  struct histo_stats stats = { 0 };

  for (unsigned depth = 9; depth <= 16; depth++) {
    struct histo_frame frame = deep_frame ();

    frame.components[2].depth = depth;
    frame.components[2].shift = 0;
    frame.components[2].bins = 1u << depth;
    ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
    ck_assert_uint_eq (stats.components[2].bins, 1u << depth);
    frame.components[2].bins = 1u << (depth - 1);
    if (frame.components[2].bins != HISTO_BINS)
      assert_refused (engine, &frame, HISTO_ERROR_INVALID, "half as many counters as values");
    frame.components[2].bins = 1u << depth;
    frame.components[2].step_bytes = 1;
    assert_refused (engine, &frame, HISTO_ERROR_INVALID, "a step below the sample's bytes");
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

/* One row more than the sums hold. No memory stands behind it: what is refused is not read. */
START_TEST (submit_refuses_too_many_samples)
{
  static const uint8_t byte;
  struct histo_engine *engine = open_engine (0);
  struct histo_frame frame = {
    .plane_count = 1,
    .component_count = 1,
    .planes = { { &byte, 1u << 17, (1u << 16) + 1 } },
    .components = { { .step_bytes = 2, .width = 1u << 16, .sample_bytes = 2, .depth = 16 } },
  };

  assert_refused (engine, &frame, HISTO_ERROR_INVALID, "2^32 + 2^16 samples of two bytes");
  frame.components[0] = (struct histo_component){ .step_bytes = 1, .width = 1u << 16, .sample_bytes = 1, .depth = 8 };
  frame.statistics |= HISTO_STATISTIC_PROJECTION;
  assert_refused (engine, &frame, HISTO_ERROR_INVALID, "2^32 + 2^16 samples to project");
  frame.statistics &= ~(uint32_t)HISTO_STATISTIC_PROJECTION;
  frame.planes[0] = (struct histo_plane){ &byte, (size_t)1 << 31, (1u << 17) + 1 };
  frame.components[0].width = UINT64_C (1) << 31;
  assert_refused (engine, &frame, HISTO_ERROR_INVALID, "2^48 + 2^31 samples");
  histo_close (&engine);
}
END_TEST

START_TEST (limits_are_accepted)
{
  struct histo_engine *engine = open_engine (0);
  struct histo_frame frame, operand;
  struct histo_stats stats = { 0 };

  /* A row that ends with the stride. */
  frame = good_frame ();
  frame.components[0].offset_bytes = 48;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].count, 64);
  /* The default number of counters has two names. */
  frame = good_frame ();
  frame.components[0].bins = HISTO_BINS;
  operand = good_frame ();
  frame.operand = &operand;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].bins, HISTO_BINS);
  ck_assert_uint_eq (stats.components[1].bins, HISTO_BINS);
  ck_assert_uint_eq (stats.components[0].depth, 8);
  /* Byte order means nothing to a byte. */
  frame = good_frame ();
  frame.components[0].big_endian = true;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  /* The frame's stream matters in device memory alone. */
  frame = good_frame ();
  frame.stream = (struct CUstream_st *)(uintptr_t)64;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

START_TEST (submit_refuses_a_foreign_operand)
{
  struct histo_engine *engine = open_engine (0);
  const struct histo_frame good = good_frame ();
  struct histo_frame frame = good_frame (), operand;

#define OPERAND_REFUSED(change)                                                \
  do {                                                                         \
    operand = good;                                                            \
    operand.change;                                                            \
    frame.operand = &operand;                                                  \
    assert_refused (engine, &frame, HISTO_ERROR_INVALID, "operand: " #change); \
  } while (0)

  OPERAND_REFUSED (memory = HISTO_MEMORY_DEVICE);
  OPERAND_REFUSED (plane_count = 1);
  OPERAND_REFUSED (plane_count = 3);
  OPERAND_REFUSED (component_count = 2);
  OPERAND_REFUSED (component_count = 0);
  OPERAND_REFUSED (planes[0].height = 3);
  OPERAND_REFUSED (planes[0].height = 5);
  OPERAND_REFUSED (planes[0].data = NULL);
  OPERAND_REFUSED (planes[0].stride_bytes = 15);
  OPERAND_REFUSED (components[0].plane = 1);
  OPERAND_REFUSED (components[0].width = 15);
  OPERAND_REFUSED (components[0].width = 17);
  OPERAND_REFUSED (components[0].offset_bytes = 1);
  OPERAND_REFUSED (components[1].step_bytes = 3);
  OPERAND_REFUSED (components[1].sample_bytes = 0);
  OPERAND_REFUSED (components[1].depth = 9);
  {
    const struct histo_frame deep = deep_frame ();

#define DEEP_OPERAND_REFUSED(change)                                           \
  do {                                                                         \
    operand = deep;                                                            \
    operand.change;                                                            \
    frame = deep;                                                              \
    frame.operand = &operand;                                                  \
    assert_refused (engine, &frame, HISTO_ERROR_INVALID, "operand: " #change); \
  } while (0)

    DEEP_OPERAND_REFUSED (components[2].bins = 256);
    DEEP_OPERAND_REFUSED (components[2].bins = 0);
    DEEP_OPERAND_REFUSED (components[2].big_endian = true);
    DEEP_OPERAND_REFUSED (components[2].shift = 0);
  }
  histo_close (&engine);
}
END_TEST

START_TEST (empty_frames_count_nothing)
{
  struct histo_engine *engine = open_engine (0);
  struct histo_stats stats = { 0 };
  struct histo_frame frame, operand;
  struct histo_summary summary;

  /* No rows, and no memory. */
  frame = good_frame ();
  frame.planes[0] = (struct histo_plane){ NULL, 0, 0 };
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.component_count, 3);
  ck_assert_uint_eq (stats.components[0].count, 0);
  ck_assert_uint_eq (stats.components[0].bins, HISTO_BINS);
  ck_assert_uint_eq (stats.components[1].count, 16);
  ck_assert (!histo_summarize (&stats.components[0], &summary));

  /* No samples in a row: the other component of the plane is counted. */
  frame = good_frame ();
  frame.components[1].width = 0;
  frame.components[1].offset_bytes = 12345678;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[1].count, 0);
  ck_assert_uint_eq (stats.components[2].count, 16);

  /* Nothing at all, twice. */
  for (unsigned c = 0; c < 3; c++)
    frame.components[c].width = 0;
  frame.planes[0].data = frame.planes[1].data = NULL;
  operand = frame;
  frame.operand = &operand;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  for (unsigned c = 0; c < 3; c++) {
    ck_assert_uint_eq (stats.components[c].count, 0);
    ck_assert_uint_eq (stats.components[c].dot_count, 0);
    ck_assert_uint_eq (stats.components[c].sum, 0);
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

void
add_frames (Suite *suite)
{
  TEST_ADD (suite, submit_refuses_nonsense);
  TEST_ADD (suite, submit_refuses_nonsense_in_two_bytes);
  TEST_ADD (suite, every_depth_may_have_a_counter_for_each_value);
  TEST_ADD (suite, submit_refuses_too_many_samples);
  TEST_ADD (suite, limits_are_accepted);
  TEST_ADD (suite, submit_refuses_a_foreign_operand);
  TEST_ADD (suite, empty_frames_count_nothing);
}
