/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The line of the sidecar. */

#include "result/json.h"
#include "result/schemaprivate.h"

#include <string.h>

static void
gst_cuda_histo_schema_add_json_counters (GstCudaHistoJson *json, const guint64 *counters, gsize n_counters)
{
  gst_cuda_histo_json_begin_array (json);
  for (gsize i = 0; i < n_counters; i++)
    gst_cuda_histo_json_add_uint64 (json, counters[i]);
  gst_cuda_histo_json_end_array (json);
}

static void
gst_cuda_histo_schema_add_json_histogram (GstCudaHistoJson *json, const GstCudaHistoReading *reading)
{
  guint bins;
  const uint64_t *counters = gst_cuda_histo_schema_get_counters (reading, &bins);

  gst_cuda_histo_schema_add_json_counters (json, counters, bins);
}

static void
gst_cuda_histo_schema_add_json_wide (GstCudaHistoJson *json, const GValue *value)
{
  const guint64 *words = g_value_get_pointer (value);

  gst_cuda_histo_json_add_uint128 (json, words[1], words[0]);
}

static void
gst_cuda_histo_schema_add_json_fraction (GstCudaHistoJson *json, const GValue *value)
{
  g_autofree gchar *text
      = g_strdup_printf ("%d/%d", gst_value_get_fraction_numerator (value), gst_value_get_fraction_denominator (value));

  gst_cuda_histo_json_add_string (json, text);
}

static void
gst_cuda_histo_schema_add_json_rectangle (GstCudaHistoJson *json, const GValue *value)
{
  static const gchar *const names[] = { "x", "y", "width", "height" };

  gst_cuda_histo_json_begin_object (json);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gst_cuda_histo_json_add_name (json, names[i]);
    gst_cuda_histo_json_add_uint64 (json, g_value_get_uint (gst_value_array_get_value (value, i)));
  }
  gst_cuda_histo_json_end_object (json);
}

static void
gst_cuda_histo_schema_add_json_table (GstCudaHistoJson *json, const GValue *value)
{
  gsize n_counters;
  const guint64 *counters = gst_cuda_histo_schema_get_numbers (value, &n_counters);

  gst_cuda_histo_json_begin_array (json);
  for (gsize row = 0; row < n_counters; row += HISTO_BINS)
    gst_cuda_histo_schema_add_json_counters (json, counters + row, HISTO_BINS);
  gst_cuda_histo_json_end_array (json);
}

static void
gst_cuda_histo_schema_add_json_sums (GstCudaHistoJson *json, const GValue *value)
{
  gsize n_sums;
  const gint64 *sums = gst_cuda_histo_schema_get_numbers (value, &n_sums);

  gst_cuda_histo_json_begin_array (json);
  for (gsize i = 0; i < n_sums; i++)
    gst_cuda_histo_json_add_int64 (json, sums[i]);
  gst_cuda_histo_json_end_array (json);
}

static void
gst_cuda_histo_schema_add_json_value (GstCudaHistoJson *json, const FieldDescription *field, const GValue *value)
{
  const guint64 *counters;
  gsize n_counters;

  switch (field->type) {
  case FIELD_TYPE_STRING:
    gst_cuda_histo_json_add_string (json, g_value_get_string (value));
    break;
  case FIELD_TYPE_INT:
    gst_cuda_histo_json_add_int64 (json, g_value_get_int (value));
    break;
  case FIELD_TYPE_INT64:
    gst_cuda_histo_json_add_int64 (json, g_value_get_int64 (value));
    break;
  case FIELD_TYPE_UINT:
    gst_cuda_histo_json_add_uint64 (json, g_value_get_uint (value));
    break;
  case FIELD_TYPE_WIDE:
    gst_cuda_histo_schema_add_json_wide (json, value);
    break;
  case FIELD_TYPE_TIME:
    if (GST_CLOCK_TIME_IS_VALID (g_value_get_uint64 (value)))
      gst_cuda_histo_json_add_uint64 (json, g_value_get_uint64 (value));
    else
      gst_cuda_histo_json_add_null (json);
    break;
  case FIELD_TYPE_DOUBLE:
    gst_cuda_histo_json_add_double (json, g_value_get_double (value));
    break;
  case FIELD_TYPE_FRACTION:
    gst_cuda_histo_schema_add_json_fraction (json, value);
    break;
  case FIELD_TYPE_RECTANGLE:
    gst_cuda_histo_schema_add_json_rectangle (json, value);
    break;
  case FIELD_TYPE_TABLE:
    gst_cuda_histo_schema_add_json_table (json, value);
    break;
  case FIELD_TYPE_SUMS:
    gst_cuda_histo_schema_add_json_sums (json, value);
    break;
  case FIELD_TYPE_COUNTERS:
    counters = gst_cuda_histo_schema_get_numbers (value, &n_counters);
    gst_cuda_histo_schema_add_json_counters (json, counters, n_counters);
    break;
  default:
    gst_cuda_histo_json_add_uint64 (json, g_value_get_uint64 (value));
    break;
  }
}

static void
gst_cuda_histo_schema_add_json_member (GstCudaHistoJson *json, const FieldDescription *field,
                                       const GstCudaHistoReading *reading)
{
  GValue value = G_VALUE_INIT;

  /* A GValue would contain another one for each bin. */
  if (field->type == FIELD_TYPE_HISTOGRAM) {
    if (reading->histograms == GST_CUDA_HISTO_FORM_NONE || !gst_cuda_histo_schema_is_requested (field, reading))
      return;
    gst_cuda_histo_json_add_name (json, field->name);
    gst_cuda_histo_schema_add_json_histogram (json, reading);
    return;
  }
  if (!gst_cuda_histo_schema_get_value (field, reading, &value))
    return;
  gst_cuda_histo_json_add_name (json, field->name);
  gst_cuda_histo_schema_add_json_value (json, field, &value);
  g_value_unset (&value);
}

