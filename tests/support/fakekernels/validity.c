/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "kernels.h"

/* Returns whether the threads' steps reach each vector of the pass once, and none outside. */
static bool
steps_are_valid (const struct histo_cuda_pass *pass, uint64_t data, uint64_t operand)
{
  uint64_t step = (uint64_t)pass->block_count * HISTO_CUDA_THREADS, vectors = (uint64_t)pass->vectors_per_row * pass->height;
  uint64_t head = -data % 16;

  if (pass->block_count == 0 || pass->rounds * step + pass->last_round != vectors || pass->last_round >= step)
    return false;
  if (vectors == 0)
    return pass->length < 32;
  if (pass->is_aligned) {
    if (pass->stride_bytes % 16 != 0 || head + pass->vectors_per_row * UINT64_C (16) > pass->length
        || pass->length - head - pass->vectors_per_row * UINT64_C (16) >= 16)
      return false;
    if (operand != 0 && (pass->operand_stride_bytes % 16 != 0 || operand % 16 != data % 16))
      return false;
    if (pass->step_bytes != pass->step_rows * pass->stride_bytes + pass->step_vectors * UINT64_C (16)
        || (pass->height > 1 && pass->wrap_bytes != pass->stride_bytes - pass->vectors_per_row * UINT64_C (16)))
      return false;
  } else if (pass->vectors_per_row != pass->length / 16) {
    return false;
  }
  return (uint64_t)pass->step_rows * pass->vectors_per_row + pass->step_vectors == step;
}

static bool
components_are_valid (const struct histo_cuda_pass *pass, const struct fakekernel *kernel)
{
  const bool deep = takes_deep (kernel);
  const uint32_t most_bins = kernel->kind == FAKEKERNEL_CARRY ? HISTO_CUDA_MAX_BINS : HISTO_CUDA_DEEP_BINS;

  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_cuda_component *component = &pass->components[c];

    if (component->bins > most_bins || component->mask >> component->bin_shift >= component->bins
        || component->head > component->width || component->tail > component->width - component->head
        || ((component->head > 0 || component->tail > 0) && !pass->has_edges) || component->sample_bytes > (deep ? 2 : 1)
        || (!deep && component->bins != HISTO_CUDA_BINS) || (deep && component->bins > pass->bins))
      return false;
  }
  return true;
}

bool
pass_is_valid (const struct fakekernel_launch *launch, const struct histo_cuda_pass *pass, uint64_t data, uint64_t operand)
{
  const struct fakekernel *kernel = launch->kernel;
  unsigned sample_bytes = takes_deep (kernel) ? 2 : 1;
  uint64_t table_bytes = HISTO_CUDA_TABLE_BYTES ((uint64_t)HISTO_CUDA_BINS, kernel->columns);

  if (pass->height == 0 || pass->component_count < 1 || pass->component_count > HISTO_CUDA_COMPONENTS
      || pass->tables < pass->component_count || pass->tables > HISTO_CUDA_COMPONENTS || !components_are_valid (pass, kernel))
    return false;
  if ((kernel->kind == FAKEKERNEL_PLANE || kernel->kind == FAKEKERNEL_LISTED)
      && (pass->component_count != 1 || pass->tables != 1 || pass->period != 1 || pass->has_edges || !pass->is_aligned
          || data % 16 != 0 || pass->length == 0 || pass->length % 16 != 0))
    return false;
  if (kernel->packed && pass->height != 1)
    return false;
  if (kernel->kind == FAKEKERNEL_SMALL)
    return pass->component_count == 1 && pass->tables == 1 && pass->period == 1 && pass->height == 1 && !pass->has_edges
           && operand == 0 && pass->length <= HISTO_CUDA_SMALL_BYTES;
  if (kernel->kind == FAKEKERNEL_DEEP) {
    table_bytes = HISTO_CUDA_TABLE_BYTES ((uint64_t)pass->bins, 1u << pass->columns_log2);
    if (pass->columns_log2 > 5 || pass->table_bytes != table_bytes || pass->row_mask >= table_bytes
        || (pass->bins == HISTO_CUDA_BINS && 1u << pass->columns_log2 < HISTO_CUDA_THREADS / HISTO_CUDA_BINS))
      return false;
  } else if (kernel->kind == FAKEKERNEL_CARRY) {
    const uint32_t bits = 1u << pass->bits_log2;

    table_bytes = HISTO_CUDA_CARRY_TABLE_BYTES ((uint64_t)pass->bins, pass->bits_log2);
    if (pass->bits_log2 > 5 || pass->table_bytes != table_bytes || table_bytes % 16 != 0
        || UINT64_C (4) << pass->words_log2 != table_bytes || pass->counter_mask != (UINT64_C (1) << bits) - 1)
      return false;
  }
  if (takes_deep (kernel)) {
    if (pass->length > 0
        && (data % 2 != 0 || operand % 2 != 0
            || (pass->height > 1 && (pass->stride_bytes % 2 != 0 || (operand != 0 && pass->operand_stride_bytes % 2 != 0)))))
      return false;
  }
  if (pass->length > 0) {
    if (pass->period < 1 || pass->period > 4 || pass->length % (pass->period * sample_bytes) != 0)
      return false;
    for (unsigned i = 0; i < 4; i++)
      if ((pass->table_at >> (8 * i) & 0xff) >= pass->tables
          || (pass->table_at >> (8 * i) & 0xff) != (pass->table_at >> (8 * (i % pass->period)) & 0xff))
        return false;
  }
  return steps_are_valid (pass, data, operand) && launch->shared_bytes >= pass->tables * table_bytes;
}

