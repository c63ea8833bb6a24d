/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/workspace.h"

#include <stdlib.h>
#include <string.h>

/* How the words of a launch reach the host. */
enum path {
  PUBLISHED,  /* kernels publish them in host memory, with the launch's tag */
  COPIED,     /* many frames: kernels publish them in device memory, with the tag, and the copy engine copies them */
  CUMULATIVE, /* kernels add to earlier launches' words in device memory, which are copied; `seen` has the previous values */
  OWN,        /* kernels add to the slot's own workspace, which is copied without tags, and cleared */
};

/* The launch of a slot, and its words. */
struct slot {
  uint16_t tag; /* of the launch, see count.h */
  enum path path;
  struct histo_cuda_words words;
  uint64_t *result; /* as the launch leaves it */

  /* For a frame with more than HISTO_CUDA_SLOT_WORDS words. */
  uint64_t *own_result;
  CUdeviceptr own_result_device, own_workspace;
  size_t own_words;
  bool has_new_words; /* the next launch clears own_workspace */
};

struct histo_cuda_workspace {
  const struct histo_cuda_gpu *gpu;
  const struct histo_cuda_driver *driver;
  unsigned slot_count;
  struct slot *slots;
  uint64_t *results; /* pinned, HISTO_CUDA_SLOT_WORDS a slot */
  CUdeviceptr results_device;
  CUdeviceptr workspaces; /* HISTO_CUDA_SLOT_WORDS a slot */

  /* For many frames in one launch, one for each slot: allocated when first needed. */
  uint64_t *addresses; /* pinned, HISTO_CUDA_ADDRESSES a slot */
  CUdeviceptr addresses_device;
  CUdeviceptr many_results; /* HISTO_CUDA_SLOT_WORDS a slot, copied to `results`; set last, see get_many_results */
  uint64_t *seen;           /* the words that the host has read */

  struct histo_cuda_parameters *parameters; /* pinned, of each slot: allocated when first needed */
  CUdeviceptr parameters_device;
};

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static enum histo_status
open_memory (struct histo_cuda_workspace *workspace)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t size = workspace->slot_count * HISTO_CUDA_SLOT_WORDS * sizeof (uint64_t);
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, driver,
                  cuMemHostAlloc ((void **)&workspace->results, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                  "allocating pinned memory");
  if (status == HISTO_OK)
    memset (workspace->results, 0, size);
  else
    workspace->results = NULL;
  HISTO_CUDA_TRY (status, driver, cuMemHostGetDevicePointer (&workspace->results_device, workspace->results, 0),
                  "mapping pinned memory");
  HISTO_CUDA_TRY (status, driver, cuMemAlloc (&workspace->workspaces, size), "allocating device memory");
  if (status != HISTO_OK)
    workspace->workspaces = 0;
  HISTO_CUDA_TRY (status, driver, cuMemsetD8Async (workspace->workspaces, 0, size, workspace->gpu->stream),
                  "clearing device memory");
  HISTO_CUDA_TRY (status, driver, cuStreamSynchronize (workspace->gpu->stream), "clearing device memory");
  return status;
}

enum histo_status
histo_cuda_workspace_open (const struct histo_cuda_gpu *gpu, unsigned slots, struct histo_cuda_workspace **workspace_out)
{
  struct histo_cuda_workspace *workspace = calloc (1, sizeof *workspace);
  enum histo_status status;

  *workspace_out = NULL;
  if (workspace)
    workspace->slots = calloc (slots, sizeof *workspace->slots);
  if (!workspace || !workspace->slots) {
    free (workspace);
    return histo_cuda_lack_memory (gpu->driver->config);
  }
  workspace->gpu = gpu;
  workspace->driver = gpu->driver;
  workspace->slot_count = slots;
  status = open_memory (workspace);
  if (status == HISTO_OK)
    *workspace_out = workspace;
  else
    histo_cuda_workspace_close (workspace);
  return status;
}

