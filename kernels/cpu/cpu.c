/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CPU backend: frames are cut into slices, which workers count into private tables. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "histogram.h"
#include "pass.h"
#include "pool.h"
#include "reduce.h"
#include "stats.h"

/* A block and its operand stay in the first-level cache between histogram and dot product, beside the tables. */
#define HISTO_BLOCK_BYTES (42 * HISTO_BLOCK_GRAIN)
/* A slice is long against what it costs to take one, and short against a frame. */
#define HISTO_SLICE_BYTES (16 * HISTO_BLOCK_BYTES)
/* Of a projected frame a slice is a strip of a band of rows: the sums of its columns stay in the first-level cache. */
#define HISTO_STRIP_BYTES (21 * HISTO_BLOCK_GRAIN)
#define HISTO_BAND_ROWS 256

/* A pass in slices: bands of `rows` rows, of which each has `parts` parts of `part_bytes` bytes of the pattern. */
struct histo_cut {
  struct histo_pass pass;
  struct histo_format format; /* of the samples of the pattern */
  uint64_t first_slice, slice_count;
  uint64_t rows;
  uint64_t parts;
  size_t part_bytes;
};

/* What belongs to a frame in flight. */
struct histo_cpu_slot {
  unsigned cut_count;
  struct histo_cut cuts[HISTO_MAX_PLANES];
  pthread_mutex_t lock; /* around `stats` */
  struct histo_stats stats;
};

/* What belongs to a worker, whichever engine it works for. Between jobs all counters and sums in it are zero. */
struct histo_scratch {
  struct histo_tables tables;
  struct histo_deep_tables deep_tables;
  struct histo_wide_tables *wide_tables;                 /* NULL until a slice needs them, and again between jobs */
  const struct histo_cut *cut;                           /* whose samples the tables count; NULL: nobody's */
  uint64_t table_samples;                                /* at most so many are in the tables */
  uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS]; /* of bytes */
  uint64_t sums[HISTO_MAX_COMPONENTS], squares[HISTO_MAX_COMPONENTS], dots[HISTO_MAX_COMPONENTS];
  unsigned components; /* a bit for each component that has numbers here */

  int64_t column_sums[HISTO_STRIP_BYTES];
  int64_t row_sums[HISTO_MAX_COMPONENTS][HISTO_BAND_ROWS]; /* by the component's number in its pass */
};

struct histo_cpu {
  struct histo_pool *pool;
  const struct histo_reduce_isa *isa;
  unsigned slot_count;
  struct histo_cpu_slot *slots;
  struct histo_weights weights[HISTO_MAX_COMPONENTS];

  /* For as many workers as there are, made with the first frame that needs them: all zeros. */
  pthread_mutex_t wide_lock; /* around `free_tables` and `free_count` */
  struct histo_wide_tables *wide_tables;
  struct histo_wide_tables **free_tables;
  unsigned free_count;
};

/* ---- counting ------------------------------------------------------------------------------------------------------- */

/* The deep table for samples of component `c` outside of the pattern: that of its first position in it, or one of its own where there is
 * no pattern. */
static unsigned
histo_edge_table (const struct histo_pass *pass, unsigned c)
{
  unsigned position = 0;

  if (pass->begin == pass->end)
    return c;
  while (pass->component_at[position] != (int)pass->components[c].index)
    position++;
  return position;
}

/* How samples of component `c` outside of the pattern are counted: as those in it, where there is one. */
static struct histo_format
histo_edge_format (const struct histo_cut *cut, unsigned c)
{
  return cut->pass.begin < cut->pass.end ? cut->format : histo_format_of (&cut->pass.components[c]);
}

/* The counters for samples of two bytes. */
static uint32_t *
histo_counters_of (struct histo_scratch *scratch, const struct histo_format *format)
{
  return histo_format_is_wide (format) ? scratch->wide_tables->counters[0] : scratch->deep_tables.counters[0];
}

