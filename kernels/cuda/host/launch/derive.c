/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/launch/derive.h"

#include <stdlib.h>

#include "cuda/host/launch/derive_count.h"
#include "derived.h"

struct slot {
  CUdeviceptr memory; /* 0: none yet */
  size_t size;
  unsigned launch_count; /* 0; 1; 2 with an operand */
  struct histo_cuda_derive launches[2];
  unsigned count_blocks;                /* the first launch also counts, with this number of blocks; 0: it does not */
  struct histo_cuda_derive_count count; /* its parameter, without fields that are set at launch */
};

struct histo_cuda_deriver {
  const struct histo_cuda_gpu *gpu;
  CUfunction functions[2]; /* bytes, deep samples */
  CUfunction counts[2];    /* the same for the kernels that also count */
  struct histo_cuda_shape shape;
  unsigned slot_count;
  struct slot *slots;
};

enum histo_status
histo_cuda_deriver_open (const struct histo_cuda_gpu *gpu, unsigned slots, struct histo_cuda_deriver **deriver_out)
{
  static const char *const names[2] = { "histo_derive", "histo_derive_deep" };
  static const char *const count_names[2] = { "histo_derive_count", "histo_derive_count_deep" };
  struct histo_cuda_deriver *deriver = calloc (1, sizeof *deriver);
  enum histo_status status = HISTO_OK;

  *deriver_out = NULL;
  if (deriver)
    deriver->slots = calloc (slots, sizeof *deriver->slots);
  if (!deriver || !deriver->slots) {
    free (deriver);
    return histo_cuda_lack_memory (gpu->driver->config);
  }
  deriver->gpu = gpu;
  deriver->slot_count = slots;
  deriver->shape = histo_cuda_find_shape (gpu->tuning, gpu->shared_bytes, gpu->multiprocessors);
  for (unsigned i = 0; i < 2; i++) {
    HISTO_CUDA_TRY (status, gpu->driver, cuModuleGetFunction (&deriver->functions[i], gpu->module, names[i]),
                    "finding the kernel");
    HISTO_CUDA_TRY (status, gpu->driver, cuModuleGetFunction (&deriver->counts[i], gpu->module, count_names[i]),
                    "finding the kernel");
    HISTO_CUDA_TRY (status, gpu->driver,
                    cuFuncSetAttribute (deriver->counts[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        (int)deriver->shape.shared_bytes),
                    "requesting shared memory");
  }
  if (status == HISTO_OK)
    *deriver_out = deriver;
  else
    histo_cuda_deriver_close (deriver);
  return status;
}

void
histo_cuda_deriver_close (struct histo_cuda_deriver *deriver)
{
  if (!deriver)
    return;
  for (unsigned i = 0; i < deriver->slot_count; i++)
    if (deriver->slots[i].memory)
      deriver->gpu->driver->cuMemFree (deriver->slots[i].memory);
  free (deriver->slots);
  free (deriver);
}

static enum histo_status
reserve_memory (const struct histo_cuda_driver *driver, struct slot *slot, size_t size, CUevent last_launch)
{
  enum histo_status status = HISTO_OK;

  if (size <= slot->size)
    return HISTO_OK;
  /* A kernel whose numbers were seen may still be running: see reserve_own_words in workspace.c. */
  if (slot->memory && last_launch)
    HISTO_CUDA_TRY (status, driver, cuEventSynchronize (last_launch), "waiting for the device");
  if (status != HISTO_OK)
    return status;
  if (slot->memory)
    driver->cuMemFree (slot->memory);
  slot->memory = 0;
  slot->size = 0;
  HISTO_CUDA_TRY_MEMORY (status, driver, cuMemAlloc (&slot->memory, size), "allocating device memory for luma and chroma");
  if (status != HISTO_OK)
    slot->memory = 0;
  else
    slot->size = size;
  return status;
}

static struct histo_cuda_picture_component
describe_source (const struct histo_frame *frame, unsigned c)
{
  const struct histo_component *component = &frame->components[c];
  const struct histo_plane *plane = &frame->planes[component->plane];

  return (struct histo_cuda_picture_component){
    .data = (uint64_t)(uintptr_t)plane->data + component->offset_bytes,
    .stride_bytes = plane->stride_bytes,
    .step_bytes = component->step_bytes,
    .width = (uint32_t)component->width,
    .height = plane->height,
    .mask = (1u << component->depth) - 1,
    .sample_bytes = (uint8_t)component->sample_bytes,
    .shift = (uint8_t)component->shift,
    .big_endian = component->big_endian,
    .depth = (uint8_t)component->depth,
  };
}

/* Describes the pixels of interleaved sources. */
static void
describe_pixels (struct histo_cuda_derive *derive)
{
  const struct histo_cuda_picture_component *sources = derive->sources;
  const unsigned sample_bytes = sources[0].sample_bytes;
  uint64_t first = sources[0].data, last = first;

  for (unsigned c = 1; c < 3; c++) {
    first = sources[c].data < first ? sources[c].data : first;
    last = sources[c].data > last ? sources[c].data : last;
    if (sources[c].step_bytes != sources[0].step_bytes || sources[c].stride_bytes != sources[0].stride_bytes
        || sources[c].shift != sources[0].shift || sources[c].big_endian != sources[0].big_endian)
      return;
  }
  if (sources[0].step_bytes == 4 * sample_bytes)
    first -= first % sources[0].step_bytes; /* another sample may come before these */
  else if (sample_bytes != 1 || sources[0].step_bytes != 3)
    return;
  if (last - first + sample_bytes > sources[0].step_bytes)
    return;
  derive->pixels = first;
  derive->pixel_bytes = (uint32_t)sources[0].step_bytes;
  for (unsigned c = 0; c < 3; c++)
    derive->selectors[c] = histo_cuda_find_selector (&sources[c], first);
}

/* Places the derived planes of a frame, or of the operand of `parent`, at `memory`, and describes their derivation. */
static void
place (struct histo_frame *frame, const struct histo_frame *parent, CUdeviceptr memory, struct histo_cuda_derive *out)
{
  const struct histo_component *luma = &frame->components[0];

  *out = (struct histo_cuda_derive){
    .stride_bytes = frame->planes[luma->plane].stride_bytes,
    .width = (uint32_t)luma->width,
    .height = luma->width > 0 ? frame->planes[luma->plane].height : 0,
    .row_groups = (uint32_t)((luma->width + HISTO_CUDA_DERIVE_SAMPLES - 1) / HISTO_CUDA_DERIVE_SAMPLES),
    .count = frame->derived_count,
  };
  for (unsigned c = 0; c < 3; c++)
    out->sources[c] = describe_source (frame, frame->derived_count + c);
  describe_pixels (out);
  for (unsigned c = 0; c < frame->derived_count; c++) {
    const struct histo_derivation derivation = histo_find_derivation (parent, c);
    const uint64_t data = memory + c * histo_count_derived_bytes (frame);

    out->shift = derivation.shift;
    out->top = derivation.top;
    out->derived[c] = (struct histo_cuda_derived){
      .data = data,
      .offset = derivation.offset,
      .weights = { derivation.weights[0], derivation.weights[1], derivation.weights[2] },
    };
    frame->planes[frame->components[c].plane].data = (const void *)(uintptr_t)data;
  }
}

enum histo_status
histo_cuda_deriver_reserve (struct histo_cuda_deriver *deriver, unsigned index, const struct histo_frame *frame,
                            CUevent last_launch, struct histo_frame *whole, struct histo_frame *operand)
{
  struct slot *slot = &deriver->slots[index];
  const size_t size = histo_count_derived_bytes (frame) * frame->derived_count;
  enum histo_status status;

  *whole = *frame;
  slot->launch_count = 0;
  slot->count_blocks = 0;
  if (size == 0)
    return HISTO_OK;
  status = reserve_memory (deriver->gpu->driver, slot, frame->operand ? 2 * size : size, last_launch);
  if (status != HISTO_OK)
    return status;
  place (whole, frame, slot->memory, &slot->launches[slot->launch_count++]);
  if (frame->operand) {
    *operand = *frame->operand;
    place (operand, frame, slot->memory + size, &slot->launches[slot->launch_count++]);
    whole->operand = operand;
  }
  return HISTO_OK;
}

void
histo_cuda_deriver_cover (struct histo_cuda_deriver *deriver, const struct histo_frame *frame, struct histo_cuda_launch *launch)
{
  struct slot *slot = &deriver->slots[launch->first_slot];
  const unsigned sources = frame->component_count - frame->derived_count;
  struct histo_cuda_picture_component other = { .data = 0 };

  if (slot->launch_count == 0 || launch->wanted & HISTO_CUDA_BIT (HISTO_CUDA_PROJECTION))
    return;
  if (sources > 3)
    other = describe_source (frame, frame->derived_count + 3);
  slot->count_blocks = histo_cuda_describe_derive_count (&deriver->shape, &launch->plan.words, &slot->launches[0],
                                                         sources > 3 ? &other : NULL, &slot->count);
  if (slot->count_blocks > 0)
    launch->covered |= HISTO_CUDA_BIT (HISTO_CUDA_COUNT);
}

static enum histo_status
launch_count (const struct histo_cuda_deriver *deriver, const struct slot *slot, const struct histo_cuda_launch *launch,
              CUstream stream)
{
  struct histo_cuda_derive_count count = slot->count;
  void *parameters[] = { &count };
  enum histo_status status = HISTO_OK;

  count.workspace = launch->plan.count.workspace;
  count.result = launch->plan.count.result;
  count.tag = launch->plan.count.tag;
  if (launch->wanted == HISTO_CUDA_BIT (HISTO_CUDA_COUNT))
    for (unsigned d = 0; d < count.derive.count; d++)
      count.derive.derived[d].data = 0; /* nothing else reads the planes */
  HISTO_CUDA_TRY (status, deriver->gpu->driver,
                  cuLaunchKernel (deriver->counts[count.derive.sources[0].depth > 8], slot->count_blocks, 1, 1,
                                  HISTO_CUDA_THREADS, 1, 1, histo_cuda_find_derive_tables (&count), stream, parameters, NULL),
                  "starting the kernel");
  return status;
}

enum histo_status
histo_cuda_deriver_launch (struct histo_cuda_deriver *deriver, const struct histo_cuda_launch *launch, CUstream stream)
{
  struct slot *slot = &deriver->slots[launch->first_slot];
  const unsigned counted = slot->count_blocks > 0;
  enum histo_status status = counted ? launch_count (deriver, slot, launch, stream) : HISTO_OK;

  for (unsigned i = counted; i < slot->launch_count; i++) {
    struct histo_cuda_derive *derive = &slot->launches[i];
    const uint64_t groups = (uint64_t)derive->row_groups * derive->height;
    void *parameters[] = { derive };

    if (groups == 0)
      continue;
    HISTO_CUDA_TRY (status, deriver->gpu->driver,
                    cuLaunchKernel (deriver->functions[derive->sources[0].depth > 8],
                                    (unsigned)((groups + HISTO_CUDA_DERIVE_THREADS - 1) / HISTO_CUDA_DERIVE_THREADS), 1, 1,
                                    HISTO_CUDA_DERIVE_THREADS, 1, 1, 0, stream, parameters, NULL),
                    "starting the kernel");
  }
  return status;
}