static void
free_own_words (struct histo_cuda_workspace *workspace, struct slot *slot)
{
  if (slot->own_workspace)
    workspace->driver->cuMemFree (slot->own_workspace);
  if (slot->own_result)
    workspace->driver->cuMemFreeHost (slot->own_result);
  slot->own_workspace = 0;
  slot->own_result = NULL;
  slot->own_words = 0;
  slot->has_new_words = false;
}

void
histo_cuda_workspace_close (struct histo_cuda_workspace *workspace)
{
  if (!workspace)
    return;
  for (unsigned i = 0; i < workspace->slot_count; i++)
    free_own_words (workspace, &workspace->slots[i]);
  if (workspace->many_results)
    workspace->driver->cuMemFree (workspace->many_results);
  if (workspace->addresses)
    workspace->driver->cuMemFreeHost (workspace->addresses);
  if (workspace->parameters)
    workspace->driver->cuMemFreeHost (workspace->parameters);
  if (workspace->workspaces)
    workspace->driver->cuMemFree (workspace->workspaces);
  if (workspace->results)
    workspace->driver->cuMemFreeHost (workspace->results);
  free (workspace->seen);
  free (workspace->slots);
  free (workspace);
}

/* ---- reserving ------------------------------------------------------------------------------------------------------ */

/* Gives a slot separate words if the workspace's do not suffice. `last_launch`: see histo_cuda_prepare. */
static enum histo_status
reserve_own_words (struct histo_cuda_workspace *workspace, struct slot *slot, CUevent last_launch)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t words = slot->words.count, size = words * sizeof (uint64_t);
  enum histo_status status = HISTO_OK;

  if (words <= HISTO_CUDA_SLOT_WORDS || words <= slot->own_words)
    return HISTO_OK;
  /* A kernel whose numbers were seen may still be storing zeros. cuMemFree is not documented to wait for it. */
  if (slot->own_workspace && last_launch)
    HISTO_CUDA_TRY (status, driver, cuEventSynchronize (last_launch), "waiting for the device");
  if (status != HISTO_OK)
    return status;
  free_own_words (workspace, slot);
  HISTO_CUDA_TRY_MEMORY (
      status, driver, cuMemHostAlloc ((void **)&slot->own_result, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
      "allocating pinned memory");
  if (status != HISTO_OK) {
    slot->own_result = NULL;
    return status;
  }
  memset (slot->own_result, 0, size);
  HISTO_CUDA_TRY (status, driver, cuMemHostGetDevicePointer (&slot->own_result_device, slot->own_result, 0),
                  "mapping pinned memory");
  HISTO_CUDA_TRY_MEMORY (status, driver, cuMemAlloc (&slot->own_workspace, size), "allocating device memory");
  if (status != HISTO_OK) {
    slot->own_workspace = 0;
    free_own_words (workspace, slot);
    return status;
  }
  slot->own_words = words;
  slot->has_new_words = true;
  return HISTO_OK;
}

/* Allocates pinned memory that the device reads, unless *memory is already set. It lives until the workspace is closed. */
static enum histo_status
reserve_pinned (struct histo_cuda_workspace *workspace, size_t size, void **memory, CUdeviceptr *address)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  enum histo_status status = HISTO_OK;

  if (*memory)
    return HISTO_OK;
  HISTO_CUDA_TRY_MEMORY (status, driver, cuMemHostAlloc (memory, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                         "allocating pinned memory");
  if (status != HISTO_OK) {
    *memory = NULL;
    return status;
  }
  HISTO_CUDA_TRY (status, driver, cuMemHostGetDevicePointer (address, *memory, 0), "mapping pinned memory");
  return status;
}

static enum histo_status
reserve_addresses (struct histo_cuda_workspace *workspace)
{
  return reserve_pinned (workspace, workspace->slot_count * HISTO_CUDA_ADDRESSES * sizeof *workspace->addresses,
                         (void **)&workspace->addresses, &workspace->addresses_device);
}

