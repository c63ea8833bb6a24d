/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/getters.h"

#include "fields/formulas.h"

#define RESULT(member) G_STRUCT_OFFSET (GstCudaHistoWindowResult, member)
#define SOURCE(member) G_STRUCT_OFFSET (GstCudaHistoSource, member)
#define SPAN(member) G_STRUCT_OFFSET (GstCudaHistoSpan, member)
#define ORIGIN(member) G_STRUCT_OFFSET (GstCudaHistoOrigin, member)
#define REGION(member) G_STRUCT_OFFSET (GstCudaHistoRegion, member)
#define STATS(member) G_STRUCT_OFFSET (struct histo_component_stats, member)
#define SUMMARY(member) G_STRUCT_OFFSET (struct histo_summary, member)
#define PICTURE(member) G_STRUCT_OFFSET (struct histo_picture_stats, member)
#define COLOURS(member) G_STRUCT_OFFSET (struct histo_colour_summary, member)
#define LIGHT(member) G_STRUCT_OFFSET (struct histo_light_summary, member)
#define PEAK(member) G_STRUCT_OFFSET (GstCudaHistoLightPeaks, member)
#define DISTANCE(member) G_STRUCT_OFFSET (GstCudaHistoDistance, member)
#define METERED(member) G_STRUCT_OFFSET (GstCudaHistoMeteredLuma, member)

G_STATIC_ASSERT (STATS (sum_of_squares_high) == STATS (sum_of_squares) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (dot_high) == STATS (dot) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (squared_difference_high) == STATS (squared_difference) + sizeof (uint64_t));
G_STATIC_ASSERT (LIGHT (sum_high) == LIGHT (sum) + sizeof (uint64_t));
G_STATIC_ASSERT (FORMULA_NIT == HISTO_NIT);
G_STATIC_ASSERT (METERED (sum_high) == METERED (sum) + sizeof (guint64));

