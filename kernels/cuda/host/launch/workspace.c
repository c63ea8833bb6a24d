/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/launch/workspace_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static enum histo_status
open_memory (struct histo_cuda_workspace *workspace)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t size = workspace->slot_count * HISTO_CUDA_SLOT_WORDS * sizeof (uint64_t);
  enum histo_status status = histo_cuda_mapped_reserve (&workspace->results, driver, size);

  if (status == HISTO_OK)
    memset (workspace->results.host, 0, size);
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
  enum histo_status status = HISTO_OK;

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
  HISTO_CUDA_TRY (status, workspace->driver, cuModuleGetFunction (&workspace->move, gpu->module, "histo_move"),
                  "finding the kernel");
  HISTO_CUDA_TRY (status, workspace->driver, cuModuleGetFunction (&workspace->add_tables, gpu->module, "histo_add_tables"),
                  "finding the kernel");
  if (status == HISTO_OK)
    status = open_memory (workspace);
  if (status == HISTO_OK)
    *workspace_out = workspace;
  else
    histo_cuda_workspace_close (workspace);
  return status;
}

static void
free_own_words (struct histo_cuda_workspace *workspace, struct histo_cuda_workspace_slot *slot)
{
  if (slot->own_workspace)
    workspace->driver->cuMemFree (slot->own_workspace);
  histo_cuda_mapped_free (&slot->own_result, workspace->driver);
  slot->own_workspace = 0;
  slot->own_words = 0;
  slot->has_new_words = slot->has_bins = false;
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
  for (unsigned i = 0; i < HISTO_CUDA_COUNT_STREAMS; i++)
    if (workspace->carriers[i].tables)
      workspace->driver->cuMemFree (workspace->carriers[i].tables);
  histo_cuda_mapped_free (&workspace->addresses, workspace->driver);
  histo_cuda_mapped_free (&workspace->parameters, workspace->driver);
  if (workspace->workspaces)
    workspace->driver->cuMemFree (workspace->workspaces);
  histo_cuda_mapped_free (&workspace->results, workspace->driver);
  free (workspace->seen);
  free (workspace->slots);
  free (workspace);
}

/* ---- reserving ------------------------------------------------------------------------------------------------------ */

static bool
has_own_words (const struct histo_cuda_workspace_slot *slot)
{
  return slot->path == HISTO_CUDA_OWN || slot->words.count > HISTO_CUDA_SLOT_WORDS;
}

/* Gives a slot separate words if it needs them. `last_launch`: see histo_cuda_prepare. */
static enum histo_status
reserve_own_words (struct histo_cuda_workspace *workspace, struct histo_cuda_workspace_slot *slot, CUevent last_launch)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t words = slot->words.count + slot->words.count % 2, size = words * sizeof (uint64_t);
  enum histo_status status = HISTO_OK;

  if (!has_own_words (slot) || words <= slot->own_words)
    return HISTO_OK;
  /* A kernel whose numbers were seen may still be storing zeros. cuMemFree is not documented to wait for it. */
  if (slot->own_workspace && last_launch)
    HISTO_CUDA_TRY (status, driver, cuEventSynchronize (last_launch), "waiting for the device");
  if (status != HISTO_OK)
    return status;
  free_own_words (workspace, slot);
  status = histo_cuda_mapped_reserve (&slot->own_result, driver, size);
  if (status != HISTO_OK)
    return status;
  memset (slot->own_result.host, 0, size);
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

enum histo_status
histo_cuda_workspace_reserve_parameters (struct histo_cuda_workspace *workspace)
{
  return histo_cuda_mapped_reserve (&workspace->parameters, workspace->driver,
                                    workspace->slot_count * sizeof (struct histo_cuda_parameters));
}

struct histo_cuda_parameters *
histo_cuda_workspace_get_parameters (const struct histo_cuda_workspace *workspace, unsigned slot, CUdeviceptr *address)
{
  struct histo_cuda_parameters *parameters = workspace->parameters.host;

  *address = workspace->parameters.device + slot * sizeof *parameters;
  return &parameters[slot];
}

