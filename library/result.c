/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fields.h"
#include "resultprivate.h"

#include <string.h>

#define MESSAGE_NAME "cudahisto"
#define META_NAME "GstCudaHistoMeta"
#define REGIONS_NAME "regions"
#define VECTORSCOPE (GST_CUDA_HISTO_FIELDS_ROW * GST_CUDA_HISTO_FIELDS_ROW)

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_result_fill_provenance (GstCudaHistoResult *result)
{
  const GstStructure *fields = gst_cuda_histo_result_get_private (result)->fields;

  result->element = gst_cuda_histo_fields_get_string (fields, "element");
  result->backend = gst_cuda_histo_fields_get_string (fields, "backend");
  result->format = gst_cuda_histo_fields_get_string (fields, "format");
  result->range = gst_cuda_histo_fields_get_string (fields, "range");
  result->ended_by = gst_cuda_histo_fields_get_string (fields, "ended-by");
  result->depth = gst_cuda_histo_fields_get_uint (fields, "depth");
  if (!gst_structure_get_fraction (fields, "framerate", &result->framerate_n, &result->framerate_d)) {
    result->framerate_n = 0;
    result->framerate_d = 1;
  }
  result->frame = gst_cuda_histo_fields_get_uint64 (fields, "frame", 0);
  result->frames = gst_cuda_histo_fields_get_uint64 (fields, "frames", 0);
  result->timestamp = gst_cuda_histo_fields_get_uint64 (fields, "timestamp", GST_CLOCK_TIME_NONE);
  result->stream_time = gst_cuda_histo_fields_get_uint64 (fields, "stream-time", GST_CLOCK_TIME_NONE);
  result->running_time = gst_cuda_histo_fields_get_uint64 (fields, "running-time", GST_CLOCK_TIME_NONE);
  result->duration = gst_cuda_histo_fields_get_uint64 (fields, "duration", GST_CLOCK_TIME_NONE);
}

/* A region owns its position and size. Its strings belong to the whole result, which outlives it. */
static void
gst_cuda_histo_result_copy_provenance (GstCudaHistoResult *region, const GstCudaHistoResult *whole)
{
  region->element = whole->element;
  region->backend = whole->backend;
  region->format = whole->format;
  region->range = whole->range;
  region->ended_by = whole->ended_by;
  region->depth = whole->depth;
  region->framerate_n = whole->framerate_n;
  region->framerate_d = whole->framerate_d;
  region->frame = whole->frame;
  region->frames = whole->frames;
  region->timestamp = whole->timestamp;
  region->stream_time = whole->stream_time;
  region->running_time = whole->running_time;
  region->duration = whole->duration;
}

static void
gst_cuda_histo_result_fill_components (GstCudaHistoResult *result)
{
  const GstStructure *fields = gst_cuda_histo_result_get_private (result)->fields;
  const gint n_fields = gst_structure_n_fields (fields);

  for (gint i = 0; i < n_fields; i++) {
    const gchar *name = gst_cuda_histo_component_name_of_count (gst_structure_nth_field_name (fields, (guint)i));

    if (name != NULL)
      result->components = g_list_prepend (result->components, gst_cuda_histo_component_read (result, name));
  }
  result->components = g_list_reverse (result->components);
}

/* `whole`: NULL for a result that is not a region. */
static GstCudaHistoResult *
gst_cuda_histo_result_read (const GstStructure *structure, GstCudaHistoResult *whole)
{
  GstCudaHistoResult *result = g_new0 (GstCudaHistoResult, 1);
  GstCudaHistoResultPrivate *priv = g_new0 (GstCudaHistoResultPrivate, 1);

  g_atomic_ref_count_init (&priv->count);
  priv->whole = whole;
  priv->fields = gst_cuda_histo_fields_keep (structure, REGIONS_NAME);
  result->priv = priv;
  if (whole != NULL)
    gst_cuda_histo_result_copy_provenance (result, whole);
  else
    gst_cuda_histo_result_fill_provenance (result);
  result->x = gst_cuda_histo_fields_get_uint (priv->fields, "x");
  result->y = gst_cuda_histo_fields_get_uint (priv->fields, "y");
  result->width = gst_cuda_histo_fields_get_uint (priv->fields, "width");
  result->height = gst_cuda_histo_fields_get_uint (priv->fields, "height");
  gst_cuda_histo_result_fill_components (result);
  return result;
}

