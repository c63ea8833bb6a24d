/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistic of waveforms, vectorscopes and light. They have too many bins for words that are published one by one: kernels
 * add to device memory, which is then copied to the host. If there is only light, its kernel itself stores the bins in host
 * memory. */

#include <stdlib.h>

#include "cuda/host/launch/statistic.h"
#include "cuda/host/launch/sums.h"
#include "cuda/host/plan/plan_scope.h"
#include "picture.h"

#define WIDE_BITS_LOG2 3 /* of a vectorscope's bins in shared memory; NARROW if there is too little */
#define NARROW_BITS_LOG2 2
#define LIGHT_COLUMNS_LOG2 3 /* of the bins of light; fewer if there is too little shared memory */

/* The bins of a slot's frame, frame `index` of its launch; NULL: none, or already read. */
struct slot {
  struct histo_cuda_sums *counters; /* two bins in each 64-bit number */
  struct histo_cuda_sums_pool *pool;
  unsigned index;
  uint32_t frame_counters;
};

struct scope {
  const struct histo_cuda_gpu *gpu;
  CUfunction waveform, vectorscope, light[2];   /* without and with a curve */
  uint32_t bits_log2;                           /* of a vectorscope's bins */
  uint32_t columns_log2;                        /* of the light's bins */
  CUdeviceptr curves[2];                        /* of light, by transfer function; 0: not needed so far */
  struct histo_cuda_sums_pool pool, light_pool; /* light_pool: of launches with light alone, which leave zeros */
  struct slot *slots;
};

static bool
has_light_alone (const struct histo_cuda_plan *plan)
{
  return plan->light_blocks > 0 && plan->waveform_blocks == 0 && plan->vectorscope_blocks == 0;
}

static void
close_scope (void *state)
{
  struct scope *scope = state;

  if (!scope)
    return;
  for (unsigned t = 0; t < 2; t++)
    if (scope->curves[t])
      scope->gpu->driver->cuMemFree (scope->curves[t]);
  histo_cuda_sums_pool_close (&scope->pool);
  histo_cuda_sums_pool_close (&scope->light_pool);
  free (scope->slots);
  free (scope);
}

/* The largest number of columns that fits. One always does. */
static uint32_t
choose_columns (unsigned shared_bytes)
{
  uint32_t columns_log2 = LIGHT_COLUMNS_LOG2;

  while (columns_log2 > 0
         && HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_LIGHT_CODES, 1u << columns_log2) + HISTO_CUDA_STATIC_BYTES > shared_bytes)
    columns_log2--;
  return columns_log2;
}

/* Allows a kernel to use more shared memory than each kernel may. */
static enum histo_status
request_shared (const struct histo_cuda_driver *driver, CUfunction kernel, unsigned bytes)
{
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, driver, cuFuncSetAttribute (kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes),
                  "requesting shared memory");
  return status;
}

static enum histo_status
open_scope (const struct histo_cuda_gpu *gpu, struct histo_cuda_workspace *workspace, unsigned slots, void **state)
{
  const struct histo_cuda_driver *driver = gpu->driver;
  const unsigned wide_bytes = HISTO_CUDA_VECTORSCOPE_WORDS (WIDE_BITS_LOG2) * sizeof (uint32_t);
  struct scope *scope = calloc (1, sizeof *scope);
  enum histo_status status = HISTO_OK;

  (void)workspace;
  *state = NULL;
  if (scope)
    scope->slots = calloc (slots, sizeof *scope->slots);
  if (!scope || !scope->slots) {
    free (scope);
    return histo_cuda_lack_memory (driver->config);
  }
  scope->gpu = gpu;
  scope->bits_log2 = gpu->shared_bytes >= wide_bytes + HISTO_CUDA_STATIC_BYTES ? WIDE_BITS_LOG2 : NARROW_BITS_LOG2;
  scope->columns_log2 = choose_columns (gpu->shared_bytes);
  histo_cuda_sums_pool_open (&scope->pool, driver);
  histo_cuda_sums_pool_open (&scope->light_pool, driver);
  HISTO_CUDA_TRY (status, driver, cuModuleGetFunction (&scope->waveform, gpu->module, "histo_waveform"), "finding the kernel");
  HISTO_CUDA_TRY (status, driver, cuModuleGetFunction (&scope->vectorscope, gpu->module, "histo_vectorscope"),
                  "finding the kernel");
  HISTO_CUDA_TRY (status, driver, cuModuleGetFunction (&scope->light[0], gpu->module, "histo_light"), "finding the kernel");
  HISTO_CUDA_TRY (status, driver, cuModuleGetFunction (&scope->light[1], gpu->module, "histo_light_linear"),
                  "finding the kernel");
  if (status == HISTO_OK && scope->bits_log2 == WIDE_BITS_LOG2)
    status = request_shared (driver, scope->vectorscope, wide_bytes);
  for (unsigned k = 0; k < 2; k++)
    if (status == HISTO_OK && scope->columns_log2 > 0)
      status = request_shared (driver, scope->light[k],
                               HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_LIGHT_CODES, 1u << scope->columns_log2));
  if (status == HISTO_OK)
    *state = scope;
  else
    close_scope (scope);
  return status;
}