static void
histo_fold_table (struct histo_scratch *scratch, unsigned table, const struct histo_format *format,
                  struct histo_component_stats *stats)
{
  histo_deep_fold (histo_counters_of (scratch, format), table, format, stats->bins, stats->histogram, &stats->sum,
                   &stats->sum_of_squares);
}

static void
histo_fold_deep (struct histo_scratch *scratch, const struct histo_cut *cut, struct histo_stats *stats)
{
  const struct histo_pass *pass = &cut->pass;

  if (pass->begin < pass->end) {
    for (unsigned t = 0; cut->format.sample_bytes == 2 && t < histo_deep_table_count (&cut->format, pass->period); t++) {
      const int index = pass->component_at[t % pass->period];

      if (index >= 0)
        histo_fold_table (scratch, t, &cut->format, &stats->components[index]);
      else
        histo_deep_clear (histo_counters_of (scratch, &cut->format), t, &cut->format);
    }
    return;
  }
  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_format format = histo_format_of (&pass->components[c]);

    if (format.sample_bytes == 2)
      histo_fold_table (scratch, c, &format, &stats->components[pass->components[c].index]);
  }
}

static void
histo_scratch_fold (struct histo_scratch *scratch, struct histo_cpu_slot *slot)
{
  const struct histo_cut *cut = scratch->cut;

  if (!cut)
    return;
  if (cut->pass.begin < cut->pass.end && cut->pass.sample_bytes == 1)
    histo_tables_fold (&scratch->tables, cut->pass.period, cut->pass.component_at, scratch->histograms);
  pthread_mutex_lock (&slot->lock);
  histo_fold_deep (scratch, cut, &slot->stats);
  pthread_mutex_unlock (&slot->lock);
  scratch->cut = NULL;
  scratch->table_samples = 0;
}

/* Whether samples of a cut are counted in wide tables. */
static bool
histo_cut_is_wide (const struct histo_cut *cut)
{
  for (unsigned c = 0; c < cut->pass.component_count; c++) {
    const struct histo_format format = histo_edge_format (cut, c);

    if (histo_format_is_wide (&format))
      return true;
  }
  return false;
}

/* Makes room in the tables for `samples` samples of `cut`. */
static void
histo_scratch_reserve (struct histo_scratch *scratch, struct histo_cpu_slot *slot, const struct histo_cut *cut,
                       uint64_t samples)
{
  if (cut != scratch->cut || scratch->table_samples > UINT32_MAX - samples) {
    histo_scratch_fold (scratch, slot);
    scratch->cut = cut;
  }
  scratch->table_samples += samples;
}

/* Counts a block of the pattern, whose first sample is at position 0. `y`: the operand's, or NULL. */
static void
histo_count_block (const struct histo_cpu *cpu, struct histo_scratch *scratch, const struct histo_cut *cut, const uint8_t *x,
                   const uint8_t *y, size_t size, uint64_t sums[HISTO_MAX_PERIOD], uint64_t squares[HISTO_MAX_PERIOD],
                   uint64_t dots[HISTO_MAX_PERIOD])
{
  const unsigned period = cut->pass.period;

  if (cut->format.sample_bytes == 1) {
    histo_tables_count (&scratch->tables, x, size, period);
    if (y)
      cpu->isa->dot (x, y, size, period, dots);
    return;
  }
  histo_deep_count (histo_counters_of (scratch, &cut->format), x, size / 2, &cut->format, period);
  if (!cut->format.is_native)
    cpu->isa->deep_sums (x, size / 2, &cut->format, period, sums, squares);
  if (y)
    cpu->isa->deep_dot (x, y, size / 2, &cut->format, period, dots);
}

