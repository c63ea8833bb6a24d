/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "merging/totalentry.h"

#include <string.h>

void
total_entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->array);
  if (G_IS_VALUE (&entry->value))
    g_value_unset (&entry->value);
  g_free (entry);
}

void
total_entry_omit (Entry *entry, Why why)
{
  if (entry->why == WHY_NOT)
    entry->why = why;
}

static const FieldDescription *
total_entry_find_field (const gchar *member, gboolean is_of_component)
{
  static const FieldDescription unknown = { .name = "", .addition = FIELD_ADDITION_UNKNOWN };

  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);

    if (field_is_of_component (field) == is_of_component && strcmp (field->name, member) == 0)
      return field;
  }
  return &unknown;
}

Entry *
total_entry_new (const gchar *name, gint scope, gsize prefix_length)
{
  Entry *entry = g_malloc0 (sizeof *entry + strlen (name) + 1);

  strcpy (entry->name, name);
  entry->scope = scope;
  entry->member = entry->name + prefix_length;
  entry->field = total_entry_find_field (entry->member, scope != PICTURE);
  if (entry->field->addition == FIELD_ADDITION_UNKNOWN)
    total_entry_omit (entry, WHY_UNKNOWN);
  entry->extent[0] = entry->extent[2] = G_MAXINT64;
  return entry;
}

gboolean
total_entry_needs_all (const Entry *entry)
{
  switch (entry->field->addition) {
  case FIELD_ADDITION_SUM:
  case FIELD_ADDITION_SUM_BY_ELEMENT:
  case FIELD_ADDITION_LEAST:
  case FIELD_ADDITION_GREATEST:
  case FIELD_ADDITION_COMBINED_BITS:
  case FIELD_ADDITION_BOUNDING_BOX:
    return TRUE;
  default:
    return FALSE;
  }
}

/* FALSE: it is not an integer of at most 128 bits. */
static gboolean
total_entry_get_wide (const GValue *value, Wide *number)
{
  if (G_VALUE_HOLDS_UINT64 (value) || G_VALUE_HOLDS_UINT (value)) {
    *number = G_VALUE_HOLDS_UINT (value) ? g_value_get_uint (value) : g_value_get_uint64 (value);
    return TRUE;
  }
  return G_VALUE_HOLDS_STRING (value) && number_parse_wide (g_value_get_string (value), number);
}

static void
total_entry_add_array (Entry *entry, const GValue *value)
{
  const gboolean is_signed = entry->field->type == FIELD_TYPE_SUMS;
  const guint64 *numbers;
  gsize length;

  if (!G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    total_entry_omit (entry, WHY_LINES);
    return;
  }
  numbers = g_bytes_get_data (g_value_get_boxed (value), &length);
  length /= sizeof *numbers;
  if (entry->added == 0) {
    entry->array = g_new0 (guint64, MAX (length, 1));
    entry->length = length;
  } else if (length != entry->length) {
    total_entry_omit (entry, WHY_LENGTH);
    return;
  }
  for (gsize i = 0; i < length; i++) {
    const guint64 number = GUINT64_FROM_LE (numbers[i]);
    guint64 *sum = &entry->array[i];

    if (is_signed ? __builtin_add_overflow ((gint64)*sum, (gint64)number, (gint64 *)sum)
                  : __builtin_add_overflow (*sum, number, sum))
      total_entry_omit (entry, WHY_SIZE);
  }
}

static void
total_entry_add_extent (Entry *entry, const GValue *value)
{
  if (!GST_VALUE_HOLDS_ARRAY (value) || gst_value_array_get_size (value) != 4) {
    total_entry_omit (entry, WHY_LINES);
    return;
  }
  for (guint i = 0; i < 2; i++) { /* columns, rows */
    const gint64 first = g_value_get_uint (gst_value_array_get_value (value, i));
    const gint64 count = g_value_get_uint (gst_value_array_get_value (value, i + 2));

    if (entry->added == 0)
      entry->extent[2 * i + 1] = -1;
    if (count > 0) {
      entry->extent[2 * i] = MIN (entry->extent[2 * i], first);
      entry->extent[2 * i + 1] = MAX (entry->extent[2 * i + 1], first + count - 1);
      if (entry->extent[2 * i + 1] - entry->extent[2 * i] >= G_MAXUINT)
        total_entry_omit (entry, WHY_SIZE);
    }
  }
}

static void
total_entry_keep_value (Entry *entry, const GValue *value)
{
  if (G_IS_VALUE (&entry->value))
    g_value_unset (&entry->value);
  g_value_init (&entry->value, G_VALUE_TYPE (value));
  g_value_copy (value, &entry->value);
}

