/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define HISTO_MAX_DEPTH 16
#define HISTO_WALK_BINS 64 /* counters that are added up together on the way to a rank */

__extension__ typedef unsigned __int128 histo_u128;

/* Room for `words` counters and sums in all; what the storage held is lost. */
static enum histo_status
histo_stats_reserve (struct histo_stats *stats, uint64_t words)
{
  uint64_t *storage;

  if (words <= stats->storage_count)
    return HISTO_OK;

  if (words > SIZE_MAX / sizeof (*storage))
    return HISTO_ERROR_NO_MEMORY;
  storage = malloc ((size_t)words * sizeof (*storage));
  if (!storage)
    return HISTO_ERROR_NO_MEMORY;
  free (stats->storage);
  stats->storage = storage;
  stats->storage_count = (size_t)words;
  return HISTO_OK;
}

/* Of a component whose depth, bins, rows and columns are known. */
static uint64_t
histo_words_of (const struct histo_component_stats *component)
{
  return component->bins + (uint64_t)component->rows + component->columns;
}

/* Sets the arrays of all components, which have room in the storage. */
static void
histo_stats_place (struct histo_stats *stats)
{
  uint64_t *next = stats->storage;

  for (unsigned c = 0; c < stats->component_count; c++) {
    struct histo_component_stats *component = &stats->components[c];

    component->histogram = next;
    next += component->bins;
    component->row_sums = component->rows ? (int64_t *)next : NULL;
    next += component->rows;
    component->column_sums = component->columns ? (int64_t *)next : NULL;
    next += component->columns;
  }
}

enum histo_status
histo_stats_prepare (struct histo_stats *stats, const struct histo_frame *frame)
{
  struct histo_component_stats components[HISTO_MAX_COMPONENTS] = { { 0 } };
  uint64_t words = 0;
  enum histo_status status;

  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    const uint32_t height = frame->planes[component->plane].height;

    components[c].depth = component->depth;
    components[c].bins = component->bins ? component->bins : HISTO_BINS;
    if (frame->project && component->width && height) {
      components[c].rows = height;
      components[c].columns = component->width;
    }
    words += histo_words_of (&components[c]);
  }
  status = histo_stats_reserve (stats, words);
  if (status)
    return status;

  memset (stats->storage, 0, (size_t)words * sizeof (*stats->storage));
  memcpy (stats->components, components, sizeof (stats->components));
  stats->component_count = frame->component_count;
  histo_stats_place (stats);
  return HISTO_OK;
}

static enum histo_status
histo_stats_copy (struct histo_stats *total, const struct histo_stats *part)
{
  uint64_t words = 0;
  enum histo_status status;

  for (unsigned c = 0; c < part->component_count; c++)
    words += histo_words_of (&part->components[c]);
  status = histo_stats_reserve (total, words);
  if (status)
    return status;

  memcpy (total->components, part->components, sizeof (total->components));
  total->component_count = part->component_count;
  histo_stats_place (total);
  for (unsigned c = 0; c < part->component_count; c++) {
    const struct histo_component_stats *from = &part->components[c];
    struct histo_component_stats *to = &total->components[c];

    if (from->bins)
      memcpy (to->histogram, from->histogram, from->bins * sizeof (*from->histogram));
    if (from->rows)
      memcpy (to->row_sums, from->row_sums, from->rows * sizeof (*from->row_sums));
    if (from->columns)
      memcpy (to->column_sums, from->column_sums, (size_t)from->columns * sizeof (*from->column_sums));
  }
  return HISTO_OK;
}

/* True where each array that should be there is. */
static bool
histo_is_whole (const struct histo_component_stats *component)
{
  return (!component->bins || component->histogram) && (!component->rows || component->row_sums)
         && (!component->columns || component->column_sums);
}

static bool
histo_is_alike (const struct histo_component_stats *a, const struct histo_component_stats *b)
{
  return a->depth == b->depth && a->bins == b->bins && a->rows == b->rows && a->columns == b->columns;
}

/* Adds to a number of 128 bits. `add` may point to the number itself. */
static void
histo_add_wide (uint64_t *low, uint64_t *high, const uint64_t *add_low, const uint64_t *add_high)
{
  const histo_u128 sum = ((histo_u128)*high << 64 | *low) + ((histo_u128)*add_high << 64 | *add_low);

  *low = (uint64_t)sum;
  *high = (uint64_t)(sum >> 64);
}

static void
histo_add_counters (uint64_t *to, const uint64_t *from, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    to[i] += from[i];
}

/* Wraps around instead of undefined behaviour. */
static void
histo_add_sums (int64_t *to, const int64_t *from, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)from[i]);
}

