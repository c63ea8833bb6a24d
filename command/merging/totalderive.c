/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "merging/totalderive.h"

#include <math.h>
#include <string.h>

#include <cudahisto/histo.h>

#include "lines/schema.h"

#define MAX_DEPTH 16 /* bits per sample */

/* Sets the quotient of two fields whose names begin with `prefix`. */
static Why
total_derive_divide (const Numbers *numbers, gint scope, const gchar *prefix, const gchar *dividend, const gchar *divisor,
                     gdouble *quotient)
{
  gchar *names[] = { g_strconcat (prefix, dividend, NULL), g_strconcat (prefix, divisor, NULL) };
  Wide sums[2] = { 0 };
  const gboolean are_there = total_numbers_find_sum (numbers, scope, names[0], &sums[0])
                             && total_numbers_find_sum (numbers, scope, names[1], &sums[1]);

  g_free (names[0]);
  g_free (names[1]);
  if (!are_there || sums[1] == 0)
    return WHY_LINES;
  *quotient = number_round_wide (sums[0]) / number_round_wide (sums[1]);
  return WHY_NOT;
}

/* Derives the numbers from the sums of a component and, if `has_values`, from its histogram with a bin for each value. */
static Why
total_derive_summarize (const Numbers *numbers, guint64 depth, gint scope, gboolean needs_squares, gboolean needs_values,
                        struct histo_summary *summary)
{
  const Entry *histogram = total_numbers_find (numbers, scope, "histogram");
  struct histo_component_stats stats = { .depth = (guint32)depth };
  Wide count = 0, sum = 0, squares = 0;
  guint64 all;

