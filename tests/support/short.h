/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shortens tests under a slow checker, or in a further build of the same code. */

#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the environment variable CUDAHISTO_TEST_SHORT contains this word:
 *   calls    failures at every seventh call of the driver instead of every call
 *   cycles   a fifth of the cycles in which an element starts and stops while other threads use it, or in which a process forks
 *            under load
 *   sizes    a fifth of the sizes for each pixel layout, a third of the contents for samples of two bytes, a fifth of the
 *            random formats, a third of the pairs of parts, and a third of the largest cases
 *   few      with `sizes`, a quarter of the remaining cases, for runs that look for other faults than wrong numbers; and three
 *            instead of five CPU engines */
static inline bool
test_is_short (const char *word)
{
  const char *words = getenv ("CUDAHISTO_TEST_SHORT");

  return words != NULL && strstr (words, word) != NULL;
}

/* Returns the distance of the cases in a loop: 1; with `sizes`, `step`; also with `few`, four times `step`. */
static inline unsigned
test_stride (unsigned step)
{
  return !test_is_short ("sizes") ? 1 : test_is_short ("few") ? 4 * step : step;
}
