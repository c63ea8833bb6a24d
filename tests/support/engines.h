/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Engines to test: which backend this run is about, in which configurations, and what they log. */

#ifndef TEST_ENGINES_H
#define TEST_ENGINES_H

#include <cudahisto/histo.h>

#include <pthread.h>

/* One configuration of a backend. */
struct test_variant {
  char name[64]; /* "cpu, 2 threads, without avx2" */
  struct histo_config config;
};

/* What this program was started for: `cpu` where argv[1] is absent, else the backend that argv[1] names. Exits with status 77
 * and the engine's reason where that backend has no driver or no device here, with 1 where it fails otherwise. */
void test_engines_init (int argc, char **argv);

/* The backend of this run and its configurations. */
enum histo_backend test_backend (void);
const struct test_variant *test_variants (unsigned *count);

/* Keeps what an engine logged. All zeros but `lock` is an empty log. */
struct test_log {
  pthread_mutex_t lock;
  unsigned lines[HISTO_LOG_INFO + 1]; /* of each level */
  char text[8192];                    /* all lines, each with a newline; what is too much is dropped */
};
#define TEST_LOG_INIT                 \
  {                                   \
    .lock = PTHREAD_MUTEX_INITIALIZER \
  }

/* A histo_log_function; `log` is a struct test_log. With CUDAHISTO_TEST_LOG set each line goes to stdout too. */
void test_log_add (void *log, enum histo_log_level level, const char *message);
void test_log_clear (struct test_log *log);

/* Submits and collects. */
enum histo_status test_engine_count (struct histo_engine *engine, const struct histo_frame *frame, struct histo_stats *stats);

#endif