enum histo_status
histo_cuda_workspace_reserve_parameters (struct histo_cuda_workspace *workspace)
{
  return reserve_pinned (workspace, workspace->slot_count * sizeof *workspace->parameters, (void **)&workspace->parameters,
                         &workspace->parameters_device);
}

struct histo_cuda_parameters *
histo_cuda_workspace_get_parameters (const struct histo_cuda_workspace *workspace, unsigned slot, CUdeviceptr *address)
{
  *address = workspace->parameters_device + slot * sizeof *workspace->parameters;
  return &workspace->parameters[slot];
}

/* Allocates the memory for launches of many frames. */
static enum histo_status
reserve_many (struct histo_cuda_workspace *workspace)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t words = workspace->slot_count * HISTO_CUDA_SLOT_WORDS, size = words * sizeof (uint64_t);
  enum histo_status status = reserve_addresses (workspace);
  CUdeviceptr many_results = 0;

  if (status == HISTO_OK && !workspace->seen) {
    workspace->seen = calloc (words, sizeof *workspace->seen);
    if (!workspace->seen)
      return histo_cuda_lack_memory (driver->config);
  }
  if (status != HISTO_OK || workspace->many_results)
    return status;
  HISTO_CUDA_TRY_MEMORY (status, driver, cuMemAlloc (&many_results, size), "allocating device memory");
  if (status != HISTO_OK)
    return status;
  HISTO_CUDA_TRY (status, driver, cuMemsetD8Async (many_results, 0, size, workspace->gpu->stream), "clearing device memory");
  /* Launches may use another stream. */
  HISTO_CUDA_TRY (status, driver, cuStreamSynchronize (workspace->gpu->stream), "clearing device memory");
  __atomic_store_n (&workspace->many_results, many_results, __ATOMIC_RELEASE);
  return status;
}

static enum path
choose_path (const struct histo_cuda_launch *launch)
{
  const enum histo_cuda_kernel kernel = launch->plan.kernel;

  if (kernel == HISTO_CUDA_KERNEL_CARRY || kernel == HISTO_CUDA_KERNEL_CARRY_DOT
      || launch->plan.picture.saturation_count > HISTO_CUDA_PICTURE_SATURATIONS)
    return OWN;
  if (launch->plan.count.frame_count == 1)
    return PUBLISHED;
  /* Without tags, no block waits for the result of its additions. Small frames have one block each, with nothing to add up, and
   * the kernels of other statistics have longer waits. */
  if (launch->wanted & HISTO_CUDA_BIT (HISTO_CUDA_PROJECTION) && launch->covered & HISTO_CUDA_BIT (HISTO_CUDA_COUNT))
    return COPIED;
  return kernel == HISTO_CUDA_KERNEL_SMALL ? COPIED : CUMULATIVE;
}

/* Finds the words of a planned launch. */
static void
place_words (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch)
{
  struct histo_cuda_count *count = &launch->plan.count;
  struct slot *first = &workspace->slots[launch->first_slot];
  const size_t first_word = (size_t)launch->first_slot * HISTO_CUDA_SLOT_WORDS;
  const bool is_many = count->frame_count > 1;

  for (unsigned i = 0; i < count->frame_count; i++)
    first[i].result = workspace->results + first_word + (size_t)i * HISTO_CUDA_SLOT_WORDS;
  count->workspace = workspace->workspaces + first_word * sizeof (uint64_t);
  count->result = (is_many ? workspace->many_results : workspace->results_device) + first_word * sizeof (uint64_t);
  count->frame_words = is_many ? HISTO_CUDA_SLOT_WORDS : 0;
  if (first->words.count > HISTO_CUDA_SLOT_WORDS) {
    first->result = first->own_result;
    count->workspace = first->own_workspace;
    count->result = first->path == OWN ? first->own_workspace : first->own_result_device;
  }
}

