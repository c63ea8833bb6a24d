/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/scope.h"

#include <stdlib.h>

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
histo_scope_find_waveform (struct histo_scope_tables *tables, const struct histo_stats *stats, unsigned component)
{
  return tables->counters + count_waveforms (stats, component);
}

uint32_t *
histo_scope_find_histogram (struct histo_scope_tables *tables, const struct histo_stats *stats, unsigned row)
{
  return tables->counters + count_before (stats, row);
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
histo_scope_fold (struct histo_scope_tables *tables, struct histo_stats *stats)
{
  for (unsigned c = 0; c < stats->component_count; c++)
    fold (histo_scope_find_waveform (tables, stats, c), stats->components[c].waveform,
          (size_t)stats->components[c].waveform_columns * HISTO_BINS);
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++) {
    const size_t bins = count_histogram (&histo_statistics[s], stats);

    if (bins > 0)
      fold (histo_scope_find_histogram (tables, stats, s), *histo_find_histogram (&histo_statistics[s], stats->picture), bins);
  }
}

/* ---- the tables of an engine ---------------------------------------------------------------------------------------- */

static void
free_tables (struct histo_scope_tables *tables)
{
  while (tables) {
    struct histo_scope_tables *next = tables->next;

    free (tables);
    tables = next;
  }
}

enum histo_status
histo_cpu_scope_reserve (struct histo_cpu_scope *scope, unsigned workers, size_t counters)
{
  struct histo_scope_tables *tables = NULL, *old;

  if (counters <= scope->capacity) /* only this function changes it */
    return HISTO_OK;
  for (unsigned w = 0; w < workers; w++) {
    struct histo_scope_tables *one = calloc (1, sizeof *one + counters * sizeof *one->counters);

    if (!one) {
      free_tables (tables);
      return HISTO_ERROR_NO_MEMORY;
    }
    one->capacity = counters;
    one->next = tables;
    tables = one;
  }
  pthread_mutex_lock (&scope->lock);
  old = scope->free_tables;
  scope->free_tables = tables;
  scope->capacity = counters;
  pthread_mutex_unlock (&scope->lock);
  free_tables (old);
  return HISTO_OK;
}

struct histo_scope_tables *
histo_cpu_scope_take (struct histo_cpu_scope *scope)
{
  struct histo_scope_tables *tables;

  pthread_mutex_lock (&scope->lock);
  tables = scope->free_tables;
  scope->free_tables = tables->next;
  pthread_mutex_unlock (&scope->lock);
  return tables;
}

void
histo_cpu_scope_return (struct histo_cpu_scope *scope, struct histo_scope_tables *tables)
{
  pthread_mutex_lock (&scope->lock);
  if (tables->capacity == scope->capacity) {
    tables->next = scope->free_tables;
    scope->free_tables = tables;
    tables = NULL;
  }
  pthread_mutex_unlock (&scope->lock);
  free (tables); /* larger tables have replaced it */
}

void
histo_cpu_scope_clear (struct histo_cpu_scope *scope)
{
  pthread_mutex_destroy (&scope->lock);
  free_tables (scope->free_tables);
}
