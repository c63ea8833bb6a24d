/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/launch.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/count.h"
#include "cuda/cuda.h"
#include "cuda/projection.h"
#include "pass.h"

extern const unsigned char histo_cuda_count_fatbin[];

unsigned histo_cuda_shared_limit;

/* Measured: with less than this another block costs a small frame more than it counts; with one block of 1024 threads on each
 * multiprocessor a large frame is read at the speed of the memory. */
#define BYTES_PER_BLOCK 24576
#define MAX_BYTES_PER_BLOCK ((uint64_t)1 << 31) /* its counters have 32 bits */

#define SMALL_COUNT 512 /* so many small frames are worth a kernel of their own */

/* What was launched for a run, and where its words are. */
struct run {
  uint16_t tag;             /* of the launch, see count.h */
  bool with_dot, with_sums; /* which totals the launch delivers */
  unsigned component_count;
  bool delivers[HISTO_MAX_COMPONENTS]; /* false for a component without samples */
  uint32_t bins[HISTO_MAX_COMPONENTS];
  uint32_t first_word[HISTO_MAX_COMPONENTS + 1]; /* the last: how many there are */

  /* A frame whose words do not fit into the run's share of the launcher's has its own. */
  uint64_t *own_result;
  CUdeviceptr own_result_device, own_workspace;
  size_t own_words;

  uint64_t *result; /* as the launch left it */
  bool is_copied;   /* by the copy engine: of a launch of many frames */

  struct histo_cuda_sums *sums; /* of a frame that projects, as number sums_index of a launch; NULL: none */
  unsigned sums_index;
};

/* The words of a run in memory that the launcher made in advance: of a frame of 8-bit samples. */
#define RUN_WORDS (HISTO_MAX_COMPONENTS * HISTO_CUDA_WORDS (HISTO_CUDA_BINS))

enum kernel { COUNT, COUNT_DOT, COUNT_PLANE, COUNT_PLANE_DOT, COUNT_PLANES, COUNT_DEEP, COUNT_DEEP_DOT, COUNT_SMALL, KERNELS };

struct histo_cuda_launcher {
  const struct histo_config *config;
  const struct histo_cuda_driver *driver;
  CUdevice device;
  CUmodule module;
  CUfunction kernels[KERNELS]; /* NULL: not for tables as narrow as the device's */
  unsigned shared_bytes;       /* that a block may have */
  unsigned columns;            /* of a table of 8-bit samples */
  unsigned room;               /* shared memory of a block for tables, in bytes */
  unsigned multiprocessors;
  struct histo_cuda_projector *projector;

  unsigned run_count;
  struct run *runs;
  uint64_t *results; /* pinned, RUN_WORDS a run */
  CUdeviceptr results_device;
  CUdeviceptr workspaces; /* RUN_WORDS a run */

  /* For many frames in one launch, a run each: made when first needed. */
  uint64_t *addresses; /* pinned, HISTO_CUDA_ADDRESSES a run */
  CUdeviceptr addresses_device;
  CUdeviceptr many_results; /* RUN_WORDS a run, in device memory, on their way to `results` */
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

/* Finds the kernels that fit into the device's shared memory. With the context current. */
static enum histo_status
find_kernels (struct histo_cuda_launcher *launcher)
{
  static const char *const wide[KERNELS]
      = { "histo_count",        "histo_count_dot",  "histo_count_plane",    "histo_count_plane_dot",
          "histo_count_planes", "histo_count_deep", "histo_count_deep_dot", "histo_count_small" };
  static const char *const narrow[KERNELS] = { [COUNT] = "histo_count_narrow",
                                               [COUNT_DOT] = "histo_count_dot_narrow",
                                               [COUNT_DEEP] = "histo_count_deep",
                                               [COUNT_DEEP_DOT] = "histo_count_deep_dot",
                                               [COUNT_SMALL] = "histo_count_small" };
  const struct histo_cuda_driver *driver = launcher->driver;
  int available = 0;
  const char *const *names;
  bool is_wide;
  enum histo_status status = check (
      launcher,
      driver->cuDeviceGetAttribute (&available, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, launcher->device),
      "asking for the size of shared memory");

  if (histo_cuda_shared_limit > 0 && available > (int)histo_cuda_shared_limit)
    available = (int)histo_cuda_shared_limit;
  launcher->shared_bytes = available > 0 ? (unsigned)available : 0;
  is_wide = available >= (int)(HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE)
                               + HISTO_CUDA_STATIC_BYTES);
  launcher->columns = is_wide ? HISTO_CUDA_WIDE : HISTO_CUDA_NARROW;
  launcher->room = HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, launcher->columns);

  names = is_wide ? wide : narrow;
  for (unsigned k = 0; status == HISTO_OK && k < KERNELS; k++) {
    if (!names[k])
      continue;
    status = check (launcher, driver->cuModuleGetFunction (&launcher->kernels[k], launcher->module, names[k]),
                    "finding the kernel");
    if (status == HISTO_OK && k != COUNT_SMALL)
      status = check (launcher,
                      driver->cuFuncSetAttribute (launcher->kernels[k], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                  (int)launcher->room),
                      "asking for shared memory");
  }
  return status;
}

