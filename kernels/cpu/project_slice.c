/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "slice.h"

/* Adds samples of component `c` of the pass in row y to `column_sums`, and returns their contribution to the row's sum. */
static int64_t
project_row (const struct histo_cpu_task *task, unsigned c, uint64_t y, struct histo_cpu_range range, int64_t *column_sums)
{
  const struct histo_pass *pass = &task->slice.sliced->pass;
  const struct histo_pass_component *component = &pass->components[c];
  const struct histo_weights *weights = &task->weights[component->index];
  const struct histo_format format = histo_format_of (component);
  const uint8_t *row = histo_cpu_find_row (task, y);

  return task->isa->project (row + component->offset_bytes + (size_t)range.first * component->step_bytes, component->step_bytes,
                             range.count, &format, weights->row ? weights->row + range.first : NULL,
                             weights->column ? weights->column[y] : 1, column_sums);
}

/* Adds the column sums to the total, and zeroes them. */
static void
merge_columns (const struct histo_cpu_task *task, unsigned c, struct histo_cpu_range range, int64_t *column_sums)
{
  const unsigned index = task->slice.sliced->pass.components[c].index;
  int64_t *total = task->total->stats.components[index].column_sums + range.first;

  pthread_mutex_lock (&task->total->lock);
  for (uint64_t i = 0; i < range.count; i++)
    total[i] += column_sums[i];
  pthread_mutex_unlock (&task->total->lock);
  memset (column_sums, 0, (size_t)range.count * sizeof *column_sums);
}

/* Adds the row sums of the slice to the total, and zeroes them. */
static void
merge_rows (const struct histo_cpu_task *task)
{
  const struct histo_cpu_slice *slice = &task->slice;
  const struct histo_pass *pass = &slice->sliced->pass;
  struct histo_cpu_scratch *scratch = task->scratch;

  pthread_mutex_lock (&task->total->lock);
  for (unsigned c = 0; c < pass->component_count; c++)
    for (uint64_t y = 0; y < slice->rows; y++)
      task->total->stats.components[pass->components[c].index].row_sums[slice->first_row + y] += scratch->row_sums[c][y];
  pthread_mutex_unlock (&task->total->lock);
  memset (scratch->row_sums, 0, sizeof scratch->row_sums);
}

/* The number of samples of component `c` of a pass before byte `position` of the pattern. */
static uint64_t
count_before (const struct histo_pass *pass, unsigned c, size_t position)
{
  const struct histo_pass_component *component = &pass->components[c];
  const size_t first = component->offset_bytes + (size_t)component->head * component->step_bytes;

  return component->head + (position > first ? (position - first - 1) / component->step_bytes + 1 : 0);
}

/* Counts and projects the bytes of the pattern. */
static void
project_strip (const struct histo_cpu_task *task)
{
  const struct histo_cpu_slice *slice = &task->slice;
  const struct histo_pass *pass = &slice->sliced->pass;
  struct histo_cpu_scratch *scratch = task->scratch;
  struct histo_cpu_range ranges[HISTO_MAX_COMPONENTS];
  int64_t *column_sums[HISTO_MAX_COMPONENTS], *next = scratch->column_sums;

  for (unsigned c = 0; c < pass->component_count; c++) {
    ranges[c].first = count_before (pass, c, slice->begin);
    ranges[c].count = count_before (pass, c, slice->end) - ranges[c].first;
    column_sums[c] = next;
    next += ranges[c].count;
  }
  for (uint64_t y = 0; y < slice->rows; y++) {
    histo_cpu_count_span (task, slice->first_row + y, slice->begin, slice->end);
    for (unsigned c = 0; c < pass->component_count; c++)
      scratch->row_sums[c][y] += project_row (task, c, slice->first_row + y, ranges[c], column_sums[c]);
  }
  for (unsigned c = 0; c < pass->component_count; c++)
    merge_columns (task, c, ranges[c], column_sums[c]);
}

/* Counts and projects samples of component `c` outside the pattern, in parts no longer than the column sums. */
static void
project_edge (const struct histo_cpu_task *task, unsigned c, struct histo_cpu_range edge)
{
  const struct histo_cpu_slice *slice = &task->slice;
  struct histo_cpu_scratch *scratch = task->scratch;

  while (edge.count > 0) {
    const uint64_t count = edge.count < HISTO_CPU_STRIP_BYTES ? edge.count : HISTO_CPU_STRIP_BYTES;
    const struct histo_cpu_range range = { edge.first, count };

    for (uint64_t y = 0; y < slice->rows; y++) {
      histo_cpu_count_edge (task, c, slice->first_row + y, range);
      scratch->row_sums[c][y] += project_row (task, c, slice->first_row + y, range, scratch->column_sums);
    }
    merge_columns (task, c, range, scratch->column_sums);
    edge.first += count;
    edge.count -= count;
  }
}

void
histo_cpu_project_slice (const struct histo_cpu_task *task)
{
  const struct histo_cpu_slice *slice = &task->slice;
  const struct histo_pass *pass = &slice->sliced->pass;

  if (slice->begin < slice->end)
    project_strip (task);
  for (unsigned c = 0; slice->has_edges && c < pass->component_count; c++) {
    project_edge (task, c, histo_cpu_head_of (&pass->components[c]));
    project_edge (task, c, histo_cpu_tail_of (&pass->components[c]));
  }
  merge_rows (task);
}
