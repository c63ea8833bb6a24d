/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a slow checker, or one more build of the same, wants less of. */

#ifndef TEST_SHORT_H
#define TEST_SHORT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the environment variable CUDAHISTO_TEST_SHORT has that word:
 *   calls    a failure at every seventh call of the driver instead of at each
 *   cycles   a fifth of the times that an element goes up and down under the hands of others, or a process forks under load
 *   sizes    each pixel layout at a fifth of the sizes, each of two bytes with a third of the contents, a fifth of the random
 *            formats, a third of the pairs of parts, and a third of what is largest
 *   few      with `sizes`: a quarter of those that are left, for what looks for other faults than wrong numbers; and
 *            of the CPU's engines three instead of five */
static inline bool
test_is_short (const char *word)
{
  const char *words = getenv ("CUDAHISTO_TEST_SHORT");

  return words != NULL && strstr (words, word) != NULL;
}

/* How far apart the cases of a loop are: 1, `step` with `sizes`, and four times that with `few`. */
static inline unsigned
test_stride (unsigned step)
{
  return !test_is_short ("sizes") ? 1 : test_is_short ("few") ? 4 * step : step;
}

#endif
