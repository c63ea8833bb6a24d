/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

__extension__ typedef unsigned __int128 histo_u128;

/* Room for `counters` counters in all; what the storage held is lost. */
static enum histo_status
histo_stats_reserve (struct histo_stats *stats, size_t counters)
{
  uint64_t *storage;

  if (counters <= stats->storage_count)
    return HISTO_OK;

  storage = malloc (counters * sizeof (*storage));
  if (!storage)
    return HISTO_ERROR_NO_MEMORY;
  free (stats->storage);
  stats->storage = storage;
  stats->storage_count = counters;
  return HISTO_OK;
}

enum histo_status
histo_stats_prepare (struct histo_stats *stats, const struct histo_frame *frame)
{
  size_t counters = (size_t)frame->component_count * HISTO_BINS;
  enum histo_status status = histo_stats_reserve (stats, counters);

  if (status)
    return status;

  memset (stats->storage, 0, counters * sizeof (*stats->storage));
  memset (stats->components, 0, sizeof (stats->components));
  stats->component_count = frame->component_count;
  for (unsigned c = 0; c < frame->component_count; c++) {
    stats->components[c].bins = HISTO_BINS;
    stats->components[c].histogram = stats->storage + (size_t)c * HISTO_BINS;
  }
  return HISTO_OK;
}

static enum histo_status
histo_stats_copy (struct histo_stats *total, const struct histo_stats *part)
{
  size_t counters = 0, begin = 0;
  enum histo_status status;

  for (unsigned c = 0; c < part->component_count; c++)
    counters += part->components[c].bins;
  status = histo_stats_reserve (total, counters);
  if (status)
    return status;

  memset (total->components, 0, sizeof (total->components));
  total->component_count = part->component_count;
  for (unsigned c = 0; c < part->component_count; c++) {
    const struct histo_component_stats *from = &part->components[c];
    struct histo_component_stats *to = &total->components[c];

    *to = *from;
    to->histogram = total->storage + begin;
    if (from->bins)
      memcpy (to->histogram, from->histogram, from->bins * sizeof (*from->histogram));
    begin += from->bins;
  }
  return HISTO_OK;
}

enum histo_status
histo_stats_add (struct histo_stats *total, const struct histo_stats *part)
{
  if (!total || !part || part->component_count > HISTO_MAX_COMPONENTS)
    return HISTO_ERROR_INVALID;
  for (unsigned c = 0; c < part->component_count; c++)
    if (part->components[c].bins && !part->components[c].histogram)
      return HISTO_ERROR_INVALID;
  if (!part->component_count)
    return HISTO_OK;
  if (!total->component_count)
    return histo_stats_copy (total, part);

  if (total->component_count != part->component_count)
    return HISTO_ERROR_INVALID;
  for (unsigned c = 0; c < total->component_count; c++)
    if (total->components[c].bins != part->components[c].bins || (total->components[c].bins && !total->components[c].histogram))
      return HISTO_ERROR_INVALID;

  for (unsigned c = 0; c < total->component_count; c++) {
    const struct histo_component_stats *from = &part->components[c];
    struct histo_component_stats *to = &total->components[c];

    to->count += from->count;
    to->sum += from->sum;
    to->sum_of_squares += from->sum_of_squares;
    to->dot += from->dot;
    to->dot_count += from->dot_count;
    for (uint32_t v = 0; v < to->bins; v++)
      to->histogram[v] += from->histogram[v];
  }
  return HISTO_OK;
}

void
histo_stats_reset (struct histo_stats *stats)
{
  if (!stats)
    return;
  stats->component_count = 0;
  memset (stats->components, 0, sizeof (stats->components));
}

void
histo_stats_clear (struct histo_stats *stats)
{
  if (!stats)
    return;
  free (stats->storage);
  memset (stats, 0, sizeof (*stats));
}

static uint64_t
histo_rank (uint64_t count, double fraction)
{
  long long rank = llrint ((double)count * fraction);

  return rank < 1 ? 1 : (uint64_t)rank;
}

bool
histo_summarize (const struct histo_component_stats *stats, struct histo_summary *summary)
{
  histo_u128 count, sum;
  uint64_t low, median, high;
  uint64_t cumulative = 0;

  if (!summary)
    return false;
  memset (summary, 0, sizeof (*summary));
  if (!stats || !stats->count || !stats->histogram)
    return false;
  count = stats->count;
  sum = stats->sum;
  low = histo_rank (stats->count, 0.10);
  median = histo_rank (stats->count, 0.50);
  high = histo_rank (stats->count, 0.90);

  summary->mean = (double)stats->sum / (double)stats->count;
  summary->variance = (double)(count * stats->sum_of_squares - sum * sum) / (double)(count * count);
  summary->stddev = sqrt (summary->variance);

  for (uint32_t v = 0; v < stats->bins; v++) {
    const uint64_t before = cumulative;

    if (!stats->histogram[v])
      continue;
    cumulative += stats->histogram[v];
    if (!before)
      summary->min = v;
    summary->max = v;
    if (before < low && cumulative >= low)
      summary->low = v;
    if (before < median && cumulative >= median)
      summary->median = v;
    if (before < high && cumulative >= high)
      summary->high = v;
  }
  return true;
}