static enum histo_status
open_memory (struct histo_cuda_launcher *launcher, CUstream stream)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  size_t size = launcher->run_count * RUN_WORDS * sizeof (uint64_t);
  int multiprocessors = 1;
  enum histo_status status = check (
      launcher, driver->cuDeviceGetAttribute (&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, launcher->device),
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
    status = histo_cuda_projector_open (config, driver, launcher->module, launcher->shared_bytes, launcher->multiprocessors,
                                        &launcher->projector);
  if (status == HISTO_OK)
    *launcher_out = launcher;
  else
    histo_cuda_launcher_close (launcher);
  return status;
}

static void
free_own_words (struct histo_cuda_launcher *launcher, struct run *run)
{
  if (run->own_workspace)
    launcher->driver->cuMemFree (run->own_workspace);
  if (run->own_result)
    launcher->driver->cuMemFreeHost (run->own_result);
  run->own_workspace = 0;
  run->own_result = NULL;
  run->own_words = 0;
}

void
histo_cuda_launcher_close (struct histo_cuda_launcher *launcher)
{
  if (!launcher)
    return;
  for (unsigned i = 0; i < launcher->run_count; i++) {
    histo_cuda_sums_drop (launcher->projector, launcher->runs[i].sums);
    free_own_words (launcher, &launcher->runs[i]);
  }
  histo_cuda_projector_close (launcher->projector);
  if (launcher->many_results)
    launcher->driver->cuMemFree (launcher->many_results);
  if (launcher->addresses)
    launcher->driver->cuMemFreeHost (launcher->addresses);
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

static bool
is_deep (const struct histo_frame *frame)
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].sample_bytes > 1 && frame->components[c].width > 0)
      return true;
  return false;
}

/* Whether the kernel can take the pattern of 2-byte samples in vectors. */
static bool
has_deep_pattern (const struct histo_pass *pass)
{
  const struct histo_pass_component *first = &pass->components[0];
  uint64_t addresses = device_address (pass->data) + pass->begin;

  if (pass->operand)
    addresses |= device_address (pass->operand) + pass->begin;
  if (pass->height > 1)
    addresses |= pass->stride_bytes | (pass->operand ? pass->operand_stride_bytes : 0);
  if (pass->sample_bytes != 2 || addresses % 2 != 0)
    return false;
  for (unsigned c = 1; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];

    if (component->depth != first->depth || component->shift != first->shift || component->big_endian != first->big_endian
        || component->bins != first->bins)
      return false;
  }
  return true;
}

/* Makes all samples of a pass lie outside of the pattern. */
static void
drop_pattern (struct histo_pass *pass)
{
  pass->begin = pass->end = 0;
  pass->period = 1;
  for (unsigned c = 0; c < pass->component_count; c++) {
    pass->components[c].head = pass->components[c].width;
    pass->components[c].tail = 0;
  }
}

static unsigned
count_bits (unsigned number)
{
  unsigned bits = 0;

  while (number >> bits)
    bits++;
  return bits;
}

