/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Chooses the stream that continues: a random one, and held operations as late as possible. */

#include "fake.h"

#include <time.h>

static uint64_t
now_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

bool
is_pending (uint64_t record)
{
  for (const struct CUstream_st *stream = fake.streams; stream != NULL; stream = stream->next)
    for (const struct operation *operation = stream->first; operation != NULL; operation = operation->next)
      if (operation->kind == OPERATION_RECORD && operation->record == record)
        return true;
  return false;
}

/* Returns whether a call waits for the device. Only then do held operations run. A call whose event has been reached waits no
 * longer. */
static bool
is_awaited (void)
{
  for (const struct waiter *waiter = fake.waiters; waiter != NULL; waiter = waiter->next)
    if (is_pending (waiter->record))
      return true;
  return fake.waiting > 0;
}

/* Returns whether the script holds the operation. */
static bool
is_held (const struct operation *operation)
{
  switch (operation->kind) {
  case OPERATION_KERNEL:
    return fake.held == FAKECUDA_HOLD_KERNELS;
  case OPERATION_TAIL:
    return fake.held == FAKECUDA_HOLD_TAILS;
  case OPERATION_COPY:
  case OPERATION_FETCH:
  case OPERATION_SET:
    return fake.held == FAKECUDA_HOLD_COPIES;
  case OPERATION_RECORD:
    return fake.held == FAKECUDA_HOLD_EVENTS;
  case OPERATION_WAIT:
    break;
  }
  return false;
}

static bool
is_runnable (struct operation *operation, uint64_t *deadline_us)
{
  if (operation->kind == OPERATION_WAIT)
    return !is_pending (operation->record);
  if (is_held (operation) && !is_awaited ())
    return false;
  if (operation->kind != OPERATION_KERNEL)
    return true;
  if (operation->deadline_us == 0)
    operation->deadline_us = now_us () + fake.delay_us;
  if (now_us () >= operation->deadline_us)
    return true;
  if (operation->deadline_us < *deadline_us)
    *deadline_us = operation->deadline_us;
  return false;
}

static unsigned
random_below (unsigned limit)
{
  static uint64_t state = 1;

  state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (unsigned)(state >> 33) % limit;
}

CUstream
choose_stream (uint64_t *deadline_us)
{
  CUstream chosen = NULL;
  unsigned candidates = 0;

  for (CUstream stream = fake.streams; stream != NULL; stream = stream->next) {
    if (stream->first == NULL || !is_runnable (stream->first, deadline_us))
      continue;
    if (chosen != NULL && is_held (stream->first) && !is_held (chosen->first))
      continue;
    if (chosen != NULL && is_held (chosen->first) && !is_held (stream->first))
      candidates = 0;
    if (random_below (++candidates) == 0)
      chosen = stream;
  }
  return chosen;
}
