/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs a suite of Check in one process, because neither threads nor the CUDA driver survive a fork. Meson has the time
 * limit. */

#ifndef TEST_RUNNER_H
#define TEST_RUNNER_H

#include "short.h"

#include <check.h>
#include <stdlib.h>

/* Frees `suite`. The program's exit status. CK_RUN_CASE and CK_RUN_SUITE choose a part. */
static inline int
test_run_suite (Suite *suite)
{
  SRunner *runner = srunner_create (suite);
  int failed;

  srunner_set_fork_status (runner, CK_NOFORK);
  srunner_run_all (runner, CK_NORMAL);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Adds a test case of one test, named after it, so that CK_RUN_CASE can choose it. CK_EXCLUDE_TAGS leaves out those with a tag:
 * `large` frames and `long` runs take minutes under a checker, and find nothing there that others do not. */
#define TEST_ADD(suite, test) test_add_case (suite, #test, "", test)
#define TEST_ADD_TAGGED(suite, test, tags) test_add_case (suite, #test, tags, test)
static inline void
test_add_case (Suite *suite, const char *name, const char *tags, const TTest *test)
{
  TCase *tcase = tcase_create (name);

  tcase_set_tags (tcase, tags);
  tcase_add_test (tcase, test);
  suite_add_tcase (suite, tcase);
}

/* ck_assert_msg for inner loops: Check writes to a file for each assertion, met or not. */
#define TEST_REQUIRE(condition, ...) \
  do {                               \
    if (!(condition))                \
      ck_abort_msg (__VA_ARGS__);    \
  } while (0)

#endif
