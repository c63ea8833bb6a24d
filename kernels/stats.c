/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdlib.h>
#include <string.h>

#include "statistic_table.h"
#include "stats.h"

#define MAX_DEPTH 16
#define WALK_BINS 64 /* bins added up together while all lie below the rank */

__extension__ typedef unsigned __int128 u128;

/* Allocates `words` words in all; the previous contents are lost. */
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

/* The number of bins of a component's waveform. */
static size_t
count_waveform (const struct histo_component_stats *component)
{
  return (size_t)component->waveform_columns * HISTO_BINS;
}

/* Its depth, bins, rows and columns are set. */
static uint64_t
count_words (const struct histo_component_stats *component)
{
  return component->bins + (uint64_t)component->rows + component->columns + count_waveform (component);
}

static size_t
count_words_of_bytes (size_t bytes)
{
  return (bytes + sizeof (uint64_t) - 1) / sizeof (uint64_t);
}

/* The words that `count` components take at the beginning of the storage. */
static size_t
count_component_words (unsigned count)
{
  return count_words_of_bytes (count * sizeof (struct histo_component_stats));
}

/* The words of a picture and its bins; 0 for NULL. */
static size_t
count_picture_words (const struct histo_picture_stats *picture)
{
  size_t words = picture ? count_words_of_bytes (sizeof *picture) : 0;

  for (unsigned s = 0; picture && s < HISTO_STATISTIC_ROWS; s++)
    words += histo_count_bins (&histo_statistics[s], picture);
  return words;
}

/* Copies components, whose depth, bins, rows and columns are set, into the storage, which is large enough. Their arrays follow,
 * then a copy of the picture, if any, with its bins. */
static void
place (struct histo_stats *stats, const struct histo_component_stats *components, unsigned count,
       const struct histo_picture_stats *picture)
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
    component->waveform = component->waveform_columns > 0 ? next : NULL;
    next += count_waveform (component);
  }
  stats->picture = NULL;
  if (!picture)
    return;
  stats->picture = (struct histo_picture_stats *)(void *)next;
  *stats->picture = *picture;
  next += count_words_of_bytes (sizeof *picture);
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++)
    if (histo_statistics[s].histogram > 0) {
      const uint32_t bins = histo_count_bins (&histo_statistics[s], picture);

      *histo_find_histogram (&histo_statistics[s], stats->picture) = bins > 0 ? next : NULL;
      next += bins;
    }
}

enum histo_status
histo_stats_prepare (struct histo_stats *stats, const struct histo_frame *frame)
{
  struct histo_component_stats components[HISTO_MAX_COUNTED] = { { 0 } };
  struct histo_picture_stats picture = { .statistics = frame->statistics & HISTO_STATISTICS_PICTURE };
  uint64_t words = count_component_words (frame->component_count);
  enum histo_status status;

  histo_set_bin_counts (&picture, frame->components[0].depth);
  if (picture.statistics)
    words += count_picture_words (&picture);
  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    const uint32_t height = frame->planes[component->plane].height;

    components[c].depth = component->depth;
    components[c].bins = component->bins > 0 ? component->bins : HISTO_BINS;
    if (frame->statistics & HISTO_STATISTIC_PROJECTION && component->width > 0 && height > 0) {
      components[c].rows = height;
      components[c].columns = component->width;
    }
    if (frame->statistics & HISTO_STATISTIC_WAVEFORM && height > 0)
      components[c].waveform_columns
          = component->width < frame->waveform_columns ? (uint32_t)component->width : frame->waveform_columns;
    words += count_words (&components[c]);
  }
  status = reserve_words (stats, words);
  if (status != HISTO_OK)
    return status;

  memset (stats->storage, 0, (size_t)words * sizeof *stats->storage);
  place (stats, components, frame->component_count, picture.statistics ? &picture : NULL);
  return HISTO_OK;
}

static enum histo_status
copy_stats (struct histo_stats *total, const struct histo_stats *part)
{
  uint64_t words = count_component_words (part->component_count) + count_picture_words (part->picture);
  enum histo_status status;

  for (unsigned c = 0; c < part->component_count; c++)
    words += count_words (&part->components[c]);
  status = reserve_words (total, words);
  if (status != HISTO_OK)
    return status;

  place (total, part->components, part->component_count, part->picture);
  for (unsigned c = 0; c < part->component_count; c++) {
    const struct histo_component_stats *from = &part->components[c];
    struct histo_component_stats *to = &total->components[c];

    if (from->bins > 0)
      memcpy (to->histogram, from->histogram, from->bins * sizeof *from->histogram);
    if (from->rows > 0)
      memcpy (to->row_sums, from->row_sums, from->rows * sizeof *from->row_sums);
    if (from->columns > 0)
      memcpy (to->column_sums, from->column_sums, (size_t)from->columns * sizeof *from->column_sums);
    if (from->waveform_columns > 0)
      memcpy (to->waveform, from->waveform, count_waveform (from) * sizeof *from->waveform);
  }
  for (unsigned s = 0; part->picture && s < HISTO_STATISTIC_ROWS; s++) {
    const uint32_t bins = histo_count_bins (&histo_statistics[s], part->picture);

    if (bins > 0)
      memcpy (*histo_find_histogram (&histo_statistics[s], total->picture),
              *histo_find_histogram (&histo_statistics[s], part->picture), bins * sizeof (uint64_t));
  }
  return HISTO_OK;
}

