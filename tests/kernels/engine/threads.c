/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Engines in several threads: one that submits and one that collects, and many engines at once. */

#include <pthread.h>
#include <time.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (NULL, end_test)

struct traffic {
  struct histo_engine *engine;
  const struct test_frame *frames;
  unsigned frame_count, rounds;
  enum histo_status status;
};

static void
pause_shortly (void)
{
  nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

static void *
submit_all (void *data)
{
  struct traffic *traffic = data;

  for (unsigned n = 0; n < traffic->rounds && traffic->status == HISTO_OK;) {
    histo_ticket ticket;
    enum histo_status status = histo_submit (traffic->engine, &traffic->frames[n % traffic->frame_count].frame, &ticket);

    if (status == HISTO_ERROR_BUSY)
      pause_shortly ();
    else if (status != HISTO_OK || ticket != ++n)
      traffic->status = status != HISTO_OK ? status : HISTO_ERROR_INVALID;
  }
  return NULL;
}

TEST (submit_and_collect_from_two_threads)
{
  enum { FRAMES = 7, ROUNDS = 1500 };
  struct test_frame frames[FRAMES];
  static struct test_count expected[FRAMES];
  struct traffic traffic = { NULL, frames, FRAMES, ROUNDS, HISTO_OK };
  struct test_random random = test_random_start (24);
  pthread_t submitter;
  time_t begin = time (NULL);

  open_engine (4);
  traffic.engine = engine;
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (10 + f * 20, 1 + f, &random);
    test_frame_init (&frames[f], &test_layouts[f * 2], &geometry, TEST_FILL_RANDOM, &random);
    test_frame_count (&frames[f].frame, &expected[f]);
  }
  ck_assert_int_eq (pthread_create (&submitter, NULL, submit_all, &traffic), 0);
  for (histo_ticket ticket = 1; ticket <= ROUNDS;) {
    enum histo_status status;

    if (ticket % 3 == 0 && !histo_ready (engine, ticket)) {
      pause_shortly ();
      TEST_REQUIRE (time (NULL) - begin < 60, "ticket %u is never ready", (unsigned)ticket);
      continue;
    }
    status = histo_collect (engine, ticket, &stats);
    if (status == HISTO_ERROR_INVALID) { /* not submitted yet */
      pause_shortly ();
      TEST_REQUIRE (time (NULL) - begin < 60, "ticket %u is never submitted", (unsigned)ticket);
      continue;
    }
    TEST_REQUIRE (status == HISTO_OK, "%s", histo_status_text (status));
    TEST_REQUIRE (test_stats_difference (&expected[(ticket - 1) % FRAMES].stats, &stats) == NULL, "ticket %u: %s",
                  (unsigned)ticket, test_stats_difference (&expected[(ticket - 1) % FRAMES].stats, &stats));
    ticket++;
  }
  pthread_join (submitter, NULL);
  ck_assert_int_eq (traffic.status, HISTO_OK);
  for (unsigned f = 0; f < FRAMES; f++)
    test_frame_clear (&frames[f]);
}

struct user {
  pthread_t thread;
  struct histo_engine *engine;
  const struct test_frame *frame;
  const struct histo_stats *expected;
  const char *difference;
  enum histo_status status;
};

static void *
use_engine (void *data)
{
  struct user *user = data;
  struct histo_stats own_stats = { 0 };

  for (unsigned n = 0; n < 30 && user->status == HISTO_OK && user->difference == NULL; n++) {
    user->status = test_engine_count (user->engine, &user->frame->frame, &own_stats);
    if (user->status == HISTO_OK && test_stats_difference (user->expected, &own_stats) != NULL)
      user->difference = "the numbers differ";
  }
  histo_stats_clear (&own_stats);
  return NULL;
}

TEST (thirty_two_engines_at_once)
{
  enum { ENGINES = 32 };
  struct user users[ENGINES];
  struct test_frame frames[ENGINES];
  static struct test_count expected[ENGINES];
  struct test_random random = test_random_start (25);

  for (unsigned i = 0; i < ENGINES; i++) {
    struct test_geometry geometry = test_geometry_random (300, 20, &random);

    test_frame_init (&frames[i], &test_layouts[i % test_layout_count], &geometry, TEST_FILL_RANDOM, &random);
    test_frame_count (&frames[i].frame, &expected[i]);
    open_engine (1 + i % 3);
    users[i] = (struct user){ .engine = engine, .frame = &frames[i], .expected = &expected[i].stats };
    engine = NULL; /* not closed by the next */
  }
  for (unsigned i = 0; i < ENGINES; i++)
    ck_assert_int_eq (pthread_create (&users[i].thread, NULL, use_engine, &users[i]), 0);
  for (unsigned i = 0; i < ENGINES; i++)
    pthread_join (users[i].thread, NULL);
  for (unsigned i = 0; i < ENGINES; i++) {
    ck_assert_int_eq (users[i].status, HISTO_OK);
    ck_assert_pstr_eq (users[i].difference, NULL);
    histo_close (&users[i].engine);
    test_frame_clear (&frames[i]);
  }
}
