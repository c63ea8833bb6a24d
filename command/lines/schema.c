/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/schema.h"

#include <string.h>

#include "fields/fields.h"

/* Members that are not fields: groups, and members of events. */
static const struct {
  const gchar *name;
  MemberType type;
} others[] = {
  { "cause", TYPE_STRING },  { "components", TYPE_GROUP }, { "end", TYPE_TIME },    { "end-running-time", TYPE_TIME },
  { "event", TYPE_STRING },  { "hue", TYPE_GROUP },        { "light", TYPE_GROUP }, { "reference", TYPE_GROUP },
  { "regions", TYPE_GROUP }, { "saturation", TYPE_GROUP }, { "start", TYPE_TIME },  { "threshold", TYPE_DOUBLE },
  { "value", TYPE_DOUBLE },
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

static MemberType
schema_get_type (const FieldDescription *field)
{
  switch (field->type) {
  case FIELD_TYPE_STRING:
    return TYPE_STRING;
  case FIELD_TYPE_INT:
    return TYPE_INT;
  case FIELD_TYPE_INT64:
    return TYPE_INT64;
  case FIELD_TYPE_UINT:
    return TYPE_UINT;
  case FIELD_TYPE_UINT64:
    return TYPE_UINT64;
  case FIELD_TYPE_WIDE:
    return TYPE_WIDE;
  case FIELD_TYPE_TIME:
    return TYPE_TIME;
  case FIELD_TYPE_DOUBLE:
    return field->is_null_infinite ? TYPE_PSNR : TYPE_DOUBLE;
  case FIELD_TYPE_FRACTION:
    return TYPE_FRACTION;
  case FIELD_TYPE_RECTANGLE:
    return TYPE_RECTANGLE;
  case FIELD_TYPE_SUMS:
    return TYPE_SUMS;
  case FIELD_TYPE_HISTOGRAM:
  case FIELD_TYPE_TABLE:
  case FIELD_TYPE_COUNTERS:
    return TYPE_ARRAY;
  }
  return TYPE_ANY;
}

/* A member's type does not depend on its place. Unknown members come from a later version and have TYPE_ANY. */
MemberType
schema_find_type (const gchar *name)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    if (strcmp (field_get_member (field_describe (id)), name) == 0)
      return schema_get_type (field_describe (id));
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    if (strcmp (others[i].name, name) == 0)
      return others[i].type;
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
  if (field->is_of_reference && field->fact != N_FACTS && !facts_is_of_reference (field->fact))
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
