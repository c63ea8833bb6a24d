/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/facts.h"

#include <gst/gst.h>
#include <string.h>

G_STATIC_ASSERT (N_FACTS <= 64);

typedef enum { KIND_WHOLE, KIND_REAL, KIND_ARRAY, KIND_RECTANGLE } FactKind;

static const struct {
  const gchar *name;
  FactKind kind;
} descriptions[N_FACTS] = {
  [FACT_COUNT] = { "count", KIND_WHOLE },
  [FACT_SUM] = { "sum", KIND_WHOLE },
  [FACT_SUM_OF_SQUARES] = { "sum-of-squares", KIND_WHOLE },
  [FACT_MEAN] = { "mean", KIND_REAL },
  [FACT_VARIANCE] = { "variance", KIND_REAL },
  [FACT_STDDEV] = { "stddev", KIND_REAL },
  [FACT_MIN] = { "min", KIND_WHOLE },
  [FACT_MAX] = { "max", KIND_WHOLE },
  [FACT_LOW] = { "low", KIND_WHOLE },
  [FACT_MEDIAN] = { "median", KIND_WHOLE },
  [FACT_HIGH] = { "high", KIND_WHOLE },
  [FACT_DOT] = { "dot", KIND_WHOLE },
  [FACT_DOT_COUNT] = { "dot-count", KIND_WHOLE },
  [FACT_USED_BITS] = { "used-bits", KIND_WHOLE },
  [FACT_USED_MASK] = { "used-mask", KIND_WHOLE },
  [FACT_HISTOGRAM] = { "histogram", KIND_ARRAY },
  [FACT_ROW_SUMS] = { "row-sums", KIND_ARRAY },
  [FACT_COLUMN_SUMS] = { "column-sums", KIND_ARRAY },
  [FACT_WAVEFORM] = { "waveform", KIND_ARRAY },
  [FACT_DIFFERENCE] = { "difference", KIND_REAL },
  [FACT_DIFFERENCE_COUNT] = { "difference-count", KIND_WHOLE },
  [FACT_SAD] = { "sad", KIND_WHOLE },
  [FACT_SSD] = { "ssd", KIND_WHOLE },
  [FACT_MSE] = { "mse", KIND_REAL },
  [FACT_PSNR] = { "psnr", KIND_REAL },
  [FACT_DISTANCE] = { "histogram-distance", KIND_REAL },
  [FACT_DISTANCE_MOVED] = { "histogram-distance-moved", KIND_WHOLE },
  [FACT_DISTANCE_COUNT] = { "histogram-distance-count", KIND_WHOLE },
  [FACT_DEPTH] = { "depth", KIND_WHOLE },
  [FACT_WIDTH] = { "width", KIND_WHOLE },
  [FACT_HEIGHT] = { "height", KIND_WHOLE },
  [FACT_X] = { "x", KIND_WHOLE },
  [FACT_Y] = { "y", KIND_WHOLE },
  [FACT_FRAME] = { "frame", KIND_WHOLE },
  [FACT_FRAMES] = { "frames", KIND_WHOLE },
  [FACT_OFFSET] = { "offset", KIND_WHOLE },
  [FACT_SIZE] = { "size", KIND_WHOLE },
  [FACT_SATURATION_MIN] = { "saturation-min", KIND_WHOLE },
  [FACT_SATURATION_LOW] = { "saturation-low", KIND_WHOLE },
  [FACT_SATURATION_MEAN] = { "saturation-mean", KIND_REAL },
  [FACT_SATURATION_HIGH] = { "saturation-high", KIND_WHOLE },
  [FACT_SATURATION_MAX] = { "saturation-max", KIND_WHOLE },
  [FACT_SATURATION_HISTOGRAM] = { "saturation-histogram", KIND_ARRAY },
  [FACT_HUE_MEDIAN] = { "hue-median", KIND_WHOLE },
  [FACT_HUE_MEAN] = { "hue-mean", KIND_REAL },
  [FACT_HUE_HISTOGRAM] = { "hue-histogram", KIND_ARRAY },
  [FACT_OUTLIERS] = { "outliers", KIND_REAL },
  [FACT_OUTLIERS_COUNT] = { "outliers-count", KIND_WHOLE },
  [FACT_REPEATS] = { "repeats", KIND_REAL },
  [FACT_REPEATS_COUNT] = { "repeats-count", KIND_WHOLE },
  [FACT_OUT_OF_RANGE] = { "out-of-range", KIND_REAL },
  [FACT_OUT_OF_RANGE_COUNT] = { "out-of-range-count", KIND_WHOLE },
  [FACT_OUT_OF_GAMUT] = { "out-of-gamut", KIND_REAL },
  [FACT_OUT_OF_GAMUT_COUNT] = { "out-of-gamut-count", KIND_WHOLE },
  [FACT_METERED_LUMA] = { "metered-luma", KIND_REAL },
  [FACT_METERED_LUMA_SUM] = { "metered-luma-sum", KIND_WHOLE },
  [FACT_METERED_LUMA_WEIGHTS] = { "metered-luma-weights", KIND_WHOLE },
  [FACT_ACTIVE_PICTURE] = { "active-picture", KIND_RECTANGLE },
  [FACT_ACTIVE_EXTENT] = { "active-extent", KIND_RECTANGLE },
  [FACT_VECTORSCOPE] = { "vectorscope", KIND_ARRAY },
  [FACT_LUMA_COUNT] = { "count of the first component", KIND_WHOLE },
  [FACT_CHROMA_COUNT] = { "count of U", KIND_WHOLE },
};

