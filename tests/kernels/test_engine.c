/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The contract of histo.h: what is refused and with which status, tickets, limits, threads, logs. argv[1]: the backend. */

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engines.h"
#include "frames.h"
#include "runner.h"

static struct test_log test_log = TEST_LOG_INIT;

static struct histo_config
base_config (void)
{
  unsigned count;
  struct histo_config config = test_variants (&count)[0].config;

  config.log = test_log_add;
  config.log_data = &test_log;
  return config;
}

static struct histo_engine *
open_engine (unsigned max_in_flight)
{
  struct histo_config config = base_config ();
  struct histo_engine *engine = NULL;

  config.max_in_flight = max_in_flight;
  ck_assert_msg (histo_open (&config, &engine) == HISTO_OK, "%s", test_log.text);
  ck_assert_ptr_nonnull (engine);
  return engine;
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

START_TEST (open_refuses_nonsense)
{
  struct histo_engine *const marker = (struct histo_engine *)(uintptr_t)8;
  struct histo_config config = base_config ();
  struct histo_engine *engine = marker;

  ck_assert_int_eq (histo_open (&config, NULL), HISTO_ERROR_INVALID);

  config.backend = (enum histo_backend)99;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (engine);

  engine = marker;
  config = base_config ();
  config.max_in_flight = HISTO_MAX_IN_FLIGHT + 1;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (engine);

  engine = marker;
  config = base_config ();
  config.cuda_device = -2;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (engine);
}
END_TEST

START_TEST (refusals_are_logged)
{
  struct histo_config config = base_config ();
  struct histo_engine *engine = NULL;

  config.max_in_flight = HISTO_MAX_IN_FLIGHT + 1;
  test_log_clear (&test_log);
  histo_open (&config, &engine);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_ERROR], 1);
}
END_TEST

START_TEST (open_without_configuration)
{
  struct histo_engine *engine = NULL;

  ck_assert_int_eq (histo_open (NULL, &engine), HISTO_OK);
  ck_assert_int_ne (histo_engine_info (engine)->backend, HISTO_BACKEND_AUTO);
  ck_assert_int_ne (histo_engine_info (engine)->backend, HISTO_BACKEND_REFERENCE);
  histo_close (&engine);
  ck_assert_ptr_null (engine);
}
END_TEST

START_TEST (close_accepts_nothing)
{
  struct histo_engine *engine = NULL;

  histo_close (NULL);
  histo_close (&engine);
  ck_assert_ptr_null (engine);
}
END_TEST

START_TEST (info_says_what_was_opened)
{
  static const char *const names[] = { "", "reference", "cpu", "cuda" };
  struct histo_engine *engine = open_engine (0);
  const struct histo_info *info = histo_engine_info (engine);

  ck_assert_int_eq (info->backend, test_backend ());
  ck_assert_str_eq (info->backend_name, names[test_backend ()]);
  ck_assert_uint_gt (strlen (info->device_name), 0);
  ck_assert_uint_eq (info->max_in_flight, 8);
  histo_close (&engine);

  engine = open_engine (HISTO_MAX_IN_FLIGHT);
  ck_assert_uint_eq (histo_engine_info (engine)->max_in_flight, HISTO_MAX_IN_FLIGHT);
  histo_close (&engine);
}
END_TEST

START_TEST (threads_are_as_asked)
{
  struct histo_config config = base_config ();
  struct histo_engine *engine = NULL;

  config.threads = 3;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_uint_eq (histo_engine_info (engine)->threads, test_backend () == HISTO_BACKEND_CPU ? 3 : 0);
  histo_close (&engine);

  config.threads = 0;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  if (test_backend () == HISTO_BACKEND_CPU)
    ck_assert_uint_ge (histo_engine_info (engine)->threads, 1);
  histo_close (&engine);
}
END_TEST

START_TEST (opening_is_logged)
{
  struct histo_engine *engine;

  test_log_clear (&test_log);
  engine = open_engine (0);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_INFO], 1);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  ck_assert_ptr_nonnull (strstr (test_log.text, histo_engine_info (engine)->backend_name));
  ck_assert_ptr_nonnull (strstr (test_log.text, histo_engine_info (engine)->device_name));
  histo_close (&engine);
}
END_TEST