static void
gst_cuda_histo_result_fill_regions (GstCudaHistoResult *result, const GstStructure *structure)
{
  const GValue *regions = gst_structure_get_value (structure, REGIONS_NAME);

  if (regions == NULL || !GST_VALUE_HOLDS_ARRAY (regions))
    return;
  for (guint i = 0; i < gst_value_array_get_size (regions); i++) {
    const GValue *region = gst_value_array_get_value (regions, i);

    if (GST_VALUE_HOLDS_STRUCTURE (region) && gst_value_get_structure (region) != NULL)
      result->regions = g_list_prepend (result->regions, gst_cuda_histo_result_read (gst_value_get_structure (region), result));
  }
  result->regions = g_list_reverse (result->regions);
}

GstCudaHistoResult *
gst_cuda_histo_result_new (void)
{
  g_autoptr (GstStructure) nothing = gst_structure_new_empty (MESSAGE_NAME);

  return gst_cuda_histo_result_read (nothing, NULL);
}

/* Returns the only component of an empty result, which owns it. */
GstCudaHistoComponent *
gst_cuda_histo_component_new (void)
{
  GstCudaHistoResult *result = gst_cuda_histo_result_new ();

  result->components = g_list_prepend (NULL, gst_cuda_histo_component_read (result, ""));
  return result->components->data;
}

GstCudaHistoResult *
gst_cuda_histo_result_from_structure (const GstStructure *structure)
{
  GstCudaHistoResult *result;

  g_return_val_if_fail (structure != NULL, NULL);
  if (!gst_structure_has_name (structure, MESSAGE_NAME) && !gst_structure_has_name (structure, META_NAME))
    return NULL;
  result = gst_cuda_histo_result_read (structure, NULL);
  gst_cuda_histo_result_fill_regions (result, structure);
  return result;
}

GstCudaHistoResult *
gst_cuda_histo_result_from_message (GstMessage *message)
{
  g_return_val_if_fail (GST_IS_MESSAGE (message), NULL);
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT || !gst_message_has_name (message, MESSAGE_NAME))
    return NULL;
  return gst_cuda_histo_result_from_structure (gst_message_get_structure (message));
}

/* ---- buffers --------------------------------------------------------------------------------------------------------- */

void
gst_cuda_histo_register_meta (void)
{
  static gsize is_registered;

  g_return_if_fail (gst_is_initialized ());
  if (g_once_init_enter (&is_registered)) {
    static const gchar *tags[] = { "video", NULL };

    if (gst_meta_get_info (META_NAME) == NULL) /* the element may have registered it first */
      gst_meta_register_custom (META_NAME, tags, NULL, NULL, NULL);
    g_once_init_leave (&is_registered, 1);
  }
}

/* The structure of the next result on the buffer; NULL after the last. */
static const GstStructure *
gst_cuda_histo_buffer_iterate_results (GstBuffer *buffer, gpointer *state)
{
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, state)) != NULL) {
    if (gst_meta_info_is_custom (meta->info) && gst_custom_meta_has_name ((GstCustomMeta *)meta, META_NAME))
      return gst_custom_meta_get_structure ((GstCustomMeta *)meta);
  }
  return NULL;
}

/* Metas are in the order of insertion. */
static GstCudaHistoResult *
gst_cuda_histo_buffer_find_last_result (GstBuffer *buffer, const gchar *element)
{
  const GstStructure *structure, *last = NULL;
  gpointer state = NULL;

  while ((structure = gst_cuda_histo_buffer_iterate_results (buffer, &state)) != NULL) {
    if (element == NULL || strcmp (gst_cuda_histo_fields_get_string (structure, "element"), element) == 0)
      last = structure;
  }
  return last != NULL ? gst_cuda_histo_result_from_structure (last) : NULL;
}

GstCudaHistoResult *
gst_cuda_histo_result_from_buffer (GstBuffer *buffer)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  return gst_cuda_histo_buffer_find_last_result (buffer, NULL);
}

GstCudaHistoResult *
gst_cuda_histo_buffer_find_result (GstBuffer *buffer, const gchar *element)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer) && element != NULL, NULL);
  return gst_cuda_histo_buffer_find_last_result (buffer, element);
}

GList *
gst_cuda_histo_buffer_get_results (GstBuffer *buffer)
{
  const GstStructure *structure;
  gpointer state = NULL;
  GList *results = NULL;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  while ((structure = gst_cuda_histo_buffer_iterate_results (buffer, &state)) != NULL)
    results = g_list_prepend (results, gst_cuda_histo_result_from_structure (structure));
  return g_list_reverse (results);
}

/* ---- reading --------------------------------------------------------------------------------------------------------- */

const GstCudaHistoComponent *
gst_cuda_histo_result_get_component (const GstCudaHistoResult *result, guint index)
{
  g_return_val_if_fail (gst_cuda_histo_result_is_made (result), NULL);
  return g_list_nth_data (result->components, index);
}