#define VALUE(id, find, offset) \
  [FIELD_ID_##id]               \
      = { &field_descriptions[FIELD_ID_##id], gst_cuda_histo_schema_get_found, gst_cuda_histo_schema_find_##find, offset }
#define GETTER(id, get, offset) \
  [FIELD_ID_##id] = { &field_descriptions[FIELD_ID_##id], gst_cuda_histo_schema_get_##get, NULL, offset }

/* Gets the field's string. FALSE: it is NULL. */
static gboolean
gst_cuda_histo_schema_get_string (const gchar *text, GValue *value)
{
  if (text == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  if (g_utf8_validate (text, -1, NULL))
    g_value_set_static_string (value, text);
  else
    g_value_take_string (value, g_utf8_make_valid (text, -1));
  return TRUE;
}

/* Gets a number or a static string, of the field's type. */
static gboolean
gst_cuda_histo_schema_get_found (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  gconstpointer place = getter->find (getter, reading);

  if (place == NULL)
    return FALSE;
  place = (const gchar *)place + getter->offset;
  switch (getter->field->type) {
  case FIELD_TYPE_STRING:
    return gst_cuda_histo_schema_get_string (*(const gchar *const *)place, value);
  case FIELD_TYPE_INT:
    g_value_init (value, G_TYPE_INT);
    g_value_set_int (value, *(const gint *)place);
    return TRUE;
  case FIELD_TYPE_INT64:
    g_value_init (value, G_TYPE_INT64);
    g_value_set_int64 (value, *(const gint64 *)place);
    return TRUE;
  case FIELD_TYPE_UINT:
    g_value_init (value, G_TYPE_UINT);
    g_value_set_uint (value, *(const guint *)place);
    return TRUE;
  case FIELD_TYPE_UINT64:
  case FIELD_TYPE_TIME:
    g_value_init (value, G_TYPE_UINT64);
    g_value_set_uint64 (value, *(const guint64 *)place);
    return TRUE;
  case FIELD_TYPE_DOUBLE:
    g_value_init (value, G_TYPE_DOUBLE);
    g_value_set_double (value, *(const gdouble *)place);
    return TRUE;
  case FIELD_TYPE_WIDE:
    gst_cuda_histo_schema_lend_wide (place, value);
    return TRUE;
  default:
    g_return_val_if_reached (FALSE);
  }
}

const GstCudaHistoGetter gst_cuda_histo_schema_getters[N_FIELDS] = {
  GETTER (ELEMENT, result_string, RESULT (element)),
  GETTER (INPUT, optional_string, RESULT (input)),
  GETTER (SAMPLING, optional_string, RESULT (sampling)),
  GETTER (BACKEND, result_string, RESULT (backend)),
  VALUE (FRAME, span, SPAN (frame)),
  VALUE (FRAMES, span, SPAN (frames)),
  VALUE (DAMAGED, damage, SPAN (damaged)),
  VALUE (MISSING, damage, SPAN (missing)),
  VALUE (OFFSET, span, SPAN (offset)),
  VALUE (SIZE, span, SPAN (size)),
  VALUE (FORMAT, source, SOURCE (format)),
  VALUE (WIDTH, source, SOURCE (width)),
  VALUE (HEIGHT, source, SOURCE (height)),
  VALUE (FIELD, field, 0),
  GETTER (CROP, origin_crop, 0),
  VALUE (DEPTH, source, SOURCE (depth)),
  VALUE (RANGE, source, SOURCE (range)),
  VALUE (COLORIMETRY, source, SOURCE (colorimetry)),
  GETTER (FRAMERATE, source_framerate, 0),
  VALUE (TIMESTAMP, span, SPAN (timestamp)),
  VALUE (STREAM_TIME, span, SPAN (stream_time)),
  VALUE (RUNNING_TIME, span, SPAN (running_time)),
  VALUE (DURATION, span, SPAN (duration)),
  GETTER (UTC_TIME, origin_utc_time, 0),
  GETTER (TIMECODE, origin_timecode, 0),
  VALUE (REFERENCE_TIME, reference_time, ORIGIN (reference_time)),
  VALUE (REFERENCE_CLOCK, origin, ORIGIN (reference_clock)),
  VALUE (REFERENCE_OFFSET, offset, RESULT (reference_offset)),
  VALUE (ENDED_BY, ended_by, 0),
  VALUE (SATURATION_MIN, colours, COLOURS (saturation_min)),
  VALUE (SATURATION_LOW, colours, COLOURS (saturation_low)),
  VALUE (SATURATION_MEAN, colours, COLOURS (saturation_mean)),
  VALUE (SATURATION_HIGH, colours, COLOURS (saturation_high)),
  VALUE (SATURATION_MAX, colours, COLOURS (saturation_max)),
  GETTER (SATURATION_HISTOGRAM, colour_counters, 0),
  VALUE (HUE_MEDIAN, colours, COLOURS (hue_median)),
  VALUE (HUE_MEAN, colours, COLOURS (hue_mean)),
  GETTER (HUE_HISTOGRAM, colour_counters, 0),
  VALUE (LIGHT_TRANSFER, lit_source, SOURCE (light_transfer)),
  VALUE (LIGHT_SOURCE, lit_result, RESULT (light_source)),
  VALUE (LIGHT_MAX_NITS, light, LIGHT (max_nits)),
  VALUE (LIGHT_PERCENTILE_50, light, LIGHT (percentile_50)),
  VALUE (LIGHT_PERCENTILE_90, light, LIGHT (percentile_90)),
  VALUE (LIGHT_PERCENTILE_99, light, LIGHT (percentile_99)),
  VALUE (LIGHT_PERCENTILE_99_9, light, LIGHT (percentile_99_9)),
  VALUE (LIGHT_PERCENTILE_99_99, light, LIGHT (percentile_99_99)),
  VALUE (LIGHT_MIN_PQ, light, LIGHT (min_code)),
  VALUE (LIGHT_MAX_PQ, light, LIGHT (max_code)),
  VALUE (LIGHT_SUM, light, LIGHT (sum)),
  VALUE (LIGHT_PQ_SUM, light, LIGHT (code_sum)),
  VALUE (LIGHT_MAX_CLL, peaks, PEAK (max_cll)),
  VALUE (LIGHT_MAX_FALL, peaks, PEAK (max_fall)),
  VALUE (LIGHT_MAX_CLL_99_99, peaks, PEAK (max_cll_99_99)),
  VALUE (LIGHT_MAX_FALL_99_99, peaks, PEAK (max_fall_99_99)),
  GETTER (LIGHT_MAX_FALL_ACTIVE, light_active, PEAK (max_fall)),
  GETTER (LIGHT_MAX_FALL_99_99_ACTIVE, light_active, PEAK (max_fall_99_99)),
  GETTER (LIGHT_HISTOGRAM, light_counters, 0),
  VALUE (OUTLIERS_COUNT, picture, PICTURE (outliers)),
  VALUE (REPEATS_COUNT, picture, PICTURE (repeats)),
  VALUE (OUT_OF_RANGE_COUNT, picture, PICTURE (out_of_range)),
  VALUE (OUT_OF_GAMUT_COUNT, picture, PICTURE (gamut_errors)),
  VALUE (METERED_LUMA_SUM, metered, METERED (sum)),
  VALUE (METERED_LUMA_WEIGHTS, metered, METERED (weights)),
  GETTER (ACTIVE_PICTURE, active_picture, 0),
  GETTER (ACTIVE_EXTENT, active_extent, 0),
  GETTER (VECTORSCOPE, vectorscope, 0),
  VALUE (REGION_X, region, REGION (x)),
  VALUE (REGION_Y, region, REGION (y)),
  VALUE (REGION_WIDTH, region, REGION (width)),
  VALUE (REGION_HEIGHT, region, REGION (height)),
  VALUE (REGION_ID, meta, REGION (id)),
  VALUE (REGION_PARENT_ID, parent, REGION (parent_id)),
  VALUE (REGION_TYPE, region, REGION (type)),
  VALUE (REGION_CONFIDENCE, confidence, REGION (confidence)),
  VALUE (COUNT, stats, STATS (count)),
  VALUE (SUM, stats, STATS (sum)),
  VALUE (SUM_OF_SQUARES, stats, STATS (sum_of_squares)),
  VALUE (MEAN, summary, SUMMARY (mean)),
  VALUE (VARIANCE, summary, SUMMARY (variance)),
  VALUE (STDDEV, summary, SUMMARY (stddev)),
  VALUE (MIN, summary, SUMMARY (min)),
  VALUE (MAX, summary, SUMMARY (max)),
  VALUE (LOW, summary, SUMMARY (low)),
  VALUE (MEDIAN, summary, SUMMARY (median)),
  VALUE (HIGH, summary, SUMMARY (high)),
  VALUE (DOT, dot, STATS (dot)),
  VALUE (DOT_COUNT, dot, STATS (dot_count)),
  VALUE (DIFFERENCE_COUNT, compared, STATS (difference_count)),
  VALUE (SAD, compared, STATS (absolute_difference)),
  VALUE (SSD, compared, STATS (squared_difference)),
  VALUE (HISTOGRAM_DISTANCE_MOVED, distance, DISTANCE (moved)),
  VALUE (HISTOGRAM_DISTANCE_COUNT, distance, DISTANCE (count)),
  VALUE (REFERENCE_DIFFERENCE_COUNT, compared, STATS (difference_count)),
  VALUE (REFERENCE_SAD, compared, STATS (absolute_difference)),
  VALUE (REFERENCE_SSD, compared, STATS (squared_difference)),
  VALUE (REFERENCE_HISTOGRAM_DISTANCE_MOVED, distance, DISTANCE (moved)),
  VALUE (REFERENCE_HISTOGRAM_DISTANCE_COUNT, distance, DISTANCE (count)),
  VALUE (USED_BITS, summary, SUMMARY (used_bits)),
  GETTER (USED_MASK, used_mask, 0),
  GETTER (HISTOGRAM, histogram, 0),
  GETTER (ROW_SUMS, row_sums, 0),
  GETTER (COLUMN_SUMS, column_sums, 0),
  GETTER (WAVEFORM, waveform, 0),
};

/* Gets a sum that a formula needs. FALSE: the result does not have it. */
static gboolean
gst_cuda_histo_schema_get_sum (FieldId id, const GstCudaHistoReading *reading, gdouble *sum)
{
  const GstCudaHistoGetter *getter = &gst_cuda_histo_schema_getters[id];
  GValue value = G_VALUE_INIT;

  if (!getter->get (getter, reading, &value))
    return FALSE;
  if (G_VALUE_HOLDS_POINTER (&value)) {
    const guint64 *words = g_value_get_pointer (&value);

    *sum = formula_round_wide (words[1], words[0]);
  } else {
    *sum = (gdouble)g_value_get_uint64 (&value);
  }
  g_value_unset (&value);
  return TRUE;
}

/* Returns the bit depth of the component that has the field; 0: none. */
static guint
gst_cuda_histo_schema_get_depth (const FieldDescription *field, const GstCudaHistoReading *reading)
{
  const struct histo_component_stats *stats = field->scope == FIELD_SCOPE_REFERENCE ? reading->reference : reading->stats;

  return stats != NULL ? stats->depth : 0;
}

/* Computes a field that has a formula. */
static gboolean
gst_cuda_histo_schema_get_derived (const FieldDescription *field, const GstCudaHistoReading *reading, GValue *value)
{
  gdouble dividend, divisor;

  if (!gst_cuda_histo_schema_get_sum (field->dividend, reading, &dividend))
    return FALSE;
  if (field_is_of_picture (field) && field->divisor == FIELD_ID_COUNT)
    divisor = (gdouble)reading->picture->luma_count;
  else if (!gst_cuda_histo_schema_get_sum (field->divisor, reading, &divisor))
    return FALSE;
  if (divisor == 0)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, field_compute (field, dividend, divisor, gst_cuda_histo_schema_get_depth (field, reading)));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_call_getter (const FieldDescription *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoGetter *getter = &gst_cuda_histo_schema_getters[field->id];

  return getter->get != NULL ? getter->get (getter, reading, value) : gst_cuda_histo_schema_get_derived (field, reading, value);
}