enum histo_status
histo_cuda_workspace_reserve (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch,
                              const struct histo_frame *frames, CUevent last_launch)
{
  struct histo_cuda_plan *plan = &launch->plan;
  const size_t first_address = (size_t)launch->first_slot * HISTO_CUDA_ADDRESSES;
  struct slot *first = &workspace->slots[launch->first_slot];
  const enum path path = choose_path (launch);
  enum histo_status status;

  for (unsigned i = 0; i < plan->count.frame_count; i++) {
    first[i].words = plan->words;
    first[i].path = path;
  }
  status = plan->count.frame_count > 1 ? reserve_many (workspace) : reserve_own_words (workspace, first, last_launch);
  if (status != HISTO_OK)
    return status;
  place_words (workspace, launch);
  if (plan->count.frame_count > 1 && launch->lists_addresses) {
    histo_cuda_list_addresses (plan, frames, workspace->addresses + first_address);
    launch->addresses = workspace->addresses + first_address;
  }
  if (plan->count.frame_count > 1 && !plan->has_pitch)
    plan->count.addresses = workspace->addresses_device + first_address * sizeof *workspace->addresses;
  return HISTO_OK;
}

/* ---- around the kernels --------------------------------------------------------------------------------------------- */

/* For other threads than the one that reserves: if it is not 0, `seen` is valid. */
static CUdeviceptr
get_many_results (const struct histo_cuda_workspace *workspace)
{
  return __atomic_load_n (&workspace->many_results, __ATOMIC_ACQUIRE);
}

/* Clears the cumulative words of `count` slots, in the order of `stream`. */
static enum histo_status
clear_cumulative (struct histo_cuda_workspace *workspace, unsigned first, unsigned count, CUstream stream)
{
  const size_t first_word = (size_t)first * HISTO_CUDA_SLOT_WORDS;
  const size_t size = (size_t)count * HISTO_CUDA_SLOT_WORDS * sizeof (uint64_t);
  const CUdeviceptr many_results = get_many_results (workspace);
  enum histo_status status = HISTO_OK;

  if (!many_results)
    return HISTO_OK;
  memset (workspace->seen + first_word, 0, size);
  HISTO_CUDA_TRY (status, workspace->driver, cuMemsetD8Async (many_results + first_word * sizeof (uint64_t), 0, size, stream),
                  "clearing device memory");
  return status;
}

/* Gives `count` slots a tag that none of their words has. */
static enum histo_status
next_tag (struct histo_cuda_workspace *workspace, unsigned first, unsigned count, CUstream stream)
{
  const size_t first_word = (size_t)first * HISTO_CUDA_SLOT_WORDS;
  struct slot *slots = &workspace->slots[first];
  enum histo_status status = HISTO_OK;
  unsigned tag = 0;

  for (unsigned i = 0; i < count; i++)
    if (tag < slots[i].tag)
      tag = slots[i].tag;
  /* Words that few launches publish may still have a tag from its first use: clears them before the tag is used again. */
  if (++tag > UINT16_MAX) {
    tag = 1;
    memset (workspace->results + first_word, 0, (size_t)count * HISTO_CUDA_SLOT_WORDS * sizeof (uint64_t));
    for (unsigned i = 0; i < count; i++)
      if (slots[i].own_result)
        memset (slots[i].own_result, 0, slots[i].own_words * sizeof (uint64_t));
    status = clear_cumulative (workspace, first, count, stream);
  }
  for (unsigned i = 0; i < count; i++)
    slots[i].tag = (uint16_t)tag;
  return status;
}

enum histo_status
histo_cuda_workspace_begin (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch, CUstream stream)
{
  struct histo_cuda_count *count = &launch->plan.count;
  struct slot *first = &workspace->slots[launch->first_slot];
  enum histo_status status = HISTO_OK;

  if (count->frame_count == 1 && first->has_new_words) {
    HISTO_CUDA_TRY (status, workspace->driver,
                    cuMemsetD8Async (first->own_workspace, 0, first->own_words * sizeof (uint64_t), stream),
                    "clearing device memory");
    first->has_new_words = false;
  }
  count->tag = 0;
  if (status == HISTO_OK && (first->path == PUBLISHED || first->path == COPIED)) {
    status = next_tag (workspace, launch->first_slot, count->frame_count, stream);
    count->tag = first->tag;
  }
  return status;
}

