/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens and closes a device: its context, and the streams, events, launcher and uploader in it. */

#include "cuda/host/state.h"

#include <stdio.h>
#include <string.h>

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
    status = histo_cuda_launcher_open (driver, state->device, state->count_streams[0], state->slot_count, &state->launcher);
  if (status == HISTO_OK)
    status = open_uploader (state);
  return status;
}

/* Whether the driver, for CUDA `version` as cuDriverGetVersion returns it, found no kernels in this build that the device can
 * run. A driver older than the toolkit may be unable to read them. */
static bool
is_foreign_build (CUresult result, int version)
{
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION
         || result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND
         || result == CUDA_ERROR_JIT_COMPILATION_DISABLED || result == HISTO_CUDA_ERROR_DEVSIDE_SYNC
         || (result == CUDA_ERROR_INVALID_IMAGE && version < CUDA_VERSION);
}

/* Reports why a device cannot be used, after histo_cuda_check has logged the failed call. `number`: -1 for a context. */
static void
refuse_device (const struct histo_cuda_state *state, int number, const char *name)
{
  const struct histo_cuda_driver *driver = &state->driver;
  const CUresult result = histo_cuda_last_failure ();
  int major = 0, minor = 0, version = 0, capability;
  char what[160];

  if (number < 0)
    snprintf (what, sizeof what, "The given CUDA context%s%s", *name ? " on " : "", name);
  else
    snprintf (what, sizeof what, *name ? "CUDA device %d (%s)" : "CUDA device %d", number, name);
  driver->cuDriverGetVersion (&version);
  if (!is_foreign_build (result, version)) {
    histo_cuda_refuse_result (&state->config, driver, result, what);
    return;
  }
  driver->cuDeviceGetAttribute (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, state->device);
  driver->cuDeviceGetAttribute (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, state->device);
  capability = 10 * major + minor;
  if (major > 0 && capability < HISTO_CUDA_KERNELS_FROM)
    histo_cuda_refuse (&state->config,
                       "%s cannot be used: it has compute capability %d.%d; %d.%d or later is required; use a newer GPU", what,
                       major, minor, HISTO_CUDA_KERNELS_FROM / 10, HISTO_CUDA_KERNELS_FROM % 10);
  else if (major > 0 && capability < HISTO_CUDA_TOOLKIT_FROM)
    histo_cuda_refuse (&state->config,
                       "%s cannot be used: it has compute capability %d.%d, and this build's CUDA %d.%d compiles for %d.%d "
                       "and later; rebuild with CUDA %d",
                       what, major, minor, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, HISTO_CUDA_TOOLKIT_FROM / 10,
                       HISTO_CUDA_TOOLKIT_FROM % 10, CUDA_VERSION / 1000 - 1);
  else if (major > 0 && capability < HISTO_CUDA_BUILT_FROM)
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: it has compute capability %d.%d, and this build is for %d.%d and later; rebuild with "
        "-Dcuda-arch=auto, or with -Dcuda-arch=native on this machine",
        what, major, minor, HISTO_CUDA_BUILT_FROM / 10, HISTO_CUDA_BUILT_FROM % 10);
  else if (version / 1000 < CUDA_VERSION / 1000 && capability <= HISTO_CUDA_BUILT_TO)
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: the driver, for CUDA %d.%d, is too old for this build, made with CUDA %d.%d; " HISTO_CUDA_UPDATE
        ", or build with a toolkit of CUDA %d",
        what, version / 1000, version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, version / 1000);
  /* A build with PTX can run on later GPUs, if the driver's compiler is new enough. */
  else if (version < CUDA_VERSION && result != CUDA_ERROR_NO_BINARY_FOR_GPU)
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: the driver, for CUDA %d.%d, cannot run the kernels of this build, made with CUDA %d.%d, "
        "on compute capability %d.%d; update the driver, or build with -Dcuda-arch=native on this machine",
        what, version / 1000, version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, major, minor);
  else if (capability > HISTO_CUDA_BUILT_TO)
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: it has compute capability %d.%d, and this build is for GPUs up to %d.%d; rebuild with "
        "-Dcuda-arch=native on this machine, or with -Dcuda-arch=auto, whose kernels a driver can compile for this GPU",
        what, major, minor, HISTO_CUDA_BUILT_TO / 10, HISTO_CUDA_BUILT_TO % 10);
  else
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: this build has no kernels for compute capability %d.%d; rebuild with -Dcuda-arch=native on this "
        "machine",
        what, major, minor);
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
