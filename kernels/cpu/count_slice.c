/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "slice.h"

/* The block of a row with an operand is short: its loops prefetch the next block, which arrives while the histogram is
 * counted. */
#define OPERAND_BLOCK_BYTES (10 * HISTO_BLOCK_GRAIN)

/* The sums of the samples of a span, by their position in the pattern. */
struct sums {
  uint64_t values[HISTO_MAX_PERIOD], squares[HISTO_MAX_PERIOD], dots[HISTO_MAX_PERIOD];
  struct histo_differences differences;
};

/* Counts a block of the pattern, the first sample at position 0. `y`: the operand's, or NULL. */
static void
count_block (const struct histo_cpu_task *task, const uint8_t *x, const uint8_t *y, size_t size, struct sums *sums)
{
  const struct histo_cpu_pass *sliced = task->slice.sliced;
  const unsigned period = sliced->pass.period;
  const bool has_dot = y && task->statistics & HISTO_STATISTIC_DOT;
  const bool has_difference = y && task->statistics & HISTO_STATISTIC_DIFFERENCE;

  if (sliced->format.sample_bytes == 1) {
    histo_tables_count (&task->scratch->tables[sliced->tables].bytes, x, size, period);
    if (has_dot)
      task->isa->dot (x, y, size, period, sums->dots);
    if (has_difference)
      task->isa->difference (x, y, size, period, &sums->differences);
    return;
  }
  histo_deep_count (histo_cpu_scratch_counters (task->scratch, sliced, &sliced->format), x, size / 2, &sliced->format, period);
  if (!sliced->format.is_native)
    task->isa->deep_sums (x, size / 2, &sliced->format, period, sums->values, sums->squares);
  if (has_dot)
    task->isa->deep_dot (x, y, size / 2, &sliced->format, period, sums->dots);
  if (has_difference)
    task->isa->deep_difference (x, y, size / 2, &sliced->format, period, &sums->differences);
}

void
histo_cpu_count_span (const struct histo_cpu_task *task, uint64_t y, size_t begin, size_t end)
{
  const struct histo_pass *pass = &task->slice.sliced->pass;
  struct histo_cpu_scratch *scratch = task->scratch;
  const uint8_t *row = histo_cpu_find_row (task, y);
  const uint8_t *operand = pass->operand ? histo_cpu_find_operand_row (task, y) : NULL;
  const size_t block_bytes = operand ? OPERAND_BLOCK_BYTES : HISTO_CPU_BLOCK_BYTES;
  struct sums sums = { 0 };

  while (begin < end) {
    const size_t size = end - begin < block_bytes ? end - begin : block_bytes;

    count_block (task, row + begin, operand ? operand + begin : NULL, size, &sums);
    begin += size;
  }
  for (unsigned p = 0; p < pass->period; p++)
    if (pass->component_at[p] >= 0) {
      scratch->sums[pass->component_at[p]] += sums.values[p];
      scratch->squares[pass->component_at[p]] += sums.squares[p];
      scratch->dots[pass->component_at[p]] += sums.dots[p];
      scratch->absolute_differences[pass->component_at[p]] += sums.differences.absolute[p];
      scratch->squared_differences[pass->component_at[p]] += sums.differences.squared[p];
    }
}

/* The deep table for samples of component `c` outside the pattern: that of its first position in the pattern, or a separate one
 * if there is no pattern. */
static unsigned
edge_table (const struct histo_pass *pass, unsigned c)
{
  unsigned position = 0;

  if (pass->begin == pass->end)
    return c;
  while (pass->component_at[position] != (int)pass->components[c].index)
    position++;
  return position;
}

/* Counts two-byte samples. They may be more than the tables can count without folding. */
static void
count_deep_edge (const struct histo_cpu_task *task, unsigned c, const uint8_t *first, uint64_t samples)
{
  const struct histo_cpu_pass *sliced = task->slice.sliced;
  const struct histo_pass_component *component = &sliced->pass.components[c];
  const struct histo_format format = histo_cpu_edge_format (sliced, c);
  struct histo_cpu_scratch *scratch = task->scratch;

  if (!format.is_native)
    histo_sum_samples (first, component->step_bytes, samples, &format, &scratch->sums[component->index],
                       &scratch->squares[component->index]);
  /* Computes each address anew, since a single sample may have any step. */
  for (uint64_t begin = 0; begin < samples; begin += HISTO_CPU_SLICE_BYTES) {
    const uint64_t count = samples - begin < HISTO_CPU_SLICE_BYTES ? samples - begin : HISTO_CPU_SLICE_BYTES;

    histo_cpu_scratch_reserve (scratch, task->total, sliced, count);
    histo_deep_count_samples (histo_cpu_scratch_counters (scratch, sliced, &format), edge_table (&sliced->pass, c),
                              first + begin * component->step_bytes, component->step_bytes, count, &format);
  }
}

void
histo_cpu_count_edge (const struct histo_cpu_task *task, unsigned c, uint64_t y, struct histo_cpu_range range)
{
  const struct histo_pass *pass = &task->slice.sliced->pass;
  const struct histo_pass_component *component = &pass->components[c];
  const struct histo_format format = histo_format_of (component);
  const size_t offset = component->offset_bytes + (size_t)range.first * component->step_bytes;
  const uint8_t *row = histo_cpu_find_row (task, y);
  struct histo_cpu_scratch *scratch = task->scratch;

  if (range.count == 0)
    return;
  if (component->sample_bytes == 2)
    count_deep_edge (task, c, row + offset, range.count);
  else
    histo_count_samples (scratch->histograms[component->index], row + offset, component->step_bytes, range.count);
  if (pass->operand && task->statistics & HISTO_STATISTIC_DOT)
    scratch->dots[component->index] += histo_dot_samples (row + offset, histo_cpu_find_operand_row (task, y) + offset,
                                                          component->step_bytes, range.count, &format);
  if (pass->operand && task->statistics & HISTO_STATISTIC_DIFFERENCE)
    histo_difference_of_samples (row + offset, histo_cpu_find_operand_row (task, y) + offset, component->step_bytes,
                                 range.count, &format, &scratch->absolute_differences[component->index],
                                 &scratch->squared_differences[component->index]);
}

static void
count_edges (const struct histo_cpu_task *task, uint64_t y)
{
  const struct histo_pass *pass = &task->slice.sliced->pass;

  for (unsigned c = 0; c < pass->component_count; c++) {
    histo_cpu_count_edge (task, c, y, histo_cpu_head_of (&pass->components[c]));
    histo_cpu_count_edge (task, c, y, histo_cpu_tail_of (&pass->components[c]));
  }
}

void
histo_cpu_count_slice (const struct histo_cpu_task *task)
{
  const struct histo_cpu_slice *slice = &task->slice;

  for (uint64_t y = slice->first_row; y < slice->first_row + slice->rows; y++) {
    histo_cpu_count_span (task, y, slice->begin, slice->end);
    if (slice->has_edges)
      count_edges (task, y);
  }
}
