/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan/plan.h"

#include <string.h>

#include "cuda/host/plan/alike.h"
#include "cuda/host/plan/plan_blocks.h"
#include "cuda/host/plan/plan_pass.h"
#include "cuda/host/plan/plan_picture.h"
#include "cuda/host/plan/plan_scope.h"
#include "frame.h"

/* The index of the plane of a pass. */
static unsigned
find_plane (const struct histo_frame *frame, const struct histo_pass *pass)
{
  return frame->components[pass->components[0].index].plane;
}

/* In a frame without two-byte samples every component has HISTO_CUDA_BINS bins, even an empty one described with two bytes. */
static uint32_t
count_bins (const struct histo_component *component, bool deep)
{
  return deep ? component->bins : HISTO_CUDA_BINS;
}

static void
lay_out_words (const struct histo_frame *frame, struct histo_cuda_words *words)
{
  words->with_dot = frame->statistics & HISTO_STATISTIC_DOT;
  words->with_sums = histo_cuda_is_deep (frame);
  words->carries = histo_cuda_has_many_bins (frame);
  words->component_count = frame->component_count;
  for (unsigned c = 0; c < frame->component_count; c++) {
    words->bins[c] = count_bins (&frame->components[c], words->with_sums);
    words->first_word[c + 1] = histo_cuda_find_totals (words, c) + HISTO_CUDA_TOTALS;
  }
  words->count = words->first_word[frame->component_count] + histo_cuda_count_picture_words (frame);
}

/* Whether a component may have more samples than a bin of 32 bits counts. */
static bool
may_overflow (const struct histo_frame *frame)
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (histo_frame_count_samples (frame, &frame->components[c]) > UINT32_MAX)
      return true;
  return false;
}

size_t
histo_cuda_count_words (const struct histo_frame *frame)
{
  struct histo_cuda_words words = { 0 };

  lay_out_words (frame, &words);
  return words.count;
}

/* Turns aligned vectors off if the frames are not aligned alike. */
static void
align (const struct histo_frame *frames, unsigned count, struct histo_cuda_plan *plan)
{
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    struct histo_cuda_pass *pass = &plan->count.passes[p];
    unsigned plane = find_plane (&frames[0], &plan->passes[p]);
    uint64_t bits = 0;

    for (unsigned i = 1; i < count; i++)
      bits |= histo_cuda_find_differing_bits (&frames[i], &frames[0], plane);
    if (bits % 16 == 0)
      continue;
    pass->is_aligned = false;
    pass->vectors_per_row = (uint32_t)(pass->length / 16);
    histo_cuda_assign_blocks (pass, pass->first_block, pass->block_count);
  }
}

static uint64_t
find_distance (const struct histo_frame *frame, const struct histo_frame *next, unsigned plane)
{
  return histo_cuda_device_address (next->planes[plane].data) - histo_cuda_device_address (frame->planes[plane].data);
}

/* Finds the distance from each frame to the next if it is constant for all of them, their planes and operands. */
static void
find_pitch (const struct histo_frame *frames, unsigned count, struct histo_cuda_plan *plan)
{
  uint64_t pitch = count > 1 ? find_distance (&frames[0], &frames[1], find_plane (&frames[0], &plan->passes[0])) : 0;

  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    unsigned plane = find_plane (&frames[0], &plan->passes[p]);

    for (unsigned i = 1; i < count; i++)
      if (find_distance (&frames[i - 1], &frames[i], plane) != pitch
          || (frames[0].operand && find_distance (frames[i - 1].operand, frames[i].operand, plane) != pitch))
        return;
  }
  plan->count.pitch_bytes = pitch;
  plan->has_pitch = true;
}

/* Whether the rows of a pass are whole aligned vectors of one component. */
static bool
has_whole_vectors (const struct histo_cuda_pass *pass)
{
  return pass->tables == 1 && !pass->has_edges && pass->is_aligned && pass->data % 16 == 0 && pass->length > 0
         && pass->length % 16 == 0;
}

/* Chooses a faster kernel for frames that carry, if it can count them. */
static void
specialise_carry (struct histo_cuda_plan *plan)
{
  if (plan->kernel != HISTO_CUDA_KERNEL_CARRY)
    return;
  for (unsigned p = 0; p < plan->count.pass_count; p++)
    if (!has_whole_vectors (&plan->count.passes[p]))
      return;
  plan->kernel = HISTO_CUDA_KERNEL_CARRY_PLANES;
}

