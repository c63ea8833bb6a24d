/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/workspace.h"

#include <stdlib.h>
#include <string.h>

/* How the words of a launch reach the host. */
enum path {
  PUBLISHED,  /* kernels publish them in host memory, with the launch's tag */
  COPIED,     /* kernels publish them in device memory, with the tag, and the copy engine copies them: of many frames */
  CUMULATIVE, /* kernels add to what earlier launches left in device memory, which is copied: `seen` has what was there */
  OWN,        /* kernels add to the run's own workspace; it is copied, without tags, and cleared */
};

/* What was launched for a run, and where its words are. */
struct run {
  uint16_t tag; /* of the launch, see count.h */
  enum path path;
  struct histo_cuda_words words;
  uint64_t *result; /* as the launch left it */

  /* A frame whose words do not fit into the run's share of the workspace's has its own. */
  uint64_t *own_result;
  CUdeviceptr own_result_device, own_workspace;
  size_t own_words;
  bool has_new_words; /* the next launch clears own_workspace */
};

struct histo_cuda_workspace {
  const struct histo_cuda_gpu *gpu;
  const struct histo_cuda_driver *driver;
  unsigned run_count;
  struct run *runs;
  uint64_t *results; /* pinned, HISTO_CUDA_RUN_WORDS a run */
  CUdeviceptr results_device;
  CUdeviceptr workspaces; /* HISTO_CUDA_RUN_WORDS a run */

  /* For many frames in one launch, a run each: made when first needed. */
  uint64_t *addresses; /* pinned, HISTO_CUDA_ADDRESSES a run */
  CUdeviceptr addresses_device;
  CUdeviceptr many_results; /* HISTO_CUDA_RUN_WORDS a run, on their way to `results`; set last, see get_many_results */
  uint64_t *seen;           /* what the host has read of them */
};

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static enum histo_status
open_memory (struct histo_cuda_workspace *workspace)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t size = workspace->run_count * HISTO_CUDA_RUN_WORDS * sizeof (uint64_t);
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
histo_cuda_workspace_open (const struct histo_cuda_gpu *gpu, unsigned runs, struct histo_cuda_workspace **workspace_out)
{
  struct histo_cuda_workspace *workspace = calloc (1, sizeof *workspace);
  enum histo_status status;

  *workspace_out = NULL;
  if (workspace)
    workspace->runs = calloc (runs, sizeof *workspace->runs);
  if (!workspace || !workspace->runs) {
    free (workspace);
    return histo_cuda_lack_memory (gpu->driver->config);
  }
  workspace->gpu = gpu;
  workspace->driver = gpu->driver;
  workspace->run_count = runs;
  status = open_memory (workspace);
  if (status == HISTO_OK)
    *workspace_out = workspace;
  else
    histo_cuda_workspace_close (workspace);
  return status;
}

static void
free_own_words (struct histo_cuda_workspace *workspace, struct run *run)
{
  if (run->own_workspace)
    workspace->driver->cuMemFree (run->own_workspace);
  if (run->own_result)
    workspace->driver->cuMemFreeHost (run->own_result);
  run->own_workspace = 0;
  run->own_result = NULL;
  run->own_words = 0;
}

void
histo_cuda_workspace_close (struct histo_cuda_workspace *workspace)
{
  if (!workspace)
    return;
  for (unsigned i = 0; i < workspace->run_count; i++)
    free_own_words (workspace, &workspace->runs[i]);
  if (workspace->many_results)
    workspace->driver->cuMemFree (workspace->many_results);
  if (workspace->addresses)
    workspace->driver->cuMemFreeHost (workspace->addresses);
  if (workspace->workspaces)
    workspace->driver->cuMemFree (workspace->workspaces);
  if (workspace->results)
    workspace->driver->cuMemFreeHost (workspace->results);
  free (workspace->seen);
  free (workspace->runs);
  free (workspace);
}

/* ---- reserving ------------------------------------------------------------------------------------------------------ */

static size_t
count_words (const struct histo_cuda_words *words)
{
  return words->first_word[words->component_count];
}