/* The configuration may go as soon as histo_open returned. */
START_TEST (configuration_is_copied)
{
  struct histo_config config = base_config ();
  struct histo_engine *engine = NULL;
  struct test_random random;
  struct test_frame frame;
  struct histo_stats stats = { 0 };

  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  memset (&config, 0xff, sizeof config);
  test_random_init (&random, 20);
  test_frame_init_bytes (&frame, 1000, 0, TEST_GUARD_END, TEST_FILL_MAX, &random);
  ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].sum, 255000);
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  histo_close (&engine);
}
END_TEST

START_TEST (every_status_has_a_text)
{
  for (int status = HISTO_OK; status <= HISTO_ERROR_FORKED; status++) {
    const char *text = histo_status_text ((enum histo_status)status);

    ck_assert_ptr_nonnull (text);
    ck_assert_uint_gt (strlen (text), 0);
    ck_assert_int_ne (text[strlen (text) - 1], '.');
    for (int other = HISTO_OK; other < status; other++)
      ck_assert_str_ne (text, histo_status_text ((enum histo_status)other));
  }
  ck_assert_ptr_nonnull (histo_status_text ((enum histo_status)1234));
}
END_TEST

#ifndef HAVE_CUDA
START_TEST (a_build_without_cuda_says_so)
{
  struct histo_config config = base_config ();
  struct histo_engine *engine = NULL;

  config.backend = HISTO_BACKEND_CUDA;
  test_log_clear (&test_log);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DRIVER);
  ck_assert_ptr_null (engine);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 1);
  ck_assert_ptr_nonnull (strstr (test_log.text, "without the CUDA toolkit"));

  config.backend = HISTO_BACKEND_AUTO;
  test_log_clear (&test_log);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_int_eq (histo_engine_info (engine)->backend, HISTO_BACKEND_CPU);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  ck_assert_ptr_nonnull (strstr (test_log.text, "without the CUDA toolkit"));
  histo_close (&engine);
}
END_TEST
#endif

/* ---- what submit refuses -------------------------------------------------------------------------------------------- */

static const uint8_t sample_bytes[4096];

/* A good frame of two planes and three components, like NV12 of 16x4. */
static struct histo_frame
good_frame (void)
{
  return (struct histo_frame){
    .plane_count = 2,
    .component_count = 3,
    .planes = { { sample_bytes, 64, 4 }, { sample_bytes + 1024, 64, 2 } },
    .components = {
      { .plane = 0, .offset_bytes = 0, .step_bytes = 1, .width = 16, .sample_bytes = 1, .depth = 8 },
      { .plane = 1, .offset_bytes = 0, .step_bytes = 2, .width = 8, .sample_bytes = 1, .depth = 8 },
      { .plane = 1, .offset_bytes = 1, .step_bytes = 2, .width = 8, .sample_bytes = 1, .depth = 8 },
    },
  };
}

static void
assert_refused (struct histo_engine *engine, const struct histo_frame *frame, enum histo_status expected, const char *what)
{
  histo_ticket ticket;
  struct histo_stats stats = { 0 };
  struct histo_frame good = good_frame ();
  enum histo_status status = histo_submit (engine, frame, &ticket);

  ck_assert_msg (status == expected, "%s: %s instead of %s", what, histo_status_text (status), histo_status_text (expected));
  /* The engine is as it was. */
  ck_assert_msg (test_engine_count (engine, &good, &stats) == HISTO_OK, "after %s", what);
  ck_assert_uint_eq (stats.components[0].count, 64);
  histo_stats_clear (&stats);
}

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

/* A good frame whose third component has samples of two bytes. */
static struct histo_frame
deep_frame (void)
{
  struct histo_frame frame = good_frame ();

  frame.components[2] = (struct histo_component){
    .plane = 1, .offset_bytes = 1, .step_bytes = 4, .width = 8, .sample_bytes = 2, .depth = 10, .shift = 6, .bins = 1024
  };
  return frame;
}

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