/* The tables of a pass of 2-byte samples: one for each component, and one for samples of none. */
static unsigned
count_tables (const struct histo_pass *pass)
{
  unsigned tables = pass->component_count;

  for (unsigned i = 0; i < pass->period && pass->end > pass->begin; i++)
    if (pass->component_at[i] < 0)
      return tables + 1;
  return tables;
}

static unsigned
find_most_bins (const struct histo_pass *pass)
{
  unsigned bins = 0;

  for (unsigned c = 0; c < pass->component_count; c++)
    if (bins < pass->components[c].bins)
      bins = pass->components[c].bins;
  return bins;
}

/* Gives each component of a plane a pass of its own where the tables of all do not fit into a block's shared memory. Returns the number
 * of passes: there are no more of them than components. */
static unsigned
split_passes (unsigned room, struct histo_pass passes[HISTO_MAX_PLANES], unsigned count)
{
  for (unsigned p = 0; p < count; p++) {
    struct histo_pass whole = passes[p];

    if (whole.component_count == 1 || HISTO_CUDA_TABLE_BYTES (find_most_bins (&whole), 1) * count_tables (&whole) <= room)
      continue;
    for (unsigned c = 0; c < whole.component_count; c++) {
      struct histo_pass *part = c == 0 ? &passes[p] : &passes[count++];

      *part = whole;
      part->component_count = 1;
      part->components[0] = whole.components[c];
      for (unsigned i = 0; i < HISTO_MAX_PERIOD; i++)
        if (part->component_at[i] != (int)part->components[0].index)
          part->component_at[i] = -1;
    }
  }
  return count;
}

static unsigned
find_bin_shift (const struct histo_pass_component *component)
{
  return component->depth + 1 - count_bits (component->bins);
}

/* As far as a pass of 2-byte samples has fields of its own. `room`: for its tables. */
static void
describe_deep_pass (const struct histo_pass *pass, unsigned room, struct histo_cuda_pass *out)
{
  const struct histo_pass_component *first = &pass->components[0];
  unsigned value_mask = (1u << first->depth) - 1, row_shift;

  out->bins = find_most_bins (pass); /* all tables are alike */
  for (out->columns_log2 = 5; HISTO_CUDA_TABLE_BYTES (out->bins, 1u << out->columns_log2) * out->tables > room;)
    out->columns_log2--;
  out->table_bytes = HISTO_CUDA_TABLE_BYTES (out->bins, 1u << out->columns_log2);
  row_shift = out->columns_log2 + 2;
  out->byte_order = first->big_endian ? 0x2301 : 0x3210;
  out->shift = first->shift;
  out->mask = value_mask | value_mask << 16;
  out->row_rotation = (32 + row_shift - first->shift - find_bin_shift (first)) % 32;
  out->row_mask = (first->bins - 1) << row_shift;
}

/* Fills all but the blocks' share. */
static void
describe_pass (const struct histo_pass *pass, bool deep, unsigned room, const uint32_t *first_words,
               struct histo_cuda_pass *out)
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

    out->components[c] = (struct histo_cuda_component){
      .offset_bytes = (int64_t)component->offset_bytes - (int64_t)pass->begin,
      .step_bytes = component->step_bytes,
      .width = component->width,
      .head = component->head,
      .tail = component->tail,
      .first_word = first_words[component->index],
      .sample_bytes = (uint8_t)component->sample_bytes,
      .shift = (uint8_t)component->shift,
      .big_endian = component->big_endian,
      .bin_shift = (uint8_t)find_bin_shift (component),
      .mask = (1u << component->depth) - 1,
      .bins = component->bins,
    };
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
  if (deep)
    describe_deep_pass (pass, room, out);
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

/* Shares out among the passes the multiprocessors that each of `frames` frames gets. Returns the number of a frame's blocks; 0: it is
 * too large. */
static uint32_t
share_blocks (const struct histo_cuda_launcher *launcher, const struct histo_pass *passes, unsigned frames,
              struct histo_cuda_count *count)
{
  uint64_t weights[HISTO_CUDA_PLANES], total = 0, wanted, most, first = 0;