/* Counts bytes [begin, end) of row y, which begin at a position 0 of the pattern. */
static void
histo_count_span (const struct histo_cpu *cpu, struct histo_scratch *scratch, const struct histo_cut *cut, uint64_t y,
                  size_t begin, size_t end)
{
  const struct histo_pass *pass = &cut->pass;
  const uint8_t *row = pass->data + y * pass->stride_bytes;
  const uint8_t *operand = pass->operand ? pass->operand + y * pass->operand_stride_bytes : NULL;
  uint64_t sums[HISTO_MAX_PERIOD] = { 0 }, squares[HISTO_MAX_PERIOD] = { 0 }, dots[HISTO_MAX_PERIOD] = { 0 };

  while (begin < end) {
    const size_t size = end - begin < HISTO_BLOCK_BYTES ? end - begin : HISTO_BLOCK_BYTES;

    histo_count_block (cpu, scratch, cut, row + begin, operand ? operand + begin : NULL, size, sums, squares, dots);
    begin += size;
  }
  for (unsigned p = 0; p < pass->period; p++)
    if (pass->component_at[p] >= 0) {
      scratch->sums[pass->component_at[p]] += sums[p];
      scratch->squares[pass->component_at[p]] += squares[p];
      scratch->dots[pass->component_at[p]] += dots[p];
    }
}

/* Counts samples of two bytes, which may be more than a table has room for. */
static void
histo_count_deep_edge (struct histo_scratch *scratch, struct histo_cpu_slot *slot, const struct histo_cut *cut, unsigned c,
                       const uint8_t *first, uint64_t samples)
{
  const struct histo_pass_component *component = &cut->pass.components[c];
  const struct histo_format format = histo_edge_format (cut, c);

  if (!format.is_native)
    histo_sum_samples (first, component->step_bytes, samples, &format, &scratch->sums[component->index],
                       &scratch->squares[component->index]);
  /* A lone sample may have any step. */
  for (uint64_t begin = 0; begin < samples; begin += HISTO_SLICE_BYTES) {
    const uint64_t count = samples - begin < HISTO_SLICE_BYTES ? samples - begin : HISTO_SLICE_BYTES;

    histo_scratch_reserve (scratch, slot, cut, count);
    histo_deep_count_samples (histo_counters_of (scratch, &format), histo_edge_table (&cut->pass, c),
                              first + begin * component->step_bytes, component->step_bytes, count, &format);
  }
}

/* Counts `samples` samples of component `c` of the pass in row y, from sample `first` on. */
static void
histo_count_edge (struct histo_scratch *scratch, struct histo_cpu_slot *slot, const struct histo_cut *cut, unsigned c,
                  uint64_t y, uint64_t first, uint64_t samples)
{
  const struct histo_pass *pass = &cut->pass;
  const struct histo_pass_component *component = &pass->components[c];
  const struct histo_format format = histo_format_of (component);
  const size_t offset = component->offset_bytes + (size_t)first * component->step_bytes;
  const uint8_t *row = pass->data + y * pass->stride_bytes;

  if (!samples)
    return;
  if (component->sample_bytes == 2)
    histo_count_deep_edge (scratch, slot, cut, c, row + offset, samples);
  else
    histo_count_samples (scratch->histograms[component->index], row + offset, component->step_bytes, samples);
  if (pass->operand)
    scratch->dots[component->index] += histo_dot_samples (row + offset, pass->operand + y * pass->operand_stride_bytes + offset,
                                                          component->step_bytes, samples, &format);
}

static void
histo_count_edges (struct histo_scratch *scratch, struct histo_cpu_slot *slot, const struct histo_cut *cut, uint64_t y)
{
  for (unsigned c = 0; c < cut->pass.component_count; c++) {
    const struct histo_pass_component *component = &cut->pass.components[c];

    histo_count_edge (scratch, slot, cut, c, y, 0, component->head);
    histo_count_edge (scratch, slot, cut, c, y, component->width - component->tail, component->tail);
  }
}

/* ---- projecting ----------------------------------------------------------------------------------------------------- */