enum histo_status
histo_stats_add (struct histo_stats *total, const struct histo_stats *part)
{
  if (!total || !part || part->component_count > HISTO_MAX_COMPONENTS)
    return HISTO_ERROR_INVALID;
  for (unsigned c = 0; c < part->component_count; c++)
    if (!histo_is_whole (&part->components[c]))
      return HISTO_ERROR_INVALID;
  if (!part->component_count)
    return HISTO_OK;
  if (!total->component_count)
    return histo_stats_copy (total, part);

  if (total->component_count != part->component_count)
    return HISTO_ERROR_INVALID;
  for (unsigned c = 0; c < total->component_count; c++)
    if (!histo_is_alike (&total->components[c], &part->components[c]) || !histo_is_whole (&total->components[c]))
      return HISTO_ERROR_INVALID;

  for (unsigned c = 0; c < total->component_count; c++) {
    const struct histo_component_stats *from = &part->components[c];
    struct histo_component_stats *to = &total->components[c];

    to->count += from->count;
    to->sum += from->sum;
    histo_add_wide (&to->sum_of_squares, &to->sum_of_squares_high, &from->sum_of_squares, &from->sum_of_squares_high);
    histo_add_wide (&to->dot, &to->dot_high, &from->dot, &from->dot_high);
    to->dot_count += from->dot_count;
    histo_add_counters (to->histogram, from->histogram, to->bins);
    histo_add_sums (to->row_sums, from->row_sums, to->rows);
    histo_add_sums (to->column_sums, from->column_sums, to->columns);
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

/* count * squares - sum^2, rounded once. 16-bit samples may need 192 bits, of which `low` has 128. */
static double
histo_variance_numerator (uint64_t count, histo_u128 squares, uint64_t sum)
{
  const histo_u128 product = (histo_u128)count * (uint64_t)squares;
  const histo_u128 product_high = (histo_u128)count * (uint64_t)(squares >> 64); /* in units of 2^64 */
  const histo_u128 square = (histo_u128)sum * sum;
  histo_u128 low = product + (product_high << 64);
  uint64_t high = (uint64_t)(product_high >> 64) + (low < product);
  unsigned shift = 0;

  high -= low < square;
  low -= square;
  if (!high)
    return (double)low;
  /* What is shifted out matters for rounding only as far as it is not zero. */
  for (; high; high >>= 1, shift++)
    low = low >> 1 | (histo_u128)(high & 1) << 127 | (low & 1);
  return ldexp ((double)low, (int)shift);
}

/* A place in a histogram: before counter `bin`, and `before` samples are in those in front of it. */
struct histo_walk {
  const uint64_t *histogram;
  uint32_t bins, bin;
  uint64_t before;
};

/* Goes on to the counter that holds the sample of that rank, from 1 on, which is not in front of the place. */
static uint32_t
histo_walk_to (struct histo_walk *walk, uint64_t rank)
{
  while (walk->bins - walk->bin > HISTO_WALK_BINS) {
    uint64_t sum = 0;

    for (unsigned i = 0; i < HISTO_WALK_BINS; i++)
      sum += walk->histogram[walk->bin + i];
    if (walk->before + sum >= rank)
      break;
    walk->before += sum;
    walk->bin += HISTO_WALK_BINS;
  }
  while (walk->bins - walk->bin > 1 && walk->before + walk->histogram[walk->bin] < rank)
    walk->before += walk->histogram[walk->bin++];
  return walk->bin;
}

bool
histo_summarize (const struct histo_component_stats *stats, struct histo_summary *summary)
{
  histo_u128 count, squares;
  struct histo_walk walk;

  if (!summary)
    return false;
  memset (summary, 0, sizeof (*summary));
  if (!stats || !stats->count || !stats->histogram || !stats->bins || stats->depth > HISTO_MAX_DEPTH)
    return false;
  count = stats->count;
  squares = (histo_u128)stats->sum_of_squares_high << 64 | stats->sum_of_squares;

  summary->mean = (double)stats->sum / (double)stats->count;
  summary->variance = histo_variance_numerator (stats->count, squares, stats->sum) / (double)(count * count);
  summary->stddev = sqrt (summary->variance);

  summary->resolution = stats->depth > 8 && stats->bins == HISTO_BINS ? 1u << (stats->depth - 8) : 1;
  walk = (struct histo_walk){ .histogram = stats->histogram, .bins = stats->bins };
  summary->min = histo_walk_to (&walk, 1) * summary->resolution;
  summary->low = histo_walk_to (&walk, histo_rank (stats->count, 0.10)) * summary->resolution;
  summary->median = histo_walk_to (&walk, histo_rank (stats->count, 0.50)) * summary->resolution;
  summary->high = histo_walk_to (&walk, histo_rank (stats->count, 0.90)) * summary->resolution;
  summary->max = histo_walk_to (&walk, stats->count) * summary->resolution;
  return true;
}