  for (unsigned p = 0; p < count->pass_count; p++) {
    /* A row's vectors are numbered with 32 bits. */
    if ((passes[p].end - passes[p].begin) / 16 >= UINT32_MAX)
      return 0;
    weights[p] = weigh_pass (&passes[p]);
    total += weights[p];
  }
  wanted = (total + BYTES_PER_BLOCK - 1) / BYTES_PER_BLOCK;
  most = launcher->multiprocessors > frames ? launcher->multiprocessors / frames : 1;
  if (wanted > most)
    wanted = most;
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

/* What is launched for a frame, or for many that differ in addresses alone. */
struct plan {
  struct histo_cuda_count count;
  struct histo_pass passes[HISTO_MAX_PLANES];
  const uint64_t *addresses; /* of many frames, as the host has them */
  enum kernel kernel;
  uint32_t blocks; /* a frame's; 0: it is too large */
  uint32_t shared_bytes;
};

/* Plans the launch for the first of `frames` frames, and what its run delivers. Without a pass there is nothing to launch. */
static void
plan_launch (const struct histo_cuda_launcher *launcher, const struct histo_frame *frame, unsigned frames, struct run *run,
             struct plan *plan)
{
  bool deep = is_deep (frame);

  memset (plan, 0, sizeof *plan);
  memset (run->delivers, 0, sizeof run->delivers);
  run->with_dot = frame->operand;
  run->with_sums = deep;
  run->component_count = frame->component_count;
  for (unsigned c = 0; c < frame->component_count; c++) {
    run->bins[c] = deep ? frame->components[c].bins : HISTO_CUDA_BINS;
    run->first_word[c + 1] = run->first_word[c] + HISTO_CUDA_WORDS (run->bins[c]);
  }

  plan->count.pass_count = histo_plan_passes (frame, plan->passes);
  if (plan->count.pass_count == 0)
    return;
  for (unsigned p = 0; deep && p < plan->count.pass_count; p++)
    if (!has_deep_pattern (&plan->passes[p]))
      drop_pattern (&plan->passes[p]);
  if (deep)
    plan->count.pass_count = split_passes (launcher->room, plan->passes, plan->count.pass_count);
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    struct histo_pass *pass = &plan->passes[p];
    struct histo_cuda_pass *out = &plan->count.passes[p];
    uint32_t table_bytes = HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, launcher->columns);

    describe_pass (pass, deep, launcher->room, run->first_word, out);
    if (deep)
      table_bytes = out->table_bytes;
    if (plan->shared_bytes < out->tables * table_bytes)
      plan->shared_bytes = out->tables * table_bytes;
    for (unsigned c = 0; c < pass->component_count; c++)
      run->delivers[pass->components[c].index] = true;
  }
  plan->kernel = deep ? (run->with_dot ? COUNT_DEEP_DOT : COUNT_DEEP) : run->with_dot ? COUNT_DOT : COUNT;
  plan->count.frame_count = frames;
  plan->blocks = share_blocks (launcher, plan->passes, frames, &plan->count);
}

enum histo_status
histo_cuda_set_weights (struct histo_cuda_launcher *launcher, unsigned component, const struct histo_weights *weights)
{
  return histo_cuda_projector_set_weights (launcher->projector, component, weights);
}