/* Adds the result's fields of one scope as the object `name`, or nothing if it has none. A field's name consists of the
 * object's, a dash, and the member's. */
static void
gst_cuda_histo_schema_add_json_group (GstCudaHistoJson *json, const gchar *name, FieldScope scope,
                                      const GstCudaHistoReading *reading)
{
  gboolean has_begun = FALSE;

  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = &field_descriptions[id];
    GValue value = G_VALUE_INIT;

    if (field->scope != scope || !gst_cuda_histo_schema_get_value (field, reading, &value))
      continue;
    if (!has_begun) {
      gst_cuda_histo_json_add_name (json, name);
      gst_cuda_histo_json_begin_object (json);
      has_begun = TRUE;
    }
    gst_cuda_histo_json_add_name (json, field->name + strlen (name) + 1);
    gst_cuda_histo_schema_add_json_value (json, field, &value);
    g_value_unset (&value);
  }
  if (has_begun)
    gst_cuda_histo_json_end_object (json);
}

/* Adds the members of the object with this scope. */
static void
gst_cuda_histo_schema_add_json_members (GstCudaHistoJson *json, FieldScope scope, const GstCudaHistoReading *reading)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    if (field_descriptions[id].scope == scope)
      gst_cuda_histo_schema_add_json_member (json, &field_descriptions[id], reading);
  }
}

/* Adds the numbers of a picture or a region, and of its components. */
static void
gst_cuda_histo_schema_add_json_numbers (GstCudaHistoJson *json, GstCudaHistoReading *reading)
{
  const GstCudaHistoSource *source = reading->result->source;
  guint components[HISTO_MAX_COUNTED];
  const guint n_components = gst_cuda_histo_schema_list_components (source, components);

  gst_cuda_histo_schema_add_json_group (json, "saturation", FIELD_SCOPE_SATURATION, reading);
  gst_cuda_histo_schema_add_json_group (json, "hue", FIELD_SCOPE_HUE, reading);
  gst_cuda_histo_schema_add_json_group (json, "light", FIELD_SCOPE_LIGHT, reading);
  gst_cuda_histo_schema_add_json_members (json, FIELD_SCOPE_PICTURE, reading);
  gst_cuda_histo_json_add_name (json, "components");
  gst_cuda_histo_json_begin_object (json);
  for (guint i = 0; i < n_components; i++) {
    struct histo_summary summary;

    gst_cuda_histo_schema_init_component_reading (reading, components[i], &summary);
    gst_cuda_histo_json_add_name (json, source->components[components[i]]);
    gst_cuda_histo_json_begin_object (json);
    gst_cuda_histo_schema_add_json_members (json, FIELD_SCOPE_COMPONENT, reading);
    gst_cuda_histo_schema_add_json_group (json, "reference", FIELD_SCOPE_REFERENCE, reading);
    gst_cuda_histo_json_end_object (json);
  }
  gst_cuda_histo_json_end_object (json);
}

static void
gst_cuda_histo_schema_add_json_regions (GstCudaHistoJson *json, const GstCudaHistoReading *reading)
{
  const guint count = gst_cuda_histo_schema_get_region_count (reading->result);

  if (count == 0)
    return;
  gst_cuda_histo_json_add_name (json, GST_CUDA_HISTO_REGIONS_NAME);
  gst_cuda_histo_json_begin_array (json);
  for (guint i = 0; i < count; i++) {
    GstCudaHistoSummaries summaries;
    GstCudaHistoWindowResult result;
    GstCudaHistoReading region = gst_cuda_histo_schema_make_region_reading (reading, i, &result, &summaries);

    gst_cuda_histo_json_begin_object (json);
    gst_cuda_histo_schema_add_json_members (json, FIELD_SCOPE_REGION, &region);
    gst_cuda_histo_schema_add_json_numbers (json, &region);
    gst_cuda_histo_json_end_object (json);
  }
  gst_cuda_histo_json_end_array (json);
}

gchar *
gst_cuda_histo_schema_to_json (const GstCudaHistoWindowResult *result, gboolean has_histograms, gboolean has_arrays)
{
  const GstCudaHistoSource *source = result->source;
  GstCudaHistoSummaries summaries;
  const GstCudaHistoForm histograms = has_histograms ? GST_CUDA_HISTO_FORM_ARRAY : GST_CUDA_HISTO_FORM_NONE;
  const GstCudaHistoForm arrays = has_arrays ? GST_CUDA_HISTO_FORM_ARRAY : GST_CUDA_HISTO_FORM_NONE;
  GstCudaHistoReading reading = gst_cuda_histo_schema_make_reading (result, histograms, histograms, arrays, &summaries);
  GstCudaHistoJson json = { .text = g_string_sized_new (1024) };

  gst_cuda_histo_json_begin_object (&json);
  gst_cuda_histo_json_add_name (&json, GST_CUDA_HISTO_MESSAGE_NAME);
  gst_cuda_histo_json_add_uint64 (&json, GST_CUDA_HISTO_JSON_VERSION);
  for (FieldId id = 1; id < N_FIELDS; id++) {
    if (gst_cuda_histo_schema_is_provenance_of (&field_descriptions[id], source))
      gst_cuda_histo_schema_add_json_member (&json, &field_descriptions[id], &reading);
  }
  gst_cuda_histo_schema_add_json_numbers (&json, &reading);
  gst_cuda_histo_schema_add_json_regions (&json, &reading);
  gst_cuda_histo_json_end_object (&json);
  return g_string_free (json.text, FALSE);
}