/* Adds samples of component `c` of the pass in row y to `column_sums`, and returns their part of the row's sum. */
static int64_t
histo_project_row (const struct histo_cpu *cpu, const struct histo_pass *pass, unsigned c, uint64_t y, uint64_t first,
                   uint64_t samples, int64_t *column_sums)
{
  const struct histo_pass_component *component = &pass->components[c];
  const struct histo_weights *weights = &cpu->weights[component->index];
  const struct histo_format format = histo_format_of (component);
  const uint8_t *row = pass->data + y * pass->stride_bytes;

  return cpu->isa->project (row + component->offset_bytes + (size_t)first * component->step_bytes, component->step_bytes,
                            samples, &format, weights->row ? weights->row + first : NULL,
                            weights->column ? weights->column[y] : 1, column_sums);
}

/* Hands over the sums of `samples` columns, and zeroes them. */
static void
histo_merge_columns (struct histo_cpu_slot *slot, const struct histo_pass_component *component, uint64_t first,
                     uint64_t samples, int64_t *column_sums)
{
  int64_t *total = slot->stats.components[component->index].column_sums + first;

  pthread_mutex_lock (&slot->lock);
  for (uint64_t i = 0; i < samples; i++)
    total[i] += column_sums[i];
  pthread_mutex_unlock (&slot->lock);
  memset (column_sums, 0, (size_t)samples * sizeof (*column_sums));
}

static void
histo_merge_rows (struct histo_scratch *scratch, struct histo_cpu_slot *slot, const struct histo_pass *pass, uint64_t first_row,
                  uint64_t rows)
{
  pthread_mutex_lock (&slot->lock);
  for (unsigned c = 0; c < pass->component_count; c++)
    for (uint64_t y = 0; y < rows; y++)
      slot->stats.components[pass->components[c].index].row_sums[first_row + y] += scratch->row_sums[c][y];
  pthread_mutex_unlock (&slot->lock);
  memset (scratch->row_sums, 0, sizeof (scratch->row_sums));
}

/* The samples of component `c` of a pass that lie before byte `position` of the pattern. */
static uint64_t
histo_samples_up_to (const struct histo_pass *pass, unsigned c, size_t position)
{
  const struct histo_pass_component *component = &pass->components[c];
  const size_t first = component->offset_bytes + (size_t)component->head * component->step_bytes;

  return component->head + (position > first ? (position - first - 1) / component->step_bytes + 1 : 0);
}

/* Counts and projects bytes [begin, end) of the pattern in the rows of a band. */
static void
histo_project_strip (const struct histo_cpu *cpu, struct histo_scratch *scratch, struct histo_cpu_slot *slot,
                     const struct histo_cut *cut, uint64_t first_row, uint64_t rows, size_t begin, size_t end)
{
  const struct histo_pass *pass = &cut->pass;
  uint64_t first[HISTO_MAX_COMPONENTS], samples[HISTO_MAX_COMPONENTS];
  int64_t *column_sums[HISTO_MAX_COMPONENTS], *next = scratch->column_sums;

  for (unsigned c = 0; c < pass->component_count; c++) {
    first[c] = histo_samples_up_to (pass, c, begin);
    samples[c] = histo_samples_up_to (pass, c, end) - first[c];
    column_sums[c] = next;
    next += samples[c];
  }
  for (uint64_t y = 0; y < rows; y++) {
    histo_count_span (cpu, scratch, cut, first_row + y, begin, end);
    for (unsigned c = 0; c < pass->component_count; c++)
      scratch->row_sums[c][y] += histo_project_row (cpu, pass, c, first_row + y, first[c], samples[c], column_sums[c]);
  }
  for (unsigned c = 0; c < pass->component_count; c++)
    histo_merge_columns (slot, &pass->components[c], first[c], samples[c], column_sums[c]);
}

