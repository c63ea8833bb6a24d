/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "merging/totalrules.h"

#include <string.h>

static const FieldRule rules_of_components[] = {
  { "count", RULE_SUM, NEED_ALL, NULL },
  { "sum", RULE_SUM, NEED_ALL, NULL },
  { "sum-of-squares", RULE_SUM, NEED_ALL, NULL },
  { "mean", RULE_DERIVED, NEED_ANY, NULL },
  { "variance", RULE_DERIVED, NEED_ANY, NULL },
  { "stddev", RULE_DERIVED, NEED_ANY, NULL },
  { "min", RULE_MIN, NEED_ALL, NULL },
  { "max", RULE_MAX, NEED_ALL, NULL },
  { "low", RULE_DERIVED, NEED_ANY, NULL },
  { "median", RULE_DERIVED, NEED_ANY, NULL },
  { "high", RULE_DERIVED, NEED_ANY, NULL },
  { "dot", RULE_SUM, NEED_PAIR, "dot-count" },
  { "dot-count", RULE_SUM, NEED_ANY, NULL },
  { "difference", RULE_DERIVED, NEED_ANY, NULL },
  { "difference-count", RULE_SUM, NEED_ANY, NULL },
  { "sad", RULE_SUM, NEED_PAIR, "difference-count" },
  { "ssd", RULE_SUM, NEED_PAIR, "difference-count" },
  { "mse", RULE_DERIVED, NEED_ANY, NULL },
  { "psnr", RULE_DERIVED, NEED_ANY, NULL },
  { "histogram-distance", RULE_DERIVED, NEED_ANY, NULL },
  { "histogram-distance-moved", RULE_SUM, NEED_PAIR, "histogram-distance-count" },
  { "histogram-distance-count", RULE_SUM, NEED_ANY, NULL },
  { "used-bits", RULE_DERIVED, NEED_ANY, NULL },
  { "used-mask", RULE_OR, NEED_ALL, NULL },
  { "histogram", RULE_ARRAY, NEED_ALL, NULL },
  { "row-sums", RULE_ARRAY, NEED_ALL, NULL },
  { "column-sums", RULE_ARRAY, NEED_ALL, NULL },
  { "waveform", RULE_ARRAY, NEED_ALL, NULL },
};

static const FieldRule rules_of_pictures[] = {
  { "element", RULE_FIRST, NEED_ANY, NULL },
  { "input", RULE_FIRST, NEED_ANY, NULL },
  { "backend", RULE_LAST, NEED_ANY, NULL },
  { "frame", RULE_FIRST, NEED_ANY, NULL },
  { "frames", RULE_SPAN, NEED_ANY, NULL },
  { "damaged", RULE_SUM, NEED_ANY, NULL },
  { "missing", RULE_SUM, NEED_ANY, NULL },
  { "offset", RULE_FIRST, NEED_ANY, NULL },
  { "size", RULE_SPAN, NEED_ANY, NULL },
  { "format", RULE_SOURCE, NEED_ANY, NULL },
  { "width", RULE_SOURCE, NEED_ANY, NULL },
  { "height", RULE_SOURCE, NEED_ANY, NULL },
  { "crop", RULE_FIRST, NEED_ANY, NULL },
  { "depth", RULE_SOURCE, NEED_ANY, NULL },
  { "range", RULE_SOURCE, NEED_ANY, NULL },
  { "colorimetry", RULE_SOURCE, NEED_ANY, NULL },
  { "framerate", RULE_SAME, NEED_ANY, NULL },
  { "timestamp", RULE_FIRST, NEED_ANY, NULL },
  { "stream-time", RULE_FIRST, NEED_ANY, NULL },
  { "running-time", RULE_FIRST, NEED_ANY, NULL },
  { "duration", RULE_SPAN, NEED_ANY, NULL },
  { "utc-time", RULE_FIRST, NEED_ANY, NULL },
  { "timecode", RULE_FIRST, NEED_ANY, NULL },
  { "reference-time", RULE_FIRST, NEED_ANY, NULL },
  { "reference-clock", RULE_FIRST, NEED_ANY, NULL },
  { "reference-offset", RULE_FIRST, NEED_ANY, NULL },
  { "ended-by", RULE_LAST, NEED_ANY, NULL },
  { "saturation-min", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-low", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-mean", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-high", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-max", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-histogram", RULE_ARRAY, NEED_ALL, NULL },
  { "hue-median", RULE_DERIVED, NEED_ANY, NULL },
  { "hue-mean", RULE_DERIVED, NEED_ANY, NULL },
  { "hue-histogram", RULE_ARRAY, NEED_ALL, NULL },
  { "outliers", RULE_DERIVED, NEED_ANY, NULL },
  { "outliers-count", RULE_SUM, NEED_ALL, NULL },
  { "repeats", RULE_DERIVED, NEED_ANY, NULL },
  { "repeats-count", RULE_SUM, NEED_ALL, NULL },
  { "out-of-range", RULE_DERIVED, NEED_ANY, NULL },
  { "out-of-range-count", RULE_SUM, NEED_ALL, NULL },
  { "out-of-gamut", RULE_DERIVED, NEED_ANY, NULL },
  { "out-of-gamut-count", RULE_SUM, NEED_ALL, NULL },
  { "metered-luma", RULE_DERIVED, NEED_ANY, NULL },
  { "metered-luma-sum", RULE_SUM, NEED_ALL, NULL },
  { "metered-luma-weights", RULE_SUM, NEED_ALL, NULL },
  { "active-picture", RULE_DERIVED, NEED_ANY, NULL },
  { "active-extent", RULE_EXTENT, NEED_ALL, NULL },
  { "vectorscope", RULE_ARRAY, NEED_ALL, NULL },
  /* For a region; earlier code has checked that it is the same one. */
  { "x", RULE_FIRST, NEED_ANY, NULL },
  { "y", RULE_FIRST, NEED_ANY, NULL },
  { "id", RULE_FIRST, NEED_ANY, NULL },
  { "parent-id", RULE_FIRST, NEED_ANY, NULL },
  { "type", RULE_FIRST, NEED_ANY, NULL },
  { "confidence", RULE_FIRST, NEED_ANY, NULL },
};

static const FieldRule *
total_rules_look_up (const FieldRule *rules, guint n_rules, const gchar *name)
{
  static const FieldRule unknown = { "", RULE_UNKNOWN, NEED_ANY, NULL };

  for (guint i = 0; i < n_rules; i++) {
    if (strcmp (rules[i].name, name) == 0)
      return &rules[i];
  }
  return &unknown;
}

const FieldRule *
total_rules_find (const gchar *name, gboolean is_of_component)
{
  return is_of_component ? total_rules_look_up (rules_of_components, G_N_ELEMENTS (rules_of_components), name)
                         : total_rules_look_up (rules_of_pictures, G_N_ELEMENTS (rules_of_pictures), name);
}

const FieldRule *
total_rules_of_pictures (guint *n_rules)
{
  *n_rules = G_N_ELEMENTS (rules_of_pictures);
  return rules_of_pictures;
}
