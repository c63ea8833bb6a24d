/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counts the upper 8 bits of a slice's samples by column and by pair. */

#include "tile.h"

#define COLUMNS 128 /* columns whose bins stay in the first-level cache */
#define CHAINS 4    /* samples of different columns counted in turn, so that none waits for the previous one */
#define PAIRS 1024  /* samples of chroma gathered at a time */

/* The upper 8 bits of `count` samples of row y: in place, or in `buffer`. */
static const uint8_t *
read_upper (const struct histo_cpu_task *task, unsigned c, uint32_t y, uint32_t first, uint32_t count, uint8_t *buffer)
{
  const struct histo_cpu_component *component = &task->picture->components[c];
  const uint8_t *sample = histo_cpu_find_sample (component, y, first);
  uint16_t words[PAIRS];

  if (component->format.sample_bytes == 1 && component->step_bytes == 1)
    return sample;
  if (component->format.sample_bytes == 1) {
    task->isa->bytes (sample, component->step_bytes, count, &component->format, buffer);
    return buffer;
  }
  task->isa->words (sample, component->step_bytes, count, &component->format, words);
  for (uint32_t i = 0; i < count; i++)
    buffer[i] = (uint8_t)(words[i] >> (component->format.depth - 8));
  return buffer;
}

/* Finds the tables of samples first .. first + count - 1 of a row. */
static void
find_tables (uint32_t *waveform, uint32_t columns, uint32_t width, uint32_t first, uint32_t count, uint32_t **tables)
{
  /* The product is below 2^30. The loop then needs no division for each sample. */
  uint32_t *table = waveform + (size_t)(first * columns / width) * HISTO_BINS;
  uint32_t rest = first * columns % width;

  for (uint32_t i = 0; i < count; i++) {
    tables[i] = table;
    rest += columns;
    if (rest >= width) {
      rest -= width;
      table += HISTO_BINS;
    }
  }
}

/* Counts these samples in all rows of the slice. */
static void
count_tile (const struct histo_cpu_task *task, unsigned c, uint32_t **tables, uint32_t first, uint32_t count)
{
  const uint32_t end = task->slice.first_picture_row + task->slice.picture_rows, part = count / CHAINS;

  for (uint32_t y = task->slice.first_picture_row; y < end; y++) {
    uint8_t buffer[COLUMNS];
    const uint8_t *values = read_upper (task, c, y, first, count, buffer);

    for (uint32_t i = 0; i < part; i++)
      for (uint32_t chain = 0; chain < CHAINS; chain++)
        tables[chain * part + i][values[chain * part + i]]++;
    for (uint32_t i = CHAINS * part; i < count; i++)
      tables[i][values[i]]++;
  }
}

void
histo_cpu_count_waveforms (const struct histo_cpu_task *task)
{
  const struct histo_pass *pass = &task->slice.sliced->pass;
  const struct histo_stats *stats = &task->total->stats;

  for (unsigned p = 0; p < pass->component_count; p++) {
    const unsigned c = pass->components[p].index;
    const uint32_t width = task->picture->components[c].width;
    uint32_t *waveform = histo_scope_find_waveform (task->scratch->scope, stats, c);

    for (uint32_t first = 0; first < width; first += COLUMNS) {
      const uint32_t count = width - first < COLUMNS ? width - first : COLUMNS;
      uint32_t *tables[COLUMNS];

      find_tables (waveform, stats->components[c].waveform_columns, width, first, count, tables);
      count_tile (task, c, tables, first, count);
    }
  }
}

void
histo_cpu_vectorscope (const struct histo_cpu_task *task)
{
  const uint32_t width = task->picture->components[CB].width;
  const uint32_t end = task->slice.first_picture_row + task->slice.picture_rows;
  uint32_t *counters = histo_scope_find_histogram (task->scratch->scope, &task->total->stats, HISTO_ROW_VECTORSCOPE);

  for (uint32_t y = task->slice.first_picture_row; y < end; y++)
    for (uint32_t first = 0; first < width; first += PAIRS) {
      const uint32_t count = width - first < PAIRS ? width - first : PAIRS;
      uint8_t buffers[2][PAIRS];
      const uint8_t *cb = read_upper (task, CB, y, first, count, buffers[0]);
      const uint8_t *cr = read_upper (task, CR, y, first, count, buffers[1]);

      for (uint32_t i = 0; i < count; i++)
        counters[cr[i] * 256u + cb[i]]++;
    }
}
