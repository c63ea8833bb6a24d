/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Engines in a child of fork(): the parent's and its own. argv[1]: the backend. */

#define _GNU_SOURCE

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engines.h"
#include "frames.h"
#include "runner.h"
#include "watch.h"

#define CHILD_SECONDS 60

/* The state of a test before it forks. */
struct parent {
  struct histo_engine *engine; /* with tickets 1 and 2 in flight */
  struct histo_pinner *pinner;
  struct histo_block block;
  struct test_frame frame;
  struct test_count expected;
};

static void
quiet (void *data, enum histo_log_level level, const char *message)
{
  (void)data;
  (void)level;
  (void)message;
}

static struct histo_config
base_config (void)
{
  unsigned count;
  struct histo_config config = test_variants (&count)[0].config;

  config.log = quiet;
  config.max_in_flight = 4;
  return config;
}

static void
open_parent (struct parent *parent)
{
  struct histo_config config = base_config ();
  struct test_random random = test_random_start (41);
  histo_ticket ticket;

  memset (parent, 0, sizeof *parent);
  test_frame_init_bytes (&parent->frame, 400000, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  test_frame_count (&parent->frame.frame, &parent->expected);
  ck_assert_int_eq (histo_open (&config, &parent->engine), HISTO_OK);
  ck_assert_int_eq (histo_pinner_open (parent->engine, &parent->pinner), HISTO_OK);
  ck_assert_int_eq (histo_pinner_alloc (parent->pinner, 5000, &parent->block), HISTO_OK);
  for (unsigned i = 0; i < 2; i++)
    ck_assert_int_eq (histo_submit (parent->engine, &parent->frame.frame, &ticket), HISTO_OK);
}

/* The parent's engines are not affected. */
static void
close_parent (struct parent *parent)
{
  struct histo_stats stats = { 0 };

  for (histo_ticket ticket = 1; ticket <= 2; ticket++) {
    ck_assert_int_eq (histo_collect (parent->engine, ticket, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&parent->expected.stats, &stats), NULL);
  }
  ck_assert_int_eq (test_engine_count (parent->engine, &parent->frame.frame, &stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&parent->expected.stats, &stats), NULL);
  histo_pinner_free (parent->pinner, &parent->block);
  histo_pinner_close (&parent->pinner);
  histo_close (&parent->engine);
  histo_stats_clear (&stats);
  test_frame_clear (&parent->frame);
}

/* Check would report to the parent's files, so a child writes the failing line to stderr and exits with status 1. */
#define CHILD_REQUIRE(condition)                                 \
  do {                                                           \
    if (!(condition)) {                                          \
      dprintf (2, "child: line %d: " #condition "\n", __LINE__); \
      return 1;                                                  \
    }                                                            \
  } while (0)

static int
use_parents_engine (struct parent *parent)
{
  struct histo_stats stats = { 0 };
  struct histo_block block;
  struct histo_pinner *pinner;
  histo_ticket ticket;

  CHILD_REQUIRE (histo_engine_info (parent->engine)->backend == test_backend ());
  CHILD_REQUIRE (histo_submit (parent->engine, &parent->frame.frame, &ticket) == HISTO_ERROR_FORKED);
  CHILD_REQUIRE (histo_submit_many (parent->engine, &parent->frame.frame, 1, &ticket) == HISTO_ERROR_FORKED);
  CHILD_REQUIRE (histo_ready (parent->engine, 1));
  CHILD_REQUIRE (!histo_ready (parent->engine, 3));
  CHILD_REQUIRE (histo_collect (parent->engine, 1, &stats) == HISTO_ERROR_FORKED);
  CHILD_REQUIRE (histo_set_weights (parent->engine, 0, &(struct histo_weights){ 0 }) == HISTO_ERROR_FORKED);
  CHILD_REQUIRE (histo_pinner_open (parent->engine, &pinner) == HISTO_ERROR_FORKED);
  CHILD_REQUIRE (histo_pinner_alloc (parent->pinner, 100, &block) == HISTO_ERROR_FORKED);
  CHILD_REQUIRE (block.data == NULL);
  histo_pinner_free (parent->pinner, &parent->block);
  CHILD_REQUIRE (parent->block.data == NULL);
  histo_pinner_close (&parent->pinner);
  CHILD_REQUIRE (parent->pinner == NULL);
  histo_close (&parent->engine);
  CHILD_REQUIRE (parent->engine == NULL);
  return 0;
}

static int
use_own_engine (struct parent *parent)
{
  struct histo_config config = base_config ();
  struct histo_stats stats = { 0 };
  struct histo_engine *engine = NULL;

  if (test_backend () == HISTO_BACKEND_CUDA) {
    CHILD_REQUIRE (histo_open (&config, &engine) == HISTO_ERROR_NO_DRIVER);
    CHILD_REQUIRE (engine == NULL);
    config.backend = HISTO_BACKEND_AUTO;
  }
#ifdef TEST_WATCHES_THREADS
  config.backend = HISTO_BACKEND_REFERENCE; /* the thread sanitizer does not support threads in a child */
#endif
  CHILD_REQUIRE (histo_open (&config, &engine) == HISTO_OK);
  CHILD_REQUIRE (histo_engine_info (engine)->backend != HISTO_BACKEND_CUDA);
  for (unsigned i = 0; i < 3; i++) {
    CHILD_REQUIRE (test_engine_count (engine, &parent->frame.frame, &stats) == HISTO_OK);
    CHILD_REQUIRE (test_stats_difference (&parent->expected.stats, &stats) == NULL);
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
  return 0;
}

static int
use_both (struct parent *parent)
{
  int failure = use_own_engine (parent);

  return failure ? failure : use_parents_engine (parent) || use_own_engine (parent);
}

/* The address sanitizer of gcc 12 does not prepare its allocator for fork: a lock that another thread holds stays locked in the
 * child, whose first malloc then waits for ever. With it, threads are idle before the fork, and there is no test under load. */
static pid_t
fork_parent (void)
{
#if defined(__SANITIZE_ADDRESS__)
  nanosleep (&(struct timespec){ .tv_nsec = 300000000 }, NULL);
#endif
  return fork ();
}

/* Ends a child. `among_threads`: other threads were running at the fork, as the fake driver's always are, and memory that only
 * they referenced is lost in the child. It then ends by a signal, before the leak checker runs. */
static void
end_child (int failure, bool among_threads)
{
  if (!failure && among_threads)
    raise (SIGKILL);
  _exit (failure);
}

static bool
has_ended_well (int status, bool among_threads)
{
  if (among_threads && WIFSIGNALED (status))
    return WTERMSIG (status) == SIGKILL;
  return status == 0;
}

/* Forks, and checks how the child ends, within a minute. */
static void
in_child (struct parent *parent, int (*use) (struct parent *parent), bool among_threads)
{
  int status = 0;
  pid_t child = fork_parent ();

  ck_assert_int_ge (child, 0);
  among_threads = among_threads || test_backend () == HISTO_BACKEND_CUDA;
  if (child == 0) {
    alarm (CHILD_SECONDS);
    end_child (use (parent), among_threads);
  }
  ck_assert_int_eq (waitpid (child, &status, 0), child);
  if (has_ended_well (status, among_threads))
    return;
  ck_assert_msg (!WIFSIGNALED (status), "the child ended by signal %d%s", WTERMSIG (status),
                 WTERMSIG (status) == SIGALRM ? ": it hung" : "");
  ck_assert_int_eq (WEXITSTATUS (status), 0);
}

TEST (a_child_gets_an_error)
{
  static struct parent parent;

  open_parent (&parent);
  in_child (&parent, use_parents_engine, false);
  close_parent (&parent);
}

TEST (a_child_opens_its_own)
{
  static struct parent parent;

  open_parent (&parent);
  in_child (&parent, use_own_engine, false);
  in_child (&parent, use_both, false);
  close_parent (&parent);
}

static int
fork_again (struct parent *parent)
{
  int status = 0;
  pid_t child;

  if (use_both (parent) != 0)
    return 1;
  child = fork ();
  CHILD_REQUIRE (child >= 0);
  if (child == 0) {
    alarm (CHILD_SECONDS);
    end_child (use_own_engine (parent), test_backend () == HISTO_BACKEND_CUDA);
  }
  CHILD_REQUIRE (waitpid (child, &status, 0) == child);
  return !has_ended_well (status, test_backend () == HISTO_BACKEND_CUDA);
}

TEST (a_grandchild_too)
{
  static struct parent parent;

  open_parent (&parent);
  in_child (&parent, fork_again, false);
  close_parent (&parent);
}

/* ---- under load ----------------------------------------------------------------------------------------------------- */

#if !defined(__SANITIZE_ADDRESS__)

struct load {
  pthread_t thread;
  const struct test_frame *frame;
  bool reopens;
  atomic_bool *stop;
  enum histo_status status;
};

static void *
make_load (void *data)
{
  struct load *load = data;
  struct histo_config config = base_config ();
  struct histo_engine *engine = NULL;
  struct histo_stats stats = { 0 };

  while (!atomic_load (load->stop) && load->status == HISTO_OK) {
    if (!engine)
      load->status = histo_open (&config, &engine);
    if (load->status == HISTO_OK)
      load->status = test_engine_count (engine, &load->frame->frame, &stats);
    if (load->reopens)
      histo_close (&engine);
  }
  histo_close (&engine);
  histo_stats_clear (&stats);
  return NULL;
}

TEST (under_load)
{
  enum { LOADS = 4 };
  const unsigned forks = test_is_short ("cycles") ? 5 : 25;
  static struct parent parent;
  struct load loads[LOADS];
  struct test_random random = test_random_start (42);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  atomic_bool stop = false;

  test_frame_init_bytes (&frame, 100000, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  open_parent (&parent);
  for (unsigned i = 0; i < LOADS; i++) {
    loads[i] = (struct load){ .frame = &frame, .reopens = i % 2 == 1, .stop = &stop };
    ck_assert_int_eq (pthread_create (&loads[i].thread, NULL, make_load, &loads[i]), 0);
  }
  for (unsigned i = 0; i < forks; i++) {
    nanosleep (&(struct timespec){ .tv_nsec = 1000000 * (long)(i % 4) + 1000 }, NULL);
    in_child (&parent, use_both, true);
  }
  atomic_store (&stop, true);
  for (unsigned i = 0; i < LOADS; i++) {
    pthread_join (loads[i].thread, NULL);
    ck_assert_int_eq (loads[i].status, HISTO_OK);
  }
  close_parent (&parent);
}

#endif

int
main (int argc, char **argv)
{
  test_engines_init (argc, argv);
  return test_run (NULL, "");
}
