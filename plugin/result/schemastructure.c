/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Message and meta: their structure, and the attachment to a buffer. */

#include "result/schemaprivate.h"

static void
gst_cuda_histo_schema_append_counters (const guint64 *counters, guint n_counters, GValue *array)
{
  gst_value_array_init (array, n_counters);
  for (guint i = 0; i < n_counters; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_UINT64);
    g_value_set_uint64 (&number, counters[i]);
    gst_value_array_append_and_take_value (array, &number);
  }
}

static void
gst_cuda_histo_schema_append_rows (const guint64 *counters, gsize n_counters, GValue *array)
{
  gst_value_array_init (array, (guint)(n_counters / HISTO_BINS));
  for (gsize first = 0; first < n_counters; first += HISTO_BINS) {
    GValue row = G_VALUE_INIT;

    gst_cuda_histo_schema_append_counters (counters + first, HISTO_BINS, &row);
    gst_value_array_append_and_take_value (array, &row);
  }
}

static void
gst_cuda_histo_schema_append_sums (const gint64 *sums, gsize n_sums, GValue *array)
{
  gst_value_array_init (array, (guint)n_sums);
  for (gsize i = 0; i < n_sums; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_INT64);
    g_value_set_int64 (&number, sums[i]);
    gst_value_array_append_and_take_value (array, &number);
  }
}

/* Replaces an array's borrowed value by an owned one. */
static void
gst_cuda_histo_schema_keep_array (const FieldDescription *field, const GstCudaHistoReading *reading, GValue *value)
{
  const GstCudaHistoForm form = field->type == FIELD_TYPE_COUNTERS ? reading->counters : reading->arrays;
  GValue array = G_VALUE_INIT;
  gsize n_numbers;
  gconstpointer numbers = gst_cuda_histo_schema_get_numbers (value, &n_numbers);

  if (form == GST_CUDA_HISTO_FORM_PACKED)
    gst_cuda_histo_schema_pack_numbers (numbers, n_numbers, &array);
  else if (field->type == FIELD_TYPE_TABLE)
    gst_cuda_histo_schema_append_rows (numbers, n_numbers, &array);
  else if (field->type == FIELD_TYPE_COUNTERS)
    gst_cuda_histo_schema_append_counters (numbers, (guint)n_numbers, &array);
  else
    gst_cuda_histo_schema_append_sums (numbers, n_numbers, &array);
  g_value_unset (value);
  *value = array;
}

/* Replaces a borrowed integer of two words by the low word. FALSE if the high word is not 0, which does not fit; *value is
 * unset. */
static gboolean
gst_cuda_histo_schema_keep_wide (GValue *value)
{
  const guint64 *words = g_value_get_pointer (value);

  g_value_unset (value);
  if (words[1] != 0)
    return FALSE;
  g_value_init (value, G_TYPE_UINT64);
  g_value_set_uint64 (value, words[0]);
  return TRUE;
}

static void
gst_cuda_histo_schema_take_field (GstStructure *structure, const gchar *name, const FieldDescription *field,
                                  const GstCudaHistoReading *reading)
{
  GValue value = G_VALUE_INIT;

  if (!gst_cuda_histo_schema_get_value (field, reading, &value))
    return;
  if (field->type == FIELD_TYPE_WIDE && !gst_cuda_histo_schema_keep_wide (&value))
    return;
  if (gst_cuda_histo_schema_is_array (field))
    gst_cuda_histo_schema_keep_array (field, reading, &value);
  gst_structure_take_value (structure, name, &value);
}

/* Whether the field belongs at the end of a printed message. */
static gboolean
gst_cuda_histo_schema_is_long (const FieldDescription *field)
{
  return field->type == FIELD_TYPE_HISTOGRAM || gst_cuda_histo_schema_is_array (field);
}

/* Adds the long fields of pictures if `is_long`, otherwise the short ones. */
static void
gst_cuda_histo_schema_take_fields_of_pictures (GstStructure *structure, gboolean is_long, const GstCudaHistoReading *reading)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = &field_descriptions[id];

    if (field_is_of_picture (field) && gst_cuda_histo_schema_is_long (field) == is_long)
      gst_cuda_histo_schema_take_field (structure, field->name, field, reading);
  }
}

/* Adds the long fields of a component if `is_long`, otherwise the short ones. */
static void
gst_cuda_histo_schema_take_fields_of_component (GstStructure *structure, const gchar *const *names, gboolean is_long,
                                                const GstCudaHistoReading *reading)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = &field_descriptions[id];

    if (field_is_of_component (field) && gst_cuda_histo_schema_is_long (field) == is_long)
      gst_cuda_histo_schema_take_field (structure, names[id], field, reading);
  }
}