/* True if the components exist and their number is valid. */
static bool
has_components (const struct histo_stats *stats)
{
  return stats->component_count == 0 || (stats->component_count <= HISTO_MAX_COUNTED && stats->components);
}

/* True if each required array exists. */
static bool
is_whole (const struct histo_component_stats *component)
{
  return (component->bins == 0 || component->histogram) && (component->rows == 0 || component->row_sums)
         && (component->columns == 0 || component->column_sums) && (component->waveform_columns == 0 || component->waveform);
}

static bool
is_whole_picture (struct histo_picture_stats *picture)
{
  for (unsigned s = 0; picture && s < HISTO_STATISTIC_ROWS; s++)
    if (histo_count_bins (&histo_statistics[s], picture) > 0 && !*histo_find_histogram (&histo_statistics[s], picture))
      return false;
  return true;
}

static bool
pictures_are_alike (const struct histo_picture_stats *a, const struct histo_picture_stats *b)
{
  if (!a || !b)
    return a == b;
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++)
    if (histo_count_bins (&histo_statistics[s], a) != histo_count_bins (&histo_statistics[s], b))
      return false;
  return a->statistics == b->statistics;
}

static bool
is_alike (const struct histo_component_stats *a, const struct histo_component_stats *b)
{
  return a->depth == b->depth && a->bins == b->bins && a->rows == b->rows && a->columns == b->columns
         && a->waveform_columns == b->waveform_columns;
}

/* Adds to a 128-bit number. `add` may point to the number itself. */
static void
add_wide (uint64_t *low, uint64_t *high, const uint64_t *add_low, const uint64_t *add_high)
{
  const u128 sum = ((u128)*high << 64 | *low) + ((u128)*add_high << 64 | *add_low);

  *low = (uint64_t)sum;
  *high = (uint64_t)(sum >> 64);
}

static void
add_counters (uint64_t *to, const uint64_t *from, size_t count)
{
  for (size_t i = 0; i < count; i++)
    to[i] += from[i];
}

_Static_assert(HISTO_VECTORSCOPE % HISTO_SPARSE_RUN == 0 && HISTO_BINS % HISTO_SPARSE_RUN == 0, "whole runs");

/* The same for bins that are mostly 0, a multiple of HISTO_SPARSE_RUN: it does not write bins to which it adds nothing. */
static void
add_sparse (uint64_t *to, const uint64_t *from, size_t count)
{
  for (size_t first = 0; first < count; first += HISTO_SPARSE_RUN) {
    uint64_t any = 0;

    for (size_t i = first; i < first + HISTO_SPARSE_RUN; i++)
      any |= from[i];
    if (any != 0)
      add_counters (to + first, from + first, HISTO_SPARSE_RUN);
  }
}

/* Wraps around, without undefined behaviour. */
static void
add_sums (int64_t *to, const int64_t *from, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)from[i]);
}

static void
add_pictures (struct histo_picture_stats *to, struct histo_picture_stats *from)
{
  to->luma_count += from->luma_count;
  to->chroma_count += from->chroma_count;
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++) {
    const struct histo_statistic_row *row = &histo_statistics[s];
    const uint32_t bins = histo_count_bins (row, to);

    if (row->number > 0)
      *histo_find_number (row, to) += *histo_find_number (row, from);
    if (bins > 0)
      (row->is_sparse ? add_sparse : add_counters) (*histo_find_histogram (row, to), *histo_find_histogram (row, from), bins);
  }
}

enum histo_status
histo_stats_add (struct histo_stats *total, const struct histo_stats *part)
{
  if (!total || !part || !has_components (total) || !has_components (part))
    return HISTO_ERROR_INVALID;
  for (unsigned c = 0; c < part->component_count; c++)
    if (!is_whole (&part->components[c]))
      return HISTO_ERROR_INVALID;
  if (!is_whole_picture (part->picture))
    return HISTO_ERROR_INVALID;
  if (part->component_count == 0)
    return HISTO_OK;
  if (total->component_count == 0)
    return copy_stats (total, part);

  if (total->component_count != part->component_count || !pictures_are_alike (total->picture, part->picture)
      || !is_whole_picture (total->picture))
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
    to->absolute_difference += from->absolute_difference;
    add_wide (&to->squared_difference, &to->squared_difference_high, &from->squared_difference, &from->squared_difference_high);
    to->difference_count += from->difference_count;
    add_counters (to->histogram, from->histogram, to->bins);
    add_sums (to->row_sums, from->row_sums, to->rows);
    add_sums (to->column_sums, from->column_sums, to->columns);
    add_sparse (to->waveform, from->waveform, count_waveform (to));
  }
  if (total->picture)
    add_pictures (total->picture, part->picture);
  return HISTO_OK;
}

void
histo_stats_reset (struct histo_stats *stats)
{
  if (!stats)
    return;
  stats->component_count = 0;
  stats->components = NULL;
  stats->picture = NULL;
}

void
histo_stats_clear (struct histo_stats *stats)
{
  if (!stats)
    return;
  free (stats->storage);
  memset (stats, 0, sizeof *stats);
}