/* Gives a run words of its own where the workspace's do not suffice. `ended`: see histo_cuda_prepare. */
static enum histo_status
reserve_own_words (struct histo_cuda_workspace *workspace, struct run *run, CUevent ended)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t words = count_words (&run->words), size = words * sizeof (uint64_t);
  enum histo_status status = HISTO_OK;

  if (words <= HISTO_CUDA_RUN_WORDS || words <= run->own_words)
    return HISTO_OK;
  /* A kernel whose numbers were seen may still be storing zeros, and nobody says that cuMemFree waits for it. */
  if (run->own_workspace && ended)
    HISTO_CUDA_TRY (status, driver, cuEventSynchronize (ended), "waiting for the device");
  if (status != HISTO_OK)
    return status;
  free_own_words (workspace, run);
  HISTO_CUDA_TRY_MEMORY (status, driver,
                         cuMemHostAlloc ((void **)&run->own_result, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                         "allocating pinned memory");
  if (status != HISTO_OK) {
    run->own_result = NULL;
    return status;
  }
  memset (run->own_result, 0, size);
  HISTO_CUDA_TRY (status, driver, cuMemHostGetDevicePointer (&run->own_result_device, run->own_result, 0),
                  "mapping pinned memory");
  HISTO_CUDA_TRY_MEMORY (status, driver, cuMemAlloc (&run->own_workspace, size), "allocating device memory");
  if (status != HISTO_OK) {
    run->own_workspace = 0;
    free_own_words (workspace, run);
    return status;
  }
  run->own_words = words;
  run->has_new_words = true;
  return HISTO_OK;
}

static enum histo_status
reserve_addresses (struct histo_cuda_workspace *workspace)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t size = workspace->run_count * HISTO_CUDA_ADDRESSES * sizeof *workspace->addresses;
  enum histo_status status = HISTO_OK;

  if (workspace->addresses)
    return HISTO_OK;
  HISTO_CUDA_TRY_MEMORY (
      status, driver,
      cuMemHostAlloc ((void **)&workspace->addresses, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
      "allocating pinned memory");
  if (status != HISTO_OK) {
    workspace->addresses = NULL;
    return status;
  }
  HISTO_CUDA_TRY (status, driver, cuMemHostGetDevicePointer (&workspace->addresses_device, workspace->addresses, 0),
                  "mapping pinned memory");
  return status;
}

/* What launches of many frames need. */
static enum histo_status
reserve_many (struct histo_cuda_workspace *workspace)
{
  const struct histo_cuda_driver *driver = workspace->driver;
  const size_t words = workspace->run_count * HISTO_CUDA_RUN_WORDS, size = words * sizeof (uint64_t);
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
  /* Launches may be on another stream. */
  HISTO_CUDA_TRY (status, driver, cuStreamSynchronize (workspace->gpu->stream), "clearing device memory");
  __atomic_store_n (&workspace->many_results, many_results, __ATOMIC_RELEASE);
  return status;
}

static enum path
choose_path (const struct histo_cuda_launch *launch)
{
  const enum histo_cuda_kernel kernel = launch->plan.kernel;

  if (kernel == HISTO_CUDA_KERNEL_CARRY || kernel == HISTO_CUDA_KERNEL_CARRY_DOT)
    return OWN;
  if (launch->plan.count.frame_count == 1)
    return PUBLISHED;
  /* Small frames have one block each, and nothing to add up. Kernels of other statistics have more to wait for than this. */
  return kernel == HISTO_CUDA_KERNEL_SMALL || launch->covered & HISTO_CUDA_BIT (HISTO_CUDA_COUNT) ? COPIED : CUMULATIVE;
}

