/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scope.h"

#include <stdlib.h>

#define RUN 16 /* bins tested together: most bins of a waveform are 0 */

static size_t
count_waveforms (const struct histo_stats *stats, unsigned components)
{
  size_t columns = 0;

  for (unsigned c = 0; c < components; c++)
    columns += stats->components[c].waveform_columns;
  return columns * HISTO_BINS;
}

size_t
histo_scope_count (const struct histo_stats *stats)
{
  return count_waveforms (stats, stats->component_count)
         + (stats->picture && stats->picture->vectorscope ? HISTO_VECTORSCOPE : 0);
}

uint32_t *
histo_scope_find_waveform (struct histo_scope_tables *tables, const struct histo_stats *stats, unsigned component)
{
  return tables->counters + count_waveforms (stats, component);
}

uint32_t *
histo_scope_find_vectorscope (struct histo_scope_tables *tables, const struct histo_stats *stats)
{
  return tables->counters + count_waveforms (stats, stats->component_count);
}

/* `count`: a multiple of RUN. */
static void
fold (uint32_t *counters, uint64_t *numbers, size_t count)
{
  for (size_t first = 0; first < count; first += RUN) {
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
}

void
histo_scope_fold (struct histo_scope_tables *tables, struct histo_stats *stats)
{
  for (unsigned c = 0; c < stats->component_count; c++)
    fold (histo_scope_find_waveform (tables, stats, c), stats->components[c].waveform,
          (size_t)stats->components[c].waveform_columns * HISTO_BINS);
  if (stats->picture && stats->picture->vectorscope)
    fold (histo_scope_find_vectorscope (tables, stats), stats->picture->vectorscope, HISTO_VECTORSCOPE);
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
