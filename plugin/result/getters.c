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

G_STATIC_ASSERT (STATS (sum_of_squares_high) == STATS (sum_of_squares) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (dot_high) == STATS (dot) + sizeof (uint64_t));
G_STATIC_ASSERT (STATS (squared_difference_high) == STATS (squared_difference) + sizeof (uint64_t));
G_STATIC_ASSERT (LIGHT (sum_high) == LIGHT (sum) + sizeof (uint64_t));
G_STATIC_ASSERT (FORMULA_NIT == HISTO_NIT);
G_STATIC_ASSERT (G_STRUCT_OFFSET (GstCudaHistoMeteredLuma, sum_high) == sizeof (guint64));

#define GETTER(id, get, offset) \
  [FIELD_ID_##id] = { &field_descriptions[FIELD_ID_##id], gst_cuda_histo_schema_get_##get, offset }

const GstCudaHistoGetter gst_cuda_histo_schema_getters[N_FIELDS] = {
  GETTER (ELEMENT, result_string, RESULT (element)),
  GETTER (INPUT, input, RESULT (input)),
  GETTER (BACKEND, result_string, RESULT (backend)),
  GETTER (FRAME, span_uint64, SPAN (frame)),
  GETTER (FRAMES, span_uint64, SPAN (frames)),
  GETTER (DAMAGED, span_damage, SPAN (damaged)),
  GETTER (MISSING, span_damage, SPAN (missing)),
  GETTER (OFFSET, span_uint64, SPAN (offset)),
  GETTER (SIZE, span_uint64, SPAN (size)),
  GETTER (FORMAT, source_string, SOURCE (format)),
  GETTER (WIDTH, source_uint, SOURCE (width)),
  GETTER (HEIGHT, source_uint, SOURCE (height)),
  GETTER (FIELD, span_field, 0),
  GETTER (CROP, origin_crop, 0),
  GETTER (DEPTH, source_uint, SOURCE (depth)),
  GETTER (RANGE, source_string, SOURCE (range)),
  GETTER (COLORIMETRY, source_colorimetry, SOURCE (colorimetry)),
  GETTER (FRAMERATE, source_framerate, 0),
  GETTER (TIMESTAMP, span_uint64, SPAN (timestamp)),
  GETTER (STREAM_TIME, span_uint64, SPAN (stream_time)),
  GETTER (RUNNING_TIME, span_uint64, SPAN (running_time)),
  GETTER (DURATION, span_uint64, SPAN (duration)),
  GETTER (UTC_TIME, origin_utc_time, 0),
  GETTER (TIMECODE, origin_timecode, 0),
  GETTER (REFERENCE_TIME, origin_reference_time, 0),
  GETTER (REFERENCE_CLOCK, origin_reference_clock, 0),
  GETTER (REFERENCE_OFFSET, reference_offset, 0),
  GETTER (ENDED_BY, span_ended_by, 0),
  GETTER (SATURATION_MIN, colour_uint, COLOURS (saturation_min)),
  GETTER (SATURATION_LOW, colour_uint, COLOURS (saturation_low)),
  GETTER (SATURATION_MEAN, colour_double, COLOURS (saturation_mean)),
  GETTER (SATURATION_HIGH, colour_uint, COLOURS (saturation_high)),
  GETTER (SATURATION_MAX, colour_uint, COLOURS (saturation_max)),
  GETTER (SATURATION_HISTOGRAM, colour_counters, 0),
  GETTER (HUE_MEDIAN, colour_uint, COLOURS (hue_median)),
  GETTER (HUE_MEAN, colour_double, COLOURS (hue_mean)),
  GETTER (HUE_HISTOGRAM, colour_counters, 0),
  GETTER (LIGHT_MAX_NITS, light_double, LIGHT (max_nits)),
  GETTER (LIGHT_PERCENTILE_50, light_double, LIGHT (percentile_50)),
  GETTER (LIGHT_PERCENTILE_90, light_double, LIGHT (percentile_90)),
  GETTER (LIGHT_PERCENTILE_99, light_double, LIGHT (percentile_99)),
  GETTER (LIGHT_PERCENTILE_99_9, light_double, LIGHT (percentile_99_9)),
  GETTER (LIGHT_PERCENTILE_99_99, light_double, LIGHT (percentile_99_99)),
  GETTER (LIGHT_MIN_PQ, light_uint, LIGHT (min_code)),
  GETTER (LIGHT_MAX_PQ, light_uint, LIGHT (max_code)),
  GETTER (LIGHT_SUM, light_wide, LIGHT (sum)),
  GETTER (LIGHT_PQ_SUM, light_uint64, LIGHT (code_sum)),
  GETTER (LIGHT_MAX_CLL, light_peak, PEAK (max_cll)),
  GETTER (LIGHT_MAX_FALL, light_peak, PEAK (max_fall)),
  GETTER (LIGHT_MAX_CLL_99_99, light_peak, PEAK (max_cll_99_99)),
  GETTER (LIGHT_MAX_FALL_99_99, light_peak, PEAK (max_fall_99_99)),
  GETTER (LIGHT_MAX_FALL_ACTIVE, light_active, PEAK (max_fall)),
  GETTER (LIGHT_MAX_FALL_99_99_ACTIVE, light_active, PEAK (max_fall_99_99)),
  GETTER (LIGHT_HISTOGRAM, light_counters, 0),
  GETTER (OUTLIERS_COUNT, picture_uint64, PICTURE (outliers)),
  GETTER (REPEATS_COUNT, picture_uint64, PICTURE (repeats)),
  GETTER (OUT_OF_RANGE_COUNT, picture_uint64, PICTURE (out_of_range)),
  GETTER (OUT_OF_GAMUT_COUNT, picture_uint64, PICTURE (gamut_errors)),
  GETTER (METERED_LUMA_SUM, metered_sum, 0),
  GETTER (METERED_LUMA_WEIGHTS, metered_weights, 0),
  GETTER (ACTIVE_PICTURE, active_picture, 0),
  GETTER (ACTIVE_EXTENT, active_extent, 0),
  GETTER (VECTORSCOPE, vectorscope, 0),
  GETTER (REGION_X, region_uint, REGION (x)),
  GETTER (REGION_Y, region_uint, REGION (y)),
  GETTER (REGION_WIDTH, region_uint, REGION (width)),
  GETTER (REGION_HEIGHT, region_uint, REGION (height)),
  GETTER (REGION_ID, region_id, REGION (id)),
  GETTER (REGION_PARENT_ID, region_parent, REGION (parent_id)),
  GETTER (REGION_TYPE, region_type, 0),
  GETTER (REGION_CONFIDENCE, region_confidence, 0),
  GETTER (COUNT, stats_uint64, STATS (count)),
  GETTER (SUM, stats_uint64, STATS (sum)),
  GETTER (SUM_OF_SQUARES, stats_wide, STATS (sum_of_squares)),
  GETTER (MEAN, summary_double, SUMMARY (mean)),
  GETTER (VARIANCE, summary_double, SUMMARY (variance)),
  GETTER (STDDEV, summary_double, SUMMARY (stddev)),
  GETTER (MIN, summary_uint, SUMMARY (min)),
  GETTER (MAX, summary_uint, SUMMARY (max)),
  GETTER (LOW, summary_uint, SUMMARY (low)),
  GETTER (MEDIAN, summary_uint, SUMMARY (median)),
  GETTER (HIGH, summary_uint, SUMMARY (high)),
  GETTER (DOT, dot, STATS (dot)),
  GETTER (DOT_COUNT, dot_uint64, STATS (dot_count)),
  GETTER (DIFFERENCE_COUNT, difference_uint64, STATS (difference_count)),
  GETTER (SAD, difference_uint64, STATS (absolute_difference)),
  GETTER (SSD, ssd, 0),
  GETTER (HISTOGRAM_DISTANCE_MOVED, distance_uint64, DISTANCE (moved)),
  GETTER (HISTOGRAM_DISTANCE_COUNT, distance_uint64, DISTANCE (count)),
  GETTER (REFERENCE_DIFFERENCE_COUNT, difference_uint64, STATS (difference_count)),
  GETTER (REFERENCE_SAD, difference_uint64, STATS (absolute_difference)),
  GETTER (REFERENCE_SSD, ssd, 0),
  GETTER (REFERENCE_HISTOGRAM_DISTANCE_MOVED, distance_uint64, DISTANCE (moved)),
  GETTER (REFERENCE_HISTOGRAM_DISTANCE_COUNT, distance_uint64, DISTANCE (count)),
  GETTER (USED_BITS, summary_uint, SUMMARY (used_bits)),
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
