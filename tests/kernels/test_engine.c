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
  test_engines_init (argc, argv);
  return test_run (NULL, "");
}
