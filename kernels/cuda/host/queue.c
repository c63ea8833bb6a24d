/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Launches happen in the order of submission, since a kernel may read the copy made for the previous frame. A frame cannot be
 * launched while the staging still has to enqueue copies of it: it is the head of a queue of slots, followed by all later ones.
 * The staging thread that enqueues its last copy launches it, and the following frames up to the next one that waits for
 * copies. If the queue is empty, submit launches. The lock protects the queue and is held while launching, so that launches
 * keep the queue's order. A slot's `outcome`, set last, passes the slot to collect, which waits for `launched`. The first
 * failure empties the queue: it is the outcome of all entries. */

#include "cuda/count.h"
#include "cuda/host/state.h"

/* Frames in host memory all use one stream: the operand may be the copy made for the previous frame, and only that frame's
 * launch waits for the copy. Other frames alternate: single frames by slot, so that a slot keeps its stream (see wait_for_end),
 * unlike frames by the first slot, and launches of many frames that are alike by their number. */
static CUstream
choose_stream (struct histo_cuda_state *state, unsigned index)
{
  const struct histo_cuda_slot *slot = &state->slots[index];

  if (!slot->is_resident)
    return state->count_streams[0];
  if (slot->frame_count > 1 && !slot->is_unlike)
    index = state->launches++;
  return state->count_streams[index % HISTO_CUDA_COUNT_STREAMS];
}

/* The host may see the numbers of a frame before its kernel has finished, and before the zeros that it leaves in the workspace
 * are visible: only the end of the kernel orders the two (count.h). A launch on the same stream comes after that end. A launch
 * on another stream must wait, once for all slots of an earlier launch, which are consecutive: *waited is the event of the
 * previous slot that had one. */
static enum histo_status
wait_for_end (struct histo_cuda_state *state, struct histo_cuda_slot *slot, CUstream stream, CUevent *waited)
{
  CUstream unfinished_stream = slot->unfinished_stream;

  slot->unfinished_stream = NULL;
  if (!unfinished_stream || unfinished_stream == stream || slot->unfinished_event == *waited)
    return HISTO_OK;
  *waited = slot->unfinished_event;
  return histo_cuda_check (&state->driver, state->driver.cuStreamWaitEvent (stream, slot->unfinished_event, 0),
                           "waiting for an event");
}

/* Launches the frames of an entry, whose memory is reserved: only the device can fail. Called with the lock held and the
 * context current. */
static enum histo_status
launch (struct histo_cuda_state *state, unsigned index)
{
  struct histo_cuda_slot *slot = &state->slots[index];
  CUstream stream = choose_stream (state, index);
  CUevent waited = NULL;
  enum histo_status status = HISTO_OK;

  for (unsigned i = index; status == HISTO_OK && i < index + slot->frame_count; i++) {
    status = wait_for_end (state, &state->slots[i], stream, &waited);
    for (unsigned e = 0; status == HISTO_OK && e < state->slots[i].event_count; e++)
      status = histo_cuda_check (&state->driver, state->driver.cuStreamWaitEvent (stream, state->slots[i].arrived[e], 0),
                                 "waiting for an event");
  }
  if (status == HISTO_OK)
    status = histo_cuda_launch (state->launcher, index, stream);
  if (status == HISTO_OK)
    status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (state->slots[slot->last_slot].counted, stream),
                               "recording an event");
  for (unsigned i = index; i < index + slot->frame_count && histo_cuda_publishes_early (state->launcher, i); i++) {
    state->slots[i].unfinished_stream = stream;
    state->slots[i].unfinished_event = state->slots[slot->last_slot].counted;
  }
  return status;
}

/* Sets the outcome of an entry for all its slots. */
static void
set_outcome (struct histo_cuda_state *state, unsigned index, enum histo_status status)
{
  for (unsigned i = index; i < index + state->slots[index].frame_count; i++)
    atomic_store (&state->slots[i].outcome, status);
}

/* Removes the head of the queue. Called with the lock held. */
static void
pop_entry (struct histo_cuda_state *state, enum histo_status status)
{
  unsigned index = state->queue_first, count = state->slots[index].frame_count;

  state->queue_first = (index + count) % state->slot_count;
  state->queue_length -= count;
  set_outcome (state, index, status);
}

/* Called with the lock held, which it releases until the log has the cause: see enum histo_cuda_health. */
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

/* Launches the entries at the head that can be launched. Called with the lock held. */
static void
launch_queue (struct histo_cuda_state *state)
{
  while (atomic_load (&state->health) == HISTO_CUDA_WORKING && state->queue_length > 0
         && state->slots[state->queue_first].is_launchable) {
    enum histo_status status = launch (state, state->queue_first);

    if (status != HISTO_OK) {
      fail (state);
      return;
    }
    pop_entry (state, HISTO_OK);
  }
  pthread_cond_broadcast (&state->launched);
}

/* The event after the last launch of a slot if that may still be running, otherwise NULL. */
static CUevent
find_last_launch (const struct histo_cuda_slot *slot)
{
  return slot->unfinished_stream ? slot->unfinished_event : NULL;
}

static enum histo_status
prepare (struct histo_cuda_state *state, unsigned index, const struct histo_frame *frames, unsigned count)
{
  CUevent last_launches[HISTO_CUDA_UNLIKE];

  if (!state->slots[index].is_unlike)
    return histo_cuda_prepare (state->launcher, index, frames, count, find_last_launch (&state->slots[index]));
  for (unsigned i = 0; i < count; i++)
    last_launches[i] = find_last_launch (&state->slots[index + i]);
  return histo_cuda_prepare_unlike (state->launcher, index, frames, count, last_launches);
}

enum histo_status
histo_cuda_enqueue (struct histo_cuda_state *state, unsigned index, const struct histo_frame *frames, unsigned count,
                    bool is_launchable)
{
  struct histo_cuda_slot *slot = &state->slots[index];
  enum histo_status status = HISTO_ERROR_DEVICE;

  atomic_fetch_add (&state->in_flight, count);
  /* Without the lock, since it may allocate and wait for the device: frames earlier in the queue need not wait for that. */
  if (atomic_load (&state->health) != HISTO_CUDA_FAILED)
    status = prepare (state, index, frames, count);
  histo_cuda_lock (state);
  if (atomic_load (&state->health) == HISTO_CUDA_FAILED)
    status = HISTO_ERROR_DEVICE;
  for (unsigned i = index; i < index + count; i++) {
    state->slots[i].frame_count = 0;
    state->slots[i].last_slot = index + count - 1;
    state->slots[i].has_finished = false;
    atomic_store (&state->slots[i].outcome, HISTO_CUDA_PENDING);
  }
  slot->frame_count = count;
  slot->is_launchable = is_launchable;
  if (status != HISTO_OK) {
    set_outcome (state, index, status);
  } else if (state->queue_length == 0 && is_launchable && atomic_load (&state->health) == HISTO_CUDA_WORKING) {
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
  slot->is_launchable = true;
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
