/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From launches to their numbers: polls, waits, reads. */

#include "clock.h"
#include "cuda/host/state.h"
#include "log.h"

#define LOOKS 16 /* polls of the numbers for each reading of the clock */

bool
histo_cuda_ready (void *state_in, unsigned index)
{
  struct histo_cuda_state *state = state_in;
  int outcome = atomic_load (&state->slots[index].outcome);
  CUresult result;

  if (outcome != HISTO_OK)
    return outcome != HISTO_CUDA_PENDING;
  if (histo_cuda_is_published (state->launcher, index, false))
    return true;
  if (!histo_cuda_try_context (state))
    return true; /* collect returns the error */
  result = state->driver.cuEventQuery (state->slots[state->slots[index].last_slot].counted);
  histo_cuda_leave_context (state);
  return result != CUDA_ERROR_NOT_READY;
}

/* Polls for the numbers. Often they are there before the driver could wake a thread. */
static bool
spin_for_numbers (const struct histo_cuda_state *state, unsigned index)
{
  const uint64_t begin_ns = histo_clock_ns ();

  if (!histo_cuda_publishes_early (state->launcher, index))
    return false;
  do {
    for (unsigned i = 0; i < LOOKS; i++)
      if (histo_cuda_is_published (state->launcher, index, false))
        return true;
  } while (histo_clock_ns () - begin_ns < state->tuning->spin_ns);
  return false;
}

/* Polls for the end of a launch whose numbers are copied. The event wakes a thread only after tens of microseconds. */
static void
spin_for_end (struct histo_cuda_state *state, CUevent counted)
{
  const uint64_t begin_ns = histo_clock_ns ();

  while (histo_clock_ns () - begin_ns < state->tuning->spin_ns && state->driver.cuEventQuery (counted) == CUDA_ERROR_NOT_READY)
    continue;
}

static enum histo_status
wait_for_numbers (struct histo_cuda_state *state, unsigned index)
{
  struct histo_cuda_slot *last = &state->slots[state->slots[index].last_slot];
  enum histo_status status = HISTO_OK;

  if (spin_for_numbers (state, index))
    return HISTO_OK;
  if (!last->has_finished) {
    status = histo_cuda_enter_context (state);
    if (status != HISTO_OK)
      return status;
    if (!histo_cuda_publishes_early (state->launcher, index))
      spin_for_end (state, last->counted);
    status = histo_cuda_check (&state->driver, state->driver.cuEventSynchronize (last->counted), "waiting for the device");
    histo_cuda_leave_context (state);
    last->has_finished = status == HISTO_OK;
  }
  state->slots[index].unfinished_stream = NULL;
  if (status == HISTO_OK && !histo_cuda_is_published (state->launcher, index, true)) {
    histo_log (&state->config, HISTO_LOG_ERROR, "the device finished a frame without leaving its numbers");
    status = HISTO_ERROR_DEVICE;
  }
  return status;
}

enum histo_status
histo_cuda_collect (void *state_in, unsigned index, struct histo_stats *stats)
{
  struct histo_cuda_state *state = state_in;
  enum histo_status status = histo_cuda_wait_for_launch (state, index);

  if (status == HISTO_OK)
    status = wait_for_numbers (state, index);
  atomic_fetch_sub (&state->in_flight, 1);
  if (status == HISTO_OK) {
    histo_cuda_uploader_release (state->uploader, index);
    histo_cuda_read (state->launcher, index, stats);
    return HISTO_OK;
  }
  /* The caller may free the samples after this. */
  if (state->slots[index].upload.is_staged)
    histo_cuda_uploader_wait (state->uploader, index);
  if (histo_cuda_try_context (state)) {
    histo_cuda_synchronize (state);
    histo_cuda_leave_context (state);
  }
  histo_cuda_uploader_release (state->uploader, index);
  return HISTO_ERROR_DEVICE;
}
