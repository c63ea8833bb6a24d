/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define MAX_DEPTH 16
#define WALK_BINS 64 /* counters that are added up at once, where all lie below the rank */

__extension__ typedef unsigned __int128 u128;

/* Memory for `words` words in all; what the storage held is lost. */
static enum histo_status
reserve_words (struct histo_stats *stats, uint64_t words)
{
  uint64_t *storage;

  if (words <= stats->storage_count)
    return HISTO_OK;

  if (words > SIZE_MAX / sizeof *storage)
    return HISTO_ERROR_NO_MEMORY;
  storage = malloc ((size_t)words * sizeof *storage);
  if (!storage)
    return HISTO_ERROR_NO_MEMORY;
  free (stats->storage);
  stats->storage = storage;
  stats->storage_count = (size_t)words;
  return HISTO_OK;
}

/* Of a component whose depth, bins, rows and columns are known. */
static uint64_t
count_words (const struct histo_component_stats *component)
{
  return component->bins + (uint64_t)component->rows + component->columns;
}

/* What `count` components themselves take at the beginning of the storage. */
static size_t
count_component_words (unsigned count)
{
  return (count * sizeof (struct histo_component_stats) + sizeof (uint64_t) - 1) / sizeof (uint64_t);
}

/* Puts copies of components whose depth, bins, rows and columns are known into the storage, which is large enough, and behind
 * them their arrays. */
static void
place_components (struct histo_stats *stats, const struct histo_component_stats *components, unsigned count)
{
  uint64_t *next = stats->storage + count_component_words (count);

  stats->component_count = count;
  stats->components = (struct histo_component_stats *)(void *)stats->storage;
  memcpy (stats->components, components, count * sizeof *components);
  for (unsigned c = 0; c < stats->component_count; c++) {
    struct histo_component_stats *component = &stats->components[c];

    component->histogram = next;
    next += component->bins;
    component->row_sums = component->rows > 0 ? (int64_t *)next : NULL;
    next += component->rows;
    component->column_sums = component->columns > 0 ? (int64_t *)next : NULL;
    next += component->columns;
  }
}

enum histo_status
histo_stats_prepare (struct histo_stats *stats, const struct histo_frame *frame)
{
  struct histo_component_stats components[HISTO_MAX_COMPONENTS] = { { 0 } };
  uint64_t words = count_component_words (frame->component_count);
  enum histo_status status;

  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    const uint32_t height = frame->planes[component->plane].height;

    components[c].depth = component->depth;
    components[c].bins = component->bins > 0 ? component->bins : HISTO_BINS;
    if (frame->project && component->width > 0 && height > 0) {
      components[c].rows = height;
      components[c].columns = component->width;
    }
    words += count_words (&components[c]);
  }
  status = reserve_words (stats, words);
  if (status != HISTO_OK)
    return status;

  memset (stats->storage, 0, (size_t)words * sizeof *stats->storage);
  place_components (stats, components, frame->component_count);
  return HISTO_OK;
}

static enum histo_status
copy_stats (struct histo_stats *total, const struct histo_stats *part)
{
  uint64_t words = count_component_words (part->component_count);
  enum histo_status status;

  for (unsigned c = 0; c < part->component_count; c++)
    words += count_words (&part->components[c]);
  status = reserve_words (total, words);
  if (status != HISTO_OK)
    return status;

  place_components (total, part->components, part->component_count);
  for (unsigned c = 0; c < part->component_count; c++) {
    const struct histo_component_stats *from = &part->components[c];
    struct histo_component_stats *to = &total->components[c];

    if (from->bins > 0)
      memcpy (to->histogram, from->histogram, from->bins * sizeof *from->histogram);
    if (from->rows > 0)
      memcpy (to->row_sums, from->row_sums, from->rows * sizeof *from->row_sums);
    if (from->columns > 0)
      memcpy (to->column_sums, from->column_sums, (size_t)from->columns * sizeof *from->column_sums);
  }
  return HISTO_OK;
}

/* True where the components are there, as many as a frame has at most. */
static bool
has_components (const struct histo_stats *stats)
{
  return stats->component_count == 0 || (stats->component_count <= HISTO_MAX_COMPONENTS && stats->components);
}

/* True where each array that should be there is. */
static bool
is_whole (const struct histo_component_stats *component)
{
  return (component->bins == 0 || component->histogram) && (component->rows == 0 || component->row_sums)
         && (component->columns == 0 || component->column_sums);
}

static bool
is_alike (const struct histo_component_stats *a, const struct histo_component_stats *b)
{
  return a->depth == b->depth && a->bins == b->bins && a->rows == b->rows && a->columns == b->columns;
}

/* Adds to a number of 128 bits. `add` may point to the number itself. */
static void
add_wide (uint64_t *low, uint64_t *high, const uint64_t *add_low, const uint64_t *add_high)
{
  const u128 sum = ((u128)*high << 64 | *low) + ((u128)*add_high << 64 | *add_low);

  *low = (uint64_t)sum;
  *high = (uint64_t)(sum >> 64);
}

static void
add_counters (uint64_t *to, const uint64_t *from, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    to[i] += from[i];
}

/* Wraps around instead of undefined behaviour. */
static void
add_sums (int64_t *to, const int64_t *from, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)from[i]);
}