/* Where the words of a planned launch are. */
static void
place_words (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch)
{
  struct histo_cuda_count *count = &launch->plan.count;
  struct run *first = &workspace->runs[launch->first_run];
  const size_t first_word = (size_t)launch->first_run * HISTO_CUDA_RUN_WORDS;
  const bool is_many = count->frame_count > 1;

  for (unsigned i = 0; i < count->frame_count; i++)
    first[i].result = workspace->results + first_word + (size_t)i * HISTO_CUDA_RUN_WORDS;
  count->workspace = workspace->workspaces + first_word * sizeof (uint64_t);
  count->result = (is_many ? workspace->many_results : workspace->results_device) + first_word * sizeof (uint64_t);
  count->frame_words = is_many ? HISTO_CUDA_RUN_WORDS : 0;
  if (count_words (&first->words) > HISTO_CUDA_RUN_WORDS) {
    first->result = first->own_result;
    count->workspace = first->own_workspace;
    count->result = first->path == OWN ? first->own_workspace : first->own_result_device;
  }
}

enum histo_status
histo_cuda_workspace_reserve (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch,
                              const struct histo_frame *frames, CUevent ended)
{
  struct histo_cuda_plan *plan = &launch->plan;
  const size_t first_address = (size_t)launch->first_run * HISTO_CUDA_ADDRESSES;
  struct run *first = &workspace->runs[launch->first_run];
  const enum path path = choose_path (launch);
  enum histo_status status;

  for (unsigned i = 0; i < plan->count.frame_count; i++) {
    first[i].words = plan->words;
    first[i].path = path;
  }
  status = plan->count.frame_count > 1 ? reserve_many (workspace) : reserve_own_words (workspace, first, ended);
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

/* What other threads than the one that reserves find: the memory with `seen`, or 0. */
static CUdeviceptr
get_many_results (const struct histo_cuda_workspace *workspace)
{
  return __atomic_load_n (&workspace->many_results, __ATOMIC_ACQUIRE);
}

/* Clears the cumulative words of `count` runs, behind what `stream` has to do. */
static enum histo_status
clear_cumulative (struct histo_cuda_workspace *workspace, unsigned first, unsigned count, CUstream stream)
{
  const size_t first_word = (size_t)first * HISTO_CUDA_RUN_WORDS;
  const size_t size = (size_t)count * HISTO_CUDA_RUN_WORDS * sizeof (uint64_t);
  const CUdeviceptr many_results = get_many_results (workspace);
  enum histo_status status = HISTO_OK;

  if (!many_results)
    return HISTO_OK;
  memset (workspace->seen + first_word, 0, size);
  HISTO_CUDA_TRY (status, workspace->driver, cuMemsetD8Async (many_results + first_word * sizeof (uint64_t), 0, size, stream),
                  "clearing device memory");
  return status;
}

/* A tag that the words of `count` runs do not have, for all of them. */
static enum histo_status
next_tag (struct histo_cuda_workspace *workspace, unsigned first, unsigned count, CUstream stream)
{
  const size_t first_word = (size_t)first * HISTO_CUDA_RUN_WORDS;
  struct run *runs = &workspace->runs[first];
  enum histo_status status = HISTO_OK;
  unsigned tag = 0;

  for (unsigned i = 0; i < count; i++)
    if (tag < runs[i].tag)
      tag = runs[i].tag;
  /* Before a tag comes round again: words that few launches publish may still have it. */
  if (++tag > UINT16_MAX) {
    tag = 1;
    memset (workspace->results + first_word, 0, (size_t)count * HISTO_CUDA_RUN_WORDS * sizeof (uint64_t));
    for (unsigned i = 0; i < count; i++)
      if (runs[i].own_result)
        memset (runs[i].own_result, 0, runs[i].own_words * sizeof (uint64_t));
    status = clear_cumulative (workspace, first, count, stream);
  }
  for (unsigned i = 0; i < count; i++)
    runs[i].tag = (uint16_t)tag;
  return status;
}

enum histo_status
histo_cuda_workspace_begin (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch, CUstream stream)
{
  struct histo_cuda_count *count = &launch->plan.count;
  struct run *first = &workspace->runs[launch->first_run];
  enum histo_status status = HISTO_OK;

  if (count->frame_count == 1 && first->has_new_words) {
    HISTO_CUDA_TRY (status, workspace->driver,
                    cuMemsetD8Async (first->own_workspace, 0, first->own_words * sizeof (uint64_t), stream),
                    "clearing device memory");
    first->has_new_words = false;
  }
  count->tag = 0;
  if (status == HISTO_OK && (first->path == PUBLISHED || first->path == COPIED)) {
    status = next_tag (workspace, launch->first_run, count->frame_count, stream);
    count->tag = first->tag;
  }
  return status;
}

/* Of many frames. */
static enum histo_status
copy_many (struct histo_cuda_workspace *workspace, const struct histo_cuda_launch *launch, CUstream stream)
{
  CUDA_MEMCPY2D copy = { 0 };
  enum histo_status status = HISTO_OK;

  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = launch->plan.count.result;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = workspace->results + (size_t)launch->first_run * HISTO_CUDA_RUN_WORDS;
  copy.srcPitch = copy.dstPitch = HISTO_CUDA_RUN_WORDS * sizeof (uint64_t);
  copy.WidthInBytes = count_words (&launch->plan.words) * sizeof (uint64_t);
  copy.Height = launch->plan.count.frame_count;
  HISTO_CUDA_TRY (status, workspace->driver, cuMemcpy2DAsync (&copy, stream), "copying the numbers from the device");
  return status;
}

/* Of a frame whose numbers were added up in its run's own workspace, which is cleared for the next launch. */
static enum histo_status
copy_own (struct histo_cuda_workspace *workspace, const struct run *run, CUstream stream)
{
  const size_t size = count_words (&run->words) * sizeof (uint64_t);
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, workspace->driver, cuMemcpyDtoHAsync (run->own_result, run->own_workspace, size, stream),
                  "copying the numbers from the device");
  HISTO_CUDA_TRY (status, workspace->driver, cuMemsetD8Async (run->own_workspace, 0, size, stream), "clearing device memory");
  return status;
}

