/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statistics derived from the exact numbers. */

#include <math.h>
#include <string.h>

#include "picture.h"

#define MAX_DEPTH 16
#define WALK_BINS 64                    /* bins added up together on the way to a rank */
#define EXACT_COUNT ((uint64_t)1 << 53) /* doubles represent all integers up to here */

__extension__ typedef unsigned __int128 u128;

/* The definition rounds the double. For counts that no double represents, the result could exceed the count. */
static uint64_t
rank_of (uint64_t count, double percent)
{
  const uint64_t parts = (uint64_t)lrint (percent * 100);
  const uint64_t rank = count <= EXACT_COUNT ? (uint64_t)llrint ((double)count * (percent / 100))
                                             : (uint64_t)(((u128)count * parts + 5000) / 10000);

  return rank < 1 ? 1 : rank;
}

/* count * squares - sum^2, rounded once. 16-bit samples may need 192 bits; `low` has 128 of them. */
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
  /* The lowest bit is sticky: rounding only needs whether the bits shifted out are zero. */
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

/* Advances to the bin with the sample of rank `rank`, from 1, which must not lie before the position. */
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

static uint32_t
count_used_bits (const struct histo_component_stats *stats, uint32_t resolution)
{
  uint32_t used = 0, count = 0;

  for (uint32_t bin = 0; bin < stats->bins; bin++)
    if (stats->histogram[bin] > 0)
      used |= bin * resolution;
  for (; used > 0; used &= used - 1)
    count++;
  return count;
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
  summary->low = walk_to (&walk, rank_of (stats->count, 10)) * summary->resolution;
  summary->median = walk_to (&walk, rank_of (stats->count, 50)) * summary->resolution;
  summary->high = walk_to (&walk, rank_of (stats->count, 90)) * summary->resolution;
  summary->max = walk_to (&walk, stats->count) * summary->resolution;
  summary->used_bits = count_used_bits (stats, summary->resolution);
  return true;
}

static u128
add_up_values (const uint64_t *histogram, uint32_t bins)
{
  u128 sum = 0;

  for (uint32_t value = 0; value < bins; value++)
    sum += (u128)histogram[value] * value;
  return sum;
}

bool
histo_summarize_colours (const struct histo_picture_stats *stats, struct histo_colour_summary *summary)
{
  struct walk walk;

  if (!summary)
    return false;
  memset (summary, 0, sizeof *summary);
  if (!stats || stats->chroma_count == 0 || (!stats->saturation && !stats->hue))
    return false;
  if (stats->saturation) {
    walk = (struct walk){ .histogram = stats->saturation, .bins = stats->saturation_count };
    summary->saturation_min = walk_to (&walk, 1);
    summary->saturation_low = walk_to (&walk, rank_of (stats->chroma_count, 10));
    summary->saturation_high = walk_to (&walk, rank_of (stats->chroma_count, 90));
    summary->saturation_max = walk_to (&walk, stats->chroma_count);
    summary->saturation_mean = (double)add_up_values (stats->saturation, stats->saturation_count) / (double)stats->chroma_count;
  }
  if (stats->hue) {
    walk = (struct walk){ .histogram = stats->hue, .bins = HISTO_HUES };
    summary->hue_median = walk_to (&walk, stats->chroma_count / 2 + 1);
    summary->hue_mean = (double)add_up_values (stats->hue, HISTO_HUES) / (double)stats->chroma_count;
  }
  return true;
}

/* The luminance of all samples, with codes above `most` counted as `most`. */
static u128
add_up_nits (const uint64_t *codes, uint32_t most)
{
  const uint32_t *nits = histo_list_nits ();
  u128 sum = 0;

  for (uint32_t code = 0; code < HISTO_LIGHT_CODES; code++)
    sum += (u128)codes[code] * nits[code < most ? code : most];
  return sum;
}

static double
convert_nits (double units)
{
  return units / HISTO_NIT;
}

bool
histo_summarize_light (const struct histo_picture_stats *stats, struct histo_light_summary *summary)
{
  const uint64_t count = stats ? stats->luma_count : 0;
  struct walk walk;
  uint32_t limit;
  u128 sum;

  if (!summary)
    return false;
  memset (summary, 0, sizeof *summary);
  if (count == 0 || !stats->light)
    return false;
  walk = (struct walk){ .histogram = stats->light, .bins = HISTO_LIGHT_CODES };
  summary->min_code = walk_to (&walk, 1);
  summary->percentile_50 = convert_nits (histo_find_nits (walk_to (&walk, rank_of (count, 50))));
  summary->percentile_90 = convert_nits (histo_find_nits (walk_to (&walk, rank_of (count, 90))));
  summary->percentile_99 = convert_nits (histo_find_nits (walk_to (&walk, rank_of (count, 99))));
  summary->percentile_99_9 = convert_nits (histo_find_nits (walk_to (&walk, rank_of (count, 99.9))));
  limit = walk_to (&walk, rank_of (count, 99.99));
  summary->percentile_99_99 = convert_nits (histo_find_nits (limit));
  summary->max_code = walk_to (&walk, count);
  summary->max_nits = convert_nits (histo_find_nits (summary->max_code));

  summary->code_sum = (uint64_t)add_up_values (stats->light, HISTO_LIGHT_CODES);
  summary->average_code = (double)summary->code_sum / (double)count;
  sum = add_up_nits (stats->light, HISTO_LIGHT_CODES - 1);
  summary->sum = (uint64_t)sum;
  summary->sum_high = (uint64_t)(sum >> 64);
  summary->average_nits = convert_nits ((double)sum / (double)count);
  summary->limited_average_nits = convert_nits ((double)add_up_nits (stats->light, limit) / (double)count);
  return true;
}