_Static_assert(sizeof (struct histo_cuda_light_curve) == sizeof (struct histo_light_curve)
                   && HISTO_CUDA_LIGHT_LEVELS == HISTO_LIGHT_LEVELS && HISTO_CUDA_LIGHT_MANTISSAS == HISTO_LIGHT_MANTISSAS
                   && HISTO_CUDA_LIGHT_LOGARITHMS == HISTO_LIGHT_LOGARITHMS,
               "what a curve is");

/* Copies the tables for a transfer function to the device, if they are not there. As in weights.c, the stream is idle before
 * other streams use the copy. */
static enum histo_status
copy_curve (struct scope *scope, enum histo_transfer transfer)
{
  const struct histo_cuda_driver *driver = scope->gpu->driver;
  const struct histo_light_curve *curve = histo_find_light_curve (transfer);
  enum histo_status status = HISTO_OK, outcome = HISTO_OK;
  CUdeviceptr copy = 0;

  if (scope->curves[transfer])
    return HISTO_OK;
  HISTO_CUDA_TRY_MEMORY (status, driver, cuMemAlloc (&copy, sizeof *curve), "allocating device memory for light");
  if (status != HISTO_OK)
    return status;
  HISTO_CUDA_TRY (status, driver, cuMemcpyHtoDAsync (copy, curve, sizeof *curve, scope->gpu->stream),
                  "copying tables to the device");
  HISTO_CUDA_TRY (outcome, driver, cuStreamSynchronize (scope->gpu->stream), "copying tables to the device");
  if (outcome != HISTO_OK)
    status = outcome;
  if (status == HISTO_OK)
    scope->curves[transfer] = copy;
  else
    driver->cuMemFree (copy);
  return status;
}

static enum histo_transfer
find_transfer (const struct histo_cuda_plan *plan)
{
  return plan->scope.light.adds_luminance ? HISTO_TRANSFER_HLG : HISTO_TRANSFER_PQ;
}

static enum histo_status
plan_counters (void *state, struct histo_cuda_launch *launch)
{
  struct scope *scope = state;
  const struct histo_cuda_scope *plan = &launch->plan.scope;
  const struct histo_cuda_sums_part parts[HISTO_MAX_COUNTED] = { { .columns = plan->frame_counters / 2 } };
  struct histo_cuda_sums_pool *pool = has_light_alone (&launch->plan) ? &scope->light_pool : &scope->pool;
  struct histo_cuda_sums *counters;
  enum histo_status status = launch->plan.light_needs_curve ? copy_curve (scope, find_transfer (&launch->plan)) : HISTO_OK;

  if (status == HISTO_OK)
    status = histo_cuda_sums_take (pool, plan->frame_count, parts, &counters);
  for (unsigned i = 0; status == HISTO_OK && i < plan->frame_count; i++)
    scope->slots[launch->first_slot + i]
        = (struct slot){ .counters = counters, .pool = pool, .index = i, .frame_counters = plan->frame_counters };
  return status;
}

