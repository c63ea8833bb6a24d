/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens and closes a device: its context, and the streams, events, launcher and uploader in it. */

#include "cuda/host/state.h"

#include <stdio.h>
#include <string.h>

#include "cuda/host/refuse.h"
#include "log.h"

/* ---- the context ---------------------------------------------------------------------------------------------------- */

bool
histo_cuda_try_context (const struct histo_cuda_state *state)
{
  return state->driver.cuCtxPushCurrent (state->context) == CUDA_SUCCESS;
}

enum histo_status
histo_cuda_enter_context (const struct histo_cuda_state *state)
{
  return histo_cuda_check (&state->driver, state->driver.cuCtxPushCurrent (state->context), "using the CUDA context");
}

void
histo_cuda_leave_context (const struct histo_cuda_state *state)
{
  CUcontext popped;

  state->driver.cuCtxPopCurrent (&popped);
}

void
histo_cuda_synchronize (struct histo_cuda_state *state)
{
  state->driver.cuStreamSynchronize (state->copy_stream);
  for (unsigned i = 0; i < HISTO_CUDA_COUNT_STREAMS; i++)
    state->driver.cuStreamSynchronize (state->count_streams[i]);
}

/* ---- closing -------------------------------------------------------------------------------------------------------- */

void
histo_cuda_close_device (struct histo_cuda_state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  bool is_current;

  /* Results are not checked: a failure leaves nothing to do. */
  histo_cuda_uploader_stop (state->uploader);
  is_current = state->context && histo_cuda_try_context (state);
  if (state->copy_stream)
    driver->cuStreamSynchronize (state->copy_stream);
  for (unsigned i = 0; i < HISTO_CUDA_COUNT_STREAMS; i++)
    if (state->count_streams[i])
      driver->cuStreamSynchronize (state->count_streams[i]);
  histo_cuda_uploader_close (state->uploader);
  for (unsigned i = 0; state->slots && i < state->slot_count; i++) {
    CUevent *events[] = { &state->slots[i].arrived[0], &state->slots[i].arrived[1], &state->slots[i].counted };

    for (unsigned e = 0; e < sizeof events / sizeof *events; e++) {
      if (*events[e])
        driver->cuEventDestroy (*events[e]);
      *events[e] = NULL;
    }
  }
  histo_cuda_launcher_close (state->launcher);
  if (state->copy_stream)
    driver->cuStreamDestroy (state->copy_stream);
  for (unsigned i = 0; i < HISTO_CUDA_COUNT_STREAMS; i++)
    if (state->count_streams[i])
      driver->cuStreamDestroy (state->count_streams[i]);
  if (is_current)
    histo_cuda_leave_context (state);
  if (state->context && state->context_is_ours)
    driver->cuDevicePrimaryCtxRelease (state->device);

  state->context = NULL;
  state->uploader = NULL;
  state->launcher = NULL;
  state->copy_stream = NULL;
  memset (state->count_streams, 0, sizeof state->count_streams);
}

/* ---- opening -------------------------------------------------------------------------------------------------------- */

static enum histo_status
open_uploader (struct histo_cuda_state *state)
{
  const struct histo_cuda_target target = {
    .config = &state->config,
    .driver = &state->driver,
    .tuning = state->tuning,
    .context = state->context,
    .stream = state->copy_stream,
    .staged = histo_cuda_complete_slot,
    .data = state,
  };

  return histo_cuda_uploader_open (&target, state->count_streams[0], state->slot_count, &state->uploader);
}

