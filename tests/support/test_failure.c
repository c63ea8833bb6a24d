/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A failed check ends the program (failure.c). Meson expects a failure; the program succeeds if a second test runs. */

#include "runner.h"

#include <unistd.h>

TEST (test_fails)
{
  ck_assert_msg (0, "this check is to fail, and %s", "it did");
}

TEST (test_comes_next)
{
  _exit (EXIT_SUCCESS);
}

TEST_MAIN