bool
find_row (const struct histo_cuda_pass *pass, int64_t *first, int64_t *last)
{
  *first = pass->length > 0 ? 0 : INT64_MAX;
  *last = pass->length > 0 ? (int64_t)pass->length : INT64_MIN;
  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_cuda_component *component = &pass->components[c];
    const int64_t offset = component->offset_bytes, step = (int64_t)component->step_bytes;
    const int64_t begins[2] = { 0, (int64_t)(component->width - component->tail) };
    const int64_t ends[2] = { (int64_t)component->head, (int64_t)component->width };

    for (unsigned i = 0; i < 2; i++) {
      if (begins[i] >= ends[i])
        continue;
      if (offset + begins[i] * step < *first)
        *first = offset + begins[i] * step;
      if (offset + (ends[i] - 1) * step + component->sample_bytes > *last)
        *last = offset + (ends[i] - 1) * step + component->sample_bytes;
    }
  }
  return *first < *last;
}

bool
grid_is_valid (const struct fakekernel_launch *launch)
{
  const uint32_t frames = launch->parameter.count.frame_count;

  switch (launch->kernel->kind) {
  case FAKEKERNEL_LISTED:
    return frames >= 1 && frames <= HISTO_CUDA_LISTED && launch->blocks_y == frames;
  case FAKEKERNEL_SMALL:
    return frames >= 1 && launch->blocks_x == (frames - 1) / HISTO_CUDA_SMALL_FRAMES + 1 && launch->blocks_y == 1;
  default:
    return launch->blocks_y == frames;
  }
}

bool
project_is_valid (const struct fakekernel_launch *launch)
{
  const struct histo_cuda_project *project = &launch->parameter.project;
  const bool counts = launch->kernel->kind == FAKEKERNEL_PROJECT;
  const uint64_t lead = counts ? project->data[0] % 16 : 0,
                 strip = counts ? HISTO_CUDA_PROJECT_BYTES : HISTO_CUDA_PROJECT_ANY_THREADS;

  if (project->height == 0 || project->width == 0 || project->slice_rows == 0 || project->slice_rows > HISTO_CUDA_PROJECT_ROWS
      || project->strips != (project->width + lead + strip - 1) / strip
      || launch->blocks_x != (project->height - 1) / project->slice_rows * project->strips + project->strips)
    return false;
  if ((project->weight_size == 0) != (project->row_weights == 0 && project->column_weights == 0))
    return false;
  return !counts
         || (project->stride_bytes % 16 == 0 && project->component.sample_bytes == 1 && project->component.step_bytes == 1
             && project->component.bins == HISTO_CUDA_BINS && launch->blocks_x <= HISTO_CUDA_MAX_BLOCKS
             && launch->shared_bytes >= HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_PROJECT_COLUMNS));
}
