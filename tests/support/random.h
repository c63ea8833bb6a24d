/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random numbers for tests. A run has one seed and prints it, so that a failure can be repeated. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct test_random {
  uint64_t state;
};

/* Returns the seed of this run: CUDAHISTO_TEST_SEED, otherwise a new one. The first call prints it to stdout. */
uint64_t test_seed (void);

/* Returns the generator of a test, made from the run's seed and `salt`. With a different salt in each test, the numbers do not
 * depend on the order of the tests. */
struct test_random test_random_start (uint64_t salt);

uint64_t test_random_next (struct test_random *random);

/* Returns a number from 0 to limit - 1, uniformly distributed; `limit` is at least 1. */
uint64_t test_random_below (struct test_random *random, uint64_t limit);

/* Returns true once in `times` calls on average. */
bool test_random_once_in (struct test_random *random, uint64_t times);

void test_random_bytes (struct test_random *random, uint8_t *bytes, size_t size);
