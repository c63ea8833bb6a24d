/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/launch/publish.h"

#include <string.h>

#include "cuda/host/launch/workspace_private.h"
#include "cuda/move.h"

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
  struct histo_cuda_workspace_slot *slots = &workspace->slots[first];
  enum histo_status status = HISTO_OK;
  unsigned tag = 0;

  for (unsigned i = 0; i < count; i++)
    if (tag < slots[i].tag)
      tag = slots[i].tag;
  /* Words that few launches publish may still have a tag from its first use: clears them before the tag is used again. */
  if (++tag > UINT16_MAX) {
    tag = 1;
    memset ((uint64_t *)workspace->results.host + first_word, 0, (size_t)count * HISTO_CUDA_SLOT_WORDS * sizeof (uint64_t));
    for (unsigned i = 0; i < count; i++)
      if (slots[i].own_result.host)
        memset (slots[i].own_result.host, 0, slots[i].own_words * sizeof (uint64_t));
    status = clear_cumulative (workspace, first, count, stream);
  }
  for (unsigned i = 0; i < count; i++)
    slots[i].tag = (uint16_t)tag;
  return status;
}

/* The memory for the tables of a launch on `stream`. */
static CUdeviceptr
find_tables (struct histo_cuda_workspace *workspace, CUstream stream)
{
  unsigned i = 0;

  while (i + 1 < HISTO_CUDA_COUNT_STREAMS && workspace->carriers[i].stream && workspace->carriers[i].stream != stream)
    i++;
  workspace->carriers[i].stream = stream;
  return workspace->carriers[i].tables;
}

enum histo_status
histo_cuda_workspace_begin (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch, CUstream stream)
{
  struct histo_cuda_count *count = &launch->plan.count;
  struct histo_cuda_workspace_slot *first = &workspace->slots[launch->first_slot];
  enum histo_status status = HISTO_OK;

  if (count->frame_count == 1 && first->has_new_words) {
    HISTO_CUDA_TRY (status, workspace->driver,
                    cuMemsetD8Async (first->own_workspace, 0, first->own_words * sizeof (uint64_t), stream),
                    "clearing device memory");
    first->has_new_words = false;
  }
  count->tag = 0;
  if (status == HISTO_OK && (first->path == HISTO_CUDA_PUBLISHED || first->path == HISTO_CUDA_COPIED)) {
    if (first->has_bins && first->result == first->own_result.host) {
      memset (first->own_result.host, 0, first->own_words * sizeof (uint64_t));
      first->has_bins = false;
    }
    status = next_tag (workspace, launch->first_slot, count->frame_count, stream);
    count->tag = first->tag;
  }
  if (launch->plan.words.carries)
    launch->tables = find_tables (workspace, stream);
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
  copy.dstHost = (uint64_t *)workspace->results.host + (size_t)launch->first_slot * HISTO_CUDA_SLOT_WORDS;
  copy.srcPitch = copy.dstPitch = HISTO_CUDA_SLOT_WORDS * sizeof (uint64_t);
  copy.WidthInBytes = launch->plan.words.count * sizeof (uint64_t);
  copy.Height = launch->plan.count.frame_count;
  HISTO_CUDA_TRY (status, workspace->driver, cuMemcpy2DAsync (&copy, stream), "copying the numbers from the device");
  return status;
}

/* Moves the words of a frame from its slot's own workspace, which is 0 for the next launch. */
static enum histo_status
move_own (struct histo_cuda_workspace *workspace, struct histo_cuda_workspace_slot *slot, CUstream stream)
{
  struct histo_cuda_move move = {
    .from = slot->own_workspace,
    .to = slot->own_result.device,
    .vectors = (slot->words.count + 1) / 2,
  };
  void *parameters[] = { &move };
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, workspace->driver,
                  cuLaunchKernel (workspace->move, histo_cuda_divide (move.vectors, HISTO_CUDA_MOVE_THREADS), 1, 1,
                                  HISTO_CUDA_MOVE_THREADS, 1, 1, 0, stream, parameters, NULL),
                  "starting the kernel");
  return status;
}