/* As many samples as the sums hold, and one row more. No memory stands behind them: what is refused is not read. */
START_TEST (submit_refuses_too_many_samples)
{
  struct histo_engine *engine = open_engine (0);
  struct histo_frame frame = {
    .plane_count = 1,
    .component_count = 1,
    .planes = { { sample_bytes, 1u << 17, (1u << 16) + 1 } },
    .components = { { .step_bytes = 2, .width = 1u << 16, .sample_bytes = 2, .depth = 16 } },
  };

  assert_refused (engine, &frame, HISTO_ERROR_INVALID, "2^32 + 2^16 samples of two bytes");
  frame.components[0] = (struct histo_component){ .step_bytes = 1, .width = 1u << 16, .sample_bytes = 1, .depth = 8 };
  frame.project = true;
  assert_refused (engine, &frame, HISTO_ERROR_INVALID, "2^32 + 2^16 samples to project");
  frame.project = false;
  frame.planes[0] = (struct histo_plane){ sample_bytes, (size_t)1 << 31, (1u << 17) + 1 };
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

/* ---- tickets -------------------------------------------------------------------------------------------------------- */

START_TEST (tickets_count_from_one)
{
  struct histo_engine *engine = open_engine (3);
  struct histo_frame frame = good_frame ();
  struct histo_stats stats = { 0 };
  histo_ticket ticket;

  for (histo_ticket expected = 1; expected <= 20; expected++) {
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
    ck_assert_uint_eq (ticket, expected);
    if (expected >= 3)
      ck_assert_int_eq (histo_collect (engine, expected - 2, &stats), HISTO_OK);
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

START_TEST (busy_at_the_limit)
{
  static const unsigned limits[] = { 1, 2, 8, 512 };

  for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct histo_engine *engine = open_engine (limits[i]);
    struct histo_frame frame = good_frame ();
    struct histo_stats stats = { 0 };
    histo_ticket ticket;

    for (unsigned n = 0; n < limits[i]; n++)
      ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_ERROR_BUSY);
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_ERROR_BUSY);
    ck_assert_int_eq (histo_collect (engine, 1, &stats), HISTO_OK);
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
    ck_assert_uint_eq (ticket, limits[i] + 1);
    ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_ERROR_BUSY);
    histo_stats_clear (&stats);
    histo_close (&engine);
  }
}
END_TEST

