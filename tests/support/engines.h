/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Engines to test: the backend of this run, its configurations, and their logs. */

#pragma once

#include <cudahisto/histo.h>

#include <pthread.h>

/* One configuration of a backend. */
struct test_variant {
  char name[64]; /* "cpu, 2 threads, without avx2" */
  struct histo_config config;
};

/* Selects the backend of this run: that in argv[1], by default `cpu`. If it has no driver or no device, prints the engine's
 * reason and exits with status 77. If it fails otherwise, exits with status 1. */
void test_engines_init (int argc, char **argv);

/* The backend of this run and its configurations. */
enum histo_backend test_backend (void);
const struct test_variant *test_variants (unsigned *count);

/* The log of an engine. Initialize it with TEST_LOG_INIT. */
struct test_log {
  pthread_mutex_t lock;
  unsigned lines[HISTO_LOG_INFO + 1]; /* of each level */
  char text[8192];                    /* the lines, each with a newline; those that do not fit are dropped */
};
#define TEST_LOG_INIT                 \
  {                                   \
    .lock = PTHREAD_MUTEX_INITIALIZER \
  }

/* A histo_log_function; `log` is a struct test_log. If CUDAHISTO_TEST_LOG is set, also prints each line to stdout. */
void test_log_add (void *log, enum histo_log_level level, const char *message);
void test_log_clear (struct test_log *log);

/* Submits a frame and collects its numbers. */
enum histo_status test_engine_count (struct histo_engine *engine, const struct histo_frame *frame, struct histo_stats *stats);
