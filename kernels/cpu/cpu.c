/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CPU backend: frames are cut into slices, which the workers of a pool count into private tables. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "histogram.h"
#include "pass.h"
#include "pool.h"
#include "reduce.h"

/* A block and its operand stay in the first-level cache between histogram and dot product, beside the tables. */
#define HISTO_BLOCK_BYTES (42 * HISTO_BLOCK_GRAIN)
/* A slice is long against what it costs to take one, and short against a frame. */
#define HISTO_SLICE_BYTES (16 * HISTO_BLOCK_BYTES)

/* Either `rows` whole rows, or one of `parts` parts of a row. */
struct histo_cut {
  struct histo_pass pass;
  uint64_t first_slice, slice_count;
  uint64_t rows;
  uint64_t parts;
};

/* What belongs to a frame in flight. */
struct histo_cpu_slot {
  unsigned cut_count;
  struct histo_cut cuts[HISTO_MAX_PLANES];
  uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS];
  uint64_t dots[HISTO_MAX_COMPONENTS];
};

/* What belongs to a worker. Between jobs everything in it is zero. */
struct histo_scratch {
  struct histo_tables tables;
  const struct histo_pass *pass; /* whose bytes the tables count; NULL: nobody's */
  uint64_t table_bytes;          /* counted into the tables */
  uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS];
  uint64_t dots[HISTO_MAX_COMPONENTS];
  unsigned components; /* a bit for each component that has numbers here */
};

struct histo_cpu {
  struct histo_pool *pool;
  const struct histo_reduce_isa *isa;
  struct histo_cpu_slot *slots;
};

static void
histo_scratch_fold (struct histo_scratch *scratch)
{
  if (!scratch->pass)
    return;
  histo_tables_fold (&scratch->tables, scratch->pass->period, scratch->pass->component_at, scratch->histograms);
  scratch->pass = NULL;
  scratch->table_bytes = 0;
}

/* Counts bytes [begin, end) of row y, which begin at a position 0 of the pattern. */
static void
histo_count_span (const struct histo_cpu *cpu, struct histo_scratch *scratch, const struct histo_pass *pass, uint64_t y,
                  size_t begin, size_t end)
{
  const uint8_t *row = pass->data + y * pass->stride_bytes;
  const uint8_t *operand = pass->operand ? pass->operand + y * pass->operand_stride_bytes : NULL;
  uint64_t dots[HISTO_MAX_PERIOD] = { 0 };

  while (begin < end) {
    const size_t size = end - begin < HISTO_BLOCK_BYTES ? end - begin : HISTO_BLOCK_BYTES;

    histo_tables_count (&scratch->tables, row + begin, size, pass->period);
    if (operand)
      cpu->isa->dot (row + begin, operand + begin, size, pass->period, dots);
    begin += size;
  }
  for (unsigned p = 0; operand && p < pass->period; p++)
    if (pass->component_at[p] >= 0)
      scratch->dots[pass->component_at[p]] += dots[p];
}

/* Counts `samples` samples of a component in row y, from sample `first` on. */
static void
histo_count_edge (struct histo_scratch *scratch, const struct histo_pass *pass, const struct histo_pass_component *component,
                  uint64_t y, uint64_t first, uint64_t samples)
{
  const size_t offset = component->offset_bytes + (size_t)first * component->step_bytes;
  const uint8_t *row = pass->data + y * pass->stride_bytes;

  if (!samples)
    return;
  histo_count_samples (scratch->histograms[component->index], row + offset, component->step_bytes, samples);
  if (pass->operand)
    scratch->dots[component->index] += histo_dot_samples (row + offset, pass->operand + y * pass->operand_stride_bytes + offset,
                                                          component->step_bytes, samples);
}

static void
histo_count_edges (struct histo_scratch *scratch, const struct histo_pass *pass, uint64_t y)
{
  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];

    histo_count_edge (scratch, pass, component, y, 0, component->head);
    histo_count_edge (scratch, pass, component, y, component->width - component->tail, component->tail);
  }
}

static void
histo_cpu_run (void *user_data, void *data, unsigned job, uint64_t slice)
{
  const struct histo_cpu *cpu = user_data;
  struct histo_scratch *scratch = data;
  const struct histo_cut *cut = cpu->slots[job].cuts;
  const struct histo_pass *pass;

  while (slice - cut->first_slice >= cut->slice_count)
    cut++;
  slice -= cut->first_slice;
  pass = &cut->pass;

  if (pass != scratch->pass || scratch->table_bytes > UINT32_MAX - HISTO_SLICE_BYTES) {
    histo_scratch_fold (scratch);
    scratch->pass = pass;
  }
  scratch->table_bytes += HISTO_SLICE_BYTES;
  for (unsigned c = 0; c < pass->component_count; c++)
    scratch->components |= 1u << pass->components[c].index;

  if (cut->parts > 1) {
    const uint64_t y = slice / cut->parts, part = slice % cut->parts;
    const size_t begin = pass->begin + (size_t)part * HISTO_SLICE_BYTES;
    const bool is_last = part == cut->parts - 1;

    histo_count_span (cpu, scratch, pass, y, begin, is_last ? pass->end : begin + HISTO_SLICE_BYTES);
    if (is_last)
      histo_count_edges (scratch, pass, y);
  } else {
    const uint64_t first = slice * cut->rows;
    const uint64_t last = pass->height - first < cut->rows ? pass->height : first + cut->rows;

    for (uint64_t y = first; y < last; y++) {
      histo_count_span (cpu, scratch, pass, y, pass->begin, pass->end);
      histo_count_edges (scratch, pass, y);
    }
  }
}

