/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend: one device, one context, one module, a stream for copies and two for kernels. Frames in device memory
 * alternate between the two, so that the end of one kernel, which leaves most of the device idle, overlaps the start of the
 * next. Frames in host memory are copied, frames in device memory are counted in place. One launch a frame, or one for many
 * frames (and more for other statistics), leaves the numbers in pinned memory. */

#include <stdlib.h>

#include "backend.h"
#include "cuda/host/pins.h"
#include "cuda/host/plan/alike.h"
#include "cuda/host/state.h"
#include "derived.h"

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static void
free_state (struct histo_cuda_state *state)
{
  histo_cuda_driver_unload (&state->driver);
  pthread_cond_destroy (&state->launched);
  pthread_mutex_destroy (&state->lock);
  free (state->slots);
  free (state);
}

static void
close_cuda (void *state_in)
{
  struct histo_cuda_state *state = state_in;

  histo_cuda_close_device (state);
  free_state (state);
}

static enum histo_status
open_cuda (const struct histo_config *config, struct histo_info *info, void **state_out)
{
  struct histo_cuda_state *state = calloc (1, sizeof *state);
  struct histo_cuda_slot *slots = calloc (config->max_in_flight, sizeof *slots);
  enum histo_status status;

  *state_out = NULL;
  if (!state || !slots) {
    free (slots);
    free (state);
    return histo_cuda_lack_memory (config);
  }
  state->engine_config = config;
  state->config = *config;
  state->config.log = histo_cuda_log;
  state->config.log_data = state;
  state->slots = slots;
  state->slot_count = config->max_in_flight;
  state->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  state->launched = (pthread_cond_t)PTHREAD_COND_INITIALIZER;

  status = histo_cuda_driver_load (&state->config, &state->driver);
  if (status == HISTO_OK)
    status = histo_cuda_open_device (state, info);
  if (status != HISTO_OK) {
    free_state (state);
    return status;
  }
  info->threads = 0;
  *state_out = state;
  return HISTO_OK;
}

/* ---- submitting ----------------------------------------------------------------------------------------------------- */

/* Uploads a frame and its operand. Derived components have no samples to upload. */
static enum histo_status
upload (struct histo_cuda_state *state, const struct histo_frame *frame, unsigned index, bool is_idle)
{
  struct histo_cuda_upload *uploaded = &state->slots[index].upload;
  struct histo_frame stored, operand;
  enum histo_status status;

  if (frame->derived_count == 0)
    return histo_cuda_upload (state->uploader, index, frame, is_idle, uploaded);
  stored = *frame;
  histo_remove_derived (&stored);
  if (frame->operand) {
    operand = *frame->operand;
    histo_remove_derived (&operand);
    stored.operand = &operand;
  }
  status = histo_cuda_upload (state->uploader, index, &stored, is_idle, uploaded);
  if (status != HISTO_OK)
    return status;
  histo_add_derived (&uploaded->frame);
  if (frame->operand)
    histo_add_derived (&uploaded->operand);
  return HISTO_OK;
}

static enum histo_status
submit_host_frame (struct histo_cuda_state *state, const struct histo_frame *frame, unsigned index)
{
  struct histo_cuda_slot *slot = &state->slots[index];
  bool is_idle = atomic_load (&state->in_flight) == 0;
  enum histo_status status = upload (state, frame, index, is_idle);
  bool is_launchable = !slot->upload.is_staged;

  if (status == HISTO_OK && slot->upload.is_copied && is_launchable)
    status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (slot->arrived[0], state->copy_stream),
                               "recording an event");
  slot->event_count = slot->upload.is_copied;
  slot->is_resident = slot->is_unlike = false;
  if (status == HISTO_OK)
    status = histo_cuda_enqueue (state, index, &slot->upload.frame, 1, is_launchable);
  /* Last, since the staging may finish before this returns. The staging must read nothing of a refused frame, and no later
   * frame may use its copy as an operand. */
  if (status == HISTO_OK)
    histo_cuda_uploader_commit (state->uploader, index);
  return status;
}

static bool
has_stream (const struct histo_frame *frame, CUstream stream)
{
  return frame->stream == stream || (frame->operand && frame->operand->stream == stream);
}

/* Records events on the streams of a frame in device memory and of its operand, except those of `recorded`, an earlier frame of
 * the same launch (NULL: none). */
static enum histo_status
record_streams (struct histo_cuda_state *state, const struct histo_frame *frame, unsigned index,
                const struct histo_frame *recorded)
{
  CUstream streams[] = { frame->stream, frame->operand ? frame->operand->stream : NULL };
  struct histo_cuda_slot *slot = &state->slots[index];
  enum histo_status status = HISTO_OK;

  slot->upload.is_staged = false;
  slot->is_resident = true;
  slot->is_unlike = false;
  slot->event_count = 0;
  for (unsigned i = 0; status == HISTO_OK && i < 2; i++)
    if (streams[i] && (i == 0 || streams[i] != streams[0]) && !(recorded && has_stream (recorded, streams[i])))
      status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (slot->arrived[slot->event_count++], streams[i]),
                                 "recording an event");
  return status;
}

static enum histo_status
submit_device_frame (struct histo_cuda_state *state, const struct histo_frame *frame, unsigned index)
{
  enum histo_status status = record_streams (state, frame, index, NULL);

  return status == HISTO_OK ? histo_cuda_enqueue (state, index, frame, 1, true) : status;
}

