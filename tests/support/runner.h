/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs a suite of Check in one process, because threads and the CUDA driver do not survive a fork. Meson limits the time. */

#ifndef TEST_RUNNER_H
#define TEST_RUNNER_H

#include "short.h"

#include <check.h>
#include <stdlib.h>

/* Runs a suite, frees it, and returns the program's exit status. CK_RUN_CASE and CK_RUN_SUITE select a part. */
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

/* Adds a test case of one test, with the same name, so that CK_RUN_CASE can select it. CK_EXCLUDE_TAGS omits cases with these
 * tags: under a checker, `large` frames and `long` runs take minutes, and find only what other tests also find. */
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

/* Replaces ck_assert_msg in inner loops, since Check writes to a file for each assertion, even if it holds. */
#define TEST_REQUIRE(condition, ...) \
  do {                               \
    if (!(condition))                \
      ck_abort_msg (__VA_ARGS__);    \
  } while (0)

#endif