/* Takes a kernel that can do less, and that better, where the frames are simple. */
static void
specialise (const struct histo_cuda_launcher *launcher, struct plan *plan)
{
  const struct histo_cuda_pass *pass = &plan->count.passes[0];
  const uint32_t frames = plan->count.frame_count;
  bool is_one_plane
      = plan->count.pass_count == 1 && pass->tables == 1 && pass->components[0].first_word == 0 && !pass->has_edges;
  bool has_whole_vectors = pass->is_aligned && pass->data % 16 == 0 && pass->length > 0 && pass->length % 16 == 0;

  if (!is_one_plane || (plan->kernel != COUNT && plan->kernel != COUNT_DOT))
    return;
  if (frames >= SMALL_COUNT && plan->kernel == COUNT && pass->height == 1 && pass->length <= HISTO_CUDA_SMALL_BYTES) {
    plan->kernel = COUNT_SMALL;
    plan->shared_bytes = 0;
  } else if (has_whole_vectors && launcher->columns == HISTO_CUDA_WIDE) {
    if (frames == 1)
      plan->kernel = plan->kernel == COUNT ? COUNT_PLANE : COUNT_PLANE_DOT;
    else if (frames <= HISTO_CUDA_LISTED && plan->kernel == COUNT)
      plan->kernel = COUNT_PLANES;
  }
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

/* Gives a run words of its own where the launcher's do not suffice. */
static enum histo_status
reserve_words (struct histo_cuda_launcher *launcher, struct run *run, CUstream stream)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  size_t words = run->first_word[run->component_count], size = words * sizeof (uint64_t);
  enum histo_status status;

  if (words <= RUN_WORDS || words <= run->own_words)
    return HISTO_OK;
  free_own_words (launcher, run);
  status = check (
      launcher, driver->cuMemHostAlloc ((void **)&run->own_result, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
      "allocating pinned memory");
  if (status != HISTO_OK) {
    run->own_result = NULL;
    return status;
  }
  memset (run->own_result, 0, size);
#define TRY(call, what)   \
  if (status == HISTO_OK) \
  status = check (launcher, driver->call, what)

  TRY (cuMemHostGetDevicePointer (&run->own_result_device, run->own_result, 0), "mapping pinned memory");
  TRY (cuMemAlloc (&run->own_workspace, size), "allocating device memory");
  if (status != HISTO_OK)
    run->own_workspace = 0;
  TRY (cuMemsetD8Async (run->own_workspace, 0, size, stream), "clearing device memory");
#undef TRY
  if (status == HISTO_OK)
    run->own_words = words;
  else
    free_own_words (launcher, run);
  return status;
}

/* A tag that the words of `count` runs do not have, for all of them. */
static enum histo_status
next_tag (struct histo_cuda_launcher *launcher, unsigned first, unsigned count, CUstream stream)
{
  const size_t first_word = (size_t)first * RUN_WORDS, size = (size_t)count * RUN_WORDS * sizeof (uint64_t);
  struct run *runs = &launcher->runs[first];
  enum histo_status status = HISTO_OK;
  unsigned tag = 0;

  for (unsigned i = 0; i < count; i++)
    if (tag < runs[i].tag)
      tag = runs[i].tag;
  /* Before a tag comes round again: words that few launches deliver may still have it. */
  if (++tag > UINT16_MAX) {
    tag = 1;
    memset (launcher->results + first_word, 0, size);
    for (unsigned i = 0; i < count; i++)
      if (runs[i].own_result)
        memset (runs[i].own_result, 0, runs[i].own_words * sizeof (uint64_t));
    if (launcher->many_results)
      status
          = check (launcher,
                   launcher->driver->cuMemsetD8Async (launcher->many_results + first_word * sizeof (uint64_t), 0, size, stream),
                   "clearing device memory");
  }
  for (unsigned i = 0; i < count; i++)
    runs[i].tag = (uint16_t)tag;
  return status;
}

static enum histo_status
launch_kernel (struct histo_cuda_launcher *launcher, const struct plan *plan, CUstream stream)
{
  struct histo_cuda_planes planes;
  void *parameters[] = { (void *)&plan->count };
  uint32_t frames = plan->count.frame_count, blocks = plan->blocks, threads = HISTO_CUDA_THREADS;

  if (plan->kernel == COUNT_PLANES) {
    memcpy (planes.plane, &plan->count, sizeof planes.plane);
    memcpy (planes.data, plan->addresses, frames * sizeof planes.data[0]);
    parameters[0] = &planes;
  } else if (plan->kernel == COUNT_SMALL) {
    blocks = (frames + HISTO_CUDA_SMALL_FRAMES - 1) / HISTO_CUDA_SMALL_FRAMES;
    threads = HISTO_CUDA_SMALL_THREADS * HISTO_CUDA_SMALL_FRAMES;
    frames = 1;
  }
  return check (launcher,
                launcher->driver->cuLaunchKernel (launcher->kernels[plan->kernel], blocks, frames, 1, threads, 1, 1,
                                                  plan->shared_bytes, stream, parameters, NULL),
                "starting the kernel");
}

/* What a run had of an earlier launch. */
static void
drop_sums (struct histo_cuda_launcher *launcher, struct run *run)
{
  histo_cuda_sums_drop (launcher->projector, run->sums);
  run->sums = NULL;
}

/* Launches everything for the frames of the plan, in runs from `run` on, which have no sums. */
static enum histo_status
launch_plan (struct histo_cuda_launcher *launcher, struct plan *plan, struct run *run, bool project, CUstream stream)
{
  uint32_t frames = plan->count.frame_count;
  bool counts = project && histo_cuda_projector_counts (launcher->projector, &plan->count, plan->passes);
  struct histo_cuda_sums *sums = NULL;
  enum histo_status status = HISTO_OK;

  if (!counts)
    status = launch_kernel (launcher, plan, stream);
  if (status == HISTO_OK && project)
    status = histo_cuda_project (launcher->projector, &plan->count, plan->passes, plan->addresses, counts, stream, &sums);
  for (unsigned i = 0; sums && i < frames; i++) {
    run[i].sums = sums;
    run[i].sums_index = i;
  }
  return status;
}

enum histo_status
histo_cuda_launch (struct histo_cuda_launcher *launcher, unsigned index, const struct histo_frame *frame, CUstream stream)
{
  struct run *run = &launcher->runs[index];
  size_t first_word = (size_t)index * RUN_WORDS;
  enum histo_status status;
  struct plan plan;

  drop_sums (launcher, run);
  run->is_copied = false;
  plan_launch (launcher, frame, 1, run, &plan);
  if (plan.count.pass_count == 0)
    return HISTO_OK;
  if (plan.blocks == 0) {
    memset (run->delivers, 0, sizeof run->delivers);
    return HISTO_ERROR_UNSUPPORTED;
  }
  status = reserve_words (launcher, run, stream);
  if (status != HISTO_OK)
    return status;

  if (run->first_word[run->component_count] <= RUN_WORDS) {
    run->result = launcher->results + first_word;
    plan.count.result = launcher->results_device + first_word * sizeof (uint64_t);
    plan.count.workspace = launcher->workspaces + first_word * sizeof (uint64_t);
  } else {
    run->result = run->own_result;
    plan.count.result = run->own_result_device;
    plan.count.workspace = run->own_workspace;
  }
  status = next_tag (launcher, index, 1, stream);
  if (status != HISTO_OK)
    return status;
  plan.count.tag = run->tag;
  specialise (launcher, &plan);
  return launch_plan (launcher, &plan, run, frame->project, stream);
}

/* ---- many frames in one launch -------------------------------------------------------------------------------------- */

static enum histo_status
reserve_many (struct histo_cuda_launcher *launcher, CUstream stream)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  enum histo_status status = HISTO_OK;

  if (!launcher->addresses) {
    size_t size = launcher->run_count * HISTO_CUDA_ADDRESSES * sizeof *launcher->addresses;

    status = check (
        launcher,
        driver->cuMemHostAlloc ((void **)&launcher->addresses, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
        "allocating pinned memory");
    if (status != HISTO_OK) {
      launcher->addresses = NULL;
      return status;
    }
    status = check (launcher, driver->cuMemHostGetDevicePointer (&launcher->addresses_device, launcher->addresses, 0),
                    "mapping pinned memory");
  }
  if (status == HISTO_OK && !launcher->many_results) {
    size_t size = launcher->run_count * RUN_WORDS * sizeof (uint64_t);

    status = check (launcher, driver->cuMemAlloc (&launcher->many_results, size), "allocating device memory");
    if (status != HISTO_OK)
      launcher->many_results = 0;
    else
      status = check (launcher, driver->cuMemsetD8Async (launcher->many_results, 0, size, stream), "clearing device memory");
    if (status == HISTO_OK) /* the next launch may be on another stream */
      status = check (launcher, driver->cuStreamSynchronize (stream), "clearing device memory");
  }
  return status;
}

/* The plane of a pass. */
static unsigned
find_plane (const struct histo_frame *frame, const struct histo_pass *pass)
{
  return frame->components[pass->components[0].index].plane;
}

/* The bits in which an address of a plane differs from that of the same plane in the first frame. */
static uint64_t
differing_bits (const struct histo_frame *frame, const struct histo_frame *first, unsigned plane)
{
  uint64_t bits = device_address (frame->planes[plane].data) ^ device_address (first->planes[plane].data);

  if (first->operand)
    bits |= device_address (frame->operand->planes[plane].data) ^ device_address (first->operand->planes[plane].data);
  return bits;
}

bool
histo_cuda_can_launch_many (const struct histo_frame *frames, unsigned count)
{
  const struct histo_frame *first = &frames[0];
  bool deep = is_deep (first);
  size_t words = 0;

  for (unsigned c = 0; c < first->component_count; c++)
    words += HISTO_CUDA_WORDS (deep ? first->components[c].bins : HISTO_CUDA_BINS);
  if (words > RUN_WORDS)
    return false;
  for (unsigned i = 0; i < count; i++) {
    const struct histo_frame *frame = &frames[i];

    if (!histo_frames_match (frame, first) || !frame->operand != !first->operand || frame->project != first->project)
      return false;
    for (unsigned p = 0; p < first->plane_count; p++)
      if (frame->planes[p].stride_bytes != first->planes[p].stride_bytes
          || (first->operand && frame->operand->planes[p].stride_bytes != first->operand->planes[p].stride_bytes)
          || (deep && differing_bits (frame, first, p) % 2 != 0))
        return false;
  }
  return true;
}

/* Gives up on aligned vectors where the frames are not aligned alike. */
static void
align_many (const struct histo_frame *frames, unsigned count, struct plan *plan)
{
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    struct histo_cuda_pass *pass = &plan->count.passes[p];
    unsigned plane = find_plane (&frames[0], &plan->passes[p]);
    uint64_t bits = 0;

    for (unsigned i = 1; i < count; i++)
      bits |= differing_bits (&frames[i], &frames[0], plane);
    if (bits % 16 == 0)
      continue;
    pass->is_aligned = false;
    pass->vectors_per_row = (uint32_t)(pass->length / 16);
    assign_blocks (pass, pass->first_block, pass->block_count);
  }
}

