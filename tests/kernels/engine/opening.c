/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opening and closing engines: refusals, log lines, and an engine's description. */

#include <string.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (NULL, end_test)

TEST (open_refuses_nonsense)
{
  struct histo_engine *const marker = (struct histo_engine *)(uintptr_t)8;
  struct histo_config config = base_config ();

  engine = marker;
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

TEST (refusals_are_logged)
{
  struct histo_config config = base_config ();

  config.max_in_flight = HISTO_MAX_IN_FLIGHT + 1;
  test_log_clear (&test_log);
  histo_open (&config, &engine);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_ERROR], 1);
}

TEST (open_without_configuration)
{
  ck_assert_int_eq (histo_open (NULL, &engine), HISTO_OK);
  ck_assert_int_ne (histo_engine_info (engine)->backend, HISTO_BACKEND_AUTO);
  ck_assert_int_ne (histo_engine_info (engine)->backend, HISTO_BACKEND_REFERENCE);
  histo_close (&engine);
  ck_assert_ptr_null (engine);
}

TEST (close_accepts_nothing)
{
  histo_close (NULL);
  histo_close (&engine);
  ck_assert_ptr_null (engine);
}

TEST (info_says_what_was_opened)
{
  static const char *const names[] = { "", "reference", "cpu", "cuda" };
  const struct histo_info *info;

  open_engine (0);
  info = histo_engine_info (engine);
  ck_assert_int_eq (info->backend, test_backend ());
  ck_assert_str_eq (info->backend_name, names[test_backend ()]);
  ck_assert_uint_gt (strlen (info->device_name), 0);
  ck_assert_uint_eq (info->max_in_flight, 8);

  open_engine (HISTO_MAX_IN_FLIGHT);
  ck_assert_uint_eq (histo_engine_info (engine)->max_in_flight, HISTO_MAX_IN_FLIGHT);
}

TEST (threads_are_as_asked)
{
  struct histo_config config = base_config ();

  config.threads = 3;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_uint_eq (histo_engine_info (engine)->threads, test_backend () == HISTO_BACKEND_CPU ? 3 : 0);
  histo_close (&engine);

  config.threads = 0;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  if (test_backend () == HISTO_BACKEND_CPU)
    ck_assert_uint_ge (histo_engine_info (engine)->threads, 1);
}

TEST (opening_is_logged)
{
  test_log_clear (&test_log);
  open_engine (0);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_INFO], 1);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  ck_assert_ptr_nonnull (strstr (test_log.text, histo_engine_info (engine)->backend_name));
  ck_assert_ptr_nonnull (strstr (test_log.text, histo_engine_info (engine)->device_name));
}

/* The caller may free the configuration after histo_open. */
TEST (configuration_is_copied)
{
  struct histo_config config = base_config ();
  struct test_random random = test_random_start (20);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  memset (&config, 0xff, sizeof config);
  test_frame_init_bytes (&frame, 1000, 0, TEST_GUARD_END, TEST_FILL_MAX, &random);
  ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].sum, 255000);
}

TEST (every_status_has_a_text)
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

#ifndef HAVE_CUDA
TEST (a_build_without_cuda_says_so)
{
  struct histo_config config = base_config ();

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
}
#endif