static void
total_entry_add_number (Entry *entry, const GValue *value)
{
  Wide number;

  if (!total_entry_get_wide (value, &number)) {
    total_entry_omit (entry, WHY_SIZE);
    return;
  }
  if (entry->added == 0)
    entry->sum = number;
  else if (entry->field->addition == FIELD_ADDITION_LEAST)
    entry->sum = MIN (entry->sum, number);
  else if (entry->field->addition == FIELD_ADDITION_GREATEST)
    entry->sum = MAX (entry->sum, number);
  else if (entry->field->addition == FIELD_ADDITION_COMBINED_BITS)
    entry->sum |= number;
  else if (__builtin_add_overflow (entry->sum, number, &entry->sum))
    total_entry_omit (entry, WHY_SIZE);
}

static void
total_entry_add_double (Entry *entry, const GValue *value)
{
  const gboolean is_least = entry->field->addition == FIELD_ADDITION_LEAST;

  if (!G_VALUE_HOLDS_DOUBLE (value)) {
    total_entry_omit (entry, WHY_LINES);
    return;
  }
  if (entry->added == 0 || (g_value_get_double (value) < g_value_get_double (&entry->value)) == is_least)
    total_entry_keep_value (entry, value);
}

void
total_entry_add (Entry *entry, const GValue *value, gboolean is_first)
{
  switch (entry->field->addition) {
  case FIELD_ADDITION_SUM:
  case FIELD_ADDITION_SUM_IF_ANY:
  case FIELD_ADDITION_SUM_WITH_PAIR:
  case FIELD_ADDITION_LEAST:
  case FIELD_ADDITION_GREATEST:
  case FIELD_ADDITION_COMBINED_BITS:
    if (entry->field->type == FIELD_TYPE_DOUBLE)
      total_entry_add_double (entry, value);
    else
      total_entry_add_number (entry, value);
    break;
  case FIELD_ADDITION_SUM_BY_ELEMENT:
    total_entry_add_array (entry, value);
    break;
  case FIELD_ADDITION_BOUNDING_BOX:
    total_entry_add_extent (entry, value);
    break;
  case FIELD_ADDITION_KEPT_IF_SAME:
    if (!is_first && (entry->added == 0 || gst_value_compare (&entry->value, value) != GST_VALUE_EQUAL))
      total_entry_omit (entry, WHY_DIFFERS);
    total_entry_keep_value (entry, value);
    break;
  case FIELD_ADDITION_UNITED:
    if (is_first)
      total_entry_keep_value (entry, value);
    else if (entry->added == 0)
      total_entry_omit (entry, WHY_DIFFERS);
    else if (gst_value_compare (&entry->value, value) != GST_VALUE_EQUAL)
      g_value_set_static_string (&entry->value, "both");
    break;
  case FIELD_ADDITION_MIXED:
    if (entry->added == 0)
      total_entry_keep_value (entry, value);
    if ((entry->added == 0 && !is_first) || gst_value_compare (&entry->value, value) != GST_VALUE_EQUAL)
      g_value_set_static_string (&entry->value, "mixed");
    break;
  case FIELD_ADDITION_SAME_SOURCE: /* of two fields, the height of the taller one */
    if (is_first || (entry->field->id == FIELD_ID_HEIGHT && gst_value_compare (value, &entry->value) == GST_VALUE_GREATER_THAN))
      total_entry_keep_value (entry, value);
    break;
  case FIELD_ADDITION_KEPT_FIRST:
    if (is_first)
      total_entry_keep_value (entry, value);
    break;
  case FIELD_ADDITION_KEPT_LAST:
    total_entry_keep_value (entry, value);
    break;
  default:
    break;
  }
}

void
total_entry_set_double (Entry *entry, gdouble number)
{
  g_value_init (&entry->value, G_TYPE_DOUBLE);
  g_value_set_double (&entry->value, number);
}

void
total_entry_set_uint (Entry *entry, guint number)
{
  g_value_init (&entry->value, G_TYPE_UINT);
  g_value_set_uint (&entry->value, number);
}

void
total_entry_set_rectangle (Entry *entry, const gint64 extent[4], gboolean is_picture)
{
  const guint width = extent[0] <= extent[1] ? (guint)(extent[1] - extent[0] + 1) : 0;
  const guint height = extent[2] <= extent[3] ? (guint)(extent[3] - extent[2] + 1) : 0;
  guint rectangle[] = { width > 0 ? (guint)extent[0] : 0, height > 0 ? (guint)extent[2] : 0, width, height };

  if (is_picture && (width == 0 || height == 0))
    memset (rectangle, 0, sizeof rectangle);
  gst_value_array_init (&entry->value, 4);
  for (guint i = 0; i < 4; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_UINT);
    g_value_set_uint (&number, rectangle[i]);
    gst_value_array_append_and_take_value (&entry->value, &number);
  }
}
