/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random numbers of the tests: one seed a run, printed, so that a failure can be repeated. */

#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct test_random {
  uint64_t state;
};

/* The seed of this run: CUDAHISTO_TEST_SEED where it is set, else a fresh one. The first call prints it on stdout. */
uint64_t test_seed (void);

/* Starts the generator of one test: the run's seed, and `salt` so that tests differ and do not depend on each other's order. */
void test_random_init (struct test_random *random, uint64_t salt);

uint64_t test_random_next (struct test_random *random);

/* Uniform in 0 .. limit-1; `limit` at least 1. */
uint64_t test_random_below (struct test_random *random, uint64_t limit);

/* True once in `times` calls on average. */
bool test_random_once_in (struct test_random *random, uint64_t times);

void test_random_bytes (struct test_random *random, uint8_t *bytes, size_t size);

#endif