/* Describes the tables of a launch whose kernel carries. Returns the number of blocks that add them up. */
static uint32_t
describe_tables (const struct histo_cuda_launch *launch, struct histo_cuda_add_tables *add)
{
  const struct histo_cuda_plan *plan = &launch->plan;
  uint32_t blocks = 0;

  add->block_bytes = plan->shared_bytes;
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    const struct histo_cuda_pass *pass = &plan->count.passes[p];

    for (unsigned c = 0; c < pass->component_count; c++) {
      add->components[add->component_count++] = (struct histo_cuda_tables){
        .first = launch->tables + pass->first_block * add->block_bytes + c * pass->table_bytes,
        .block_count = pass->block_count,
        .first_word = pass->components[c].first_word,
        .bins = pass->components[c].bins,
        .words_log2 = pass->words_log2,
        .bits_log2 = pass->bits_log2,
        .first_block = blocks,
      };
      blocks += histo_cuda_count_add_blocks (pass->words_log2, pass->bits_log2);
    }
  }
  add->other_block = blocks;
  add->other_word = plan->words.first_word[plan->words.component_count];
  add->other_words = plan->words.count - add->other_word;
  return blocks + histo_cuda_divide (add->other_words, HISTO_CUDA_ADD_THREADS);
}

/* Moves the words of a frame from its slot's own workspace, as move_own does, and adds the tables to its bins. */
static enum histo_status
add_tables (struct histo_cuda_workspace *workspace, const struct histo_cuda_launch *launch,
            struct histo_cuda_workspace_slot *slot, CUstream stream)
{
  struct histo_cuda_add_tables add = { .from = slot->own_workspace, .to = slot->own_result.device };
  const uint32_t blocks = describe_tables (launch, &add);
  void *parameters[] = { &add };
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (
      status, workspace->driver,
      cuLaunchKernel (workspace->add_tables, blocks, 1, 1, HISTO_CUDA_ADD_THREADS, 1, 1, 0, stream, parameters, NULL),
      "starting the kernel");
  return status;
}

enum histo_status
histo_cuda_workspace_end (struct histo_cuda_workspace *workspace, const struct histo_cuda_launch *launch, CUstream stream)
{
  struct histo_cuda_workspace_slot *first = &workspace->slots[launch->first_slot];

  if (first->path == HISTO_CUDA_PUBLISHED)
    return HISTO_OK;
  if (first->path != HISTO_CUDA_OWN)
    return copy_many (workspace, launch, stream);
  first->has_bins = true;
  return launch->plan.words.carries ? add_tables (workspace, launch, first, stream) : move_own (workspace, first, stream);
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */

bool
histo_cuda_workspace_publishes_early (const struct histo_cuda_workspace *workspace, unsigned slot)
{
  return workspace->slots[slot].path == HISTO_CUDA_PUBLISHED;
}

/* Whether words [first, first + count) have the tag. */
static bool
have_tag (const struct histo_cuda_workspace_slot *slot, uint32_t first, uint32_t count)
{
  for (uint32_t w = first; w < first + count; w++)
    if ((uint16_t)__atomic_load_n (&slot->result[w], __ATOMIC_ACQUIRE) != slot->tag)
      return false;
  return true;
}

bool
histo_cuda_workspace_is_published (const struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct histo_cuda_workspace_slot *slot = &workspace->slots[index];
  const struct histo_cuda_words *words = &slot->words;

  if (slot->path == HISTO_CUDA_CUMULATIVE || slot->path == HISTO_CUDA_OWN)
    return true;
  for (unsigned r = 0; r < words->range_count; r++)
    if (!have_tag (slot, words->ranges[r].first, words->ranges[r].count))
      return false;
  return true;
}

struct histo_cuda_numbers
histo_cuda_workspace_find (const struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct histo_cuda_workspace_slot *slot = &workspace->slots[index];

  return (struct histo_cuda_numbers){
    .words = &slot->words,
    .result = slot->result,
    .before = slot->path == HISTO_CUDA_CUMULATIVE ? workspace->seen + (size_t)index * HISTO_CUDA_SLOT_WORDS : NULL,
  };
}

void
histo_cuda_workspace_mark_read (struct histo_cuda_workspace *workspace, unsigned index)
{
  const struct histo_cuda_workspace_slot *slot = &workspace->slots[index];

  if (slot->path == HISTO_CUDA_COPIED || slot->path == HISTO_CUDA_CUMULATIVE)
    memcpy (workspace->seen + (size_t)index * HISTO_CUDA_SLOT_WORDS, slot->result, slot->words.count * sizeof *workspace->seen);
}