/* Writes down where the passes of many frames begin, as the kernels read it. Returns where. */
static const uint64_t *
list_addresses (struct histo_cuda_launcher *launcher, const struct plan *plan, unsigned first_run,
                const struct histo_frame *frames)
{
  uint64_t *addresses = launcher->addresses + (size_t)first_run * HISTO_CUDA_ADDRESSES, *next = addresses;

  for (unsigned p = 0; p < plan->count.pass_count; p++)
    for (unsigned i = 0; i < plan->count.frame_count; i++)
      *next++ = device_address (frames[i].planes[find_plane (&frames[i], &plan->passes[p])].data) + plan->passes[p].begin;
  for (unsigned p = 0; p < plan->count.pass_count && frames[0].operand; p++)
    for (unsigned i = 0; i < plan->count.frame_count; i++)
      *next++
          = device_address (frames[i].operand->planes[find_plane (&frames[i], &plan->passes[p])].data) + plan->passes[p].begin;
  return addresses;
}

enum histo_status
histo_cuda_launch_many (struct histo_cuda_launcher *launcher, unsigned first_run, const struct histo_frame *frames,
                        unsigned count, CUstream stream)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  size_t first_word = (size_t)first_run * RUN_WORDS;
  struct run *first = &launcher->runs[first_run];
  CUDA_MEMCPY2D copy = { 0 };
  enum histo_status status;
  struct plan plan;

  plan_launch (launcher, &frames[0], count, first, &plan);
  if (plan.count.pass_count > 0 && plan.blocks == 0) {
    memset (first->delivers, 0, sizeof first->delivers);
    return HISTO_ERROR_UNSUPPORTED;
  }
  align_many (frames, count, &plan);
  status = reserve_many (launcher, stream);
  if (status == HISTO_OK)
    status = next_tag (launcher, first_run, count, stream);
  if (status != HISTO_OK)
    return status;
  for (unsigned i = 0; i < count; i++) {
    struct run *run = &launcher->runs[first_run + i];

    drop_sums (launcher, run);
    run->is_copied = true;
    run->with_dot = first->with_dot;
    run->with_sums = first->with_sums;
    run->component_count = first->component_count;
    memcpy (run->delivers, first->delivers, sizeof run->delivers);
    memcpy (run->bins, first->bins, sizeof run->bins);
    memcpy (run->first_word, first->first_word, sizeof run->first_word);
    run->result = launcher->results + first_word + (size_t)i * RUN_WORDS;
  }
  if (plan.count.pass_count == 0)
    return HISTO_OK;

  plan.addresses = list_addresses (launcher, &plan, first_run, frames);
  plan.count.result = launcher->many_results + first_word * sizeof (uint64_t);
  plan.count.workspace = launcher->workspaces + first_word * sizeof (uint64_t);
  plan.count.addresses = launcher->addresses_device + (size_t)first_run * HISTO_CUDA_ADDRESSES * sizeof *launcher->addresses;
  plan.count.frame_words = RUN_WORDS;
  plan.count.tag = first->tag;
  specialise (launcher, &plan);
  status = launch_plan (launcher, &plan, first, frames[0].project, stream);
  if (status != HISTO_OK)
    return status;
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = plan.count.result;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = launcher->results + first_word;
  copy.srcPitch = copy.dstPitch = RUN_WORDS * sizeof (uint64_t);
  copy.WidthInBytes = first->first_word[first->component_count] * sizeof (uint64_t);
  copy.Height = count;
  return check (launcher, driver->cuMemcpy2DAsync (&copy, stream), "copying the numbers from the device");
}