const GstCudaHistoComponent *
gst_cuda_histo_result_find_component (const GstCudaHistoResult *result, const gchar *name)
{
  g_return_val_if_fail (gst_cuda_histo_result_is_made (result) && name != NULL, NULL);
  for (const GList *item = result->components; item != NULL; item = item->next) {
    const GstCudaHistoComponent *component = item->data;

    if (strcmp (component->name, name) == 0)
      return component;
  }
  return NULL;
}

const GstCudaHistoComponent *
gst_cuda_histo_result_get_main_component (const GstCudaHistoResult *result)
{
  static const gchar *const names[] = { "Y", "GRAY", "luma", "G" };

  g_return_val_if_fail (gst_cuda_histo_result_is_made (result), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const GstCudaHistoComponent *component = gst_cuda_histo_result_find_component (result, names[i]);

    if (component != NULL)
      return component;
  }
  return gst_cuda_histo_result_get_component (result, 0);
}

const GValue *
gst_cuda_histo_result_get_field (const GstCudaHistoResult *result, const gchar *name)
{
  g_return_val_if_fail (gst_cuda_histo_result_is_made (result) && name != NULL, NULL);
  return gst_structure_get_value (gst_cuda_histo_result_get_private (result)->fields, name);
}

gdouble
gst_cuda_histo_result_get_number (const GstCudaHistoResult *result, const gchar *name)
{
  return gst_cuda_histo_fields_get_number (gst_cuda_histo_result_get_field (result, name));
}

gboolean
gst_cuda_histo_result_get_rectangle (const GstCudaHistoResult *result, const gchar *name, guint *x, guint *y, guint *width,
                                     guint *height)
{
  guint rectangle[4];
  gboolean is_there;

  g_return_val_if_fail (gst_cuda_histo_result_is_made (result) && name != NULL, FALSE);
  is_there = gst_cuda_histo_fields_get_rectangle (gst_cuda_histo_result_get_private (result)->fields, name, rectangle);
  *x = rectangle[0];
  *y = rectangle[1];
  *width = rectangle[2];
  *height = rectangle[3];
  return is_there;
}

static const guint64 *
gst_cuda_histo_result_get_counters (const GstCudaHistoResult *result, const gchar *name, gsize row, gsize *n_bins)
{
  if (n_bins != NULL)
    *n_bins = 0;
  g_return_val_if_fail (gst_cuda_histo_result_is_made (result), NULL);
  return gst_cuda_histo_fields_get_numbers (gst_cuda_histo_result_get_private (result)->fields, name, row, n_bins);
}

static GBytes *
gst_cuda_histo_result_get_bytes (const GstCudaHistoResult *result, const gchar *name, gsize row)
{
  g_return_val_if_fail (gst_cuda_histo_result_is_made (result), NULL);
  return gst_cuda_histo_fields_get_bytes (gst_cuda_histo_result_get_private (result)->fields, name, row);
}

const guint64 *
gst_cuda_histo_result_get_vectorscope (const GstCudaHistoResult *result, gsize *n_bins)
{
  return gst_cuda_histo_result_get_counters (result, "vectorscope", VECTORSCOPE, n_bins);
}

GBytes *
gst_cuda_histo_result_get_vectorscope_bytes (const GstCudaHistoResult *result)
{
  return gst_cuda_histo_result_get_bytes (result, "vectorscope", VECTORSCOPE);
}

const guint64 *
gst_cuda_histo_result_get_saturation_histogram (const GstCudaHistoResult *result, gsize *n_bins)
{
  return gst_cuda_histo_result_get_counters (result, "saturation-histogram", 1, n_bins);
}

GBytes *
gst_cuda_histo_result_get_saturation_histogram_bytes (const GstCudaHistoResult *result)
{
  return gst_cuda_histo_result_get_bytes (result, "saturation-histogram", 1);
}

const guint64 *
gst_cuda_histo_result_get_light_histogram (const GstCudaHistoResult *result, gsize *n_bins)
{
  return gst_cuda_histo_result_get_counters (result, "light-histogram", 1, n_bins);
}

GBytes *
gst_cuda_histo_result_get_light_histogram_bytes (const GstCudaHistoResult *result)
{
  return gst_cuda_histo_result_get_bytes (result, "light-histogram", 1);
}

const guint64 *
gst_cuda_histo_result_get_hue_histogram (const GstCudaHistoResult *result, gsize *n_bins)
{
  return gst_cuda_histo_result_get_counters (result, "hue-histogram", 1, n_bins);
}

GBytes *
gst_cuda_histo_result_get_hue_histogram_bytes (const GstCudaHistoResult *result)
{
  return gst_cuda_histo_result_get_bytes (result, "hue-histogram", 1);
}