/* Counts and projects samples of component `c` outside of the pattern in the rows of a band. */
static void
histo_project_edge (const struct histo_cpu *cpu, struct histo_scratch *scratch, struct histo_cpu_slot *slot,
                    const struct histo_cut *cut, unsigned c, uint64_t first_row, uint64_t rows, uint64_t first,
                    uint64_t samples)
{
  while (samples) {
    const uint64_t count = samples < HISTO_STRIP_BYTES ? samples : HISTO_STRIP_BYTES;

    for (uint64_t y = 0; y < rows; y++) {
      histo_count_edge (scratch, slot, cut, c, first_row + y, first, count);
      scratch->row_sums[c][y] += histo_project_row (cpu, &cut->pass, c, first_row + y, first, count, scratch->column_sums);
    }
    histo_merge_columns (slot, &cut->pass.components[c], first, count, scratch->column_sums);
    first += count;
    samples -= count;
  }
}

/* ---- slices --------------------------------------------------------------------------------------------------------- */

static void
histo_count_slice (const struct histo_cpu *cpu, struct histo_scratch *scratch, struct histo_cpu_slot *slot,
                   const struct histo_cut *cut, uint64_t first_row, uint64_t rows, size_t begin, size_t end, bool has_edges)
{
  for (uint64_t y = first_row; y < first_row + rows; y++) {
    histo_count_span (cpu, scratch, cut, y, begin, end);
    if (has_edges)
      histo_count_edges (scratch, slot, cut, y);
  }
}

static void
histo_project_slice (const struct histo_cpu *cpu, struct histo_scratch *scratch, struct histo_cpu_slot *slot,
                     const struct histo_cut *cut, uint64_t first_row, uint64_t rows, size_t begin, size_t end, bool has_edges)
{
  const struct histo_pass *pass = &cut->pass;

  if (begin < end)
    histo_project_strip (cpu, scratch, slot, cut, first_row, rows, begin, end);
  for (unsigned c = 0; has_edges && c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];

    histo_project_edge (cpu, scratch, slot, cut, c, first_row, rows, 0, component->head);
    histo_project_edge (cpu, scratch, slot, cut, c, first_row, rows, component->width - component->tail, component->tail);
  }
  histo_merge_rows (scratch, slot, pass, first_row, rows);
}

/* Gives the worker wide tables, if it needs some. There are as many as workers. */
static void
histo_scratch_take_tables (struct histo_scratch *scratch, struct histo_cpu *cpu, const struct histo_cut *cut)
{
  if (scratch->wide_tables || !histo_cut_is_wide (cut))
    return;
  pthread_mutex_lock (&cpu->wide_lock);
  scratch->wide_tables = cpu->free_tables[--cpu->free_count];
  pthread_mutex_unlock (&cpu->wide_lock);
}

static void
histo_scratch_return_tables (struct histo_scratch *scratch, struct histo_cpu *cpu)
{
  if (!scratch->wide_tables)
    return;
  pthread_mutex_lock (&cpu->wide_lock);
  cpu->free_tables[cpu->free_count++] = scratch->wide_tables;
  pthread_mutex_unlock (&cpu->wide_lock);
  scratch->wide_tables = NULL;
}

static void
histo_cpu_run (void *user_data, void *data, unsigned seat, unsigned job, uint64_t slice)
{
  struct histo_cpu *cpu = user_data;
  struct histo_scratch *scratch = data;
  struct histo_cpu_slot *slot = &cpu->slots[job];
  const struct histo_cut *cut = slot->cuts;
  const struct histo_pass *pass;
  uint64_t first_row, rows, part;
  size_t begin, end;
  bool is_last;

  (void)seat;
  while (slice - cut->first_slice >= cut->slice_count)
    cut++;
  slice -= cut->first_slice;
  pass = &cut->pass;
  first_row = slice / cut->parts * cut->rows;
  rows = pass->height - first_row < cut->rows ? pass->height - first_row : cut->rows;
  part = slice % cut->parts;
  is_last = part == cut->parts - 1;
  begin = pass->begin + (size_t)part * cut->part_bytes;
  end = is_last ? pass->end : begin + cut->part_bytes;

  histo_scratch_take_tables (scratch, cpu, cut);
  histo_scratch_reserve (scratch, slot, cut, HISTO_SLICE_BYTES);
  for (unsigned c = 0; c < pass->component_count; c++)
    scratch->components |= 1u << pass->components[c].index;
  if (pass->project)
    histo_project_slice (cpu, scratch, slot, cut, first_row, rows, begin, end, is_last);
  else
    histo_count_slice (cpu, scratch, slot, cut, first_row, rows, begin, end, is_last);
}

