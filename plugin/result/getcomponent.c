/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Getters of the fields of components. */

#include "result/getters.h"

gboolean
gst_cuda_histo_schema_get_stats_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (uint64_t, reading->stats, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_stats_wide (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  gst_cuda_histo_schema_lend_wide (&G_STRUCT_MEMBER (uint64_t, reading->stats, getter->offset), value);
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_dot (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  return reading->stats->dot_count > 0 && gst_cuda_histo_schema_get_stats_wide (getter, reading, value);
}

gboolean
gst_cuda_histo_schema_get_dot_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  return reading->stats->dot_count > 0 && gst_cuda_histo_schema_get_stats_uint64 (getter, reading, value);
}

gboolean
gst_cuda_histo_schema_get_summary_double (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (reading->summary == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, G_STRUCT_MEMBER (double, reading->summary, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_summary_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (reading->summary == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (uint32_t, reading->summary, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_used_mask (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                     GValue *value)
{
  guint mask = 0;

  if (reading->summary == NULL)
    return FALSE;
  for (guint i = 0; i < reading->stats->bins; i++)
    mask |= reading->stats->histogram[i] > 0 ? i * reading->summary->resolution : 0;
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, mask);
  return TRUE;
}

/* Returns the comparison with the previous frames or, for FIELD_SCOPE_REFERENCE, with the reference; NULL: none. */
static const struct histo_component_stats *
gst_cuda_histo_schema_get_compared (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  const struct histo_component_stats *stats
      = getter->field->scope == FIELD_SCOPE_REFERENCE ? reading->reference : reading->stats;

  return stats != NULL && stats->difference_count > 0 ? stats : NULL;
}

gboolean
gst_cuda_histo_schema_get_difference_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading,
                                             GValue *value)
{
  const struct histo_component_stats *stats = gst_cuda_histo_schema_get_compared (getter, reading);

  if (stats == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (uint64_t, stats, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_ssd (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_component_stats *stats = gst_cuda_histo_schema_get_compared (getter, reading);

  if (stats == NULL)
    return FALSE;
  gst_cuda_histo_schema_lend_wide (&stats->squared_difference, value);
  return TRUE;
}

/* Returns the distance from the previous frames' histograms or, for FIELD_SCOPE_REFERENCE, from the reference's; NULL: none. */
static const GstCudaHistoDistance *
gst_cuda_histo_schema_get_compared_histograms (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  const GstCudaHistoDistance *distance
      = getter->field->scope == FIELD_SCOPE_REFERENCE ? reading->reference_distance : reading->distance;

  return distance != NULL && distance->count > 0 ? distance : NULL;
}

gboolean
gst_cuda_histo_schema_get_distance_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoDistance *distance = gst_cuda_histo_schema_get_compared_histograms (getter, reading);

  if (distance == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (guint64, distance, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_histogram (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                     GValue *value)
{
  guint bins;
  const uint64_t *histogram = gst_cuda_histo_schema_get_counters (reading, &bins);

  if (reading->histograms == GST_CUDA_HISTO_FORM_NONE)
    return FALSE;

  if (reading->histograms == GST_CUDA_HISTO_FORM_PACKED) {
    gst_cuda_histo_schema_pack_numbers (histogram, bins, value);
    return TRUE;
  }

  gst_value_array_init (value, bins);
  for (guint i = 0; i < bins; i++) {
    GValue counter = G_VALUE_INIT;

    g_value_init (&counter, G_TYPE_UINT64);
    g_value_set_uint64 (&counter, histogram[i]);
    gst_value_array_append_and_take_value (value, &counter);
  }
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_waveform (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                    GValue *value)
{
  const struct histo_component_stats *stats = reading->stats;

  return gst_cuda_histo_schema_lend_numbers (stats->waveform, stats->waveform_columns * HISTO_BINS * sizeof *stats->waveform,
                                             value);
}

gboolean
gst_cuda_histo_schema_get_row_sums (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                    GValue *value)
{
  const struct histo_component_stats *stats = reading->stats;

  return gst_cuda_histo_schema_lend_numbers (stats->row_sums, stats->rows * sizeof *stats->row_sums, value);
}

gboolean
gst_cuda_histo_schema_get_column_sums (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                       GValue *value)
{
  const struct histo_component_stats *stats = reading->stats;

  return gst_cuda_histo_schema_lend_numbers (stats->column_sums, stats->columns * sizeof *stats->column_sums, value);
}
