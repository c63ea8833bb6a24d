/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The contract of histo.h: refusals and their status, tickets, limits, threads, logs. argv[1]: the backend. The tests are in
 * engine/, one subject a file. */

#include "engine/rig.h"
#include "engines.h"
#include "runner.h"

int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("engine");

  test_engines_init (argc, argv);
  add_opening (suite);
  add_frames (suite);
  add_tickets (suite);
  add_many (suite);
  add_weights (suite);
  add_pinners (suite);
  add_threads (suite);
  return test_run_suite (suite);
}