START_TEST (collect_takes_the_oldest_alone)
{
  struct histo_engine *engine = open_engine (4);
  struct histo_frame frame = good_frame ();
  struct histo_stats stats = { 0 };
  histo_ticket ticket;

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
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

START_TEST (ready_becomes_true)
{
  struct histo_engine *engine = open_engine (2);
  struct histo_frame frame = good_frame ();
  struct histo_stats stats = { 0 };
  histo_ticket ticket;
  time_t begin = time (NULL);

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
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

START_TEST (close_with_frames_in_flight)
{
  struct test_random random;

  test_random_init (&random, 21);
  for (unsigned round = 0; round < 20; round++) {
    struct histo_engine *engine = open_engine (8);
    struct test_frame frame;
    histo_ticket ticket;

    test_frame_init_bytes (&frame, 300000, 1, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    for (unsigned n = 0; n <= round % 8; n++)
      ck_assert_int_eq (histo_submit (engine, &frame.frame, &ticket), HISTO_OK);
    histo_close (&engine);
    ck_assert_ptr_null (engine);
    /* Nothing reads it any more, or this faults. */
    test_frame_clear (&frame);
  }
}
END_TEST

/* The frame, the operand and the arrays of the caller may go; only the samples must stay. */
START_TEST (frame_is_copied)
{
  struct histo_engine *engine = open_engine (0);
  struct test_random random;
  struct test_frame frame;
  struct histo_frame given, operand;
  struct histo_stats stats = { 0 };
  histo_ticket ticket;

  test_random_init (&random, 22);
  test_frame_init_bytes (&frame, 100000, 0, TEST_GUARD_END, TEST_FILL_MAX, &random);
  given = operand = frame.frame;
  given.operand = &operand;
  ck_assert_int_eq (histo_submit (engine, &given, &ticket), HISTO_OK);
  memset (&given, 0xff, sizeof given);
  memset (&operand, 0xff, sizeof operand);
  ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].dot, UINT64_C (100000) * 255 * 255);
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  histo_close (&engine);
}
END_TEST

/* One histo_stats for frames with many components, with few, and with none collected at all. */
START_TEST (stats_are_replaced)
{
  struct histo_engine *engine = open_engine (0);
  struct test_random random;
  struct histo_stats stats = { 0 };
  static struct test_count expected;

  test_random_init (&random, 23);
  for (unsigned round = 0; round < 30; round++) {
    struct test_geometry geometry = test_geometry_random (20, 10, &random);
    struct test_frame frame;

    test_frame_init (&frame, &test_layouts[test_random_below (&random, test_layout_count)], &geometry, TEST_FILL_RANDOM,
                     &random);
    test_frame_count (&frame.frame, &expected);
    ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    test_frame_clear (&frame);
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

/* ---- many frames in one call ---------------------------------------------------------------------------------------- */

/* Frames that differ in all but their size, and what is in them. */
enum { MANY = 9 };

struct many {
  struct histo_frame frames[MANY];
  struct test_frame samples[MANY];
  struct test_count expected[MANY];
};

static void
make_many (struct many *many, bool alike, struct test_random *random)
{
  static const char *const layouts[MANY]
      = { "GRAY8", "NV12", "RGB", "GRAY8", "YUY2", "RGBA", "GRAY8", "I420", "every fifth byte" };

  for (unsigned f = 0; f < MANY; f++) {
    const struct test_layout *layout = test_layout_find (layouts[alike ? 0 : f]);
    struct test_geometry geometry = test_geometry_random (33, 7, random);

    if (alike)
      geometry = (struct test_geometry){ .width = 33, .height = 7, .extra_stride_bytes = 3, .base_offset = 16 * f };
    geometry.left = geometry.top = 0;
    test_frame_init (&many->samples[f], layout, &geometry, TEST_FILL_RANDOM, random);
    many->frames[f] = many->samples[f].frame;
    /* The frame before, where it has the same shape, is the operand. */
    if (f > 0 && (alike || f == 3))
      many->frames[f].operand = &many->samples[alike ? f - 1 : 0].frame;
    test_frame_count (&many->frames[f], &many->expected[f]);
  }
}

static void
clear_many (struct many *many)
{
  for (unsigned f = 0; f < MANY; f++)
    test_frame_clear (&many->samples[f]);
}

static void
collect_many (struct histo_engine *engine, const struct many *many, histo_ticket first, unsigned count,
              struct histo_stats *stats)
{
  for (unsigned f = 0; f < count; f++) {
    ck_assert_int_eq (histo_collect (engine, first + f, stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&many->expected[f].stats, stats), NULL);
  }
}

/* Every number of frames from every slot on, so that they come round the ring at every place. */
START_TEST (many_frames_in_one_call)
{
  static struct many many;
  struct histo_stats stats = { 0 };
  struct test_random random;

  test_random_init (&random, 26);
  for (unsigned alike = 0; alike < 2; alike++) {
    make_many (&many, alike, &random);
    for (unsigned slots = 1; slots <= MANY; slots += 4) {
      struct histo_engine *engine = open_engine (slots);
      histo_ticket next = 1;

      for (unsigned count = 1; count <= slots; count++) {
        for (unsigned start = 0; start < slots; start++) {
          histo_ticket first = 99;

          ck_assert_int_eq (histo_submit_many (engine, many.frames, count, &first), HISTO_OK);
          ck_assert_uint_eq (first, next);
          next += count;
          collect_many (engine, &many, first, count, &stats);
          /* One more, and the ring begins a slot further on. */
          if ((count + 1) % slots == 0 || slots == 1)
            continue;
          ck_assert_int_eq (test_engine_count (engine, &many.frames[0], &stats), HISTO_OK);
          next++;
        }
      }
      histo_close (&engine);
    }
    clear_many (&many);
  }
  histo_stats_clear (&stats);
}
END_TEST

START_TEST (many_frames_are_taken_all_or_none)
{
  static struct many many;
  struct histo_engine *engine = open_engine (8);
  struct histo_stats stats = { 0 };
  struct test_random random;
  histo_ticket first, ticket;

  test_random_init (&random, 27);
  make_many (&many, false, &random);
  ck_assert_int_eq (histo_submit_many (NULL, many.frames, 1, &first), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit_many (engine, NULL, 1, &first), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 0, &first), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 1, NULL), HISTO_ERROR_INVALID);

  /* More than there are slots, and more than are left. */
  first = 99;
  ck_assert_int_eq (histo_submit_many (engine, many.frames, MANY, &first), HISTO_ERROR_BUSY);
  ck_assert_uint_eq (first, 0);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 5, &first), HISTO_OK);
  ck_assert_uint_eq (first, 1);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 4, &ticket), HISTO_ERROR_BUSY);
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 3, &ticket), HISTO_OK);
  ck_assert_uint_eq (ticket, 6);
  ck_assert_int_eq (histo_submit (engine, many.frames, &ticket), HISTO_ERROR_BUSY);
  collect_many (engine, &many, 1, 5, &stats);
  collect_many (engine, &many, 6, 3, &stats);

  /* A bad frame at each place, and a bad operand. */
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
  collect_many (engine, &many, 9, 8, &stats);

  /* Closed with frames in flight. */
  ck_assert_int_eq (histo_submit_many (engine, many.frames, 7, &first), HISTO_OK);
  histo_close (&engine);
  clear_many (&many);
  histo_stats_clear (&stats);
}
END_TEST

