/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend: one device, one context, one module, two streams. A frame in host memory is copied on the first and counted
 * on the second; a frame in device memory is counted in place. One launch a frame leaves the numbers in pinned memory. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/driver.h"
#include "cuda/launch.h"
#include "cuda/pins.h"
#include "cuda/upload.h"

#define SPINS 20000 /* looks at the result before the driver is asked to wait: some 20 us */
#define TRY_CONTEXT(state) ((state)->driver.cuCtxPushCurrent ((state)->context))

struct slot {
  CUevent uploaded; /* the copy of the frame is complete, or the producer's stream has reached it */
  CUevent counted;
};

struct state {
  const struct histo_config *config;
  struct histo_cuda_driver driver;
  CUdevice device;
  CUcontext context;
  bool context_is_ours; /* the retained primary context */
  CUstream copy_stream, count_stream;
  struct histo_cuda_launcher *launcher; /* a run a slot */
  struct histo_cuda_uploader *uploader;

  unsigned slot_count;
  struct slot *slots;
};

static enum histo_status
check (const struct state *state, CUresult result, const char *what)
{
  return histo_cuda_check (state->config, &state->driver, result, what);
}

static void
pop_context (const struct state *state)
{
  CUcontext popped;

  state->driver.cuCtxPopCurrent (&popped);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

/* Undoes open_device, as far as it came. Results are not checked: there is nothing left to do about a failure. */
static void
close_device (struct state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  bool is_current = state->context && TRY_CONTEXT (state) == CUDA_SUCCESS;

  if (state->copy_stream)
    driver->cuStreamSynchronize (state->copy_stream);
  if (state->count_stream)
    driver->cuStreamSynchronize (state->count_stream);
  histo_cuda_uploader_close (state->uploader);
  for (unsigned i = 0; state->slots && i < state->slot_count; i++) {
    if (state->slots[i].uploaded)
      driver->cuEventDestroy (state->slots[i].uploaded);
    if (state->slots[i].counted)
      driver->cuEventDestroy (state->slots[i].counted);
    state->slots[i] = (struct slot){ 0 };
  }
  histo_cuda_launcher_close (state->launcher);
  if (state->copy_stream)
    driver->cuStreamDestroy (state->copy_stream);
  if (state->count_stream)
    driver->cuStreamDestroy (state->count_stream);
  if (is_current)
    pop_context (state);
  if (state->context && state->context_is_ours)
    driver->cuDevicePrimaryCtxRelease (state->device);

  state->context = NULL;
  state->uploader = NULL;
  state->launcher = NULL;
  state->copy_stream = state->count_stream = NULL;
}

/* With the context current. */
static enum histo_status
open_objects (struct state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  enum histo_status status = HISTO_OK;

#define TRY(call, what)   \
  if (status == HISTO_OK) \
  status = check (state, driver->call, what)

  TRY (cuStreamCreate (&state->copy_stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  TRY (cuStreamCreate (&state->count_stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  for (unsigned i = 0; i < state->slot_count; i++) {
    TRY (cuEventCreate (&state->slots[i].uploaded, CU_EVENT_DISABLE_TIMING), "creating an event");
    TRY (cuEventCreate (&state->slots[i].counted, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC), "creating an event");
  }
#undef TRY

  if (status == HISTO_OK)
    status = histo_cuda_launcher_open (state->config, driver, state->device, state->count_stream, state->slot_count,
                                       &state->launcher);
  if (status == HISTO_OK)
    status = histo_cuda_uploader_open (state->config, driver, state->context, state->copy_stream, state->slot_count,
                                       &state->uploader);
  return status;
}

static enum histo_status
open_device (struct state *state, int number, struct histo_info *info)
{
  const struct histo_cuda_driver *driver = &state->driver;
  enum histo_status status;

  state->context_is_ours = !state->config->cuda_context;
  if (state->context_is_ours) {
    status = check (state, driver->cuDeviceGet (&state->device, number), "opening the CUDA device");
    if (status == HISTO_OK)
      status = check (state, driver->cuDevicePrimaryCtxRetain (&state->context, state->device), "opening the CUDA device");
    if (status != HISTO_OK) {
      state->context = NULL;
      return status;
    }
  } else {
    state->context = state->config->cuda_context;
  }

  status = check (state, TRY_CONTEXT (state), "using the CUDA context");
  if (status == HISTO_OK) {
    if (!state->context_is_ours)
      status = check (state, driver->cuCtxGetDevice (&state->device), "asking for the context's device");
    if (status == HISTO_OK)
      status = check (state, driver->cuDeviceGetName (info->device_name, sizeof info->device_name, state->device),
                      "asking for the device's name");
    if (status == HISTO_OK)
      status = open_objects (state);
    pop_context (state);
  }
  if (status != HISTO_OK)
    close_device (state);
  return status;
}

/* A device that does not open is no error while another may. */
static void
log_passed_over (void *user_data, enum histo_log_level level, const char *message)
{
  const struct histo_config *config = user_data;

  histo_log (config, level == HISTO_LOG_ERROR ? HISTO_LOG_WARNING : level, "%s", message);
}

static enum histo_status
open_any_device (struct state *state, struct histo_info *info)
{
  const struct histo_config *config = state->config;
  struct histo_config lenient = *config;
  int count = 0;

  if (config->cuda_context)
    return open_device (state, -1, info) == HISTO_OK ? HISTO_OK : HISTO_ERROR_NO_DEVICE;

  if (check (state, state->driver.cuDeviceGetCount (&count), "counting CUDA devices") != HISTO_OK)
    return HISTO_ERROR_NO_DEVICE;
  if (count < 1) {
    histo_log (config, HISTO_LOG_ERROR, "the CUDA driver finds no device");
    return HISTO_ERROR_NO_DEVICE;
  }
  if (config->cuda_device >= count) {
    histo_log (config, HISTO_LOG_ERROR, "there is no CUDA device %d: the last one is %d", config->cuda_device, count - 1);
    return HISTO_ERROR_NO_DEVICE;
  }
  if (config->cuda_device >= 0)
    return open_device (state, config->cuda_device, info) == HISTO_OK ? HISTO_OK : HISTO_ERROR_NO_DEVICE;
  lenient.log = log_passed_over;
  lenient.log_data = (void *)(uintptr_t)config;
  for (int number = 0; number < count; number++) {
    enum histo_status status;

    state->config = number + 1 < count ? &lenient : config;
    status = open_device (state, number, info);
    state->config = config;
    if (status == HISTO_OK)
      return HISTO_OK;
  }
  return HISTO_ERROR_NO_DEVICE;
}

static void
close_cuda (void *state_in)
{
  struct state *state = state_in;

  close_device (state);
  histo_cuda_driver_unload (&state->driver);
  free (state->slots);
  free (state);
}

static enum histo_status
open_cuda (const struct histo_config *config, struct histo_info *info, void **state_out)
{
  struct state *state = calloc (1, sizeof *state);
  enum histo_status status = HISTO_ERROR_NO_MEMORY;

  *state_out = NULL;
  if (state) {
    state->config = config;
    state->slot_count = config->max_in_flight;
    state->slots = calloc (state->slot_count, sizeof *state->slots);
  }
  if (!state || !state->slots) {
    histo_log (config, HISTO_LOG_ERROR, "%s", histo_status_text (HISTO_ERROR_NO_MEMORY));
  } else {
    status = histo_cuda_driver_load (config, &state->driver);
    if (status == HISTO_OK)
      status = open_any_device (state, info);
    if (status == HISTO_OK) {
      info->threads = 0;
      *state_out = state;
      return HISTO_OK;
    }
    histo_cuda_driver_unload (&state->driver);
  }
  if (state) {
    free (state->slots);
  }
  free (state);
  return status;
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

/* Makes the count stream wait for what `stream` has been given so far. */
static enum histo_status
follow_stream (struct state *state, struct slot *slot, CUstream stream)
{
  enum histo_status status = check (state, state->driver.cuEventRecord (slot->uploaded, stream), "recording an event");

  if (status == HISTO_OK)
    status = check (state, state->driver.cuStreamWaitEvent (state->count_stream, slot->uploaded, 0), "waiting for an event");
  return status;
}

static enum histo_status
submit_host_frame (struct state *state, const struct histo_frame *frame, unsigned index)
{
  struct histo_frame device, operand;
  enum histo_status status = histo_cuda_upload (state->uploader, index, frame, &device, &operand);

  if (status == HISTO_OK)
    status = follow_stream (state, &state->slots[index], state->copy_stream);
  if (status == HISTO_OK)
    status = histo_cuda_launch (state->launcher, index, &device, state->count_stream);
  return status;
}

static enum histo_status
submit_device_frame (struct state *state, const struct histo_frame *frame, unsigned index)
{
  enum histo_status status = HISTO_OK;

  if (frame->stream)
    status = follow_stream (state, &state->slots[index], frame->stream);
  if (status == HISTO_OK && frame->operand && frame->operand->stream)
    status = follow_stream (state, &state->slots[index], frame->operand->stream);
  if (status == HISTO_OK)
    status = histo_cuda_launch (state->launcher, index, frame, state->count_stream);
  return status;
}

static enum histo_status
submit (void *state_in, const struct histo_frame *frame, unsigned index)
{
  struct state *state = state_in;
  enum histo_status status = check (state, TRY_CONTEXT (state), "using the CUDA context");

  if (status != HISTO_OK)
    return status;
  if (frame->memory == HISTO_MEMORY_DEVICE)
    status = submit_device_frame (state, frame, index);
  else
    status = submit_host_frame (state, frame, index);
  if (status == HISTO_OK)
    status
        = check (state, state->driver.cuEventRecord (state->slots[index].counted, state->count_stream), "recording an event");
  if (status != HISTO_OK) {
    /* The caller may free the samples now: nothing may still be reading them. */
    state->driver.cuStreamSynchronize (state->copy_stream);
    state->driver.cuStreamSynchronize (state->count_stream);
  }
  pop_context (state);
  return status;
}

static bool
ready (void *state_in, unsigned index)
{
  struct state *state = state_in;
  CUresult result;

  if (histo_cuda_is_published (state->launcher, index))
    return true;
  if (TRY_CONTEXT (state) != CUDA_SUCCESS)
    return true; /* collect has the error */
  result = state->driver.cuEventQuery (state->slots[index].counted);
  pop_context (state);
  return result != CUDA_ERROR_NOT_READY;
}

static enum histo_status
wait_for_slot (struct state *state, unsigned index)
{
  enum histo_status status;

  for (unsigned i = 0; i < SPINS; i++)
    if (histo_cuda_is_published (state->launcher, index))
      return HISTO_OK;
  status = check (state, TRY_CONTEXT (state), "using the CUDA context");
  if (status != HISTO_OK)
    return status;
  status = check (state, state->driver.cuEventSynchronize (state->slots[index].counted), "waiting for the device");
  pop_context (state);
  if (status == HISTO_OK && !histo_cuda_is_published (state->launcher, index)) {
    histo_log (state->config, HISTO_LOG_ERROR, "the device finished a frame without leaving its numbers");
    status = HISTO_ERROR_DEVICE;
  }
  return status;
}

static enum histo_status
collect (void *state_in, unsigned index, struct histo_stats *stats)
{
  struct state *state = state_in;
  enum histo_status status = wait_for_slot (state, index);

  if (status == HISTO_OK)
    histo_cuda_read (state->launcher, index, stats);
  return status;
}

static enum histo_status
open_pins (void *state_in, void **pins_out)
{
  const struct state *state = state_in;
  struct histo_cuda_pins *pins;
  enum histo_status status = histo_cuda_pins_open (state->config, state->device, state->context, state->context_is_ours, &pins);

  *pins_out = pins;
  return status;
}

const struct histo_backend_ops histo_backend_cuda = {
  .name = "cuda",
  .open = open_cuda,
  .submit = submit,
  .ready = ready,
  .collect = collect,
  .close = close_cuda,
  .open_pins = open_pins,
  .pin = histo_cuda_pin,
  .unpin = histo_cuda_unpin,
  .close_pins = histo_cuda_pins_close,
};