/* Copies the words of many frames. */
static enum histo_status
copy_many (struct histo_cuda_workspace *workspace, const struct histo_cuda_launch *launch, CUstream stream)
{
  CUDA_MEMCPY2D copy = { 0 };
  enum histo_status status = HISTO_OK;

  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = launch->plan.count.result;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = workspace->results + (size_t)launch->first_slot * HISTO_CUDA_SLOT_WORDS;
  copy.srcPitch = copy.dstPitch = HISTO_CUDA_SLOT_WORDS * sizeof (uint64_t);
  copy.WidthInBytes = launch->plan.words.count * sizeof (uint64_t);
  copy.Height = launch->plan.count.frame_count;
  HISTO_CUDA_TRY (status, workspace->driver, cuMemcpy2DAsync (&copy, stream), "copying the numbers from the device");
  return status;
}

/* Copies the words of a frame from its slot's own workspace, and clears the workspace for the next launch. */
static enum histo_status
copy_own (struct histo_cuda_workspace *workspace, const struct slot *slot, CUstream stream)
{
  const size_t size = slot->words.count * sizeof (uint64_t);
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, workspace->driver, cuMemcpyDtoHAsync (slot->own_result, slot->own_workspace, size, stream),
                  "copying the numbers from the device");
  HISTO_CUDA_TRY (status, workspace->driver, cuMemsetD8Async (slot->own_workspace, 0, size, stream), "clearing device memory");
  return status;
}

enum histo_status
histo_cuda_workspace_end (struct histo_cuda_workspace *workspace, const struct histo_cuda_launch *launch, CUstream stream)
{
  const struct slot *first = &workspace->slots[launch->first_slot];

  if (first->path == PUBLISHED)
    return HISTO_OK;
  return first->path == OWN ? copy_own (workspace, first, stream) : copy_many (workspace, launch, stream);
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */

bool
histo_cuda_workspace_publishes_early (const struct histo_cuda_workspace *workspace, unsigned slot)
{
  return workspace->slots[slot].path == PUBLISHED;
}

/* Whether words [first, first + count) have the tag. */
static bool
have_tag (const struct slot *slot, uint32_t first, uint32_t count)
{
  for (uint32_t w = first; w < first + count; w++)
    if ((uint16_t)__atomic_load_n (&slot->result[w], __ATOMIC_ACQUIRE) != slot->tag)
      return false;
  return true;
}

bool
histo_cuda_workspace_is_published (const struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct slot *slot = &workspace->slots[index];
  const struct histo_cuda_words *words = &slot->words;

  if (slot->path == CUMULATIVE || slot->path == OWN)
    return true;
  for (unsigned r = 0; r < words->range_count; r++)
    if (!have_tag (slot, words->ranges[r].first, words->ranges[r].count))
      return false;
  return true;
}

struct histo_cuda_numbers
histo_cuda_workspace_find (const struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct slot *slot = &workspace->slots[index];

  return (struct histo_cuda_numbers){
    .words = &slot->words,
    .result = slot->result,
    .before = slot->path == CUMULATIVE ? workspace->seen + (size_t)index * HISTO_CUDA_SLOT_WORDS : NULL,
  };
}

void
histo_cuda_workspace_mark_read (struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct slot *slot = &workspace->slots[index];

  if (slot->path == COPIED || slot->path == CUMULATIVE)
    memcpy (workspace->seen + (size_t)index * HISTO_CUDA_SLOT_WORDS, slot->result, slot->words.count * sizeof *workspace->seen);
}
