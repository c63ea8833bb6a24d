/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The end of a benchmark after a failure, and its output of the engine's log. */

#pragma once

#include <cudahisto/histo.h>
#include <stdio.h>
#include <stdlib.h>

static inline void
require (bool condition, const char *what)
{
  if (condition)
    return;
  fprintf (stderr, "failed: %s\n", what);
  exit (1);
}

/* A histo_log_function that prints errors and warnings. */
static inline void
print_log (void *data, enum histo_log_level level, const char *message)
{
  (void)data;
  if (level != HISTO_LOG_INFO)
    fprintf (stderr, "%s\n", message);
}