/* The context is current. */
static enum histo_status
open_objects (struct histo_cuda_state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, driver, cuStreamCreate (&state->copy_stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  for (unsigned i = 0; i < HISTO_CUDA_COUNT_STREAMS; i++)
    HISTO_CUDA_TRY (status, driver, cuStreamCreate (&state->count_streams[i], CU_STREAM_NON_BLOCKING), "creating a stream");
  for (unsigned i = 0; i < state->slot_count; i++) {
    for (unsigned e = 0; e < 2; e++)
      HISTO_CUDA_TRY (status, driver, cuEventCreate (&state->slots[i].arrived[e], CU_EVENT_DISABLE_TIMING),
                      "creating an event");
    HISTO_CUDA_TRY (status, driver, cuEventCreate (&state->slots[i].counted, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC),
                    "creating an event");
  }
  if (status == HISTO_OK)
    status = histo_cuda_launcher_open (driver, state->device, state->tuning, state->count_streams[0], state->slot_count,
                                       &state->launcher);
  if (status == HISTO_OK)
    status = open_uploader (state);
  return status;
}

/* Reports why a device cannot be used, after histo_cuda_check has logged the failed call. `number`: -1 for a context. */
static void
refuse_device (const struct histo_cuda_state *state, int number, const char *name)
{
  char what[160];

  if (number < 0)
    snprintf (what, sizeof what, "The given CUDA context%s%s", *name ? " on " : "", name);
  else
    snprintf (what, sizeof what, *name ? "CUDA device %d (%s)" : "CUDA device %d", number, name);
  histo_cuda_refuse_device (&state->config, &state->driver, state->device, histo_cuda_last_failure (), what);
}

static enum histo_status
open_device (struct histo_cuda_state *state, int number, struct histo_info *info)
{
  const struct histo_cuda_driver *driver = &state->driver;
  enum histo_status status;

  info->device_name[0] = '\0';
  state->context_is_ours = !state->config.cuda_context;
  if (state->context_is_ours) {
    status = histo_cuda_check (&state->driver, driver->cuDeviceGet (&state->device, number), "opening the CUDA device");
    if (status == HISTO_OK)
      status = histo_cuda_check (&state->driver, driver->cuDevicePrimaryCtxRetain (&state->context, state->device),
                                 "opening the CUDA device");
    if (status != HISTO_OK) {
      state->context = NULL;
      refuse_device (state, number, "");
      return status;
    }
  } else {
    state->context = state->config.cuda_context;
  }

  status = histo_cuda_enter_context (state);
  if (status == HISTO_OK) {
    if (!state->context_is_ours)
      status = histo_cuda_check (&state->driver, driver->cuCtxGetDevice (&state->device), "reading the context's device");
    if (status == HISTO_OK)
      status = histo_cuda_check (&state->driver,
                                 driver->cuDeviceGetName (info->device_name, sizeof info->device_name, state->device),
                                 "reading the device's name");
    if (status == HISTO_OK)
      status = histo_cuda_read_tuning (driver, state->device, &state->tuning);
    if (status == HISTO_OK)
      status = open_objects (state);
    histo_cuda_leave_context (state);
  }
  if (status != HISTO_OK) {
    refuse_device (state, number, info->device_name);
    histo_cuda_close_device (state);
  }
  return status;
}

enum histo_status
histo_cuda_open_device (struct histo_cuda_state *state, struct histo_info *info)
{
  const struct histo_config *config = &state->config;
  int count = 0;

  if (config->cuda_context)
    return open_device (state, -1, info) == HISTO_OK ? HISTO_OK : HISTO_ERROR_NO_DEVICE;

  if (histo_cuda_check (&state->driver, state->driver.cuDeviceGetCount (&count), "counting CUDA devices") != HISTO_OK) {
    histo_cuda_refuse_result (config, &state->driver, histo_cuda_last_failure (), "NVIDIA's driver");
    return HISTO_ERROR_NO_DEVICE;
  }
  if (count < 1) {
    histo_log (config, HISTO_LOG_ERROR, "the CUDA driver finds no device");
    return HISTO_ERROR_NO_DEVICE;
  }
  if (config->cuda_device >= count) {
    histo_cuda_refuse (config,
                       "CUDA device %d does not exist: the last one is %d; choose that or an earlier one, or -1 for any",
                       config->cuda_device, count - 1);
    return HISTO_ERROR_NO_DEVICE;
  }
  if (config->cuda_device >= 0)
    return open_device (state, config->cuda_device, info) == HISTO_OK ? HISTO_OK : HISTO_ERROR_NO_DEVICE;
  for (int number = 0; number < count; number++) {
    enum histo_status status;

    state->is_optional = number + 1 < count;
    state->config.backend = state->is_optional ? HISTO_BACKEND_AUTO : state->engine_config->backend;
    status = open_device (state, number, info);
    state->is_optional = false;
    if (status == HISTO_OK)
      return HISTO_OK;
  }
  return HISTO_ERROR_NO_DEVICE;
}
