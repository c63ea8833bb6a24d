/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A failed check ends the program (failure.c). Meson expects a failure; the program succeeds if a second test runs. */

#include "runner.h"

#include <unistd.h>

START_TEST (test_fails)
{
  ck_assert_msg (0, "this check is to fail, and %s", "it did");
}
END_TEST

START_TEST (test_comes_next)
{
  _exit (EXIT_SUCCESS);
}
END_TEST

int
main (void)
{
  Suite *suite = suite_create ("failure");

  TEST_ADD (suite, test_fails);
  TEST_ADD (suite, test_comes_next);
  return test_run_suite (suite);
}