static void
histo_cpu_merge (void *user_data, void *data, unsigned job)
{
  const struct histo_cpu *cpu = user_data;
  struct histo_scratch *scratch = data;
  struct histo_cpu_slot *slot = &cpu->slots[job];

  histo_scratch_fold (scratch);
  for (unsigned c = 0; c < HISTO_MAX_COMPONENTS; c++) {
    if (!(scratch->components & 1u << c))
      continue;
    for (unsigned v = 0; v < HISTO_BINS; v++)
      slot->histograms[c][v] += scratch->histograms[c][v];
    slot->dots[c] += scratch->dots[c];
    memset (scratch->histograms[c], 0, sizeof (scratch->histograms[c]));
    scratch->dots[c] = 0;
  }
  scratch->components = 0;
}

static const struct histo_pool_work histo_cpu_work = {
  .scratch_bytes = sizeof (struct histo_scratch),
  .run = histo_cpu_run,
  .merge = histo_cpu_merge,
};

static void
histo_cpu_close (void *state)
{
  struct histo_cpu *cpu = state;

  histo_pool_close (cpu->pool);
  free (cpu->slots);
  free (cpu);
}

static enum histo_status
histo_cpu_open (const struct histo_config *config, struct histo_info *info, void **state)
{
  struct histo_cpu *cpu = calloc (1, sizeof (*cpu));
  enum histo_status status = HISTO_ERROR_NO_MEMORY;

  if (cpu)
    cpu->slots = calloc (config->max_in_flight, sizeof (*cpu->slots));
  if (!cpu || !cpu->slots) {
    histo_log (config, HISTO_LOG_ERROR, "cpu: no memory for %u frames in flight", config->max_in_flight);
    goto fail;
  }
  cpu->isa = histo_reduce_choose (config->cpu_isa_disable);
  status = histo_pool_open (config, &histo_cpu_work, cpu, &cpu->pool);
  if (status)
    goto fail;

  info->threads = histo_pool_threads (cpu->pool);
  snprintf (info->device_name, sizeof (info->device_name), "%u thread%s, %s", info->threads, info->threads == 1 ? "" : "s",
            cpu->isa->name);
  *state = cpu;
  return HISTO_OK;

fail:
  if (cpu)
    histo_cpu_close (cpu);
  return status;
}

/* Fills rows, parts and slice_count of a cut, whose pass is known. */
static void
histo_cut_pass (struct histo_cut *cut)
{
  const struct histo_pass *pass = &cut->pass;
  uint64_t row_bytes = pass->end - pass->begin;

  cut->rows = 1;
  cut->parts = row_bytes ? (row_bytes - 1) / HISTO_SLICE_BYTES + 1 : 1;
  if (cut->parts > 1) {
    cut->slice_count = cut->parts * pass->height;
    return;
  }

  for (unsigned c = 0; c < pass->component_count; c++)
    row_bytes += pass->components[c].head + pass->components[c].tail;
  if (row_bytes < HISTO_SLICE_BYTES)
    cut->rows = HISTO_SLICE_BYTES / row_bytes;
  cut->slice_count = (pass->height - 1) / cut->rows + 1;
}

static enum histo_status
histo_cpu_submit (void *state, const struct histo_frame *frame, unsigned index)
{
  struct histo_cpu *cpu = state;
  struct histo_cpu_slot *slot = &cpu->slots[index];
  struct histo_pass passes[HISTO_MAX_PLANES];
  uint64_t slice_count = 0;

  slot->cut_count = histo_plan_passes (frame, passes);
  for (unsigned p = 0; p < slot->cut_count; p++) {
    struct histo_cut *cut = &slot->cuts[p];

    cut->pass = passes[p];
    cut->first_slice = slice_count;
    histo_cut_pass (cut);
    slice_count += cut->slice_count;
  }
  memset (slot->histograms, 0, frame->component_count * sizeof (slot->histograms[0]));
  memset (slot->dots, 0, sizeof (slot->dots));
  histo_pool_submit (cpu->pool, index, slice_count);
  return HISTO_OK;
}

static bool
histo_cpu_ready (void *state, unsigned slot)
{
  const struct histo_cpu *cpu = state;

  return histo_pool_is_done (cpu->pool, slot);
}

static enum histo_status
histo_cpu_collect (void *state, unsigned index, struct histo_stats *stats)
{
  const struct histo_cpu *cpu = state;
  const struct histo_cpu_slot *slot = &cpu->slots[index];

  histo_pool_wait (cpu->pool, index);
  for (unsigned c = 0; c < stats->component_count; c++) {
    struct histo_component_stats *component = &stats->components[c];
    uint64_t sum, sum_of_squares;

    for (unsigned v = 0; v < HISTO_BINS; v++)
      component->histogram[v] += slot->histograms[c][v];
    histo_sum_bins (slot->histograms[c], &sum, &sum_of_squares);
    component->sum += sum;
    component->sum_of_squares += sum_of_squares;
    component->dot += slot->dots[c];
  }
  return HISTO_OK;
}

const struct histo_backend_ops histo_backend_cpu = {
  .name = "cpu",
  .open = histo_cpu_open,
  .submit = histo_cpu_submit,
  .ready = histo_cpu_ready,
  .collect = histo_cpu_collect,
  .close = histo_cpu_close,
};