static enum histo_status
launch_kernels (void *state, const struct histo_cuda_launch *launch, CUstream stream)
{
  const struct scope *scope = state;
  const struct histo_cuda_driver *driver = scope->gpu->driver;
  const struct histo_cuda_plan *plan = &launch->plan;
  struct histo_cuda_sums *counters = scope->slots[launch->first_slot].counters;
  const size_t size = counters->used * sizeof *counters->host, capacity = counters->capacity * sizeof *counters->host;
  const bool is_light = has_light_alone (plan);
  struct histo_cuda_scope parameter = plan->scope;
  void *parameters[] = { &parameter };
  enum histo_status status = HISTO_OK;

  parameter.counters = counters->device;
  parameter.addresses = plan->count.addresses;
  parameter.pitch_bytes = plan->count.pitch_bytes;
  parameter.bits_log2 = scope->bits_log2;
  parameter.light.columns_log2 = scope->columns_log2;
  parameter.light.curve = plan->light_needs_curve ? scope->curves[find_transfer (plan)] : 0;
  if (is_light)
    parameter.light.result = counters->host_address + plan->scope.light.first_code * sizeof (uint32_t);
  if (!is_light || counters->is_new)
    HISTO_CUDA_TRY (status, driver, cuMemsetD8Async (counters->device, 0, is_light ? capacity : size, stream),
                    "clearing device memory");
  if (status == HISTO_OK)
    counters->is_new = false;
  if (plan->waveform_blocks > 0)
    HISTO_CUDA_TRY (status, driver,
                    cuLaunchKernel (scope->waveform, plan->waveform_blocks, plan->count.frame_count, 1,
                                    HISTO_CUDA_WAVEFORM_THREADS, 1, 1, 0, stream, parameters, NULL),
                    "starting the kernel");
  if (plan->vectorscope_blocks > 0)
    HISTO_CUDA_TRY (status, driver,
                    cuLaunchKernel (scope->vectorscope, plan->vectorscope_blocks, plan->count.frame_count, 1,
                                    HISTO_CUDA_VECTORSCOPE_THREADS, 1, 1,
                                    HISTO_CUDA_VECTORSCOPE_WORDS (scope->bits_log2) * sizeof (uint32_t), stream, parameters,
                                    NULL),
                    "starting the kernel");
  if (plan->light_blocks > 0)
    HISTO_CUDA_TRY (status, driver,
                    cuLaunchKernel (scope->light[plan->light_needs_curve], plan->light_blocks, plan->count.frame_count, 1,
                                    HISTO_CUDA_LIGHT_THREADS, 1, 1,
                                    HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_LIGHT_CODES, 1u << scope->columns_log2), stream,
                                    parameters, NULL),
                    "starting the kernel");
  if (!is_light)
    HISTO_CUDA_TRY (status, driver, cuMemcpyDtoHAsync (counters->host, counters->device, size, stream),
                    "copying the counters from the device");
  return status;
}

static void
drop_counters (void *state, unsigned slot)
{
  struct scope *scope = state;

  if (scope->slots[slot].counters)
    histo_cuda_sums_drop (scope->slots[slot].pool, scope->slots[slot].counters);
  scope->slots[slot].counters = NULL;
}

/* Returns the end of the bins that it has read. */
static const uint32_t *
add_counters (uint64_t *numbers, const uint32_t *counters, size_t count)
{
  for (size_t i = 0; i < count; i++)
    numbers[i] += counters[i];
  return counters + count;
}

static void
read_counters (void *state, unsigned slot, struct histo_stats *stats)
{
  const struct scope *scope = state;
  const struct slot *from = &scope->slots[slot];
  const uint32_t *counters = (const uint32_t *)from->counters->host + (size_t)from->index * from->frame_counters;

  for (unsigned c = 0; c < stats->component_count; c++)
    counters
        = add_counters (stats->components[c].waveform, counters, (size_t)stats->components[c].waveform_columns * HISTO_BINS);
  if (stats->picture && stats->picture->vectorscope)
    counters = add_counters (stats->picture->vectorscope, counters, HISTO_VECTORSCOPE);
  if (stats->picture && stats->picture->light)
    add_counters (stats->picture->light, counters, HISTO_LIGHT_CODES);
  drop_counters (state, slot);
}

const struct histo_cuda_statistic histo_cuda_statistic_scope = {
  .open = open_scope,
  .close = close_scope,
  .is_wanted = histo_cuda_wants_scope,
  .plan = plan_counters,
  .launch = launch_kernels,
  .read = read_counters,
  .drop = drop_counters,
};
