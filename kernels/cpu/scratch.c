/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "reduce.h"
#include "scratch.h"

uint32_t *
histo_cpu_scratch_counters (struct histo_cpu_scratch *scratch, const struct histo_cpu_pass *sliced,
                            const struct histo_format *format)
{
  return histo_format_is_wide (format) ? scratch->wide_tables->counters[0] : scratch->tables[sliced->tables].deep.counters[0];
}

static void
fold_table (struct histo_cpu_scratch *scratch, const struct histo_cpu_pass *sliced, unsigned table,
            const struct histo_format *format, struct histo_component_stats *stats)
{
  histo_deep_fold (histo_cpu_scratch_counters (scratch, sliced, format), table, format, stats->bins, stats->histogram,
                   &stats->sum, &stats->sum_of_squares);
}

struct histo_colour_counters
histo_cpu_scratch_colours (struct histo_cpu_scratch *scratch, uint32_t statistics, unsigned depth)
{
  struct histo_colour_counters counters = { .saturation_row = HISTO_COLOUR_ROW };

  if (statistics & HISTO_STATISTIC_HUE)
    counters.hues = scratch->colours.hues[0];
  if (!(statistics & HISTO_STATISTIC_SATURATION))
    return counters;
  counters.saturations = scratch->colours.saturations[0];
  if (depth > HISTO_NATIVE_DEPTH) {
    counters.saturations = scratch->wide_saturations->counters[0];
    counters.saturation_row = HISTO_WIDE_ROW;
  }
  return counters;
}

/* Adds the tables of two-byte samples to `stats`. */
static void
fold_deep (struct histo_cpu_scratch *scratch, const struct histo_cpu_pass *sliced, struct histo_stats *stats)
{
  const struct histo_pass *pass = &sliced->pass;

  if (pass->begin < pass->end) {
    for (unsigned t = 0; sliced->format.sample_bytes == 2 && t < histo_deep_table_count (&sliced->format, pass->period); t++) {
      const int index = pass->component_at[t % pass->period];

      if (index >= 0)
        fold_table (scratch, sliced, t, &sliced->format, &stats->components[index]);
      else
        histo_deep_clear (histo_cpu_scratch_counters (scratch, sliced, &sliced->format), t, &sliced->format);
    }
    return;
  }
  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_format format = histo_format_of (&pass->components[c]);

    if (format.sample_bytes == 2)
      fold_table (scratch, sliced, c, &format, &stats->components[pass->components[c].index]);
  }
}

/* Folds the tables. */
static void
fold (struct histo_cpu_scratch *scratch, struct histo_cpu_tables *tables, struct histo_cpu_total *total)
{
  const struct histo_cpu_pass *sliced = tables->sliced;

  if (!sliced)
    return;
  if (sliced->pass.begin < sliced->pass.end && sliced->pass.sample_bytes == 1)
    histo_tables_fold (&tables->bytes, sliced->pass.period, sliced->pass.component_at, scratch->histograms);
  pthread_mutex_lock (&total->lock);
  fold_deep (scratch, sliced, &total->stats);
  pthread_mutex_unlock (&total->lock);
  tables->sliced = NULL;
  tables->samples = 0;
}

void
histo_cpu_scratch_reserve (struct histo_cpu_scratch *scratch, struct histo_cpu_total *total,
                           const struct histo_cpu_pass *sliced, uint64_t samples)
{
  struct histo_cpu_tables *tables = &scratch->tables[sliced->tables];

  if (sliced != tables->sliced || tables->samples > UINT32_MAX - samples) {
    fold (scratch, tables, total);
    tables->sliced = sliced;
  }
  tables->samples += samples;
}

/* Adds the picture's numbers to `stats`, which has a picture. */
static void
merge_picture (struct histo_cpu_scratch *scratch, struct histo_stats *stats)
{
  struct histo_picture_stats *picture = stats->picture;

#define PICTURE_NUMBER(id, name, ...) picture->name += scratch->numbers[HISTO_NUMBER_##id];
#include "statistic_list.h"
  memset (scratch->numbers, 0, sizeof scratch->numbers);
  if (scratch->has_colours) {
    const struct histo_colour_counters counters
        = histo_cpu_scratch_colours (scratch, picture->statistics, stats->components[0].depth);

    if (counters.hues)
      histo_colours_fold (counters.hues, HISTO_HUE_ROW, HISTO_HUES, picture->hue);
    if (counters.saturations)
      histo_colours_fold (counters.saturations, counters.saturation_row, picture->saturation_count, picture->saturation);
  }
  scratch->has_colours = false;
  if (scratch->has_light)
    histo_light_fold (&scratch->light, picture->light);
  scratch->has_light = false;
}

void
histo_cpu_scratch_merge (struct histo_cpu_scratch *scratch, struct histo_cpu_total *total)
{
  for (unsigned t = 0; t < HISTO_CPU_TABLES; t++)
    fold (scratch, &scratch->tables[t], total);
  pthread_mutex_lock (&total->lock);
  for (unsigned c = 0; c < total->stats.component_count; c++) {
    struct histo_component_stats *stats;

    if ((scratch->components & 1u << c) == 0)
      continue;
    stats = &total->stats.components[c];
    if (stats->depth == 8) {
      histo_sum_bins (scratch->histograms[c], &scratch->sums[c], &scratch->squares[c]);
      for (unsigned v = 0; v < HISTO_BINS; v++)
        stats->histogram[v] += scratch->histograms[c][v];
      memset (scratch->histograms[c], 0, sizeof scratch->histograms[c]);
    }
    stats->sum += scratch->sums[c];
    stats->sum_of_squares += scratch->squares[c];
    stats->dot += scratch->dots[c];
    stats->absolute_difference += scratch->absolute_differences[c];
    stats->squared_difference += scratch->squared_differences[c];
    scratch->sums[c] = scratch->squares[c] = scratch->dots[c] = 0;
    scratch->absolute_differences[c] = scratch->squared_differences[c] = 0;
  }
  if (total->stats.picture)
    merge_picture (scratch, &total->stats);
  if (scratch->scope)
    histo_scope_fold (scratch->scope, &total->stats);
  pthread_mutex_unlock (&total->lock);
  scratch->components = 0;
}