static enum histo_status
submit (void *state_in, const struct histo_frame *frame, unsigned index)
{
  struct histo_cuda_state *state = state_in;
  enum histo_status status = histo_cuda_enter_context (state);

  if (status != HISTO_OK)
    return status;
  if (frame->memory == HISTO_MEMORY_DEVICE)
    status = submit_device_frame (state, frame, index);
  else
    status = submit_host_frame (state, frame, index);
  if (status != HISTO_OK)
    histo_cuda_synchronize (state); /* the caller may then free the samples */
  histo_cuda_leave_context (state);
  return status;
}

/* Submits frames in device memory that one launch can count. */
static enum histo_status
submit_together (struct histo_cuda_state *state, const struct histo_frame *frames, unsigned count, unsigned first,
                 bool are_unlike)
{
  enum histo_status status = histo_cuda_enter_context (state);

  if (status != HISTO_OK)
    return status;
  status = record_streams (state, &frames[0], first, NULL);
  for (unsigned i = 1; status == HISTO_OK && i < count; i++)
    status = record_streams (state, &frames[i], first + i, &frames[0]);
  state->slots[first].is_unlike = are_unlike;
  if (status == HISTO_OK)
    status = histo_cuda_enqueue (state, first, frames, count, true);
  if (status != HISTO_OK)
    histo_cuda_synchronize (state);
  histo_cuda_leave_context (state);
  return status;
}

/* Submits frames in host memory, of which copies exist, for one launch. */
static enum histo_status
submit_copied (struct histo_cuda_state *state, const struct histo_frame *frames, unsigned count, unsigned first)
{
  enum histo_status status = histo_cuda_enter_context (state);

  if (status != HISTO_OK)
    return status;
  for (unsigned i = first; i < first + count; i++) {
    state->slots[i].event_count = 0;
    state->slots[i].is_resident = false;
    state->slots[i].is_unlike = i == first;
  }
  status = histo_cuda_enqueue (state, first, frames, count, true);
  if (status != HISTO_OK)
    histo_cuda_synchronize (state);
  histo_cuda_leave_context (state);
  return status;
}

/* Finds frames in host memory that one launch can count, since copies of the pictures that contain them exist, and describes
 * them in these copies. Returns their number; 0 if there are fewer than two. */
static unsigned
find_copied (struct histo_cuda_state *state, const struct histo_frame *frames, unsigned count, unsigned first,
             struct histo_frame copied[HISTO_CUDA_UNLIKE])
{
  unsigned found = 0, together;

  while (found < count && found < HISTO_CUDA_UNLIKE && frames[found].derived_count == 0
         && histo_cuda_uploader_find (state->uploader, first + found, &frames[found], &state->slots[first + found].upload)) {
    copied[found] = state->slots[first + found].upload.frame;
    found++;
  }
  together = found > 1 ? histo_cuda_count_unlike (copied, found) : 0;
  together = together > 1 ? together : 0;
  for (unsigned i = together; i < found; i++)
    histo_cuda_uploader_release (state->uploader, first + i);
  return together;
}

/* Submits the frames that go in one launch, at least one. */
static enum histo_status
submit_some (struct histo_cuda_state *state, const struct histo_frame *frames, unsigned count, unsigned first, unsigned *taken)
{
  struct histo_frame copied[HISTO_CUDA_UNLIKE];
  enum histo_status status;

  if (frames[0].memory == HISTO_MEMORY_DEVICE) {
    *taken = histo_cuda_count_unlike (frames, count);
    return *taken > 1 ? submit_together (state, frames, *taken, first, true) : submit (state, frames, first);
  }
  *taken = find_copied (state, frames, count, first, copied);
  if (*taken == 0) {
    *taken = 1;
    return submit (state, frames, first);
  }
  status = submit_copied (state, copied, *taken, first);
  for (unsigned i = 0; status != HISTO_OK && i < *taken; i++)
    histo_cuda_uploader_release (state->uploader, first + i);
  return status;
}

static enum histo_status
submit_many (void *state_in, const struct histo_frame *frames, unsigned count, unsigned first)
{
  struct histo_cuda_state *state = state_in;
  enum histo_status status = HISTO_OK;
  unsigned submitted = 0, taken;

  if (frames[0].memory == HISTO_MEMORY_DEVICE && histo_cuda_can_launch_many (frames, count))
    return submit_together (state, frames, count, first, false);
  while (status == HISTO_OK && submitted < count) {
    status = submit_some (state, &frames[submitted], count - submitted, first + submitted, &taken);
    submitted += status == HISTO_OK ? taken : 0;
  }
  for (unsigned i = 0; status != HISTO_OK && i < submitted; i++)
    histo_cuda_collect (state, first + i, &(struct histo_stats){ 0 });
  return status;
}

static enum histo_status
set_weights (void *state_in, unsigned component, const struct histo_weights *weights)
{
  struct histo_cuda_state *state = state_in;
  enum histo_status status = histo_cuda_enter_context (state);

  if (status != HISTO_OK)
    return status;
  status = histo_cuda_set_weights (state->launcher, component, weights);
  histo_cuda_leave_context (state);
  return status;
}

static enum histo_status
open_pins (void *state_in, void **pins_out)
{
  const struct histo_cuda_state *state = state_in;
  struct histo_cuda_pins *pins;
  enum histo_status status
      = histo_cuda_pins_open (&state->config, state->device, state->context, state->context_is_ours, &pins);

  *pins_out = pins;
  return status;
}

const struct histo_backend_ops histo_backend_cuda = {
  .name = "cuda",
  .open = open_cuda,
  .submit = submit,
  .submit_many = submit_many,
  .ready = histo_cuda_ready,
  .collect = histo_cuda_collect,
  .close = close_cuda,
  .set_weights = set_weights,
  .open_pins = open_pins,
  .pin = histo_cuda_pin,
  .unpin = histo_cuda_unpin,
  .close_pins = histo_cuda_pins_close,
};