/* Allocates the memory for the tables of blocks that carry, if the launch has such blocks. */
static enum histo_status
reserve_tables (struct histo_cuda_workspace *workspace, const struct histo_cuda_plan *plan)
{
  const struct histo_cuda_gpu *gpu = workspace->gpu;
  const size_t blocks = histo_cuda_most_carrying_blocks (gpu->multiprocessors);
  const size_t block_bytes = histo_cuda_find_shape (gpu->tuning, gpu->shared_bytes, gpu->multiprocessors).shared_bytes;
  enum histo_status status = HISTO_OK;

  if (!plan->words.carries)
    return HISTO_OK;
  for (unsigned i = 0; status == HISTO_OK && i < HISTO_CUDA_COUNT_STREAMS; i++) {
    CUdeviceptr tables = 0;

    if (workspace->carriers[i].tables)
      continue;
    HISTO_CUDA_TRY_MEMORY (status, workspace->driver, cuMemAlloc (&tables, blocks * block_bytes),
                           "allocating device memory for tables");
    if (status == HISTO_OK)
      workspace->carriers[i].tables = tables;
  }
  return status;
}

/* Allocates the memory for launches of many frames. */
static enum histo_status
reserve_many (struct histo_cuda_workspace *workspace)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t words = workspace->slot_count * HISTO_CUDA_SLOT_WORDS, size = words * sizeof (uint64_t);
  enum histo_status status = histo_cuda_mapped_reserve (&workspace->addresses, driver,
                                                        workspace->slot_count * HISTO_CUDA_ADDRESSES * sizeof (uint64_t));
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

static enum histo_cuda_path
choose_path (const struct histo_cuda_launch *launch)
{
  const enum histo_cuda_kernel kernel = launch->plan.kernel;

  if (launch->plan.words.carries || launch->plan.picture.saturation_count > HISTO_CUDA_PICTURE_SATURATIONS)
    return HISTO_CUDA_OWN;
  if (launch->plan.count.frame_count == 1)
    return HISTO_CUDA_PUBLISHED;
  /* Without tags, no block waits for the result of its additions. Small frames have one block each, with nothing to add up, and
   * the kernels of other statistics have longer waits. */
  if (launch->wanted & HISTO_CUDA_BIT (HISTO_CUDA_PROJECTION) && launch->covered & HISTO_CUDA_BIT (HISTO_CUDA_COUNT))
    return HISTO_CUDA_COPIED;
  return kernel == HISTO_CUDA_KERNEL_SMALL ? HISTO_CUDA_COPIED : HISTO_CUDA_CUMULATIVE;
}

/* Finds the words of a planned launch. */
static void
place_words (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch)
{
  struct histo_cuda_count *count = &launch->plan.count;
  struct histo_cuda_workspace_slot *first = &workspace->slots[launch->first_slot];
  const size_t first_word = (size_t)launch->first_slot * HISTO_CUDA_SLOT_WORDS;
  const bool is_many = count->frame_count > 1;

  for (unsigned i = 0; i < count->frame_count; i++)
    first[i].result = (uint64_t *)workspace->results.host + first_word + (size_t)i * HISTO_CUDA_SLOT_WORDS;
  count->workspace = workspace->workspaces + first_word * sizeof (uint64_t);
  count->result = (is_many ? workspace->many_results : workspace->results.device) + first_word * sizeof (uint64_t);
  count->frame_words = is_many ? HISTO_CUDA_SLOT_WORDS : 0;
  if (has_own_words (first)) {
    first->result = first->own_result.host;
    count->workspace = first->own_workspace;
    count->result = first->path == HISTO_CUDA_OWN ? first->own_workspace : first->own_result.device;
  }
}

enum histo_status
histo_cuda_workspace_reserve (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch,
                              const struct histo_frame *frames, CUevent last_launch)
{
  struct histo_cuda_plan *plan = &launch->plan;
  const size_t first_address = (size_t)launch->first_slot * HISTO_CUDA_ADDRESSES;
  struct histo_cuda_workspace_slot *first = &workspace->slots[launch->first_slot];
  const enum histo_cuda_path path = choose_path (launch);
  enum histo_status status;

  for (unsigned i = 0; i < plan->count.frame_count; i++) {
    first[i].words = plan->words;
    first[i].path = path;
  }
  status = plan->count.frame_count > 1 ? reserve_many (workspace) : reserve_own_words (workspace, first, last_launch);
  if (status == HISTO_OK)
    status = reserve_tables (workspace, plan);
  if (status != HISTO_OK)
    return status;
  place_words (workspace, launch);
  if (plan->count.frame_count > 1 && launch->lists_addresses) {
    uint64_t *addresses = (uint64_t *)workspace->addresses.host + first_address;

    histo_cuda_list_addresses (plan, frames, addresses);
    launch->addresses = addresses;
  }
  if (plan->count.frame_count > 1 && !plan->has_pitch)
    plan->count.addresses = workspace->addresses.device + first_address * sizeof (uint64_t);
  return HISTO_OK;
}
