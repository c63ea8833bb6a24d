/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Getters of the fields of pictures and regions. */

#include "result/getters.h"

#include <math.h>

#include "fields/formulas.h"

/* Whether the engine counted the field's statistic, saturation or hue. */
static gboolean
gst_cuda_histo_schema_has_colours (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  return reading->colours != NULL
         && (getter->field->scope == FIELD_SCOPE_HUE ? reading->picture->hue : reading->picture->saturation) != NULL;
}

gboolean
gst_cuda_histo_schema_get_colour_double (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (!gst_cuda_histo_schema_has_colours (getter, reading))
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, G_STRUCT_MEMBER (double, reading->colours, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_colour_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (!gst_cuda_histo_schema_has_colours (getter, reading))
    return FALSE;
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (uint32_t, reading->colours, getter->offset));
  return TRUE;
}

/* Whether the engine counted the field's statistic, for at least one luma sample. */
static gboolean
gst_cuda_histo_schema_has_luma_count (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  const struct histo_picture_stats *picture = reading->picture;

  /* The bits equal those of the engine's statistics. */
  return picture != NULL && (picture->statistics & getter->field->statistics) != 0 && picture->luma_count > 0;
}

gboolean
gst_cuda_histo_schema_get_picture_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (!gst_cuda_histo_schema_has_luma_count (getter, reading))
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (uint64_t, reading->picture, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_colour_counters (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_picture_stats *picture = reading->picture;

  if (!gst_cuda_histo_schema_has_colours (getter, reading))
    return FALSE;
  if (getter->field->scope == FIELD_SCOPE_HUE)
    return gst_cuda_histo_schema_lend_numbers (picture->hue, HISTO_HUES * sizeof *picture->hue, value);
  return gst_cuda_histo_schema_lend_numbers (picture->saturation, picture->saturation_count * sizeof *picture->saturation,
                                             value);
}

gboolean
gst_cuda_histo_schema_get_light_double (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (reading->light == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, G_STRUCT_MEMBER (double, reading->light, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_light_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (reading->light == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (uint32_t, reading->light, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_light_uint64 (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (reading->light == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, G_STRUCT_MEMBER (uint64_t, reading->light, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_light_wide (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (reading->light == NULL)
    return FALSE;
  gst_cuda_histo_schema_lend_wide (&G_STRUCT_MEMBER (uint64_t, reading->light, getter->offset), value);
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_light_peak (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoLightPeaks *peaks = reading->result->light_peaks;

  if (reading->light == NULL || peaks == NULL || !peaks->is_known)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, G_STRUCT_MEMBER (gdouble, peaks, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_light_counters (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                          GValue *value)
{
  return reading->light != NULL
         && gst_cuda_histo_schema_lend_numbers (reading->picture->light, HISTO_LIGHT_CODES * sizeof *reading->picture->light,
                                                value);
}

gboolean
gst_cuda_histo_schema_get_vectorscope (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                       GValue *value)
{
  const struct histo_picture_stats *picture = reading->picture;

  return picture != NULL
         && gst_cuda_histo_schema_lend_numbers (picture->vectorscope, HISTO_VECTORSCOPE * sizeof *picture->vectorscope, value);
}

gboolean
gst_cuda_histo_schema_get_region_uint (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  g_value_init (value, G_TYPE_UINT);
  g_value_set_uint (value, G_STRUCT_MEMBER (guint, reading->region, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_region_id (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  if (!reading->region->is_meta)
    return FALSE;
  g_value_init (value, G_TYPE_INT);
  g_value_set_int (value, G_STRUCT_MEMBER (gint, reading->region, getter->offset));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_region_parent (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  return reading->region->has_parent && gst_cuda_histo_schema_get_region_id (getter, reading, value);
}

/* Omits values that are not finite, which JSON cannot represent. */
gboolean
gst_cuda_histo_schema_get_region_confidence (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                             GValue *value)
{
  if (!reading->region->has_confidence || !isfinite (reading->region->confidence))
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, reading->region->confidence);
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_region_type (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                       GValue *value)
{
  if (reading->region->type == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_STRING);
  if (g_utf8_validate (reading->region->type, -1, NULL))
    g_value_set_static_string (value, reading->region->type);
  else
    g_value_take_string (value, g_utf8_make_valid (reading->region->type, -1));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_metered_sum (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                       GValue *value)
{
  if (reading->result->metered_luma == NULL)
    return FALSE;
  gst_cuda_histo_schema_lend_wide (&reading->result->metered_luma->sum, value);
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_metered_weights (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                           GValue *value)
{
  if (reading->result->metered_luma == NULL)
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, reading->result->metered_luma->weights);
  return TRUE;
}

/* Returns the active picture; NULL: not measured. */
static const GstCudaHistoRegion *
gst_cuda_histo_schema_get_active (const GstCudaHistoReading *reading)
{
  return reading->result->stats->component_count > 0 ? reading->result->active_pictures : NULL;
}

gboolean
gst_cuda_histo_schema_get_light_active (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoRegion *active = gst_cuda_histo_schema_get_active (reading);
  const GstCudaHistoLightPeaks *peaks = reading->result->light_peaks;
  const guint width = reading->region != NULL ? reading->region->width : reading->result->source->width;
  const guint height = reading->region != NULL ? reading->region->height : reading->result->source->height;

  if (reading->light == NULL || peaks == NULL || !peaks->is_known || active == NULL || active->width == 0
      || active->height == 0)
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, formula_active_light (G_STRUCT_MEMBER (gdouble, peaks, getter->offset), (guint64)width * height,
                                                   (guint64)active->width * active->height));
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_active_picture (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                          GValue *value)
{
  const GstCudaHistoRegion *active = gst_cuda_histo_schema_get_active (reading);
  static const GstCudaHistoRegion nothing;

  if (active == NULL)
    return FALSE;
  if (active->width == 0 || active->height == 0)
    active = &nothing;
  gst_cuda_histo_schema_set_rectangle ((const guint[]){ active->x, active->y, active->width, active->height }, value);
  return TRUE;
}

gboolean
gst_cuda_histo_schema_get_active_extent (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading,
                                         GValue *value)
{
  const GstCudaHistoRegion *active = gst_cuda_histo_schema_get_active (reading);

  if (active == NULL)
    return FALSE;
  gst_cuda_histo_schema_set_rectangle ((const guint[]){ active->x, active->y, active->width, active->height }, value);
  return TRUE;
}