/* ---- reading the numbers -------------------------------------------------------------------------------------------- */

/* Words [first, first + count) have the tag. */
static bool
are_published (const struct run *run, uint32_t first, uint32_t count)
{
  for (uint32_t w = first; w < first + count; w++)
    if ((uint16_t)__atomic_load_n (&run->result[w], __ATOMIC_ACQUIRE) != run->tag)
      return false;
  return true;
}

bool
histo_cuda_publishes_early (const struct histo_cuda_launcher *launcher, unsigned index)
{
  const struct run *run = &launcher->runs[index];

  return !run->sums && !run->is_copied;
}

bool
histo_cuda_is_published (const struct histo_cuda_launcher *launcher, unsigned index, bool is_over)
{
  const struct run *run = &launcher->runs[index];

  if (!is_over && !histo_cuda_publishes_early (launcher, index))
    return false;
  for (unsigned c = 0; c < run->component_count; c++) {
    uint32_t totals = run->first_word[c] + run->bins[c];

    if (!run->delivers[c])
      continue;
    if (!are_published (run, run->first_word[c], run->bins[c])
        || (run->with_dot && !are_published (run, totals + HISTO_CUDA_DOT, 2))
        || (run->with_sums && !are_published (run, totals + HISTO_CUDA_SUM, HISTO_CUDA_TOTALS - HISTO_CUDA_SUM)))
      return false;
  }
  return true;
}

