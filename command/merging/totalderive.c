/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "merging/totalderive.h"

#include <math.h>

#include <cudahisto/histo.h>

#include "fields/formulas.h"
#include "lines/summary.h"

/* Derives a field that has a formula. */
static Why
total_derive_quotient (const Numbers *numbers, guint64 depth, Entry *entry)
{
  const FieldDescription *field = entry->field;
  const gboolean is_of_first = entry->scope == PICTURE && field->divisor == FIELD_ID_COUNT;
  Wide dividend = 0, divisor = 0;
  gdouble number;

  if ((is_of_first && numbers->components->len == 0)
      || !total_numbers_find_sum (numbers, entry->scope, field->dividend, &dividend)
      || !total_numbers_find_sum (numbers, is_of_first ? 0 : entry->scope, field->divisor, &divisor) || divisor == 0)
    return WHY_LINES;
  number = field_compute (field, number_round_wide (dividend), number_round_wide (divisor), (guint)MIN (depth, G_MAXUINT));
  if (isnan (number))
    return depth == 0 ? WHY_LINES : WHY_SIZE;
  total_entry_set_double (entry, number);
  return WHY_NOT;
}

/* Derives the numbers from the sums of a component and, if `has_values`, from its histogram with a bin for each value. */
static Why
total_derive_summarize (const Numbers *numbers, guint64 depth, gint scope, gboolean needs_squares, gboolean needs_values,
                        struct histo_summary *summary)
{
  const Entry *histogram = total_numbers_find (numbers, scope, FIELD_ID_HISTOGRAM);
  struct histo_component_stats stats = { .depth = (guint32)depth };
  Wide count = 0, sum = 0, squares = 0;
  guint64 all;

  if (!total_numbers_find_sum (numbers, scope, FIELD_ID_COUNT, &count) || count == 0)
    return WHY_LINES;
  if (!needs_values
      && (!total_numbers_find_sum (numbers, scope, FIELD_ID_SUM, &sum)
          || (needs_squares && !total_numbers_find_sum (numbers, scope, FIELD_ID_SUM_OF_SQUARES, &squares))))
    return WHY_LINES;
  if (needs_values && histogram == NULL)
    return WHY_LINES;
  if (depth > FORMULA_MAX_DEPTH)
    return WHY_SIZE;
  if (needs_values && depth > 8 && histogram->length != (gsize)1 << depth)
    return WHY_DEPTH;
  if (count > G_MAXUINT64 || sum > G_MAXUINT64 || (histogram != NULL && histogram->length > HISTO_MAX_BINS))
    return WHY_SIZE;
  all = (guint64)count;
  stats.count = all;
  stats.sum = (guint64)sum;
  stats.sum_of_squares = (guint64)squares;
  stats.sum_of_squares_high = (guint64)(squares >> 64);
  stats.histogram = needs_values ? histogram->array : &all;
  stats.bins = needs_values ? (guint32)histogram->length : 1;
  return histo_summarize (&stats, summary) ? WHY_NOT : WHY_LINES;
}

static Why
total_derive_summarize_colours (const Numbers *numbers, struct histo_colour_summary *summary, gboolean is_hue)
{
  const Entry *histogram
      = total_numbers_find (numbers, PICTURE, is_hue ? FIELD_ID_HUE_HISTOGRAM : FIELD_ID_SATURATION_HISTOGRAM);
  struct histo_picture_stats stats = { 0 };

  if (histogram == NULL)
    return WHY_LINES;
  if (histogram->length == 0 || histogram->length > HISTO_MAX_BINS * 2 || (is_hue && histogram->length != HISTO_HUES))
    return WHY_LENGTH;
  for (gsize i = 0; i < histogram->length; i++)
    if (__builtin_add_overflow (stats.chroma_count, histogram->array[i], &stats.chroma_count))
      return WHY_SIZE;
  if (is_hue) {
    stats.hue = histogram->array;
  } else {
    stats.saturation = histogram->array;
    stats.saturation_count = (guint32)histogram->length;
  }
  return histo_summarize_colours (&stats, summary) ? WHY_NOT : WHY_LINES;
}

static guint
total_derive_count_bits (Wide mask)
{
  return (guint)__builtin_popcountll ((guint64)mask) + (guint)__builtin_popcountll ((guint64)(mask >> 64));
}

/* Sets the entry to its member of a summary. NULL: the summary has none. */
static Why
total_derive_take (Entry *entry, gconstpointer member)
{
  if (member == NULL)
    return WHY_UNKNOWN;
  if (entry->field->type == FIELD_TYPE_DOUBLE)
    total_entry_set_double (entry, *(const gdouble *)member);
  else
    total_entry_set_uint (entry, *(const guint32 *)member);
  return WHY_NOT;
}

/* Derives a component's field that has no formula. Integers need a bin for each value. */
static Why
total_derive_of_component (const Numbers *numbers, guint64 depth, Entry *entry)
{
  const FieldId id = entry->field->id;
  const Entry *mask = total_numbers_find (numbers, entry->scope, FIELD_ID_USED_MASK);
  struct histo_summary summary;
  Why why;

  if (id == FIELD_ID_USED_BITS && mask != NULL) {
    total_entry_set_uint (entry, total_derive_count_bits (mask->sum));
    return WHY_NOT;
  }
  why = total_derive_summarize (numbers, depth, entry->scope, id != FIELD_ID_MEAN, entry->field->type == FIELD_TYPE_UINT,
                                &summary);
  return why != WHY_NOT ? why : total_derive_take (entry, summary_find (&summary, id));
}