/* Adds the numbers of a picture or a region, and of its components. */
static void
gst_cuda_histo_schema_take_numbers (GstStructure *structure, const GstCudaHistoReading *reading)
{
  const GstCudaHistoSource *source = reading->result->source;
  struct histo_summary summaries[HISTO_MAX_COUNTED];
  GstCudaHistoReading readings[HISTO_MAX_COUNTED];
  const gchar *const *component_names[HISTO_MAX_COUNTED];
  guint components[HISTO_MAX_COUNTED];
  const guint n_components = gst_cuda_histo_schema_list_components (source, components);

  gst_cuda_histo_schema_take_fields_of_pictures (structure, FALSE, reading);
  for (guint c = 0; c < n_components; c++) {
    readings[c] = *reading;
    gst_cuda_histo_schema_init_component_reading (&readings[c], components[c], &summaries[c]);
    component_names[c] = gst_cuda_histo_schema_get_component_field_names (source->components[components[c]]);
    gst_cuda_histo_schema_take_fields_of_component (structure, component_names[c], FALSE, &readings[c]);
  }
  for (guint c = 0; c < n_components; c++)
    gst_cuda_histo_schema_take_fields_of_component (structure, component_names[c], TRUE, &readings[c]);
  gst_cuda_histo_schema_take_fields_of_pictures (structure, TRUE, reading);
}

static GstStructure *
gst_cuda_histo_schema_region_to_structure (const GstCudaHistoReading *reading, guint index)
{
  GstStructure *structure = gst_structure_new_empty ("region");
  GstCudaHistoSummaries summaries;
  GstCudaHistoWindowResult result;
  const GstCudaHistoReading region = gst_cuda_histo_schema_make_region_reading (reading, index, &result, &summaries);

  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = &field_descriptions[id];

    if (field->scope == FIELD_SCOPE_REGION)
      gst_cuda_histo_schema_take_field (structure, field->name, field, &region);
  }
  gst_cuda_histo_schema_take_numbers (structure, &region);
  return structure;
}

static void
gst_cuda_histo_schema_take_regions (GstStructure *structure, const GstCudaHistoReading *reading)
{
  const guint count = gst_cuda_histo_schema_get_region_count (reading->result);
  GValue regions = G_VALUE_INIT;

  if (count == 0)
    return;
  gst_value_array_init (&regions, count);
  for (guint i = 0; i < count; i++) {
    GValue region = G_VALUE_INIT;

    g_value_init (&region, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&region, gst_cuda_histo_schema_region_to_structure (reading, i));
    gst_value_array_append_and_take_value (&regions, &region);
  }
  gst_structure_take_value (structure, GST_CUDA_HISTO_REGIONS_NAME, &regions);
}

GstStructure *
gst_cuda_histo_schema_to_structure (const GstCudaHistoWindowResult *result, GstCudaHistoForm histograms,
                                    GstCudaHistoForm arrays)
{
  GstStructure *structure = gst_structure_new_empty (GST_CUDA_HISTO_MESSAGE_NAME);
  GstCudaHistoSummaries summaries;
  const GstCudaHistoReading reading = gst_cuda_histo_schema_make_reading (result, histograms, arrays, arrays, &summaries);

  for (FieldId id = 1; id < N_FIELDS; id++) {
    if (gst_cuda_histo_schema_is_provenance_of (&field_descriptions[id], result->source))
      gst_cuda_histo_schema_take_field (structure, field_descriptions[id].name, &field_descriptions[id], &reading);
  }
  gst_cuda_histo_schema_take_numbers (structure, &reading);
  gst_cuda_histo_schema_take_regions (structure, &reading);
  return structure;
}

void
gst_cuda_histo_schema_register_meta (void)
{
  static gsize is_registered;

  if (g_once_init_enter (&is_registered)) {
    static const gchar *tags[] = { "video", NULL };

    /* Another copy of this code in the process may have registered it. */
    if (gst_meta_get_info (GST_CUDA_HISTO_META_NAME) == NULL)
      gst_meta_register_custom (GST_CUDA_HISTO_META_NAME, tags, NULL, NULL, NULL);
    g_once_init_leave (&is_registered, 1);
  }
}

/* Since 1.26 field names are GstIdStr, and functions with a GQuark are deprecated. Those with a string exist in all versions
 * but cannot move a value, and copying takes as long as making it. */
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
