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
 *   cycles   a fifth of the times that an element is started and stopped while other threads use it
 *   sizes    each pixel layout at a fifth of the sizes, and each of two bytes with a third of the contents */
static inline bool
test_is_short (const char *word)
{
  const char *words = getenv ("CUDAHISTO_TEST_SHORT");

  return words != NULL && strstr (words, word) != NULL;
}

#endif