static void
histo_cpu_merge (void *user_data, void *data, unsigned job)
{
  struct histo_cpu *cpu = user_data;
  struct histo_scratch *scratch = data;
  struct histo_cpu_slot *slot = &cpu->slots[job];

  histo_scratch_fold (scratch, slot);
  histo_scratch_return_tables (scratch, cpu);
  pthread_mutex_lock (&slot->lock);
  for (unsigned c = 0; c < HISTO_MAX_COMPONENTS; c++) {
    struct histo_component_stats *stats = &slot->stats.components[c];

    if (!(scratch->components & 1u << c))
      continue;
    if (stats->depth == 8) {
      histo_sum_bins (scratch->histograms[c], &scratch->sums[c], &scratch->squares[c]);
      for (unsigned v = 0; v < HISTO_BINS; v++)
        stats->histogram[v] += scratch->histograms[c][v];
      memset (scratch->histograms[c], 0, sizeof (scratch->histograms[c]));
    }
    stats->sum += scratch->sums[c];
    stats->sum_of_squares += scratch->squares[c];
    stats->dot += scratch->dots[c];
    scratch->sums[c] = scratch->squares[c] = scratch->dots[c] = 0;
  }
  pthread_mutex_unlock (&slot->lock);
  scratch->components = 0;
}

static const struct histo_pool_work histo_cpu_work = {
  .thread_name = "histo-worker",
  .scratch_bytes = sizeof (struct histo_scratch),
  .run = histo_cpu_run,
  .merge = histo_cpu_merge,
};

/* ---- the backend ---------------------------------------------------------------------------------------------------- */

static void
histo_cpu_close (void *state)
{
  struct histo_cpu *cpu = state;

  histo_pool_close (cpu->pool);
  for (unsigned i = 0; cpu->slots && i < cpu->slot_count; i++) {
    pthread_mutex_destroy (&cpu->slots[i].lock);
    histo_stats_clear (&cpu->slots[i].stats);
  }
  pthread_mutex_destroy (&cpu->wide_lock);
  free (cpu->wide_tables);
  free (cpu->free_tables);
  free (cpu->slots);
  free (cpu);
}

