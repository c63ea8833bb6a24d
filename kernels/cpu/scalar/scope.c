/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/scope.h"

#include "statistic_table.h"

#define RUN 16 /* bins tested together: most bins of a waveform are 0 */

static size_t
count_waveforms (const struct histo_stats *stats, unsigned components)
{
  size_t columns = 0;

  for (unsigned c = 0; c < components; c++)
    columns += stats->components[c].waveform_columns;
  return columns * HISTO_BINS;
}

/* The number of bins of the picture's histogram in `row`; 0 if it is not here. Hue, saturation and light have their own tables,
 * see chroma.h and light.h. */
static size_t
count_histogram (const struct histo_statistic_row *row, const struct histo_stats *stats)
{
  if (!stats->picture || row->bit & (HISTO_STATISTIC_HUE | HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_LIGHT))
    return 0;
  return histo_count_bins (row, stats->picture);
}

/* The number of bins before those of the histogram in row `end` of the list. */
static size_t
count_before (const struct histo_stats *stats, unsigned end)
{
  size_t bins = count_waveforms (stats, stats->component_count);

  for (unsigned s = 0; s < end; s++)
    bins += count_histogram (&histo_statistics[s], stats);
  return bins;
}

size_t
histo_scope_count (const struct histo_stats *stats)
{
  return count_before (stats, HISTO_STATISTIC_ROWS);
}

uint32_t *
histo_scope_find_waveform (struct histo_cpu_block *block, const struct histo_stats *stats, unsigned component)
{
  return (uint32_t *)(void *)block->bytes + count_waveforms (stats, component);
}

uint32_t *
histo_scope_find_histogram (struct histo_cpu_block *block, const struct histo_stats *stats, unsigned row)
{
  return (uint32_t *)(void *)block->bytes + count_before (stats, row);
}

static void
fold (uint32_t *counters, uint64_t *numbers, size_t count)
{
  const size_t whole = count - count % RUN;
  size_t first = 0;

  for (; first < whole; first += RUN) {
    uint32_t any = 0;

    for (size_t i = first; i < first + RUN; i++)
      any |= counters[i];
    if (any == 0)
      continue;
    for (size_t i = first; i < first + RUN; i++) {
      numbers[i] += counters[i];
      counters[i] = 0;
    }
  }
  for (; first < count; first++) {
    numbers[first] += counters[first];
    counters[first] = 0;
  }
}

void
histo_scope_fold (struct histo_cpu_block *block, struct histo_stats *stats)
{
  for (unsigned c = 0; c < stats->component_count; c++)
    fold (histo_scope_find_waveform (block, stats, c), stats->components[c].waveform,
          (size_t)stats->components[c].waveform_columns * HISTO_BINS);
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++) {
    const size_t bins = count_histogram (&histo_statistics[s], stats);

    if (bins > 0)
      fold (histo_scope_find_histogram (block, stats, s), *histo_find_histogram (&histo_statistics[s], stats->picture), bins);
  }
}
