/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/launch.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/count.h"
#include "cuda/cuda.h"
#include "pass.h"

extern const unsigned char histo_cuda_count_fatbin[];

unsigned histo_cuda_shared_limit;

/* Measured: with less than this another block costs a small frame more than it counts; with one block of 1024 threads on each
 * multiprocessor a large frame is read at the speed of the memory. */
#define BYTES_PER_BLOCK 20480
#define MAX_BYTES_PER_BLOCK ((uint64_t)1 << 31) /* its counters have 32 bits */

/* The workspace and the result of a launch. */
struct words {
  uint64_t components[HISTO_MAX_COMPONENTS][HISTO_CUDA_WORDS];
};

struct run {
  uint16_t tag;                        /* of the launch, see count.h */
  bool with_dot;                       /* the launch delivers dot products */
  bool delivers[HISTO_MAX_COMPONENTS]; /* false for a component without samples */
};

struct histo_cuda_launcher {
  const struct histo_config *config;
  const struct histo_cuda_driver *driver;
  CUdevice device;
  CUmodule module;
  CUfunction count, count_dot;
  unsigned table_bytes; /* shared memory of a table of these kernels */
  unsigned multiprocessors;

  unsigned run_count;
  struct run *runs;
  struct words *results; /* pinned, one a run */
  CUdeviceptr results_device;
  CUdeviceptr workspaces; /* struct words, one a run */
};

static enum histo_status
check (const struct histo_cuda_launcher *launcher, CUresult result, const char *what)
{
  return histo_cuda_check (launcher->config, launcher->driver, result, what);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static enum histo_status
load_module (struct histo_cuda_launcher *launcher)
{
  CUresult result = launcher->driver->cuModuleLoadData (&launcher->module, histo_cuda_count_fatbin);
  int version = 0;

  if (result == CUDA_SUCCESS)
    return HISTO_OK;
  launcher->module = NULL;
  check (launcher, result, "loading the kernels");
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
    launcher->driver->cuDriverGetVersion (&version);
    histo_log (launcher->config, HISTO_LOG_ERROR,
               "the driver, for CUDA %d.%d, has no use for the kernels of this build, for CUDA %d.%d: update the driver, or "
               "build with "
               "another cuda-arch",
               version / 1000, version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
  }
  return HISTO_ERROR_DEVICE;
}

/* Chooses the kernels that fit into the device's shared memory. With the context current. */
static enum histo_status
find_kernels (struct histo_cuda_launcher *launcher)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  int available = 0, needed;
  bool is_wide;
  enum histo_status status = check (
      launcher, driver->cuDeviceGetAttribute (&available, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, launcher->device),
      "asking for the size of shared memory");

  if (histo_cuda_shared_limit > 0 && available > (int)histo_cuda_shared_limit)
    available = (int)histo_cuda_shared_limit;
  is_wide = available >= (int)(HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_WIDE) + HISTO_CUDA_STATIC_BYTES);
  launcher->table_bytes = HISTO_CUDA_TABLE_BYTES (is_wide ? HISTO_CUDA_WIDE : HISTO_CUDA_NARROW);
  needed = (int)(HISTO_CUDA_COMPONENTS * launcher->table_bytes);

#define TRY(call, what)   \
  if (status == HISTO_OK) \
  status = check (launcher, driver->call, what)

  TRY (cuModuleGetFunction (&launcher->count, launcher->module, is_wide ? "histo_count" : "histo_count_narrow"),
       "finding the kernel");
  TRY (cuModuleGetFunction (&launcher->count_dot, launcher->module, is_wide ? "histo_count_dot" : "histo_count_dot_narrow"),
       "finding the kernel");
  TRY (cuFuncSetAttribute (launcher->count, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, needed), "asking for shared memory");
  TRY (cuFuncSetAttribute (launcher->count_dot, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, needed),
       "asking for shared memory");
#undef TRY
  return status;
}

static enum histo_status
open_memory (struct histo_cuda_launcher *launcher, CUstream stream)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  size_t size = launcher->run_count * sizeof (struct words);
  int multiprocessors = 1;
  enum histo_status status
      = check (launcher,
               driver->cuDeviceGetAttribute (&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, launcher->device),
               "asking for the number of multiprocessors");

  launcher->multiprocessors = multiprocessors > 0 ? (unsigned)multiprocessors : 1;
#define TRY(call, what)   \
  if (status == HISTO_OK) \
  status = check (launcher, driver->call, what)

  TRY (cuMemHostAlloc ((void **)&launcher->results, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
       "allocating pinned memory");
  if (status == HISTO_OK)
    memset (launcher->results, 0, size);
  else
    launcher->results = NULL;
  TRY (cuMemHostGetDevicePointer (&launcher->results_device, launcher->results, 0), "mapping pinned memory");
  TRY (cuMemAlloc (&launcher->workspaces, size), "allocating device memory");
  if (status != HISTO_OK)
    launcher->workspaces = 0;
  TRY (cuMemsetD8Async (launcher->workspaces, 0, size, stream), "clearing device memory");
  TRY (cuStreamSynchronize (stream), "clearing device memory");
#undef TRY
  return status;
}