static enum histo_status
histo_cpu_open (const struct histo_config *config, struct histo_info *info, void **state)
{
  struct histo_cpu *cpu = calloc (1, sizeof (*cpu));
  enum histo_status status = HISTO_ERROR_NO_MEMORY;

  if (cpu) {
    cpu->wide_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cpu->slots = calloc (config->max_in_flight, sizeof (*cpu->slots));
  }
  if (!cpu || !cpu->slots) {
    histo_log (config, HISTO_LOG_ERROR, "cpu: no memory for %u frames in flight", config->max_in_flight);
    goto fail;
  }
  cpu->slot_count = config->max_in_flight;
  for (unsigned i = 0; i < cpu->slot_count; i++)
    cpu->slots[i].lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
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

/* The samples of a pattern are counted together only where they are of one kind. */
static void
histo_cut_format (struct histo_cut *cut)
{
  struct histo_pass *pass = &cut->pass;
  bool is_uniform = true;

  cut->format = histo_format_of (&pass->components[0]);
  for (unsigned c = 1; c < pass->component_count; c++) {
    const struct histo_format other = histo_format_of (&pass->components[c]);

    is_uniform = is_uniform && histo_format_equals (&cut->format, &other);
    cut->format.is_native = cut->format.is_native || other.is_native;
  }
  if (pass->sample_bytes == 1 || is_uniform)
    return;
  pass->begin = pass->end = 0;
  for (unsigned c = 0; c < pass->component_count; c++) {
    pass->components[c].head = pass->components[c].width;
    pass->components[c].tail = 0;
  }
}

/* Fills rows, parts, part_bytes and slice_count of a cut, whose pass is known. */
static void
histo_cut_pass (struct histo_cut *cut)
{
  const struct histo_pass *pass = &cut->pass;
  const uint64_t max_rows = pass->project ? HISTO_BAND_ROWS : UINT32_MAX;
  uint64_t row_bytes = pass->end - pass->begin;

  cut->part_bytes = pass->project ? HISTO_STRIP_BYTES : HISTO_SLICE_BYTES;
  cut->parts = row_bytes ? (row_bytes - 1) / cut->part_bytes + 1 : 1;
  if (cut->parts > 1)
    row_bytes = cut->part_bytes;
  else
    for (unsigned c = 0; c < pass->component_count; c++)
      row_bytes += (pass->components[c].head + pass->components[c].tail) * pass->components[c].sample_bytes;
  cut->rows = row_bytes < HISTO_SLICE_BYTES ? HISTO_SLICE_BYTES / row_bytes : 1;
  if (cut->rows > max_rows)
    cut->rows = max_rows;
  cut->slice_count = cut->parts * ((pass->height - 1) / cut->rows + 1);
}

static enum histo_status
histo_cpu_reserve_wide_tables (struct histo_cpu *cpu)
{
  const unsigned threads = histo_pool_threads (cpu->pool);

  if (cpu->free_tables)
    return HISTO_OK;
  cpu->wide_tables = calloc (threads, sizeof (*cpu->wide_tables));
  if (cpu->wide_tables)
    cpu->free_tables = malloc (threads * sizeof (struct histo_wide_tables *));
  if (!cpu->free_tables) {
    free (cpu->wide_tables);
    cpu->wide_tables = NULL;
    return HISTO_ERROR_NO_MEMORY;
  }
  for (unsigned t = 0; t < threads; t++)
    cpu->free_tables[cpu->free_count++] = &cpu->wide_tables[t];
  return HISTO_OK;
}

static enum histo_status
histo_cpu_submit (void *state, const struct histo_frame *frame, unsigned index)
{
  struct histo_cpu *cpu = state;
  struct histo_cpu_slot *slot = &cpu->slots[index];
  struct histo_pass passes[HISTO_MAX_PLANES];
  uint64_t slice_count = 0;
  enum histo_status status = histo_stats_prepare (&slot->stats, frame);

  if (status)
    return status;
  slot->cut_count = histo_plan_passes (frame, passes);
  for (unsigned p = 0; p < slot->cut_count; p++) {
    struct histo_cut *cut = &slot->cuts[p];

    cut->pass = passes[p];
    cut->first_slice = slice_count;
    histo_cut_format (cut);
    histo_cut_pass (cut);
    slice_count += cut->slice_count;
    if (!status && histo_cut_is_wide (cut))
      status = histo_cpu_reserve_wide_tables (cpu);
  }
  if (status)
    return status;
  return histo_pool_submit (cpu->pool, index, slice_count);
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

  histo_pool_wait (cpu->pool, index);
  return stats->component_count ? histo_stats_add (stats, &cpu->slots[index].stats) : HISTO_OK;
}

static enum histo_status
histo_cpu_set_weights (void *state, unsigned component, const struct histo_weights *weights)
{
  struct histo_cpu *cpu = state;

  cpu->weights[component] = *weights;
  return HISTO_OK;
}

const struct histo_backend_ops histo_backend_cpu = {
  .name = "cpu",
  .open = histo_cpu_open,
  .submit = histo_cpu_submit,
  .ready = histo_cpu_ready,
  .collect = histo_cpu_collect,
  .close = histo_cpu_close,
  .set_weights = histo_cpu_set_weights,
};
