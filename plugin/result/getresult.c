/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Getters of the fields of provenance. */

#include "result/getters.h"

gboolean
gst_cuda_histo_schema_get_result_string (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  const gchar *text = G_STRUCT_MEMBER (const gchar *, reading->result, getter->offset);

  g_value_init (value, G_TYPE_STRING);
  if (text == NULL)
    text = "";
  if (g_utf8_validate (text, -1, NULL))
    g_value_set_string (value, text);
  else
    g_value_take_string (value, g_utf8_make_valid (text, -1));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_optional_string (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  return G_STRUCT_MEMBER (const gchar *, reading->result, getter->offset) != NULL
         && gst_cuda_histo_schema_get_result_string (getter, reading, value);
}

gboolean
gst_cuda_histo_schema_get_source_framerate (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                            GValue *value)
{
  const GstCudaHistoSource *source = reading->result->source;

  if (source->framerate_n <= 0 || source->framerate_d <= 0)
    return FALSE;
  g_value_init (value, GST_TYPE_FRACTION);
  gst_value_set_fraction (value, source->framerate_n, source->framerate_d);
  return TRUE;
}

gconstpointer
gst_cuda_histo_schema_find_source (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->result->source;
}

gconstpointer
gst_cuda_histo_schema_find_span (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->result->span;
}

/* NULL if the number is 0. */
gconstpointer
gst_cuda_histo_schema_find_damage (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  return G_STRUCT_MEMBER (guint64, reading->result->span, getter->offset) > 0 ? reading->result->span : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_origin (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return &reading->result->span->origin;
}

/* NULL unless a frame was compared with the reference. */
gconstpointer
gst_cuda_histo_schema_find_offset (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  const GstCudaHistoWindowResult *result = reading->result;
  const struct histo_stats *stats = result->parts != NULL ? &result->parts[GST_CUDA_HISTO_PART_REFERENCE] : NULL;

  return result->has_reference_offset && stats != NULL && stats->component_count > 0
                 && stats->components[0].difference_count > 0
             ? result
             : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_reference_time (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  const GstCudaHistoOrigin *origin = &reading->result->span->origin;

  return origin->reference_clock != NULL && GST_CLOCK_TIME_IS_VALID (origin->reference_time) ? origin : NULL;
}

static const gchar *const ended_by_names[] = {
  [GST_CUDA_HISTO_ENDED_BY_COMPLETE] = "complete",
  [GST_CUDA_HISTO_ENDED_BY_EOS] = "eos",
  [GST_CUDA_HISTO_ENDED_BY_STOP] = "stop",
  [GST_CUDA_HISTO_ENDED_BY_CAPS] = "caps",
  [GST_CUDA_HISTO_ENDED_BY_CROP] = "crop",
  [GST_CUDA_HISTO_ENDED_BY_REGIONS] = "regions",
  [GST_CUDA_HISTO_ENDED_BY_SEGMENT] = "segment",
  [GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE] = "segment-done",
  [GST_CUDA_HISTO_ENDED_BY_STREAM_START] = "stream-start",
  [GST_CUDA_HISTO_ENDED_BY_FLUSH] = "flush",
  [GST_CUDA_HISTO_ENDED_BY_GAP] = "gap",
};

const gchar *
gst_cuda_histo_ended_by_get_name (GstCudaHistoEndedBy ended_by)
{
  return ended_by_names[ended_by];
}

gconstpointer
gst_cuda_histo_schema_find_ended_by (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return &ended_by_names[reading->result->span->ended_by];
}

gconstpointer
gst_cuda_histo_schema_find_field (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  static const gchar *const names[] = {
    [GST_CUDA_HISTO_FIELD_NONE] = NULL,
    [GST_CUDA_HISTO_FIELD_TOP] = "top",
    [GST_CUDA_HISTO_FIELD_BOTTOM] = "bottom",
    [GST_CUDA_HISTO_FIELD_BOTH] = "both",
  };

  return &names[reading->result->span->field];
}

gboolean
gst_cuda_histo_schema_get_origin_utc_time (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                           GValue *value)
{
  gchar *text = gst_cuda_histo_origin_format_utc_time (reading->result->span->origin.utc_time);

  if (text == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  g_value_take_string (value, text);
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_origin_timecode (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                           GValue *value)
{
  if (reading->result->span->origin.timecode[0] == '\0')
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  g_value_set_string (value, reading->result->span->origin.timecode);
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_origin_crop (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                       GValue *value)
{
  const GstCudaHistoOrigin *origin = &reading->result->span->origin;

  if (!origin->has_crop)
    return FALSE;
  G_STATIC_ASSERT (G_N_ELEMENTS (origin->crop) == 4);
  gst_cuda_histo_schema_set_rectangle (origin->crop, value);
  return TRUE;
}