/* Chooses a faster kernel for frames that it can count. */
static void
specialise (const struct histo_cuda_shape *shape, struct histo_cuda_plan *plan)
{
  const struct histo_cuda_pass *pass = &plan->count.passes[0];
  const uint32_t frames = plan->count.frame_count;
  bool is_one_plane
      = plan->count.pass_count == 1 && pass->tables == 1 && pass->components[0].first_word == 0 && !pass->has_edges;
  bool is_packed = pass->height == 1;

  if (!is_one_plane || (plan->kernel != HISTO_CUDA_KERNEL_COUNT && plan->kernel != HISTO_CUDA_KERNEL_DOT))
    return;
  if (frames >= shape->tuning->small_frames && plan->kernel == HISTO_CUDA_KERNEL_COUNT && is_packed
      && pass->length <= HISTO_CUDA_SMALL_BYTES) {
    plan->kernel = HISTO_CUDA_KERNEL_SMALL;
    plan->shared_bytes = 0;
  } else if (has_whole_vectors (pass) && shape->columns == HISTO_CUDA_WIDE) {
    if (plan->has_pitch && plan->kernel == HISTO_CUDA_KERNEL_DOT)
      plan->kernel = HISTO_CUDA_KERNEL_PLANE_DOT;
    else if (plan->has_pitch)
      plan->kernel = is_packed ? HISTO_CUDA_KERNEL_PACKED : HISTO_CUDA_KERNEL_PLANE;
    else if (frames <= HISTO_CUDA_LISTED && plan->kernel == HISTO_CUDA_KERNEL_COUNT)
      plan->kernel = is_packed ? HISTO_CUDA_KERNEL_PACKED_LISTED : HISTO_CUDA_KERNEL_PLANE_LISTED;
  }
}

/* Describes the passes for the kernel, with the shared memory that their tables need, and marks their words as published. */
static void
describe_passes (const struct histo_cuda_shape *shape, bool deep, bool carries, struct histo_cuda_plan *plan)
{
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    const struct histo_pass *pass = &plan->passes[p];
    struct histo_cuda_pass *out = &plan->count.passes[p];
    uint32_t table_bytes = HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, shape->columns);

    histo_cuda_describe_pass (pass, deep, carries, shape->shared_bytes, plan->words.first_word, out);
    if (deep)
      table_bytes = out->table_bytes;
    if (plan->shared_bytes < out->tables * table_bytes)
      plan->shared_bytes = out->tables * table_bytes;
    for (unsigned c = 0; c < pass->component_count; c++)
      histo_cuda_publish_component (&plan->words, pass->components[c].index);
  }
}

static enum histo_cuda_kernel
choose_kernel (bool deep, bool carries, bool with_dot)
{
  if (carries)
    return with_dot ? HISTO_CUDA_KERNEL_CARRY_DOT : HISTO_CUDA_KERNEL_CARRY;
  if (deep)
    return with_dot ? HISTO_CUDA_KERNEL_DEEP_DOT : HISTO_CUDA_KERNEL_DEEP;
  return with_dot ? HISTO_CUDA_KERNEL_DOT : HISTO_CUDA_KERNEL_COUNT;
}

enum histo_status
histo_cuda_plan (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                 struct histo_cuda_plan *plan)
{
  const struct histo_frame *first = &frames[0];
  const bool deep = histo_cuda_is_deep (first), carries = histo_cuda_has_many_bins (first);

  memset (plan, 0, sizeof *plan);
  lay_out_words (first, &plan->words);
  plan->count.pass_count = histo_cuda_plan_passes (first, shape->shared_bytes, plan->passes);
  if (plan->count.pass_count == 0)
    return HISTO_OK;
  describe_passes (shape, deep, carries, plan);
  plan->kernel = choose_kernel (deep, carries, plan->words.with_dot);
  plan->count.frame_count = count;
  if (!carries || !may_overflow (first))
    plan->blocks = histo_cuda_share_blocks (shape, plan->passes, count, &plan->count);
  if (carries && plan->blocks > histo_cuda_most_carrying_blocks (shape->multiprocessors))
    plan->blocks = 0;
  if (plan->blocks == 0) {
    memset (plan->words.publishes, 0, sizeof plan->words.publishes);
    plan->words.range_count = 0;
    return HISTO_ERROR_UNSUPPORTED;
  }
  align (frames, count, plan);
  find_pitch (frames, count, plan);
  specialise (shape, plan);
  specialise_carry (plan);
  if (histo_cuda_wants_picture (first))
    histo_cuda_plan_picture (shape, frames, count, plan);
  if (histo_cuda_wants_scope (first))
    histo_cuda_plan_scope (shape, frames, count, plan);
  return HISTO_OK;
}

void
histo_cuda_list_addresses (const struct histo_cuda_plan *plan, const struct histo_frame *frames, uint64_t *addresses)
{
  for (unsigned p = 0; p < plan->count.pass_count; p++)
    for (unsigned i = 0; i < plan->count.frame_count; i++)
      *addresses++ = histo_cuda_device_address (frames[i].planes[find_plane (&frames[i], &plan->passes[p])].data)
                     + plan->passes[p].begin;
  for (unsigned p = 0; p < plan->count.pass_count && frames[0].operand; p++)
    for (unsigned i = 0; i < plan->count.frame_count; i++)
      *addresses++ = histo_cuda_device_address (frames[i].operand->planes[find_plane (&frames[i], &plan->passes[p])].data)
                     + plan->passes[p].begin;
}
