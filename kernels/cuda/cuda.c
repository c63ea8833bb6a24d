/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend: one device, one context, one module, two streams. A frame in host memory is copied on the first and counted
 * on the second; a frame in device memory is counted in place. One launch a frame leaves the numbers in pinned memory. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/count.h"
#include "cuda/driver.h"
#include "pass.h"

extern const unsigned char histo_cuda_count_fatbin[];

#define BLOCKS_PER_SM 8
#define BYTES_PER_BLOCK 16384 /* below, another block costs more than it counts */
#define PITCH_ALIGNMENT 256
#define TRY_CONTEXT(state) ((state)->driver.cuCtxPushCurrent ((state)->context))

/* The bytes of a plane's rows that hold samples, and where they are in a copy of the frame. */
struct copied_plane {
  size_t first_byte, row_bytes; /* in each row of the source; row_bytes 0: nothing to copy */
  size_t offset, pitch;         /* in the copy */
};

/* Device memory that holds a copy of a frame. */
struct copy {
  CUdeviceptr memory;
  size_t capacity;
  uint64_t id; /* of the frame, 0: no claim */
  struct copied_plane planes[HISTO_MAX_PLANES];
};

struct slot {
  CUevent uploaded; /* the copy of the frame is complete, or the producer's stream has reached it */
  CUevent counted;
  uint64_t sequence; /* what result->sequence becomes */
  struct copy operand;
};

struct state {
  const struct histo_config *config;
  struct histo_cuda_driver driver;
  CUdevice device;
  CUcontext context;
  bool context_is_ours; /* the retained primary context */
  CUmodule module;
  CUfunction function;
  CUstream copy_stream, count_stream;
  unsigned max_blocks;

  unsigned slot_count;
  struct slot *slots;
  struct histo_cuda_result *results; /* pinned, one a slot */
  CUdeviceptr results_device;
  CUdeviceptr workspaces; /* one a slot */

  /* Copies of the last frames, used in turn. One more than slots: the frame before the oldest in flight may be its operand. */
  struct copy *copies;
  uint64_t submitted;
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

static void
free_copy (struct state *state, struct copy *copy)
{
  if (copy->memory)
    state->driver.cuMemFree (copy->memory);
  *copy = (struct copy){ 0 };
}

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
  for (unsigned i = 0; state->slots && i < state->slot_count; i++) {
    if (state->slots[i].uploaded)
      driver->cuEventDestroy (state->slots[i].uploaded);
    if (state->slots[i].counted)
      driver->cuEventDestroy (state->slots[i].counted);
    free_copy (state, &state->slots[i].operand);
    state->slots[i] = (struct slot){ 0 };
  }
  for (unsigned i = 0; state->copies && i < state->slot_count + 1; i++)
    free_copy (state, &state->copies[i]);
  if (state->workspaces)
    driver->cuMemFree (state->workspaces);
  if (state->results)
    driver->cuMemFreeHost (state->results);
  if (state->copy_stream)
    driver->cuStreamDestroy (state->copy_stream);
  if (state->count_stream)
    driver->cuStreamDestroy (state->count_stream);
  if (state->module)
    driver->cuModuleUnload (state->module);
  if (is_current)
    pop_context (state);
  if (state->context && state->context_is_ours)
    driver->cuDevicePrimaryCtxRelease (state->device);

  state->context = NULL;
  state->module = NULL;
  state->copy_stream = state->count_stream = NULL;
  state->results = NULL;
  state->workspaces = 0;
}

static enum histo_status
load_module (struct state *state)
{
  CUresult result = state->driver.cuModuleLoadData (&state->module, histo_cuda_count_fatbin);
  int version = 0;

  if (result == CUDA_SUCCESS)
    return HISTO_OK;
  state->module = NULL;
  check (state, result, "loading the kernels");
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
    state->driver.cuDriverGetVersion (&version);
    histo_log (state->config, HISTO_LOG_ERROR,
               "the driver, for CUDA %d.%d, has no use for the kernels of this build, for CUDA %d.%d: update the driver, or "
               "build with "
               "another cuda-arch",
               version / 1000, version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
  }
  return HISTO_ERROR_DEVICE;
}

