/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Message and meta: the structure of both, and how it comes onto a buffer. */

#include "result/schemaprivate.h"

static void
gst_cuda_histo_schema_take_field (GstStructure *structure, const gchar *name, const GstCudaHistoField *field,
                                  const GstCudaHistoReading *reading)
{
  GValue value = G_VALUE_INIT;

  if (gst_cuda_histo_schema_get_value (field, reading, &value))
    gst_structure_take_value (structure, name, &value);
}

GstStructure *
gst_cuda_histo_schema_to_structure (const GstCudaHistoResult *result, GstCudaHistoMessageBins bins)
{
  const GstCudaHistoSource *source = result->source;
  GstStructure *structure = gst_structure_new_empty (GST_CUDA_HISTO_MESSAGE_NAME);
  struct histo_summary summaries[HISTO_MAX_COMPONENTS];
  GstCudaHistoReading readings[HISTO_MAX_COMPONENTS];
  const gchar *const *component_names[HISTO_MAX_COMPONENTS];
  struct histo_colour_summary colours;
  const GstCudaHistoReading reading = gst_cuda_histo_schema_make_reading (result, bins, &colours);

  for (guint f = 0; f < gst_cuda_histo_schema_n_fields; f++) {
    if (gst_cuda_histo_schema_is_provenance_of (&gst_cuda_histo_schema_fields[f], source))
      gst_cuda_histo_schema_take_field (structure, gst_cuda_histo_schema_fields[f].name, &gst_cuda_histo_schema_fields[f],
                                        &reading);
  }
  for (guint f = 0; f < gst_cuda_histo_schema_n_fields; f++) {
    if (gst_cuda_histo_schema_is_of_pictures (&gst_cuda_histo_schema_fields[f]))
      gst_cuda_histo_schema_take_field (structure, gst_cuda_histo_schema_fields[f].name, &gst_cuda_histo_schema_fields[f],
                                        &reading);
  }
  for (guint c = 0; c < source->n_components; c++) {
    readings[c] = reading;
    gst_cuda_histo_schema_init_component_reading (&readings[c], c, &summaries[c]);
    component_names[c] = gst_cuda_histo_schema_get_component_field_names (source->components[c]);
    for (guint f = 0; f < gst_cuda_histo_schema_n_fields; f++) {
      if (gst_cuda_histo_schema_fields[f].scope == SCOPE_COMPONENT && gst_cuda_histo_schema_fields[f].type != TYPE_HISTOGRAM)
        gst_cuda_histo_schema_take_field (structure, component_names[c][f], &gst_cuda_histo_schema_fields[f], &readings[c]);
    }
  }
  for (guint c = 0; c < source->n_components; c++) {
    for (guint f = 0; f < gst_cuda_histo_schema_n_fields; f++) {
      if (gst_cuda_histo_schema_fields[f].scope == SCOPE_COMPONENT && gst_cuda_histo_schema_fields[f].type == TYPE_HISTOGRAM)
        gst_cuda_histo_schema_take_field (structure, component_names[c][f], &gst_cuda_histo_schema_fields[f], &readings[c]);
    }
  }
  return structure;
}

void
gst_cuda_histo_schema_register_meta (void)
{
  static gsize is_registered;

  if (g_once_init_enter (&is_registered)) {
    static const gchar *tags[] = { "video", NULL };

    /* Another copy of this code in the process may have been first. */
    if (gst_meta_get_info (GST_CUDA_HISTO_META_NAME) == NULL)
      gst_meta_register_custom (GST_CUDA_HISTO_META_NAME, tags, NULL, NULL, NULL);
    g_once_init_leave (&is_registered, 1);
  }
}

/* Since 1.26 a field's name is a GstIdStr, and what takes a GQuark is deprecated. What takes a string is in all versions, but
 * cannot move a value: to copy one takes as long as to make it. */
#if GST_CHECK_VERSION(1, 26, 0)
typedef const GstIdStr *FieldName;
#define TAKE_VALUE gst_structure_id_str_take_value
#define FILTER_AND_MAP_IN_PLACE gst_structure_filter_and_map_in_place_id_str
#else
typedef GQuark FieldName;
#define TAKE_VALUE gst_structure_id_take_value
#define FILTER_AND_MAP_IN_PLACE gst_structure_filter_and_map_in_place
#endif

/* FILTER_AND_MAP_IN_PLACE callback: moves the field to another structure. */
static gboolean
gst_cuda_histo_schema_move_field (FieldName field, GValue *value, gpointer user_data)
{
  TAKE_VALUE (user_data, field, value);
  return FALSE;
}

gboolean
gst_cuda_histo_schema_attach (GstStructure *structure, GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, GST_CUDA_HISTO_META_NAME);

  if (meta != NULL)
    FILTER_AND_MAP_IN_PLACE (structure, gst_cuda_histo_schema_move_field, gst_custom_meta_get_structure (meta));
  gst_structure_free (structure);
  return meta != NULL;
}
