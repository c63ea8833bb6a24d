/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Getters of the fields of pictures and regions. */

#include "result/getters.h"

#include <math.h>

#include "fields/formulas.h"

/* NULL unless the engine counted the field's statistic, saturation or hue. */
gconstpointer
gst_cuda_histo_schema_find_colours (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  const struct histo_picture_stats *picture = reading->picture;
  const gboolean is_hue = getter->field->scope == FIELD_SCOPE_HUE;

  return reading->colours != NULL && (is_hue ? picture->hue : picture->saturation) != NULL ? reading->colours : NULL;
}

/* NULL unless the engine counted the field's statistic, for at least one luma sample. */
gconstpointer
gst_cuda_histo_schema_find_picture (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading)
{
  const struct histo_picture_stats *picture = reading->picture;

  /* The bits equal those of the engine's statistics. */
  return picture != NULL && (picture->statistics & getter->field->statistics) != 0 && picture->luma_count > 0 ? picture : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_light (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->light;
}

/* NULL unless light was counted. */
gconstpointer
gst_cuda_histo_schema_find_lit_source (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->light != NULL ? reading->result->source : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_lit_result (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->light != NULL ? reading->result : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_peaks (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  const GstCudaHistoLightPeaks *peaks = reading->result->light_peaks;

  return reading->light != NULL && peaks != NULL && peaks->is_known ? peaks : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_region (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->region;
}

gconstpointer
gst_cuda_histo_schema_find_meta (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->region->is_meta ? reading->region : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_parent (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->region->is_meta && reading->region->has_parent ? reading->region : NULL;
}

/* Omits values that are not finite, which JSON cannot represent. */
gconstpointer
gst_cuda_histo_schema_find_confidence (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->region->has_confidence && isfinite (reading->region->confidence) ? reading->region : NULL;
}

gconstpointer
gst_cuda_histo_schema_find_metered (const GstCudaHistoGetter *getter G_GNUC_UNUSED, const GstCudaHistoReading *reading)
{
  return reading->result->metered_luma;
}

gboolean
gst_cuda_histo_schema_get_colour_counters (const GstCudaHistoGetter *getter, const GstCudaHistoReading *reading, GValue *value)
{
  const struct histo_picture_stats *picture = reading->picture;

  if (gst_cuda_histo_schema_find_colours (getter, reading) == NULL)
    return FALSE;
  if (getter->field->scope == FIELD_SCOPE_HUE)
    return gst_cuda_histo_schema_lend_numbers (picture->hue, HISTO_HUES * sizeof *picture->hue, value);
  return gst_cuda_histo_schema_lend_numbers (picture->saturation, picture->saturation_count * sizeof *picture->saturation,
                                             value);
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
  const GstCudaHistoLightPeaks *peaks = gst_cuda_histo_schema_find_peaks (getter, reading);
  const guint width = reading->region != NULL ? reading->region->width : reading->result->source->width;
  const guint height = reading->region != NULL ? reading->region->height : reading->result->source->height;

  if (peaks == NULL || active == NULL || active->width == 0 || active->height == 0)
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
