/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/getters.h"

#include "fields/formulas.h"

#define RESULT(member) G_STRUCT_OFFSET (GstCudaHistoWindowResult, member)
#define SOURCE(member) G_STRUCT_OFFSET (GstCudaHistoSource, member)
#define SPAN(member) G_STRUCT_OFFSET (GstCudaHistoSpan, member)
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

#define NUMBER(id, find, offset) \
  [FIELD_ID_##id]                \
      = { &field_descriptions[FIELD_ID_##id], gst_cuda_histo_schema_get_number, gst_cuda_histo_schema_find_##find, offset }
#define GETTER(id, get, offset) \
  [FIELD_ID_##id] = { &field_descriptions[FIELD_ID_##id], gst_cuda_histo_schema_get_##get, NULL, offset }

/* Gets a number of the field's type. */
static gboolean
gst_cuda_histo_schema_get_number (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  gconstpointer place = getter->find (getter, reading);

  if (place == NULL)
    return FALSE;
  place = (const gchar *)place + getter->offset;
  switch (getter->field->type) {
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
  GETTER (INPUT, input, RESULT (input)),
  GETTER (BACKEND, result_string, RESULT (backend)),
  NUMBER (FRAME, span, SPAN (frame)),
  NUMBER (FRAMES, span, SPAN (frames)),
  NUMBER (DAMAGED, damage, SPAN (damaged)),
  NUMBER (MISSING, damage, SPAN (missing)),
  NUMBER (OFFSET, span, SPAN (offset)),
  NUMBER (SIZE, span, SPAN (size)),
  GETTER (FORMAT, source_string, SOURCE (format)),
  NUMBER (WIDTH, source, SOURCE (width)),
  NUMBER (HEIGHT, source, SOURCE (height)),
  GETTER (FIELD, span_field, 0),
  GETTER (CROP, origin_crop, 0),
  NUMBER (DEPTH, source, SOURCE (depth)),
  GETTER (RANGE, source_string, SOURCE (range)),
  GETTER (COLORIMETRY, source_colorimetry, SOURCE (colorimetry)),
  GETTER (FRAMERATE, source_framerate, 0),
  NUMBER (TIMESTAMP, span, SPAN (timestamp)),
  NUMBER (STREAM_TIME, span, SPAN (stream_time)),
  NUMBER (RUNNING_TIME, span, SPAN (running_time)),
  NUMBER (DURATION, span, SPAN (duration)),
  GETTER (UTC_TIME, origin_utc_time, 0),
  GETTER (TIMECODE, origin_timecode, 0),
  NUMBER (REFERENCE_TIME, reference_time, G_STRUCT_OFFSET (GstCudaHistoOrigin, reference_time)),
  GETTER (REFERENCE_CLOCK, origin_reference_clock, 0),
  NUMBER (REFERENCE_OFFSET, offset, RESULT (reference_offset)),
  GETTER (ENDED_BY, span_ended_by, 0),
  NUMBER (SATURATION_MIN, colours, COLOURS (saturation_min)),
  NUMBER (SATURATION_LOW, colours, COLOURS (saturation_low)),
  NUMBER (SATURATION_MEAN, colours, COLOURS (saturation_mean)),
  NUMBER (SATURATION_HIGH, colours, COLOURS (saturation_high)),
  NUMBER (SATURATION_MAX, colours, COLOURS (saturation_max)),
  GETTER (SATURATION_HISTOGRAM, colour_counters, 0),
  NUMBER (HUE_MEDIAN, colours, COLOURS (hue_median)),
  NUMBER (HUE_MEAN, colours, COLOURS (hue_mean)),
  GETTER (HUE_HISTOGRAM, colour_counters, 0),
  GETTER (LIGHT_TRANSFER, light_transfer, 0),
  GETTER (LIGHT_SOURCE, light_source, 0),
  NUMBER (LIGHT_MAX_NITS, light, LIGHT (max_nits)),
  NUMBER (LIGHT_PERCENTILE_50, light, LIGHT (percentile_50)),
  NUMBER (LIGHT_PERCENTILE_90, light, LIGHT (percentile_90)),
  NUMBER (LIGHT_PERCENTILE_99, light, LIGHT (percentile_99)),
  NUMBER (LIGHT_PERCENTILE_99_9, light, LIGHT (percentile_99_9)),
  NUMBER (LIGHT_PERCENTILE_99_99, light, LIGHT (percentile_99_99)),
  NUMBER (LIGHT_MIN_PQ, light, LIGHT (min_code)),
  NUMBER (LIGHT_MAX_PQ, light, LIGHT (max_code)),
  NUMBER (LIGHT_SUM, light, LIGHT (sum)),
  NUMBER (LIGHT_PQ_SUM, light, LIGHT (code_sum)),
  NUMBER (LIGHT_MAX_CLL, peaks, PEAK (max_cll)),
  NUMBER (LIGHT_MAX_FALL, peaks, PEAK (max_fall)),
  NUMBER (LIGHT_MAX_CLL_99_99, peaks, PEAK (max_cll_99_99)),
  NUMBER (LIGHT_MAX_FALL_99_99, peaks, PEAK (max_fall_99_99)),
  GETTER (LIGHT_MAX_FALL_ACTIVE, light_active, PEAK (max_fall)),
  GETTER (LIGHT_MAX_FALL_99_99_ACTIVE, light_active, PEAK (max_fall_99_99)),
  GETTER (LIGHT_HISTOGRAM, light_counters, 0),
  NUMBER (OUTLIERS_COUNT, picture, PICTURE (outliers)),
  NUMBER (REPEATS_COUNT, picture, PICTURE (repeats)),
  NUMBER (OUT_OF_RANGE_COUNT, picture, PICTURE (out_of_range)),
  NUMBER (OUT_OF_GAMUT_COUNT, picture, PICTURE (gamut_errors)),
  NUMBER (METERED_LUMA_SUM, metered, METERED (sum)),
  NUMBER (METERED_LUMA_WEIGHTS, metered, METERED (weights)),
  GETTER (ACTIVE_PICTURE, active_picture, 0),
  GETTER (ACTIVE_EXTENT, active_extent, 0),
  GETTER (VECTORSCOPE, vectorscope, 0),
  NUMBER (REGION_X, region, REGION (x)),
  NUMBER (REGION_Y, region, REGION (y)),
  NUMBER (REGION_WIDTH, region, REGION (width)),
  NUMBER (REGION_HEIGHT, region, REGION (height)),
  NUMBER (REGION_ID, meta, REGION (id)),
  NUMBER (REGION_PARENT_ID, parent, REGION (parent_id)),
  GETTER (REGION_TYPE, region_type, 0),
  NUMBER (REGION_CONFIDENCE, confidence, REGION (confidence)),
  NUMBER (COUNT, stats, STATS (count)),
  NUMBER (SUM, stats, STATS (sum)),
  NUMBER (SUM_OF_SQUARES, stats, STATS (sum_of_squares)),
  NUMBER (MEAN, summary, SUMMARY (mean)),
  NUMBER (VARIANCE, summary, SUMMARY (variance)),
  NUMBER (STDDEV, summary, SUMMARY (stddev)),
  NUMBER (MIN, summary, SUMMARY (min)),
  NUMBER (MAX, summary, SUMMARY (max)),
  NUMBER (LOW, summary, SUMMARY (low)),
  NUMBER (MEDIAN, summary, SUMMARY (median)),
  NUMBER (HIGH, summary, SUMMARY (high)),
  NUMBER (DOT, dot, STATS (dot)),
  NUMBER (DOT_COUNT, dot, STATS (dot_count)),
  NUMBER (DIFFERENCE_COUNT, compared, STATS (difference_count)),
  NUMBER (SAD, compared, STATS (absolute_difference)),
  NUMBER (SSD, compared, STATS (squared_difference)),
  NUMBER (HISTOGRAM_DISTANCE_MOVED, distance, DISTANCE (moved)),
  NUMBER (HISTOGRAM_DISTANCE_COUNT, distance, DISTANCE (count)),
  NUMBER (REFERENCE_DIFFERENCE_COUNT, compared, STATS (difference_count)),
  NUMBER (REFERENCE_SAD, compared, STATS (absolute_difference)),
  NUMBER (REFERENCE_SSD, compared, STATS (squared_difference)),
  NUMBER (REFERENCE_HISTOGRAM_DISTANCE_MOVED, distance, DISTANCE (moved)),
  NUMBER (REFERENCE_HISTOGRAM_DISTANCE_COUNT, distance, DISTANCE (count)),
  NUMBER (USED_BITS, summary, SUMMARY (used_bits)),
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
