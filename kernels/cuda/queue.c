/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Launches come in the order of submission: a kernel may read the copy that was made for the frame before. So a frame whose
 * samples the staging has not yet read is the head of a queue of slots, with all later ones behind it, and whoever completes
 * the head, a thread of the staging, launches it and the others up to the next that is incomplete. With an empty queue submit
 * launches. The lock guards the queue and is held while launching, so that the order is the queue's; a slot's `outcome`, set
 * last, hands the slot over to collect, which waits for `launched`. The first failure empties the queue: it is the outcome of
 * all that is in it. */

#include "cuda/state.h"

/* The operand of a frame in host memory may be the copy of the frame before, which only that frame's launch waits for: all
 * these go on one stream. Others take turns: single frames by slot, so that a slot's stream stays the same (see wait_for_end),
 * and launches of many one after the other. */
static CUstream
choose_stream (struct histo_cuda_state *state, unsigned index)
{
  const struct histo_cuda_slot *slot = &state->slots[index];

  if (!slot->is_resident)
    return state->count_streams[0];
  return state->count_streams[(slot->frame_count > 1 ? state->launches++ : index) % HISTO_CUDA_COUNT_STREAMS];
}

/* The numbers of a frame may be seen before the kernel that left them is over, and before its workspace is seen to be zero
 * again: only the end of the kernel orders the two (count.h). A launch on the same stream comes after that, one on another
 * stream has to wait. */
static enum histo_status
wait_for_end (struct histo_cuda_state *state, struct histo_cuda_slot *slot, CUstream stream)
{
  CUstream unended = slot->unended;

  slot->unended = NULL;
  if (!unended || unended == stream)
    return HISTO_OK;
  return histo_cuda_check (&state->driver, state->driver.cuStreamWaitEvent (stream, slot->counted, 0), "waiting for an event");
}

/* The frames of an entry, which were prepared: only the device can fail. With the lock, and with the context current. */
static enum histo_status
launch (struct histo_cuda_state *state, unsigned index)
{
  struct histo_cuda_slot *slot = &state->slots[index];
  CUstream stream = choose_stream (state, index);
  enum histo_status status = HISTO_OK;

  for (unsigned i = index; status == HISTO_OK && i < index + slot->frame_count; i++) {
    status = wait_for_end (state, &state->slots[i], stream);
    for (unsigned e = 0; status == HISTO_OK && e < state->slots[i].event_count; e++)
      status = histo_cuda_check (&state->driver, state->driver.cuStreamWaitEvent (stream, state->slots[i].arrived[e], 0),
                                 "waiting for an event");
  }
  if (status == HISTO_OK)
    status = histo_cuda_launch (state->launcher, index, stream);
  if (status == HISTO_OK)
    status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (state->slots[slot->last_slot].counted, stream),
                               "recording an event");
  if (histo_cuda_publishes_early (state->launcher, index))
    slot->unended = stream;
  return status;
}

/* The outcome of an entry, for all its slots. */
static void
set_outcome (struct histo_cuda_state *state, unsigned index, enum histo_status status)
{
  for (unsigned i = index; i < index + state->slots[index].frame_count; i++)
    atomic_store (&state->slots[i].outcome, status);
}

/* Takes the head off the queue. With the lock. */
static void
pop_entry (struct histo_cuda_state *state, enum histo_status status)
{
  unsigned index = state->queue_first, count = state->slots[index].frame_count;

  state->queue_first = (index + count) % state->slot_count;
  state->queue_length -= count;
  set_outcome (state, index, status);
}

/* With the lock, which it releases until the log has the reason: see enum histo_cuda_health. */
static void
fail (struct histo_cuda_state *state)
{
  if (atomic_load (&state->health) == HISTO_CUDA_WORKING)
    atomic_store (&state->health, HISTO_CUDA_FAILING);
  histo_cuda_flush_log (state);
  atomic_store (&state->health, HISTO_CUDA_FAILED);
  while (state->queue_length > 0)
    pop_entry (state, HISTO_ERROR_DEVICE);
  pthread_cond_broadcast (&state->launched);
}

/* Launches what is complete and has its turn. With the lock. */
static void
launch_queue (struct histo_cuda_state *state)
{
  while (atomic_load (&state->health) == HISTO_CUDA_WORKING && state->queue_length > 0
         && state->slots[state->queue_first].is_complete) {
    enum histo_status status = launch (state, state->queue_first);

    if (status != HISTO_OK) {
      fail (state);
      return;
    }
    pop_entry (state, HISTO_OK);
  }
  pthread_cond_broadcast (&state->launched);
}

enum histo_status
histo_cuda_enqueue (struct histo_cuda_state *state, unsigned index, const struct histo_frame *frames, unsigned count,
                    bool is_complete)
{
  struct histo_cuda_slot *slot = &state->slots[index];
  enum histo_status status = HISTO_ERROR_DEVICE;

  atomic_fetch_add (&state->in_flight, count);
  /* Without the lock: it may allocate, and wait for the device, and those before it in the queue should not have to. */
  if (atomic_load (&state->health) != HISTO_CUDA_FAILED)
    status = histo_cuda_prepare (state->launcher, index, frames, count, slot->unended ? slot->counted : NULL);
  histo_cuda_lock (state);
  if (atomic_load (&state->health) == HISTO_CUDA_FAILED)
    status = HISTO_ERROR_DEVICE;
  for (unsigned i = index; i < index + count; i++) {
    state->slots[i].frame_count = 0;
    state->slots[i].last_slot = index + count - 1;
    state->slots[i].is_over = false;
    atomic_store (&state->slots[i].outcome, HISTO_CUDA_PENDING);
  }
  slot->frame_count = count;
  slot->is_complete = is_complete;
  if (status != HISTO_OK) {
    set_outcome (state, index, status);
  } else if (state->queue_length == 0 && is_complete && atomic_load (&state->health) == HISTO_CUDA_WORKING) {
    status = launch (state, index);
    set_outcome (state, index, status);
  } else {
    if (state->queue_length == 0)
      state->queue_first = index;
    state->queue_length += count;
  }
  if (status == HISTO_ERROR_DEVICE)
    fail (state);
  histo_cuda_unlock (state);
  if (status != HISTO_OK)
    atomic_fetch_sub (&state->in_flight, count);
  return status;
}

void
histo_cuda_complete_slot (void *state_in, unsigned index, enum histo_status status)
{
  struct histo_cuda_state *state = state_in;
  struct histo_cuda_slot *slot = &state->slots[index];

  if (status == HISTO_OK)
    status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (slot->arrived[0], state->copy_stream),
                               "recording an event");
  histo_cuda_lock (state);
  slot->is_complete = true;
  if (status != HISTO_OK)
    fail (state);
  else
    launch_queue (state);
  histo_cuda_unlock (state);
}

enum histo_status
histo_cuda_wait_for_launch (struct histo_cuda_state *state, unsigned index)
{
  const atomic_int *outcome = &state->slots[index].outcome;

  if (atomic_load (outcome) == HISTO_CUDA_PENDING) {
    pthread_mutex_lock (&state->lock);
    while (atomic_load (outcome) == HISTO_CUDA_PENDING)
      pthread_cond_wait (&state->launched, &state->lock);
    pthread_mutex_unlock (&state->lock);
  }
  return (enum histo_status)atomic_load (outcome);
}
