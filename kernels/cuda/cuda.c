/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend: one device, one context, one module, two streams. A frame in host memory is copied on the first and counted
 * on the second; a frame in device memory is counted in place. One launch a frame leaves the numbers in pinned memory. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/count.h"
#include "cuda/cuda.h"
#include "cuda/driver.h"
#include "cuda/staging.h"
#include "pass.h"

extern const unsigned char histo_cuda_count_fatbin[];

unsigned histo_cuda_shared_limit;

/* Measured: with less than this another block costs a small frame more than it counts; with one block of 1024 threads on each
 * multiprocessor a large frame is read at the speed of the memory. */
#define BYTES_PER_BLOCK 20480
#define MAX_BYTES_PER_BLOCK ((uint64_t)1 << 31) /* its counters have 32 bits */
#define SPINS 20000                             /* looks at the result before the driver is asked to wait: some 20 us */
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
  uint16_t tag;                        /* of the launch, see count.h */
  bool with_dot;                       /* the launch delivers dot products */
  bool delivers[HISTO_MAX_COMPONENTS]; /* false for a component without samples */
  struct copy operand;
};

/* The workspace and the result of a launch. */
struct words {
  uint64_t components[HISTO_MAX_COMPONENTS][HISTO_CUDA_WORDS];
};

struct state {
  const struct histo_config *config;
  struct histo_cuda_driver driver;
  CUdevice device;
  CUcontext context;
  bool context_is_ours; /* the retained primary context */
  CUmodule module;
  CUfunction count, count_dot;
  unsigned table_bytes; /* shared memory of a table of these kernels */
  CUstream copy_stream, count_stream;
  struct histo_cuda_staging *staging; /* opened with the first frame that needs it */
  unsigned multiprocessors;

  unsigned slot_count;
  struct slot *slots;
  struct words *results; /* pinned, one a slot */
  CUdeviceptr results_device;
  CUdeviceptr workspaces; /* struct words, one a slot */

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
  histo_cuda_staging_close (state->staging);
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
  state->staging = NULL;
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

/* Chooses the kernels that fit into the device's shared memory. With the context current. */
static enum histo_status
find_kernels (struct state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  int available = 0, needed;
  bool is_wide;
  enum histo_status status = check (
      state, driver->cuDeviceGetAttribute (&available, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, state->device),
      "asking for the size of shared memory");

  if (histo_cuda_shared_limit > 0 && available > (int)histo_cuda_shared_limit)
    available = (int)histo_cuda_shared_limit;
  is_wide = available >= (int)(HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_WIDE) + HISTO_CUDA_STATIC_BYTES);
  state->table_bytes = HISTO_CUDA_TABLE_BYTES (is_wide ? HISTO_CUDA_WIDE : HISTO_CUDA_NARROW);
  needed = (int)(HISTO_CUDA_COMPONENTS * state->table_bytes);

#define TRY(call, what)   \
  if (status == HISTO_OK) \
  status = check (state, driver->call, what)

  TRY (cuModuleGetFunction (&state->count, state->module, is_wide ? "histo_count" : "histo_count_narrow"),
       "finding the kernel");
  TRY (cuModuleGetFunction (&state->count_dot, state->module, is_wide ? "histo_count_dot" : "histo_count_dot_narrow"),
       "finding the kernel");
  TRY (cuFuncSetAttribute (state->count, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, needed), "asking for shared memory");
  TRY (cuFuncSetAttribute (state->count_dot, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, needed),
       "asking for shared memory");
#undef TRY
  return status;
}

