/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

/* splitmix64 by Sebastiano Vigna, in the public domain. */
static TEST_UNWATCHED uint64_t
mix (uint64_t x)
{
  x = (x ^ (x >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint64_t
test_seed (void)
{
  static uint64_t seed;
  static bool is_known;

  if (!is_known) {
    const char *text = getenv ("CUDAHISTO_TEST_SEED");
    if (text != NULL && *text != '\0') {
      seed = strtoull (text, NULL, 0);
    } else {
      struct timespec now;
      clock_gettime (CLOCK_REALTIME, &now);
      /* Short enough to type. */
      seed = mix ((uint64_t)now.tv_sec * 1000003 + (uint64_t)now.tv_nsec + ((uint64_t)getpid () << 40)) % 1000000000;
    }
    is_known = true;
    printf ("seed %" PRIu64 " (CUDAHISTO_TEST_SEED=%" PRIu64 " repeats this run)\n", seed, seed);
    fflush (stdout);
  }
  return seed;
}

struct test_random
test_random_start (uint64_t salt)
{
  return (struct test_random){ mix (test_seed () + UINT64_C (0x9e3779b97f4a7c15) * (salt + 1)) };
}

TEST_UNWATCHED uint64_t
test_random_next (struct test_random *random)
{
  random->state += UINT64_C (0x9e3779b97f4a7c15);
  return mix (random->state);
}

uint64_t
test_random_below (struct test_random *random, uint64_t limit)
{
  return test_random_next (random) % limit;
}

bool
test_random_once_in (struct test_random *random, uint64_t times)
{
  return test_random_below (random, times) == 0;
}

TEST_UNWATCHED void
test_random_bytes (struct test_random *random, uint8_t *bytes, size_t size)
{
  uint64_t value;

  test_watch_write (bytes, size);
  for (; size >= sizeof value; size -= sizeof value, bytes += sizeof value) {
    value = test_random_next (random);
    memcpy (bytes, &value, sizeof value);
  }
  value = size > 0 ? test_random_next (random) : 0;
  memcpy (bytes, &value, size);
}