  if (!total_numbers_find_sum (numbers, scope, "count", &count) || count == 0)
    return WHY_LINES;
  if (!needs_values
      && (!total_numbers_find_sum (numbers, scope, "sum", &sum)
          || (needs_squares && !total_numbers_find_sum (numbers, scope, "sum-of-squares", &squares))))
    return WHY_LINES;
  if (needs_values && histogram == NULL)
    return WHY_LINES;
  if (depth > MAX_DEPTH)
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
  const Entry *histogram = total_numbers_find (numbers, PICTURE, is_hue ? "hue-histogram" : "saturation-histogram");
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

/* Derives the other fields of a component. */
static Why
total_derive_summary (const Numbers *numbers, guint64 depth, Entry *entry)
{
  const gchar *name = entry->rule->name;
  const gboolean is_of_values = strcmp (name, "low") == 0 || strcmp (name, "median") == 0 || strcmp (name, "high") == 0;
  const Entry *mask = total_numbers_find (numbers, entry->scope, "used-mask");
  struct histo_summary summary;
  Why why;

  if (strcmp (name, "used-bits") == 0 && mask != NULL) {
    total_entry_set_uint (entry, total_derive_count_bits (mask->sum));
    return WHY_NOT;
  }
  why = total_derive_summarize (numbers, depth, entry->scope, strcmp (name, "mean") != 0,
                                is_of_values || strcmp (name, "used-bits") == 0, &summary);
  if (why != WHY_NOT)
    return why;
  if (strcmp (name, "mean") == 0)
    total_entry_set_double (entry, summary.mean);
  else if (strcmp (name, "variance") == 0)
    total_entry_set_double (entry, summary.variance);
  else if (strcmp (name, "stddev") == 0)
    total_entry_set_double (entry, summary.stddev);
  else if (strcmp (name, "low") == 0)
    total_entry_set_uint (entry, summary.low);
  else if (strcmp (name, "median") == 0)
    total_entry_set_uint (entry, summary.median);
  else if (strcmp (name, "high") == 0)
    total_entry_set_uint (entry, summary.high);
  else
    total_entry_set_uint (entry, summary.used_bits);
  return WHY_NOT;
}

static Why
total_derive_of_component (const Numbers *numbers, guint64 depth, Entry *entry)
{
  const gchar *prefix = g_str_has_prefix (entry->member, "reference-") ? "reference-" : "", *name = entry->rule->name;
  const gdouble peak = (gdouble)((1u << MIN (depth, MAX_DEPTH)) - 1);
  gdouble quotient;
  Why why;

  if (strcmp (name, "difference") == 0)
    why = total_derive_divide (numbers, entry->scope, prefix, "sad", "difference-count", &quotient);
  else if (strcmp (name, "mse") == 0 || strcmp (name, "psnr") == 0)
    why = total_derive_divide (numbers, entry->scope, prefix, "ssd", "difference-count", &quotient);
  else if (strcmp (name, "histogram-distance") == 0)
    why = total_derive_divide (numbers, entry->scope, prefix, "histogram-distance-moved", "histogram-distance-count",
                               &quotient);
  else
    return total_derive_summary (numbers, depth, entry);
  if (why == WHY_NOT && strcmp (name, "psnr") == 0 && (depth == 0 || depth > MAX_DEPTH))
    why = depth == 0 ? WHY_LINES : WHY_SIZE;
  if (why == WHY_NOT)
    total_entry_set_double (entry, strcmp (name, "psnr") == 0 ? 10 * log10 (peak * peak / quotient) : quotient);
  return why;
}

static Why
total_derive_colour (const Numbers *numbers, Entry *entry)
{
  struct histo_colour_summary summary;
  const Why why = total_derive_summarize_colours (numbers, &summary, g_str_has_prefix (entry->name, "hue"));

  if (why != WHY_NOT)
    return why;
  if (strcmp (entry->name, "saturation-min") == 0)
    total_entry_set_uint (entry, summary.saturation_min);
  else if (strcmp (entry->name, "saturation-low") == 0)
    total_entry_set_uint (entry, summary.saturation_low);
  else if (strcmp (entry->name, "saturation-mean") == 0)
    total_entry_set_double (entry, summary.saturation_mean);
  else if (strcmp (entry->name, "saturation-high") == 0)
    total_entry_set_uint (entry, summary.saturation_high);
  else if (strcmp (entry->name, "saturation-max") == 0)
    total_entry_set_uint (entry, summary.saturation_max);
  else if (strcmp (entry->name, "hue-median") == 0)
    total_entry_set_uint (entry, summary.hue_median);
  else
    total_entry_set_double (entry, summary.hue_mean);
  return WHY_NOT;
}

static Why
total_derive_of_picture (const Numbers *numbers, Entry *entry)
{
  Wide count, all;
  gdouble quotient;
  gchar *of;
  Why why;

  if (g_str_has_prefix (entry->name, "saturation-") || g_str_has_prefix (entry->name, "hue-"))
    return total_derive_colour (numbers, entry);
  if (strcmp (entry->name, "active-picture") == 0) {
    const Entry *extent = total_numbers_find (numbers, PICTURE, "active-extent");

    if (extent == NULL)
      return WHY_LINES;
    total_entry_set_rectangle (entry, extent->extent, TRUE);
    return WHY_NOT;
  }
  if (strcmp (entry->name, "metered-luma") == 0) {
    why = total_derive_divide (numbers, PICTURE, "metered-luma", "-sum", "-weights", &quotient);
    if (why == WHY_NOT)
      total_entry_set_double (entry, quotient);
    return why;
  }
  of = g_strconcat (entry->name, "-count", NULL);
  why = numbers->components->len > 0 && total_numbers_find_sum (numbers, PICTURE, of, &count)
                && total_numbers_find_sum (numbers, 0, "count", &all) && all > 0
            ? WHY_NOT
            : WHY_LINES;
  g_free (of);
  if (why == WHY_NOT)
    total_entry_set_double (entry, number_round_wide (count) / number_round_wide (all));
  return why;
}

void
total_derive (Numbers *numbers, guint64 depth)
{
  for (guint i = 0; i < numbers->entries->len; i++) {
    Entry *entry = numbers->entries->pdata[i];

    if (entry->rule->rule == RULE_EXTENT && entry->why == WHY_NOT && !G_IS_VALUE (&entry->value))
      total_entry_set_rectangle (entry, entry->extent, FALSE);
    if (entry->rule->rule == RULE_DERIVED && entry->why == WHY_NOT)
      total_entry_omit (entry, entry->scope == PICTURE ? total_derive_of_picture (numbers, entry)
                                                       : total_derive_of_component (numbers, depth, entry));
  }
  /* A derived value may be written although its sum is omitted. */
  for (guint i = 0; i < numbers->entries->len; i++) {
    Entry *entry = numbers->entries->pdata[i];

    if (entry->rule->rule == RULE_SUM && entry->sum > G_MAXUINT64 && schema_find_type (entry->rule->name) == TYPE_UINT64)
      total_entry_omit (entry, WHY_SIZE);
  }
}
