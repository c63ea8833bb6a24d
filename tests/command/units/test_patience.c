/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The waits after a signal end before the process gives up. */

#include <signal.h>
#include <unistd.h>

#include "cases.h"
#include "common/interrupt.h"

#define PATIENCE_MS 10000 /* time after which the process gives up */

TEST (test_limit)
{
  guint given_up, left;

  interrupt_catch (NULL, NULL);
  ck_assert_uint_eq (interrupt_limit (60000), 60000);
  raise (SIGTERM);
  ck_assert_uint_eq (interrupt_limit (100), 100);
  left = interrupt_limit (60000);
  ck_assert_uint_lt (left, PATIENCE_MS);
  g_usleep (1100 * 1000);
  ck_assert_uint_le (interrupt_limit (60000), left - 1000);
  ck_assert_uint_eq (interrupt_limit (100), 100);
  given_up = alarm (0);
  ck_assert_uint_gt (given_up, 0);
  ck_assert_uint_le (given_up, PATIENCE_MS / 1000);
}

TEST_MAIN