/* With the context current. */
static enum histo_status
open_objects (struct state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  enum histo_status status = load_module (state);
  int multiprocessors = 1;

  if (status == HISTO_OK)
    status = find_kernels (state);

#define TRY(call, what)   \
  if (status == HISTO_OK) \
  status = check (state, driver->call, what)

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
  TRY (cuMemAlloc (&state->workspaces, state->slot_count * sizeof (struct words)), "allocating device memory");
  TRY (cuMemsetD8Async (state->workspaces, 0, state->slot_count * sizeof (struct words), state->count_stream),
       "clearing device memory");
  TRY (cuStreamSynchronize (state->count_stream), "clearing device memory");
#undef TRY

  state->multiprocessors = multiprocessors > 0 ? (unsigned)multiprocessors : 1;
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
    /* Rows without a gap stay without a gap: one long row to copy and to count. Others keep a gap wider than a pixel, so that
     * they are never joined: what lies in the gap is not copied. */
    planes[p].pitch = end - first;
    if (frame->planes[p].stride_bytes != planes[p].pitch)
      planes[p].pitch = (planes[p].pitch + HISTO_MAX_PERIOD + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
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

/* Whether the device itself can read `memory`: only then may a copy go on while its caller does. */
static bool
is_pinned (const struct state *state, const void *memory)
{
  CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  CUmemorytype type = 0;
  void *data = &type;

  return state->driver.cuPointerGetAttributes (1, &attribute, &data, (CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS
         && type == CU_MEMORYTYPE_HOST;
}

static enum histo_status
copy_pinned (struct state *state, const struct histo_cuda_rows *rows)
{
  CUDA_MEMCPY2D copy = { 0 };

  if (rows->height == 1)
    return check (state, state->driver.cuMemcpyHtoDAsync (rows->to, rows->from, rows->row_bytes, state->copy_stream),
                  "copying a frame to the device");
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = rows->from;
  copy.srcPitch = rows->from_stride_bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = rows->to;
  copy.dstPitch = rows->to_stride_bytes;
  copy.WidthInBytes = rows->row_bytes;
  copy.Height = rows->height;
  return check (state, state->driver.cuMemcpy2DAsync (&copy, state->copy_stream), "copying a frame to the device");
}

static enum histo_status
copy_pageable (struct state *state, const struct histo_cuda_rows *planes, unsigned count)
{
  enum histo_status status = HISTO_OK;

  if (!state->staging)
    status = histo_cuda_staging_open (state->config, &state->driver, state->context, state->copy_stream, &state->staging);
  if (status == HISTO_OK)
    status = histo_cuda_staging_copy (state->staging, planes, count);
  return status;
}

/* The rows of a plane and their place in the copy; without gaps they are one. */
static struct histo_cuda_rows
describe_rows (const struct histo_plane *plane, const struct copied_plane *copied, CUdeviceptr memory)
{
  struct histo_cuda_rows rows = {
    .from = (const uint8_t *)plane->data + copied->first_byte,
    .to = memory + copied->offset,
    .from_stride_bytes = plane->stride_bytes,
    .to_stride_bytes = copied->pitch,
    .row_bytes = copied->row_bytes,
    .height = plane->height,
  };

  if (plane->height == 1 || copied->pitch == plane->stride_bytes) {
    rows.row_bytes = copied->pitch * (plane->height - 1) + copied->row_bytes;
    rows.from_stride_bytes = rows.to_stride_bytes = rows.row_bytes;
    rows.height = 1;
  }
  return rows;
}

/* Begins to copy `frame` from host memory into `copy`. */
static enum histo_status
upload (struct state *state, const struct histo_frame *frame, struct copy *copy)
{
  struct copied_plane planes[HISTO_MAX_PLANES] = { 0 };
  struct histo_cuda_rows pageable[HISTO_MAX_PLANES];
  unsigned pageable_count = 0;
  enum histo_status status = reserve_copy (state, copy, plan_copy (frame, planes));

  memcpy (copy->planes, planes, sizeof planes);
  for (unsigned p = 0; status == HISTO_OK && p < frame->plane_count; p++) {
    struct histo_cuda_rows rows;

    if (planes[p].row_bytes == 0)
      continue;
    rows = describe_rows (&frame->planes[p], &planes[p], copy->memory);
    if (is_pinned (state, rows.from))
      status = copy_pinned (state, &rows);
    else
      pageable[pageable_count++] = rows;
  }
  if (status == HISTO_OK && pageable_count > 0)
    status = copy_pageable (state, pageable, pageable_count);
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

/* Fills all but the blocks' share. */
static void
describe_pass (const struct histo_pass *pass, struct histo_cuda_pass *out)
{
  uint64_t operand = pass->operand ? device_address (pass->operand) + pass->begin : 0;
  uint64_t data = device_address (pass->data) + pass->begin;
  size_t stride = pass->height > 1 ? pass->stride_bytes : 0;
  size_t operand_stride = pass->height > 1 ? pass->operand_stride_bytes : 0;
  uint64_t length = pass->end - pass->begin, head = -data % 16;
  bool has_gap = false;

  *out = (struct histo_cuda_pass){
    .data = data,
    .operand = operand,
    .stride_bytes = stride,
    .operand_stride_bytes = operand_stride,
    .length = length,
    .height = pass->height,
    .period = pass->period,
    .component_count = pass->component_count,
    .is_aligned = stride % 16 == 0 && (!operand || (operand_stride % 16 == 0 && operand % 16 == data % 16)),
  };
  if (out->is_aligned)
    out->vectors_per_row = (uint32_t)(length > head ? (length - head) / 16 : 0);
  else
    out->vectors_per_row = (uint32_t)(length / 16);

  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];

    out->components[c].index = component->index;
    out->components[c].offset_bytes = (int64_t)component->offset_bytes - (int64_t)pass->begin;
    out->components[c].step_bytes = component->step_bytes;
    out->components[c].width = component->width;
    out->components[c].head = component->head;
    out->components[c].tail = component->tail;
    out->has_edges |= component->head > 0 || component->tail > 0;
  }
  for (unsigned i = 0; i < 4; i++) {
    unsigned table = pass->component_count; /* of no component */

    for (unsigned c = 0; c < pass->component_count; c++)
      if (pass->component_at[i % pass->period] == (int)pass->components[c].index)
        table = c;
    has_gap = has_gap || table == pass->component_count;
    out->table_at |= table << (8 * i);
  }
  out->tables = pass->component_count + (has_gap && length > 0);
}

/* What a pass costs, in bytes of a pattern. */
static uint64_t
weigh_pass (const struct histo_pass *pass)
{
  uint64_t bytes = pass->end - pass->begin;

  for (unsigned c = 0; c < pass->component_count; c++)
    bytes += pass->components[c].head + pass->components[c].tail;
  return bytes * pass->height;
}

static void
assign_blocks (struct histo_cuda_pass *pass, uint32_t first_block, uint32_t block_count)
{
  uint64_t step = (uint64_t)block_count * HISTO_CUDA_THREADS;
  uint64_t vectors = (uint64_t)pass->vectors_per_row * pass->height;

  pass->first_block = first_block;
  pass->block_count = block_count;
  pass->rounds = (uint32_t)(vectors / step);
  pass->last_round = (uint32_t)(vectors % step);
  pass->step_vectors = (uint32_t)step;
  if (pass->height > 1 && pass->vectors_per_row > 0) {
    pass->step_rows = (uint32_t)(step / pass->vectors_per_row);
    pass->step_vectors = (uint32_t)(step % pass->vectors_per_row);
  }
  pass->step_bytes = pass->step_rows * pass->stride_bytes + pass->step_vectors * UINT64_C (16);
  pass->operand_step_bytes = pass->step_rows * pass->operand_stride_bytes + pass->step_vectors * UINT64_C (16);
  pass->wrap_bytes = pass->stride_bytes - pass->vectors_per_row * UINT64_C (16);
  pass->operand_wrap_bytes = pass->operand_stride_bytes - pass->vectors_per_row * UINT64_C (16);
}

/* Shares the device's multiprocessors out among the passes. Returns the number of blocks; 0: the frame is too large. */
static uint32_t
share_blocks (const struct state *state, const struct histo_pass *passes, struct histo_cuda_count *count)
{
  uint64_t weights[HISTO_CUDA_PLANES], total = 0, wanted, first = 0;

  for (unsigned p = 0; p < count->pass_count; p++) {
    /* A row's vectors are numbered with 32 bits. */
    if ((passes[p].end - passes[p].begin) / 16 >= UINT32_MAX)
      return 0;
    weights[p] = weigh_pass (&passes[p]);
    total += weights[p];
  }
  wanted = (total + BYTES_PER_BLOCK - 1) / BYTES_PER_BLOCK;
  if (wanted > state->multiprocessors)
    wanted = state->multiprocessors;
  if (wanted < (total + MAX_BYTES_PER_BLOCK - 1) / MAX_BYTES_PER_BLOCK)
    wanted = (total + MAX_BYTES_PER_BLOCK - 1) / MAX_BYTES_PER_BLOCK;

  for (unsigned p = 0; p < count->pass_count; p++) {
    /* Shares are rounded, each at least one block, and the last takes what is left. */
    uint64_t share = p + 1 < count->pass_count ? (weights[p] * wanted + total / 2) / total
                     : wanted > first          ? wanted - first
                                               : 1;

    if (share < 1)
      share = 1;
    if (first + share > HISTO_CUDA_MAX_BLOCKS)
      return 0;
    count->first_block[p] = (uint32_t)first;
    assign_blocks (&count->passes[p], (uint32_t)first, (uint32_t)share);
    first += share;
  }
  return (uint32_t)first;
}

/* `frame` is in device memory. */
static enum histo_status
launch (struct state *state, const struct histo_frame *frame, unsigned index)
{
  struct slot *slot = &state->slots[index];
  struct histo_pass passes[HISTO_MAX_PLANES];
  struct histo_cuda_count count = { 0 };
  void *parameters[] = { &count };
  uint32_t blocks, tables = 0;

  /* Before a tag comes round again: words that few launches deliver may still have it. */
  if (++slot->tag == 0) {
    memset (&state->results[index], 0, sizeof state->results[index]);
    slot->tag = 1;
  }
  slot->with_dot = frame->operand;
  memset (slot->delivers, 0, sizeof slot->delivers);
  count.pass_count = histo_plan_passes (frame, passes);
  if (count.pass_count == 0)
    return HISTO_OK;

  count.workspace = state->workspaces + index * sizeof (struct words);
  count.result = state->results_device + index * sizeof (struct words);
  count.tag = slot->tag;
  for (unsigned p = 0; p < count.pass_count; p++) {
    describe_pass (&passes[p], &count.passes[p]);
    if (tables < count.passes[p].tables)
      tables = count.passes[p].tables;
    for (unsigned c = 0; c < passes[p].component_count; c++)
      slot->delivers[passes[p].components[c].index] = true;
  }
  blocks = share_blocks (state, passes, &count);
  if (blocks == 0) {
    memset (slot->delivers, 0, sizeof slot->delivers);
    return HISTO_ERROR_UNSUPPORTED;
  }
  return check (state,
                state->driver.cuLaunchKernel (slot->with_dot ? state->count_dot : state->count, blocks, 1, 1,
                                              HISTO_CUDA_THREADS, 1, 1, tables * state->table_bytes, state->count_stream,
                                              parameters, NULL),
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

/* True where every word that the launch delivers has its tag. */
static bool
is_published (const struct state *state, unsigned index)
{
  const struct slot *slot = &state->slots[index];
  unsigned words = slot->with_dot ? HISTO_CUDA_WORDS : HISTO_CUDA_BINS;

  for (unsigned c = 0; c < HISTO_MAX_COMPONENTS; c++)
    for (unsigned w = 0; slot->delivers[c] && w < words; w++)
      if ((uint16_t)__atomic_load_n (&state->results[index].components[c][w], __ATOMIC_ACQUIRE) != slot->tag)
        return false;
  return true;
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

  for (unsigned i = 0; i < SPINS; i++)
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
    const uint64_t *words = state->results[index].components[c];
    struct histo_component_stats *component = &stats->components[c];

    if (!state->slots[index].delivers[c])
      continue;
    for (uint64_t bin = 0; bin < HISTO_CUDA_BINS; bin++) {
      uint64_t samples = words[bin] >> 16;

      component->histogram[bin] += samples;
      component->sum += samples * bin;
      component->sum_of_squares += samples * bin * bin;
    }
    if (state->slots[index].with_dot)
      component->dot += (words[HISTO_CUDA_DOT_LOW] >> 16) + ((words[HISTO_CUDA_DOT_HIGH] >> 16) << 24);
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
