/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan/plan_blocks.h"

#define MAX_BYTES_PER_BLOCK ((uint64_t)1 << 31) /* its bins have 32 bits */

/* The cost of a pass in bytes: a sample outside the pattern counts as one byte. */
static uint64_t
weigh_pass (const struct histo_pass *pass)
{
  uint64_t bytes = pass->end - pass->begin;

  for (unsigned c = 0; c < pass->component_count; c++)
    bytes += pass->components[c].head + pass->components[c].tail;
  return bytes * pass->height;
}

void
histo_cuda_assign_blocks (struct histo_cuda_pass *pass, uint32_t first_block, uint32_t block_count)
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

uint32_t
histo_cuda_share_blocks (const struct histo_cuda_shape *shape, const struct histo_pass *passes, unsigned frames,
                         struct histo_cuda_count *count)
{
  uint64_t weights[HISTO_CUDA_PASSES], least[HISTO_CUDA_PASSES], total = 0, needed = 0, wanted, most, first = 0;

  for (unsigned p = 0; p < count->pass_count; p++) {
    /* The vectors of a row are numbered with 32 bits. */
    if ((passes[p].end - passes[p].begin) / 16 >= UINT32_MAX)
      return 0;
    weights[p] = weigh_pass (&passes[p]);
    least[p] = weights[p] > 0 ? (weights[p] - 1) / MAX_BYTES_PER_BLOCK + 1 : 1;
    total += weights[p];
    needed += least[p];
  }
  if (needed > HISTO_CUDA_MAX_BLOCKS) /* also, no product below overflows */
    return 0;
  wanted = (total + shape->tuning->block_bytes - 1) / shape->tuning->block_bytes;
  most = shape->multiprocessors > frames ? shape->multiprocessors / frames : 1;
  if (wanted > most)
    wanted = most;
  if (wanted < needed)
    wanted = needed;

  for (unsigned p = 0; p < count->pass_count; p++) {
    /* Shares are rounded, and the last pass gets the remainder. No share may be less than its pass needs. */
    uint64_t share = p + 1 < count->pass_count ? (weights[p] * wanted + total / 2) / total
                     : wanted > first          ? wanted - first
                                               : 1;

    if (share < least[p])
      share = least[p];
    if (first + share > HISTO_CUDA_MAX_BLOCKS)
      return 0;
    count->first_block[p] = (uint32_t)first;
    histo_cuda_assign_blocks (&count->passes[p], (uint32_t)first, (uint32_t)share);
    first += share;
  }
  return (uint32_t)first;
}