static uint64_t
read_total (const uint64_t *words)
{
  return (words[0] >> 16) + ((words[1] >> 16) << HISTO_CUDA_LOW_BITS);
}

void
histo_cuda_read (struct histo_cuda_launcher *launcher, unsigned index, struct histo_stats *stats)
{
  struct run *run = &launcher->runs[index];

  if (run->sums && stats->component_count > 0)
    histo_cuda_sums_read (launcher->projector, run->sums, run->sums_index, stats);
  else
    histo_cuda_sums_drop (launcher->projector, run->sums);
  run->sums = NULL;

  for (unsigned c = 0; c < stats->component_count; c++) {
    struct histo_component_stats *component = &stats->components[c];
    const uint64_t *words, *totals;

    if (!run->delivers[c])
      continue;
    words = run->result + run->first_word[c];
    totals = words + run->bins[c];
    /* A frame with deeper samples has as many words for its 8-bit ones, which use the first 256. */
    for (uint64_t bin = 0; bin < component->bins; bin++) {
      uint64_t samples = words[bin] >> 16;

      component->histogram[bin] += samples;
      if (!run->with_sums) {
        component->sum += samples * bin;
        component->sum_of_squares += samples * bin * bin;
      }
    }
    if (run->with_sums) {
      component->sum += read_total (totals + HISTO_CUDA_SUM);
      component->sum_of_squares += read_total (totals + HISTO_CUDA_SQUARES);
    }
    if (run->with_dot)
      component->dot += read_total (totals + HISTO_CUDA_DOT);
  }
}
