/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Getters of the fields of components. */

#include "result/getters.h"

gconstpointer
gst_cuda_histo_schema_find_stats (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->stats;
}

gconstpointer
gst_cuda_histo_schema_find_dot (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->stats->dot_count > 0 ? reading->stats : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_summary (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->summary;
}

/* The comparison with the previous frames or, for FIELD_SCOPE_REFERENCE, with the reference. */
gconstpointer
gst_cuda_histo_schema_find_compared (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  const struct histo_component_stats *stats
      = getter->field->scope == FIELD_SCOPE_REFERENCE ? reading->reference : reading->stats;

  return stats != NULL && stats->difference_count > 0 ? stats : NULL;
}

/* The distance from the previous frames' histograms or, for FIELD_SCOPE_REFERENCE, from the reference's. */
gconstpointer
gst_cuda_histo_schema_find_distance (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  const GstCudaHistoDistance *distance
      = getter->field->scope == FIELD_SCOPE_REFERENCE ? reading->reference_distance : reading->distance;

  return distance != NULL && distance->count > 0 ? distance : NULL;
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