enum histo_status
histo_stats_add (struct histo_stats *total, const struct histo_stats *part)
{
  if (!total || !part || !has_components (total) || !has_components (part))
    return HISTO_ERROR_INVALID;
  for (unsigned c = 0; c < part->component_count; c++)
    if (!is_whole (&part->components[c]))
      return HISTO_ERROR_INVALID;
  if (part->component_count == 0)
    return HISTO_OK;
  if (total->component_count == 0)
    return copy_stats (total, part);

  if (total->component_count != part->component_count)
    return HISTO_ERROR_INVALID;
  for (unsigned c = 0; c < total->component_count; c++)
    if (!is_alike (&total->components[c], &part->components[c]) || !is_whole (&total->components[c]))
      return HISTO_ERROR_INVALID;

  for (unsigned c = 0; c < total->component_count; c++) {
    const struct histo_component_stats *from = &part->components[c];
    struct histo_component_stats *to = &total->components[c];

    to->count += from->count;
    to->sum += from->sum;
    add_wide (&to->sum_of_squares, &to->sum_of_squares_high, &from->sum_of_squares, &from->sum_of_squares_high);
    add_wide (&to->dot, &to->dot_high, &from->dot, &from->dot_high);
    to->dot_count += from->dot_count;
    add_counters (to->histogram, from->histogram, to->bins);
    add_sums (to->row_sums, from->row_sums, to->rows);
    add_sums (to->column_sums, from->column_sums, to->columns);
  }
  return HISTO_OK;
}

void
histo_stats_reset (struct histo_stats *stats)
{
  if (!stats)
    return;
  stats->component_count = 0;
  stats->components = NULL;
}

void
histo_stats_clear (struct histo_stats *stats)
{
  if (!stats)
    return;
  free (stats->storage);
  memset (stats, 0, sizeof *stats);
}

static uint64_t
rank_of (uint64_t count, double fraction)
{
  long long rank = llrint ((double)count * fraction);

  return rank < 1 ? 1 : (uint64_t)rank;
}

/* count * squares - sum^2, rounded once. 16-bit samples may need 192 bits, of which `low` has 128. */
static double
variance_numerator (uint64_t count, u128 squares, uint64_t sum)
{
  const u128 product = (u128)count * (uint64_t)squares;
  const u128 product_high = (u128)count * (uint64_t)(squares >> 64); /* in units of 2^64 */
  const u128 square = (u128)sum * sum;
  u128 low = product + (product_high << 64);
  uint64_t high = (uint64_t)(product_high >> 64) + (low < product);
  unsigned shift = 0;

  high -= low < square;
  low -= square;
  if (high == 0)
    return (double)low;
  /* The lowest bit is sticky: of what is shifted out, only whether it is zero matters for rounding. */
  for (; high > 0; high >>= 1, shift++)
    low = low >> 1 | (u128)(high & 1) << 127 | (low & 1);
  return ldexp ((double)low, (int)shift);
}

/* A position in a histogram: at counter `bin`, with `before` samples in the counters below it. */
struct walk {
  const uint64_t *histogram;
  uint32_t bins, bin;
  uint64_t before;
};

/* Advances to the counter that holds the sample of that rank, from 1 on, which must not lie below the position. */
static uint32_t
walk_to (struct walk *walk, uint64_t rank)
{
  while (walk->bins - walk->bin > WALK_BINS) {
    uint64_t sum = 0;

    for (unsigned i = 0; i < WALK_BINS; i++)
      sum += walk->histogram[walk->bin + i];
    if (walk->before + sum >= rank)
      break;
    walk->before += sum;
    walk->bin += WALK_BINS;
  }
  while (walk->bins - walk->bin > 1 && walk->before + walk->histogram[walk->bin] < rank)
    walk->before += walk->histogram[walk->bin++];
  return walk->bin;
}

bool
histo_summarize (const struct histo_component_stats *stats, struct histo_summary *summary)
{
  u128 count, squares;
  struct walk walk;

  if (!summary)
    return false;
  memset (summary, 0, sizeof *summary);
  if (!stats || stats->count == 0 || !stats->histogram || stats->bins == 0 || stats->depth > MAX_DEPTH)
    return false;
  count = stats->count;
  squares = (u128)stats->sum_of_squares_high << 64 | stats->sum_of_squares;

  summary->mean = (double)stats->sum / (double)stats->count;
  summary->variance = variance_numerator (stats->count, squares, stats->sum) / (double)(count * count);
  summary->stddev = sqrt (summary->variance);

  summary->resolution = stats->depth > 8 && stats->bins == HISTO_BINS ? 1u << (stats->depth - 8) : 1;
  walk = (struct walk){ .histogram = stats->histogram, .bins = stats->bins };
  summary->min = walk_to (&walk, 1) * summary->resolution;
  summary->low = walk_to (&walk, rank_of (stats->count, 0.10)) * summary->resolution;
  summary->median = walk_to (&walk, rank_of (stats->count, 0.50)) * summary->resolution;
  summary->high = walk_to (&walk, rank_of (stats->count, 0.90)) * summary->resolution;
  summary->max = walk_to (&walk, stats->count) * summary->resolution;
  return true;
}