static Why
total_derive_colour (const Numbers *numbers, Entry *entry)
{
  struct histo_colour_summary summary;
  const Why why = total_derive_summarize_colours (numbers, &summary, entry->field->scope == FIELD_SCOPE_HUE);

  return why != WHY_NOT ? why : total_derive_take (entry, summary_find_colour (&summary, entry->field->id));
}

static Why
total_derive_light (const Numbers *numbers, Entry *entry)
{
  const Entry *histogram = total_numbers_find (numbers, PICTURE, FIELD_ID_LIGHT_HISTOGRAM);
  struct histo_picture_stats stats = { 0 };
  struct histo_light_summary summary;

  if (histogram == NULL)
    return WHY_LINES;
  if (histogram->length != HISTO_LIGHT_CODES)
    return WHY_LENGTH;
  stats.light = histogram->array;
  for (gsize i = 0; i < histogram->length; i++)
    if (__builtin_add_overflow (stats.luma_count, histogram->array[i], &stats.luma_count))
      return WHY_SIZE;
  if (!histo_summarize_light (&stats, &summary))
    return WHY_LINES;
  return total_derive_take (entry, summary_find_light (&summary, entry->field->id));
}

static Why
total_derive_active_picture (const Numbers *numbers, Entry *entry)
{
  const Entry *extent = total_numbers_find (numbers, PICTURE, FIELD_ID_ACTIVE_EXTENT);

  if (extent == NULL)
    return WHY_LINES;
  total_entry_set_rectangle (entry, extent->extent, TRUE);
  return WHY_NOT;
}

static guint64
total_derive_get_side (const Numbers *numbers, FieldId id)
{
  const Entry *entry = total_numbers_find (numbers, PICTURE, id);

  return entry != NULL && G_VALUE_HOLDS_UINT (&entry->value) ? g_value_get_uint (&entry->value) : 0;
}

static Why
total_derive_active_light (const Numbers *numbers, Entry *entry, FieldId whole)
{
  const Entry *mean = total_numbers_find (numbers, PICTURE, whole);
  const Entry *extent = total_numbers_find (numbers, PICTURE, FIELD_ID_ACTIVE_EXTENT);
  const guint64 width = total_derive_get_side (numbers, FIELD_ID_WIDTH),
                height = total_derive_get_side (numbers, FIELD_ID_HEIGHT);
  guint64 active;

  if (mean == NULL || !G_VALUE_HOLDS_DOUBLE (&mean->value) || extent == NULL || width == 0 || height == 0
      || extent->extent[0] > extent->extent[1] || extent->extent[2] > extent->extent[3])
    return WHY_LINES;
  active = (guint64)(extent->extent[1] - extent->extent[0] + 1) * (guint64)(extent->extent[3] - extent->extent[2] + 1);
  total_entry_set_double (entry, formula_active_light (g_value_get_double (&mean->value), width * height, active));
  return WHY_NOT;
}

static Why
total_derive_entry (const Numbers *numbers, guint64 depth, Entry *entry)
{
  if (entry->field->formula != NULL)
    return total_derive_quotient (numbers, depth, entry);
  if (entry->scope != PICTURE)
    return total_derive_of_component (numbers, depth, entry);
  if (entry->field->id == FIELD_ID_ACTIVE_PICTURE)
    return total_derive_active_picture (numbers, entry);
  if (entry->field->id == FIELD_ID_LIGHT_MAX_FALL_ACTIVE)
    return total_derive_active_light (numbers, entry, FIELD_ID_LIGHT_MAX_FALL);
  if (entry->field->id == FIELD_ID_LIGHT_MAX_FALL_99_99_ACTIVE)
    return total_derive_active_light (numbers, entry, FIELD_ID_LIGHT_MAX_FALL_99_99);
  return entry->field->scope == FIELD_SCOPE_LIGHT ? total_derive_light (numbers, entry) : total_derive_colour (numbers, entry);
}

void
total_derive (Numbers *numbers, guint64 depth)
{
  for (guint i = 0; i < numbers->entries->len; i++) {
    Entry *entry = numbers->entries->pdata[i];

    if (entry->field->addition == FIELD_ADDITION_BOUNDING_BOX && entry->why == WHY_NOT && !G_IS_VALUE (&entry->value))
      total_entry_set_rectangle (entry, entry->extent, FALSE);
    if (entry->field->addition == FIELD_ADDITION_DERIVED && entry->why == WHY_NOT)
      total_entry_omit (entry, total_derive_entry (numbers, depth, entry));
  }
  /* A derived value may be written although its sum is omitted. */
  for (guint i = 0; i < numbers->entries->len; i++) {
    Entry *entry = numbers->entries->pdata[i];

    if (entry->field->type == FIELD_TYPE_UINT64 && entry->sum > G_MAXUINT64)
      total_entry_omit (entry, WHY_SIZE);
  }
}