enum histo_status
histo_cuda_launcher_open (const struct histo_config *config, const struct histo_cuda_driver *driver, CUdevice device,
                          CUstream stream, unsigned runs, struct histo_cuda_launcher **launcher_out)
{
  struct histo_cuda_launcher *launcher = calloc (1, sizeof *launcher);
  enum histo_status status;

  *launcher_out = NULL;
  if (launcher)
    launcher->runs = calloc (runs, sizeof *launcher->runs);
  if (!launcher || !launcher->runs) {
    free (launcher);
    histo_log (config, HISTO_LOG_ERROR, "%s", histo_status_text (HISTO_ERROR_NO_MEMORY));
    return HISTO_ERROR_NO_MEMORY;
  }
  launcher->config = config;
  launcher->driver = driver;
  launcher->device = device;
  launcher->run_count = runs;

  status = load_module (launcher);
  if (status == HISTO_OK)
    status = find_kernels (launcher);
  if (status == HISTO_OK)
    status = open_memory (launcher, stream);
  if (status == HISTO_OK)
    *launcher_out = launcher;
  else
    histo_cuda_launcher_close (launcher);
  return status;
}

void
histo_cuda_launcher_close (struct histo_cuda_launcher *launcher)
{
  if (!launcher)
    return;
  if (launcher->workspaces)
    launcher->driver->cuMemFree (launcher->workspaces);
  if (launcher->results)
    launcher->driver->cuMemFreeHost (launcher->results);
  if (launcher->module)
    launcher->driver->cuModuleUnload (launcher->module);
  free (launcher->runs);
  free (launcher);
}

/* ---- describing a frame --------------------------------------------------------------------------------------------- */

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
share_blocks (const struct histo_cuda_launcher *launcher, const struct histo_pass *passes, struct histo_cuda_count *count)
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
  if (wanted > launcher->multiprocessors)
    wanted = launcher->multiprocessors;
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

/* ---- counting ------------------------------------------------------------------------------------------------------- */

enum histo_status
histo_cuda_launch (struct histo_cuda_launcher *launcher, unsigned index, const struct histo_frame *frame, CUstream stream)
{
  struct run *run = &launcher->runs[index];
  struct histo_pass passes[HISTO_MAX_PLANES];
  struct histo_cuda_count count = { 0 };
  void *parameters[] = { &count };
  uint32_t blocks, tables = 0;

  /* Before a tag comes round again: words that few launches deliver may still have it. */
  if (++run->tag == 0) {
    memset (&launcher->results[index], 0, sizeof launcher->results[index]);
    run->tag = 1;
  }
  run->with_dot = frame->operand;
  memset (run->delivers, 0, sizeof run->delivers);
  count.pass_count = histo_plan_passes (frame, passes);
  if (count.pass_count == 0)
    return HISTO_OK;

  count.workspace = launcher->workspaces + index * sizeof (struct words);
  count.result = launcher->results_device + index * sizeof (struct words);
  count.tag = run->tag;
  for (unsigned p = 0; p < count.pass_count; p++) {
    describe_pass (&passes[p], &count.passes[p]);
    if (tables < count.passes[p].tables)
      tables = count.passes[p].tables;
    for (unsigned c = 0; c < passes[p].component_count; c++)
      run->delivers[passes[p].components[c].index] = true;
  }
  blocks = share_blocks (launcher, passes, &count);
  if (blocks == 0) {
    memset (run->delivers, 0, sizeof run->delivers);
    return HISTO_ERROR_UNSUPPORTED;
  }
  return check (launcher,
                launcher->driver->cuLaunchKernel (run->with_dot ? launcher->count_dot : launcher->count, blocks, 1, 1,
                                              HISTO_CUDA_THREADS, 1, 1, tables * launcher->table_bytes, stream,
                                              parameters, NULL),
                "starting the kernel");
}

/* True where every word that the launch delivers has its tag. */
bool
histo_cuda_is_published (const struct histo_cuda_launcher *launcher, unsigned index)
{
  const struct run *run = &launcher->runs[index];
  unsigned words = run->with_dot ? HISTO_CUDA_WORDS : HISTO_CUDA_BINS;

  for (unsigned c = 0; c < HISTO_MAX_COMPONENTS; c++)
    for (unsigned w = 0; run->delivers[c] && w < words; w++)
      if ((uint16_t)__atomic_load_n (&launcher->results[index].components[c][w], __ATOMIC_ACQUIRE) != run->tag)
        return false;
  return true;
}

void
histo_cuda_read (const struct histo_cuda_launcher *launcher, unsigned index, struct histo_stats *stats)
{
  const struct run *run = &launcher->runs[index];

  for (unsigned c = 0; c < stats->component_count; c++) {
    const uint64_t *words = launcher->results[index].components[c];
    struct histo_component_stats *component = &stats->components[c];

    if (!run->delivers[c])
      continue;
    for (uint64_t bin = 0; bin < HISTO_CUDA_BINS; bin++) {
      uint64_t samples = words[bin] >> 16;

      component->histogram[bin] += samples;
      component->sum += samples * bin;
      component->sum_of_squares += samples * bin * bin;
    }
    if (run->with_dot)
      component->dot += (words[HISTO_CUDA_DOT_LOW] >> 16) + ((words[HISTO_CUDA_DOT_HIGH] >> 16) << 24);
  }
}