/* ---- projections and weights ---------------------------------------------------------------------------------------- */

START_TEST (weights_are_checked)
{
  static const int16_t numbers[16] = { 3, -1, 4, -1, 5, -9, 2, -6, 5, -3, 5, -8, 9, -7, 9, INT16_MIN };
  const struct histo_weights ones = { 0 }, none = { numbers, 0, numbers, 0 }, few = { numbers, 16, numbers, 4 };
  struct histo_engine *engine = open_engine (0);
  struct histo_frame frame = good_frame ();
  struct histo_stats stats = { 0 };
  histo_ticket ticket;

  ck_assert_int_eq (histo_set_weights (NULL, 0, &ones), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_set_weights (engine, 0, NULL), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_set_weights (engine, HISTO_MAX_COMPONENTS, &ones), HISTO_ERROR_INVALID);

  /* Luma is 16 x 4: exactly so many weights will do, and no fewer. */
  frame.project = true;
  ck_assert_int_eq (histo_set_weights (engine, 0, &few), HISTO_OK);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  for (unsigned i = 0; i < 2; i++) {
    const struct histo_weights narrow = { i == 0 ? numbers : NULL, 15, i == 1 ? numbers : NULL, 3 };

    ck_assert_int_eq (histo_set_weights (engine, 0, &narrow), HISTO_OK);
    assert_refused (engine, &frame, HISTO_ERROR_INVALID, "too few weights");
  }
  /* Another component's weights do not matter, nor do any to a frame that is not projected. */
  ck_assert_int_eq (histo_set_weights (engine, 0, &few), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 3, &none), HISTO_OK);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 1, &none), HISTO_OK);
  assert_refused (engine, &frame, HISTO_ERROR_INVALID, "no weights");
  frame.project = false;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].rows, 0);
  ck_assert_uint_eq (stats.components[0].columns, 0);
  ck_assert_ptr_null (stats.components[0].row_sums);
  ck_assert_ptr_null (stats.components[0].column_sums);

  /* Not while a frame is in flight. */
  ck_assert_int_eq (histo_submit (engine, &frame, &ticket), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 1, &ones), HISTO_ERROR_BUSY);
  ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 1, &ones), HISTO_OK);
  frame.project = true;
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