/* With the context current. */
static enum histo_status
open_objects (struct state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  enum histo_status status = load_module (state);
  int multiprocessors = 1;

#define TRY(call, what)   \
  if (status == HISTO_OK) \
  status = check (state, driver->call, what)

  TRY (cuModuleGetFunction (&state->function, state->module, "histo_count"), "finding the kernel");
  TRY (cuDeviceGetAttribute (&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, state->device),
       "asking for the number of multiprocessors");
  TRY (cuStreamCreate (&state->copy_stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  TRY (cuStreamCreate (&state->count_stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  for (unsigned i = 0; i < state->slot_count; i++) {
    TRY (cuEventCreate (&state->slots[i].uploaded, CU_EVENT_DISABLE_TIMING), "creating an event");
    TRY (cuEventCreate (&state->slots[i].counted, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC), "creating an event");
  }
  TRY (cuMemHostAlloc ((void **)&state->results, state->slot_count * sizeof *state->results,
                       CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
       "allocating pinned memory");
  if (status == HISTO_OK)
    memset (state->results, 0, state->slot_count * sizeof *state->results);
  TRY (cuMemHostGetDevicePointer (&state->results_device, state->results, 0), "mapping pinned memory");
  TRY (cuMemAlloc (&state->workspaces, state->slot_count * sizeof (struct histo_cuda_workspace)), "allocating device memory");
  TRY (cuMemsetD8Async (state->workspaces, 0, state->slot_count * sizeof (struct histo_cuda_workspace), state->count_stream),
       "clearing device memory");
  TRY (cuStreamSynchronize (state->count_stream), "clearing device memory");
#undef TRY

  state->max_blocks = (unsigned)multiprocessors * BLOCKS_PER_SM;
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
  free (state->copies);
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
    state->copies = calloc (state->slot_count + 1, sizeof *state->copies);
  }
  if (!state || !state->slots || !state->copies) {
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
    free (state->copies);
  }
  free (state);
  return status;
}

/* ---- copying frames from host memory -------------------------------------------------------------------------------- */

/* Returns the size of the copy. */
static size_t
plan_copy (const struct histo_frame *frame, struct copied_plane planes[HISTO_MAX_PLANES])
{
  size_t size = 0;

  for (unsigned p = 0; p < frame->plane_count; p++) {
    size_t first = SIZE_MAX, end = 0;

    for (unsigned c = 0; c < frame->component_count; c++) {
      const struct histo_component *component = &frame->components[c];
      size_t component_end = component->offset_bytes + (size_t)(component->width - 1) * component->step_bytes + 1;

      if (component->plane != p || component->width == 0)
        continue;
      first = component->offset_bytes < first ? component->offset_bytes : first;
      end = component_end > end ? component_end : end;
    }
    planes[p] = (struct copied_plane){ 0 };
    if (end == 0 || frame->planes[p].height == 0)
      continue;
    planes[p].first_byte = first;
    planes[p].row_bytes = end - first;
    planes[p].offset = size;
    /* Rows without a gap stay without a gap: one long row to copy and to count. */
    planes[p].pitch = frame->planes[p].stride_bytes == end - first
                          ? end - first
                          : (end - first + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    size += planes[p].pitch * frame->planes[p].height;
    size = (size + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  }
  return size;
}

static enum histo_status
reserve_copy (struct state *state, struct copy *copy, size_t size)
{
  enum histo_status status;

  copy->id = 0;
  if (copy->capacity >= size)
    return HISTO_OK;
  free_copy (state, copy);
  status = check (state, state->driver.cuMemAlloc (&copy->memory, size), "allocating device memory for a frame");
  if (status != HISTO_OK)
    copy->memory = 0;
  else
    copy->capacity = size;
  return status;
}

static enum histo_status
upload_plane (struct state *state, const struct histo_plane *plane, const struct copied_plane *copied, CUdeviceptr memory)
{
  const uint8_t *from = (const uint8_t *)plane->data + copied->first_byte;
  CUdeviceptr to = memory + copied->offset;
  CUDA_MEMCPY2D copy = { 0 };

  if (copied->pitch == plane->stride_bytes || plane->height == 1)
    return check (
        state,
        state->driver.cuMemcpyHtoDAsync (to, from, copied->pitch * (plane->height - 1) + copied->row_bytes, state->copy_stream),
        "copying a frame to the device");

  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from;
  copy.srcPitch = plane->stride_bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = to;
  copy.dstPitch = copied->pitch;
  copy.WidthInBytes = copied->row_bytes;
  copy.Height = plane->height;
  return check (state, state->driver.cuMemcpy2DAsync (&copy, state->copy_stream), "copying a frame to the device");
}

/* Begins to copy `frame` from host memory into `copy`. */
static enum histo_status
upload (struct state *state, const struct histo_frame *frame, struct copy *copy)
{
  struct copied_plane planes[HISTO_MAX_PLANES] = { 0 };
  enum histo_status status = reserve_copy (state, copy, plan_copy (frame, planes));

  memcpy (copy->planes, planes, sizeof planes);
  for (unsigned p = 0; status == HISTO_OK && p < frame->plane_count; p++)
    if (copy->planes[p].row_bytes > 0)
      status = upload_plane (state, &frame->planes[p], &copy->planes[p], copy->memory);
  if (status == HISTO_OK)
    copy->id = frame->id;
  return status;
}

/* `frame` as it is in `copy`. */
static struct histo_frame
describe_copy (const struct histo_frame *frame, const struct copy *copy)
{
  struct histo_frame device = *frame;

  device.operand = NULL;
  for (unsigned p = 0; p < frame->plane_count; p++) {
    device.planes[p].data = (const void *)(uintptr_t)(copy->memory + copy->planes[p].offset);
    device.planes[p].stride_bytes = copy->planes[p].pitch;
  }
  for (unsigned c = 0; c < frame->component_count; c++)
    if (device.components[c].width > 0)
      device.components[c].offset_bytes -= copy->planes[device.components[c].plane].first_byte;
  return device;
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

static uint64_t
device_address (const void *pointer)
{
  return (uint64_t)(uintptr_t)pointer;
}

static void
describe_pass (const struct histo_pass *pass, struct histo_cuda_pass *out)
{
  *out = (struct histo_cuda_pass){
    .data = device_address (pass->data),
    .operand = device_address (pass->operand),
    .stride_bytes = pass->stride_bytes,
    .operand_stride_bytes = pass->operand_stride_bytes,
    .begin = pass->begin,
    .end = pass->end,
    .height = pass->height,
    .period = pass->period,
    .component_count = pass->component_count,
  };
  for (unsigned i = 0; i < pass->period; i++)
    out->component_at[i] = pass->component_at[i];
  for (unsigned c = 0; c < pass->component_count; c++) {
    out->components[c].index = pass->components[c].index;
    out->components[c].offset_bytes = pass->components[c].offset_bytes;
    out->components[c].step_bytes = pass->components[c].step_bytes;
    out->components[c].width = pass->components[c].width;
    out->components[c].head = pass->components[c].head;
    out->components[c].tail = pass->components[c].tail;
  }
}

/* `frame` is in device memory. */
static enum histo_status
launch (struct state *state, const struct histo_frame *frame, unsigned index)
{
  struct slot *slot = &state->slots[index];
  struct histo_pass passes[HISTO_MAX_PLANES];
  struct histo_cuda_count count = { 0 };
  void *parameters[] = { &count };
  uint64_t bytes = 0, blocks;

  count.pass_count = histo_plan_passes (frame, passes);
  count.component_count = frame->component_count;
  for (unsigned p = 0; p < count.pass_count; p++) {
    describe_pass (&passes[p], &count.passes[p]);
    bytes += (passes[p].end - passes[p].begin) * passes[p].height;
    for (unsigned c = 0; c < passes[p].component_count; c++)
      bytes += (passes[p].components[c].head + passes[p].components[c].tail) * passes[p].height;
  }
  slot->sequence = state->submitted + 1;
  count.workspace = state->workspaces + index * sizeof (struct histo_cuda_workspace);
  count.result = state->results_device + index * sizeof (struct histo_cuda_result);
  count.sequence = slot->sequence;

  blocks = (bytes + BYTES_PER_BLOCK - 1) / BYTES_PER_BLOCK;
  if (blocks < 1)
    blocks = 1;
  if (blocks > state->max_blocks)
    blocks = state->max_blocks;
  return check (state,
                state->driver.cuLaunchKernel (state->function, (unsigned)blocks, 1, 1, HISTO_CUDA_THREADS, 1, 1, 0,
                                              state->count_stream, parameters, NULL),
                "starting the kernel");
}

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
  struct copy *copy = &state->copies[state->submitted % (state->slot_count + 1)];
  struct copy *operand = &state->copies[(state->submitted + state->slot_count) % (state->slot_count + 1)];
  struct slot *slot = &state->slots[index];
  struct histo_frame device, device_operand;
  enum histo_status status = HISTO_OK;

  if (frame->operand && (frame->operand->id == 0 || frame->operand->id != operand->id)) {
    operand = &slot->operand;
    status = upload (state, frame->operand, operand);
  }
  if (status == HISTO_OK)
    status = upload (state, frame, copy);
  if (status == HISTO_OK) {
    device = describe_copy (frame, copy);
    if (frame->operand) {
      device_operand = describe_copy (frame->operand, operand);
      device.operand = &device_operand;
    }
  }
  if (status == HISTO_OK)
    status = follow_stream (state, slot, state->copy_stream);
  if (status == HISTO_OK)
    status = launch (state, &device, index);
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
    status = launch (state, frame, index);
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
  state->submitted++;
  return status;
}

static bool
is_published (const struct state *state, unsigned index)
{
  return __atomic_load_n (&state->results[index].sequence, __ATOMIC_ACQUIRE) == state->slots[index].sequence;
}

static bool
ready (void *state_in, unsigned index)
{
  struct state *state = state_in;
  CUresult result;

  if (is_published (state, index))
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

  if (is_published (state, index))
    return HISTO_OK;
  status = check (state, TRY_CONTEXT (state), "using the CUDA context");
  if (status != HISTO_OK)
    return status;
  status = check (state, state->driver.cuEventSynchronize (state->slots[index].counted), "waiting for the device");
  pop_context (state);
  if (status == HISTO_OK && !is_published (state, index)) {
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

  if (status != HISTO_OK)
    return status;
  for (unsigned c = 0; c < stats->component_count; c++) {
    const struct histo_cuda_numbers *numbers = &state->results[index].numbers[c];
    struct histo_component_stats *component = &stats->components[c];

    component->sum += numbers->sum;
    component->sum_of_squares += numbers->sum_of_squares;
    component->dot += numbers->dot;
    for (unsigned bin = 0; bin < component->bins; bin++)
      component->histogram[bin] += numbers->histogram[bin];
  }
  return HISTO_OK;
}

const struct histo_backend_ops histo_backend_cuda = {
  .name = "cuda",
  .open = open_cuda,
  .submit = submit,
  .ready = ready,
  .collect = collect,
  .close = close_cuda,
};