Fact
facts_find (const gchar *member, gboolean is_of_component)
{
  const Fact end = is_of_component ? FACT_DEPTH : FACT_LUMA_COUNT;
  Fact fact = is_of_component ? FACT_COUNT : FACT_DEPTH;

  while (fact < end && strcmp (descriptions[fact].name, member) != 0)
    fact++;
  return fact < end ? fact : N_FACTS;
}

const gchar *
facts_get_name (Fact fact)
{
  return descriptions[fact].name;
}

gboolean
facts_is_real (Fact fact)
{
  return descriptions[fact].kind == KIND_REAL;
}

/* Returns FALSE if the value is not a whole number. */
static gboolean
facts_take_whole (Wide *whole, const GValue *value)
{
  if (G_VALUE_HOLDS_UINT64 (value))
    *whole = g_value_get_uint64 (value);
  else if (G_VALUE_HOLDS_UINT (value))
    *whole = g_value_get_uint (value);
  else
    return G_VALUE_HOLDS_STRING (value) && number_parse_wide (g_value_get_string (value), whole);
  return TRUE;
}

/* Returns FALSE if the value is not an array of four numbers. */
static gboolean
facts_take_rectangle (guint rectangle[4], const GValue *value)
{
  if (!GST_VALUE_HOLDS_ARRAY (value) || gst_value_array_get_size (value) != 4)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    rectangle[i] = g_value_get_uint (gst_value_array_get_value (value, i));
  return TRUE;
}

void
facts_take (Facts *facts, Fact fact, const GValue *value)
{
  gboolean is_there = FALSE;

  switch (descriptions[fact].kind) {
  case KIND_WHOLE:
    is_there = facts_take_whole (&facts->values[fact].whole, value);
    break;
  case KIND_REAL:
    is_there = G_VALUE_HOLDS_DOUBLE (value);
    if (is_there)
      facts->values[fact].real = g_value_get_double (value);
    break;
  case KIND_ARRAY:
    is_there = G_VALUE_HOLDS (value, G_TYPE_BYTES);
    if (is_there)
      facts->values[fact].numbers = g_bytes_get_data (g_value_get_boxed (value), &facts->values[fact].length);
    facts->values[fact].length = is_there ? facts->values[fact].length / sizeof (guint64) : 0;
    break;
  case KIND_RECTANGLE:
    is_there = facts_take_rectangle (facts->values[fact].rectangle, value);
    break;
  }
  if (is_there)
    facts->has |= FACT_BIT (fact);
}

gdouble
facts_get_real (const Facts *facts, Fact fact)
{
  return facts_is_real (fact) ? facts->values[fact].real : number_round_wide (facts->values[fact].whole);
}

Wide
facts_get_peak (const Facts *facts)
{
  return ((Wide)1 << facts->values[FACT_DEPTH].whole) - 1;
}

Wide
facts_get_largest (const Facts *facts, Fact fact)
{
  const Wide number = facts->values[fact].whole;
  guint shift;

  if (fact != FACT_MAX || (facts->has & FACT_BIT (FACT_DEPTH)) == 0 || facts->values[FACT_DEPTH].whole <= 8)
    return number;
  shift = (guint)facts->values[FACT_DEPTH].whole - 8;
  return number % ((Wide)1 << shift) == 0 ? number + ((Wide)1 << shift) - 1 : number;
}
