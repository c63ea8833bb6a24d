/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests of Check without GLib. They add themselves to the program's suite, in the order of the file, each as a test case with
 * the name of the test, so that CK_RUN_CASE can choose it. All run in one process, because threads and the CUDA driver do not
 * survive a fork. Meson limits the time. */

#pragma once

#include "short.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* One in the program, though each file defines it. */
Suite *test_suite __attribute__ ((weak));
static volatile SFun test_set_up, test_tear_down; /* NULL: none; volatile: see cases.h */

static inline void
test_add_case (const char *name, const char *tags, const TTest *test)
{
  TCase *tcase = tcase_create (name);

  if (test_suite == NULL)
    test_suite = suite_create ("tests");
  tcase_set_tags (tcase, tags);
  tcase_add_checked_fixture (tcase, test_set_up, test_tear_down);
  tcase_add_test (tcase, test);
  suite_add_tcase (test_suite, tcase);
}

/* TEST (name) { ... } is a test. CK_EXCLUDE_TAGS omits tests with these tags: under a checker, `large` frames and `long` runs
 * take minutes, and find only what other tests also find. */
#define TEST(name) TEST_TAGGED (name, "")
#define TEST_TAGGED(name, tags)                               \
  static void name##_body (void);                             \
  START_TEST (name)                                           \
  {                                                           \
    name##_body ();                                           \
  }                                                           \
  END_TEST                                                    \
  static void __attribute__ ((constructor)) add_##name (void) \
  {                                                           \
    test_add_case (#name, tags, name);                        \
  }                                                           \
  static void name##_body (void)

/* Calls set_up() before and tear_down() after each test that follows in the file. */
#define TEST_FIXTURE(set_up, tear_down)                         \
  static void __attribute__ ((constructor)) use_##set_up (void) \
  {                                                             \
    test_set_up = set_up;                                       \
    test_tear_down = tear_down;                                 \
  }

/* Runs the tests with one of these tags (NULL: all) and without one of those, and returns the program's exit status. */
static inline int
test_run (const char *included, const char *excluded)
{
  const char *more = getenv ("CK_EXCLUDE_TAGS");
  SRunner *runner = srunner_create (test_suite);
  char tags[200];
  int failed;

  snprintf (tags, sizeof tags, "%s %s", excluded, more != NULL ? more : "");
  srunner_set_fork_status (runner, CK_NOFORK);
  srunner_run_tagged (runner, NULL, NULL, included, tags, CK_NORMAL);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TEST_MAIN               \
  int main (void)               \
  {                             \
    return test_run (NULL, ""); \
  }

/* Replaces ck_assert_msg in inner loops, since Check writes to a file for each assertion, even if it holds. */
#define TEST_REQUIRE(condition, ...) \
  do {                               \
    if (!(condition))                \
      ck_abort_msg (__VA_ARGS__);    \
  } while (0)