/* 3 x 2 samples: 1 2 3 / 10 20 30. */
START_TEST (weights_are_applied_and_copied)
{
  static const uint8_t samples[] = { 1, 2, 3, 10, 20, 30 };
  int16_t row[3] = { 1, -2, INT16_MIN }, column[2] = { INT16_MAX, -1 };
  const struct histo_frame frame = {
    .plane_count = 1,
    .component_count = 1,
    .planes = { { samples, 3, 2 } },
    .components = { { .step_bytes = 1, .width = 3, .sample_bytes = 1, .depth = 8 } },
    .project = true,
  };
  struct histo_engine *engine = open_engine (0);
  struct histo_stats stats = { 0 };
  const struct histo_component_stats *numbers;

  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  numbers = &stats.components[0];
  ck_assert_uint_eq (numbers->rows, 2);
  ck_assert_uint_eq (numbers->columns, 3);
  ck_assert_int_eq (numbers->row_sums[0], 6);
  ck_assert_int_eq (numbers->row_sums[1], 60);
  ck_assert_int_eq (numbers->column_sums[0], 11);
  ck_assert_int_eq (numbers->column_sums[2], 33);

  ck_assert_int_eq (histo_set_weights (engine, 0, &(struct histo_weights){ row, 3, column, 2 }), HISTO_OK);
  memset (row, 0, sizeof row);
  memset (column, 0, sizeof column);
  for (unsigned repeat = 0; repeat < 2; repeat++) {
    ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
    numbers = &stats.components[0];
    ck_assert_int_eq (numbers->row_sums[0], 1 - 4 - 3 * 32768);
    ck_assert_int_eq (numbers->row_sums[1], 10 - 40 - 30 * 32768);
    ck_assert_int_eq (numbers->column_sums[0], 32767 - 10);
    ck_assert_int_eq (numbers->column_sums[1], 2 * 32767 - 20);
    ck_assert_int_eq (numbers->column_sums[2], 3 * 32767 - 30);
    ck_assert_uint_eq (numbers->sum, 66);
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

START_TEST (empty_components_have_no_projections)
{
  static const int16_t weight = 7;
  struct histo_engine *engine = open_engine (0);
  struct histo_frame frame = good_frame ();
  struct histo_stats stats = { 0 };

  frame.project = true;
  frame.components[1].width = 0;
  frame.planes[0] = (struct histo_plane){ NULL, 0, 0 };
  /* Weights that would not do for anything else. */
  ck_assert_int_eq (histo_set_weights (engine, 0, &(struct histo_weights){ &weight, 1, &weight, 0 }), HISTO_OK);
  ck_assert_int_eq (histo_set_weights (engine, 1, &(struct histo_weights){ &weight, 0, &weight, 1 }), HISTO_OK);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  for (unsigned c = 0; c < 2; c++) {
    ck_assert_uint_eq (stats.components[c].rows, 0);
    ck_assert_uint_eq (stats.components[c].columns, 0);
    ck_assert_ptr_null (stats.components[c].row_sums);
    ck_assert_ptr_null (stats.components[c].column_sums);
  }
  ck_assert_uint_eq (stats.components[2].rows, 2);
  ck_assert_uint_eq (stats.components[2].columns, 8);
  histo_stats_clear (&stats);
  histo_close (&engine);
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------------------------------- */

START_TEST (pinners_refuse_nonsense)
{
  struct histo_engine *engine = open_engine (0);
  struct histo_pinner *pinner = (struct histo_pinner *)(uintptr_t)8;
  struct histo_block block = { &engine, 5, true };

  ck_assert_int_eq (histo_pinner_open (engine, NULL), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_pinner_open (NULL, &pinner), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (pinner);
  ck_assert_int_eq (histo_pinner_alloc (NULL, 1, &block), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (block.data);
  ck_assert_int_eq (histo_pinner_open (engine, &pinner), HISTO_OK);
  ck_assert_int_eq (histo_pinner_alloc (pinner, 1, NULL), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_pinner_alloc (pinner, 0, &block), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (block.data);
  ck_assert_uint_eq (block.size_bytes, 0);
  histo_pinner_free (NULL, &block);
  histo_pinner_free (pinner, NULL);
  histo_pinner_free (pinner, &block);
  histo_pinner_close (&pinner);
  ck_assert_ptr_null (pinner);
  histo_pinner_close (&pinner);
  histo_pinner_close (NULL);
  histo_close (&engine);
}
END_TEST

/* Blocks of all sizes, whole and apart from each other, of which frames can be counted; they outlive the engine. */
START_TEST (pinners_have_memory)
{
  static const size_t sizes[] = { 1, 100, 4095, 4096, 4097, 1000000 };
  enum { SIZES = sizeof sizes / sizeof *sizes };
  struct histo_engine *engine = open_engine (0);
  struct histo_pinner *pinner = NULL;
  struct histo_block blocks[SIZES];
  struct histo_stats stats = { 0 };

  ck_assert_int_eq (histo_pinner_open (engine, &pinner), HISTO_OK);
  for (unsigned i = 0; i < SIZES; i++) {
    ck_assert_int_eq (histo_pinner_alloc (pinner, sizes[i], &blocks[i]), HISTO_OK);
    ck_assert_uint_ge (blocks[i].size_bytes, sizes[i]);
    ck_assert_uint_eq ((uintptr_t)blocks[i].data % 256, 0);
    if (test_backend () != HISTO_BACKEND_CUDA)
      ck_assert (!blocks[i].is_pinned);
    memset (blocks[i].data, (int)i + 1, sizes[i]);
  }
  for (unsigned i = 0; i < SIZES; i++) {
    const struct histo_frame frame = {
      .plane_count = 1,
      .component_count = 1,
      .planes = { { blocks[i].data, 0, 1 } },
      .components = { { .step_bytes = 1, .width = sizes[i], .sample_bytes = 1, .depth = 8 } },
    };

    ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
    ck_assert_uint_eq (stats.components[0].sum, sizes[i] * (i + 1));
  }
  histo_close (&engine);

  for (unsigned i = 0; i < SIZES; i++) {
    ck_assert_uint_eq (((const uint8_t *)blocks[i].data)[sizes[i] - 1], i + 1);
    histo_pinner_free (pinner, &blocks[i]);
    ck_assert_ptr_null (blocks[i].data);
    ck_assert_uint_eq (blocks[i].size_bytes, 0);
    ck_assert (!blocks[i].is_pinned);
  }
  ck_assert_int_eq (histo_pinner_alloc (pinner, 5000, &blocks[0]), HISTO_OK);
  memset (blocks[0].data, 1, 5000);
  histo_pinner_free (pinner, &blocks[0]);
  histo_pinner_close (&pinner);
  histo_stats_clear (&stats);
}
END_TEST

/* ---- threads -------------------------------------------------------------------------------------------------------- */

struct traffic {
  struct histo_engine *engine;
  const struct test_frame *frames;
  unsigned frame_count, rounds;
  enum histo_status status;
};

static void
pause_shortly (void)
{
  nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

static void *
submit_all (void *data)
{
  struct traffic *traffic = data;

  for (unsigned n = 0; n < traffic->rounds && traffic->status == HISTO_OK;) {
    histo_ticket ticket;
    enum histo_status status = histo_submit (traffic->engine, &traffic->frames[n % traffic->frame_count].frame, &ticket);

    if (status == HISTO_ERROR_BUSY)
      pause_shortly ();
    else if (status != HISTO_OK || ticket != ++n)
      traffic->status = status != HISTO_OK ? status : HISTO_ERROR_INVALID;
  }
  return NULL;
}

START_TEST (submit_and_collect_from_two_threads)
{
  enum { FRAMES = 7, ROUNDS = 1500 };
  struct histo_engine *engine = open_engine (4);
  struct test_frame frames[FRAMES];
  static struct test_count expected[FRAMES];
  struct traffic traffic = { engine, frames, FRAMES, ROUNDS, HISTO_OK };
  struct histo_stats stats = { 0 };
  struct test_random random;
  pthread_t submitter;
  time_t begin = time (NULL);

  test_random_init (&random, 24);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (10 + f * 20, 1 + f, &random);
    test_frame_init (&frames[f], &test_layouts[f * 2], &geometry, TEST_FILL_RANDOM, &random);
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  ck_assert_int_eq (pthread_create (&submitter, NULL, submit_all, &traffic), 0);
  for (histo_ticket ticket = 1; ticket <= ROUNDS;) {
    enum histo_status status;

    if (ticket % 3 == 0 && !histo_ready (engine, ticket)) {
      pause_shortly ();
      TEST_REQUIRE (time (NULL) - begin < 60, "ticket %u is never ready", (unsigned)ticket);
      continue;
    }
    status = histo_collect (engine, ticket, &stats);
    if (status == HISTO_ERROR_INVALID) { /* not submitted yet */
      pause_shortly ();
      TEST_REQUIRE (time (NULL) - begin < 60, "ticket %u never comes", (unsigned)ticket);
      continue;
    }
    TEST_REQUIRE (status == HISTO_OK, "%s", histo_status_text (status));
    TEST_REQUIRE (test_stats_difference (&expected[(ticket - 1) % FRAMES].stats, &stats) == NULL, "ticket %u: %s",
                  (unsigned)ticket, test_stats_difference (&expected[(ticket - 1) % FRAMES].stats, &stats));
    ticket++;
  }
  pthread_join (submitter, NULL);
  ck_assert_int_eq (traffic.status, HISTO_OK);
  histo_stats_clear (&stats);
  for (unsigned f = 0; f < FRAMES; f++)
    test_frame_clear (&frames[f]);
  histo_close (&engine);
}
END_TEST

struct user {
  pthread_t thread;
  struct histo_engine *engine;
  const struct test_frame *frame;
  const struct histo_stats *expected;
  const char *difference;
  enum histo_status status;
};

static void *
use_engine (void *data)
{
  struct user *user = data;
  struct histo_stats stats = { 0 };

  for (unsigned n = 0; n < 30 && user->status == HISTO_OK && user->difference == NULL; n++) {
    user->status = test_engine_count (user->engine, &user->frame->frame, &stats);
    if (user->status == HISTO_OK && test_stats_difference (user->expected, &stats) != NULL)
      user->difference = "the numbers differ";
  }
  histo_stats_clear (&stats);
  return NULL;
}

START_TEST (thirty_two_engines_at_once)
{
  enum { ENGINES = 32 };
  struct user users[ENGINES];
  struct test_frame frames[ENGINES];
  static struct test_count expected[ENGINES];
  struct test_random random;

  test_random_init (&random, 25);
  for (unsigned i = 0; i < ENGINES; i++) {
    struct test_geometry geometry = test_geometry_random (300, 20, &random);

    test_frame_init (&frames[i], &test_layouts[i % test_layout_count], &geometry, TEST_FILL_RANDOM, &random);
    test_frame_count (&frames[i].frame, &expected[i]);
    users[i] = (struct user){ .engine = open_engine (1 + i % 3), .frame = &frames[i], .expected = &expected[i].stats };
  }
  for (unsigned i = 0; i < ENGINES; i++)
    ck_assert_int_eq (pthread_create (&users[i].thread, NULL, use_engine, &users[i]), 0);
  for (unsigned i = 0; i < ENGINES; i++)
    pthread_join (users[i].thread, NULL);
  for (unsigned i = 0; i < ENGINES; i++) {
    ck_assert_int_eq (users[i].status, HISTO_OK);
    ck_assert_pstr_eq (users[i].difference, NULL);
    histo_close (&users[i].engine);
    test_frame_clear (&frames[i]);
  }
}
END_TEST

int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("engine");

  test_engines_init (argc, argv);
  TEST_ADD (suite, open_refuses_nonsense);
  TEST_ADD (suite, refusals_are_logged);
  TEST_ADD (suite, open_without_configuration);
  TEST_ADD (suite, close_accepts_nothing);
  TEST_ADD (suite, info_says_what_was_opened);
  TEST_ADD (suite, threads_are_as_asked);
  TEST_ADD (suite, opening_is_logged);
  TEST_ADD (suite, configuration_is_copied);
  TEST_ADD (suite, every_status_has_a_text);
#ifndef HAVE_CUDA
  TEST_ADD (suite, a_build_without_cuda_says_so);
#endif
  TEST_ADD (suite, submit_refuses_nonsense);
  TEST_ADD (suite, submit_refuses_nonsense_in_two_bytes);
  TEST_ADD (suite, every_depth_may_have_a_counter_for_each_value);
  TEST_ADD (suite, submit_refuses_too_many_samples);
  TEST_ADD (suite, limits_are_accepted);
  TEST_ADD (suite, submit_refuses_a_foreign_operand);
  TEST_ADD (suite, empty_frames_count_nothing);
  TEST_ADD (suite, tickets_count_from_one);
  TEST_ADD (suite, busy_at_the_limit);
  TEST_ADD (suite, collect_takes_the_oldest_alone);
  TEST_ADD (suite, ready_becomes_true);
  TEST_ADD (suite, close_with_frames_in_flight);
  TEST_ADD (suite, frame_is_copied);
  TEST_ADD (suite, stats_are_replaced);
  TEST_ADD (suite, many_frames_in_one_call);
  TEST_ADD (suite, many_frames_are_taken_all_or_none);
  TEST_ADD (suite, weights_are_checked);
  TEST_ADD (suite, weights_are_applied_and_copied);
  TEST_ADD (suite, empty_components_have_no_projections);
  TEST_ADD (suite, pinners_refuse_nonsense);
  TEST_ADD (suite, pinners_have_memory);
  TEST_ADD (suite, submit_and_collect_from_two_threads);
  TEST_ADD (suite, thirty_two_engines_at_once);
  return test_run_suite (suite);
}
