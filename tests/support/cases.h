/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests of GStreamer's Check that add themselves to the suite of their program, in the order of the file. Each is a test case
 * with the name of the test, so that CK_RUN_CASE can choose it. */

#pragma once

#include "directory.h"

/* Called before each test of the program: #define it before this file is included. */
#ifndef TEST_BEGIN
#define TEST_BEGIN NULL
#endif

static Suite *test_suite;
/* Of the tests that follow; NULL: none. Volatile, because clang evaluates a constructor that only stores a constant when it
 * compiles, and so before the constructors above it. */
static volatile SFun test_set_up, test_tear_down;

static inline TCase *
test_make_case (const char *name)
{
  TCase *tcase = tcase_create (name);

  if (test_suite == NULL)
    test_suite = suite_create (__BASE_FILE__);
  suite_add_tcase (test_suite, tcase);
  tcase_add_checked_fixture (tcase, TEST_BEGIN, remove_test_directory);
  tcase_add_checked_fixture (tcase, test_set_up, test_tear_down);
  return tcase;
}

/* TEST (test_name) { ... } is a test. TEST_LOOP runs it with __i__ = first .. end - 1. */
#define TEST(name) TEST_LOOP (name, 0, 1)
#define TEST_LOOP(name, first, end)                                \
  static void name##_body (gint __i__);                            \
  GST_START_TEST (name)                                            \
  {                                                                \
    name##_body (__i__);                                           \
  }                                                                \
  GST_END_TEST                                                     \
  static void __attribute__ ((constructor)) add_##name (void)      \
  {                                                                \
    TCase *tcase = test_make_case (#name);                         \
                                                                   \
    tcase_add_loop_test (tcase, name, (gint)(first), (gint)(end)); \
  }                                                                \
  static void name##_body (G_GNUC_UNUSED gint __i__)

/* Calls set_up() before and tear_down() (NULL: none) after each test that follows in the file. */
#define TEST_FIXTURE(set_up, tear_down)                         \
  static void __attribute__ ((constructor)) use_##set_up (void) \
  {                                                             \
    test_set_up = set_up;                                       \
    test_tear_down = tear_down;                                 \
  }

/* Runs the tests, and returns the number of failures. */
#define TEST_RUN() gst_check_run_suite (test_suite, __BASE_FILE__, __BASE_FILE__)

/* main() of a program that needs nothing but GStreamer. */
#define TEST_MAIN                  \
  int main (int argc, char **argv) \
  {                                \
    gst_check_init (&argc, &argv); \
    return TEST_RUN ();            \
  }
