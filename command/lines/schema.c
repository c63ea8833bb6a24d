/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/schema.h"

#include <string.h>

/* Members by name, independent of their place. Unknown ones are from a later version, and have TYPE_ANY. */
static const struct {
  const gchar *name;
  FieldType type;
} types[] = {
  { "active-extent", TYPE_RECTANGLE },
  { "active-picture", TYPE_RECTANGLE },
  { "backend", TYPE_STRING },
  { "cause", TYPE_STRING },
  { "colorimetry", TYPE_STRING },
  { "column-sums", TYPE_SUMS },
  { "components", TYPE_GROUP },
  { "confidence", TYPE_DOUBLE },
  { "count", TYPE_UINT64 },
  { "crop", TYPE_RECTANGLE },
  { "damaged", TYPE_UINT64 },
  { "depth", TYPE_UINT },
  { "difference", TYPE_DOUBLE },
  { "difference-count", TYPE_UINT64 },
  { "dot", TYPE_WIDE },
  { "dot-count", TYPE_UINT64 },
  { "duration", TYPE_TIME },
  { "element", TYPE_STRING },
  { "input", TYPE_STRING },
  { "end", TYPE_TIME },
  { "end-running-time", TYPE_TIME },
  { "ended-by", TYPE_STRING },
  { "event", TYPE_STRING },
  { "format", TYPE_STRING },
  { "frame", TYPE_UINT64 },
  { "framerate", TYPE_FRACTION },
  { "frames", TYPE_UINT64 },
  { "height", TYPE_UINT },
  { "high", TYPE_UINT },
  { "histogram", TYPE_ARRAY },
  { "histogram-distance", TYPE_DOUBLE },
  { "histogram-distance-count", TYPE_UINT64 },
  { "histogram-distance-moved", TYPE_UINT64 },
  { "hue", TYPE_GROUP },
  { "id", TYPE_INT },
  { "low", TYPE_UINT },
  { "max", TYPE_UINT },
  { "mean", TYPE_DOUBLE },
  { "median", TYPE_UINT },
  { "metered-luma", TYPE_DOUBLE },
  { "metered-luma-sum", TYPE_WIDE },
  { "metered-luma-weights", TYPE_UINT64 },
  { "min", TYPE_UINT },
  { "missing", TYPE_UINT64 },
  { "mse", TYPE_DOUBLE },
  { "offset", TYPE_UINT64 },
  { "out-of-gamut", TYPE_DOUBLE },
  { "out-of-gamut-count", TYPE_UINT64 },
  { "out-of-range", TYPE_DOUBLE },
  { "out-of-range-count", TYPE_UINT64 },
  { "outliers", TYPE_DOUBLE },
  { "outliers-count", TYPE_UINT64 },
  { "parent-id", TYPE_INT },
  { "psnr", TYPE_PSNR },
  { "range", TYPE_STRING },
  { "reference", TYPE_GROUP },
  { "reference-clock", TYPE_STRING },
  { "reference-offset", TYPE_INT64 },
  { "reference-time", TYPE_UINT64 },
  { "regions", TYPE_GROUP },
  { "repeats", TYPE_DOUBLE },
  { "repeats-count", TYPE_UINT64 },
  { "row-sums", TYPE_SUMS },
  { "running-time", TYPE_TIME },
  { "sad", TYPE_UINT64 },
  { "saturation", TYPE_GROUP },
  { "size", TYPE_UINT64 },
  { "ssd", TYPE_WIDE },
  { "start", TYPE_TIME },
  { "stddev", TYPE_DOUBLE },
  { "stream-time", TYPE_TIME },
  { "sum", TYPE_UINT64 },
  { "sum-of-squares", TYPE_WIDE },
  { "threshold", TYPE_DOUBLE },
  { "timecode", TYPE_STRING },
  { "timestamp", TYPE_TIME },
  { "type", TYPE_STRING },
  { "used-bits", TYPE_UINT },
  { "used-mask", TYPE_UINT },
  { "utc-time", TYPE_STRING },
  { "value", TYPE_DOUBLE },
  { "variance", TYPE_DOUBLE },
  { "vectorscope", TYPE_ARRAY },
  { "waveform", TYPE_ARRAY },
  { "width", TYPE_UINT },
  { "x", TYPE_UINT },
  { "y", TYPE_UINT },
};

struct _Schema {
  GHashTable *fields, *fields_of_components; /* name: Field */
  Field *last;                               /* the field found last; NULL: none */
};

Schema *
schema_new (void)
{
  Schema *schema = g_new0 (Schema, 1);

  schema->fields = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  schema->fields_of_components = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  return schema;
}

void
schema_free (Schema *schema)
{
  g_hash_table_unref (schema->fields);
  g_hash_table_unref (schema->fields_of_components);
  g_free (schema);
}

FieldType
schema_find_type (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    if (strcmp (types[i].name, name) == 0)
      return types[i].type;
  }
  return TYPE_ANY;
}

guint
schema_find_place (const gchar *name)
{
  static const gchar *const names[] = { "x", "y", "width", "height" };
  guint place;

  for (place = 0; place < G_N_ELEMENTS (names); place++) {
    if (strcmp (names[place], name) == 0)
      break;
  }
  return place;
}

/* `member`: without its component's name. */
static void
schema_find_fact (Field *field, const gchar *member, gboolean is_of_component)
{
  field->is_of_reference = is_of_component && g_str_has_prefix (member, "reference-");
  if (field->is_of_reference)
    member += strlen ("reference-");
  field->fact = facts_find (member, is_of_component);
  if (field->is_of_reference && field->fact < FACT_DIFFERENCE)
    field->fact = N_FACTS;
}

const Field *
schema_find_field (Schema *schema, const GString *name, gsize prefix_length, gsize component_length)
{
  GHashTable *fields = component_length > 0 ? schema->fields_of_components : schema->fields;
  Field *field = schema->last != NULL ? schema->last->next : NULL;

  if (field != NULL && field->component_length == component_length && strcmp (field->name, name->str) == 0) {
    schema->last = field;
    return field;
  }
  field = g_hash_table_lookup (fields, name->str);
  if (field == NULL && g_hash_table_size (fields) < SCHEMA_MAX_NAMES) {
    field = g_malloc (sizeof *field + name->len + 1);
    field->type = schema_find_type (name->str + prefix_length);
    field->component_length = component_length;
    field->next = NULL;
    memcpy (field->name, name->str, name->len + 1);
    schema_find_fact (field, field->name + component_length, component_length > 0);
    g_hash_table_insert (fields, field->name, field);
  }
  if (schema->last != NULL)
    schema->last->next = field;
  schema->last = field;
  return field;
}
