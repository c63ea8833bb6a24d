/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "process.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t watching = PTHREAD_ONCE_INIT;
static atomic_uint generation;

static void
before_fork (void)
{
  pthread_mutex_lock (&shared);
}

static void
after_fork_in_parent (void)
{
  pthread_mutex_unlock (&shared);
}

static void
after_fork_in_child (void)
{
  atomic_fetch_add (&generation, 1);
  pthread_mutex_unlock (&shared);
}

static void
watch_forks (void)
{
  pthread_atfork (before_fork, after_fork_in_parent, after_fork_in_child);
}

unsigned
histo_process_generation (void)
{
  pthread_once (&watching, watch_forks);
  return atomic_load_explicit (&generation, memory_order_relaxed);
}

void
histo_process_lock (void)
{
  pthread_once (&watching, watch_forks);
  pthread_mutex_lock (&shared);
}

void
histo_process_unlock (void)
{
  pthread_mutex_unlock (&shared);
}
