/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend and its driver with failures. argv[1] is the libcuda.so.1 in LD_LIBRARY_PATH:
 *   absent  none (exit status 77 if the machine has one)
 *   old     one that lacks a function
 *   broken  a file that is not a library
 *   fake    the fake driver: devices that fail, a failure at each call in turn, and other tests that need a scripted driver
 *           (driver/, one subject a file) */

#include <stdio.h>
#include <string.h>

#include "driver/rig.h"

#define SKIPPED 77

static const char *expected_words, *expected_remedy; /* NULL: no warning */

TEST_TAGGED (cuda_says_why_it_is_not_there, "unusable")
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = (struct histo_engine *)(uintptr_t)8;

  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DRIVER);
  ck_assert_ptr_null (engine);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_ERROR], 1);
  ck_assert_msg (strstr (test_log.text, "libcuda.so.1") != NULL, "the log lacks the library's name: %s", test_log.text);
  ck_assert_msg (strstr (test_log.text, expected_words) != NULL, "the log lacks '%s': %s", expected_words, test_log.text);
}

TEST_TAGGED (auto_counts_on_the_cpu_and_says_why, "unusable")
{
  struct histo_config config = config_for (HISTO_BACKEND_AUTO);
  TEST_AT_END (histo_close) struct histo_engine *engine = NULL;
  struct test_random random = test_random_start (50);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };

  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_int_eq (histo_engine_info (engine)->backend, HISTO_BACKEND_CPU);
  ck_assert_str_eq (histo_engine_info (engine)->backend_name, "cpu");
  /* A missing GPU causes neither an error nor a warning; an unusable driver causes a warning. */
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], expected_remedy != NULL);
  if (expected_remedy != NULL)
    ck_assert_msg (strstr (test_log.text, expected_remedy) != NULL, "the log lacks '%s': %s", expected_remedy, test_log.text);
  ck_assert_msg (strstr (test_log.text, expected_words) != NULL, "the log lacks '%s': %s", expected_words, test_log.text);
  test_frame_init_bytes (&frame, 10000, 0, TEST_GUARD_END, TEST_FILL_MAX, &random);
  ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].sum, 2550000);
  histo_stats_clear (&stats);
}

/* True if the machine's own driver is found despite LD_LIBRARY_PATH. */
static bool
has_own_driver (void)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;
  enum histo_status status = histo_open (&config, &engine);

  histo_close (&engine);
  return status != HISTO_ERROR_NO_DRIVER;
}

int
main (int argc, char **argv)
{
  const char *library = argc > 1 ? argv[1] : "";

  fake = fakecuda_find ();
  if (strcmp (library, "fake") == 0) {
    if (fake == NULL) {
      printf ("LD_LIBRARY_PATH does not lead to the fake driver\n");
      return EXIT_FAILURE;
    }
    return test_run (NULL, "unusable");
  }
  if (strcmp (library, "absent") == 0)
    expected_words = "cannot open shared object file";
  else if (strcmp (library, "old") == 0)
    expected_words = "cuStreamWaitEvent", expected_remedy = "update the driver to ";
  else if (strcmp (library, "broken") == 0)
    expected_words = "file too short", expected_remedy = "install it anew.";
  else {
    fprintf (stderr, "usage: %s absent | old | broken | fake\n", argv[0]);
    return EXIT_FAILURE;
  }
  if (strcmp (library, "absent") == 0 && has_own_driver ()) {
    printf ("this machine has a libcuda.so.1 that cannot be hidden\n");
    return SKIPPED;
  }
  return test_run ("unusable", "");
}