enum histo_status
histo_cuda_workspace_end (struct histo_cuda_workspace *workspace, const struct histo_cuda_launch *launch, CUstream stream)
{
  const struct run *first = &workspace->runs[launch->first_run];

  if (first->path == PUBLISHED)
    return HISTO_OK;
  return first->path == OWN ? copy_own (workspace, first, stream) : copy_many (workspace, launch, stream);
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */

bool
histo_cuda_workspace_publishes_early (const struct histo_cuda_workspace *workspace, unsigned run)
{
  return workspace->runs[run].path == PUBLISHED;
}

/* Words [first, first + count) have the tag. */
static bool
have_tag (const struct run *run, uint32_t first, uint32_t count)
{
  for (uint32_t w = first; w < first + count; w++)
    if ((uint16_t)__atomic_load_n (&run->result[w], __ATOMIC_ACQUIRE) != run->tag)
      return false;
  return true;
}

bool
histo_cuda_workspace_is_published (const struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct run *run = &workspace->runs[index];
  const struct histo_cuda_words *words = &run->words;

  if (run->path == CUMULATIVE || run->path == OWN)
    return true;
  for (unsigned c = 0; c < words->component_count; c++) {
    const uint32_t totals = words->first_word[c] + words->bins[c];

    if (!words->publishes[c])
      continue;
    if (!have_tag (run, words->first_word[c], words->bins[c])
        || (words->with_dot && !have_tag (run, totals + HISTO_CUDA_DOT, 2))
        || (words->with_sums && !have_tag (run, totals + HISTO_CUDA_SUM, HISTO_CUDA_TOTALS - HISTO_CUDA_SUM)))
      return false;
  }
  return true;
}

struct histo_cuda_numbers
histo_cuda_workspace_find (const struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct run *run = &workspace->runs[index];

  return (struct histo_cuda_numbers){
    .words = &run->words,
    .result = run->result,
    .before = run->path == CUMULATIVE ? workspace->seen + (size_t)index * HISTO_CUDA_RUN_WORDS : NULL,
  };
}

void
histo_cuda_workspace_settle (struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct run *run = &workspace->runs[index];

  if (run->path == COPIED || run->path == CUMULATIVE)
    memcpy (workspace->seen + (size_t)index * HISTO_CUDA_RUN_WORDS, run->result,
            count_words (&run->words) * sizeof *workspace->seen);
}
