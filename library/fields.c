/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fields.h"

#include <math.h>
#include <string.h>

/* Versions since 0.2 pad packed arrays to a multiple of 3 bytes. */
#define MAX_PADDING 2

/* ---- arrays ---------------------------------------------------------------------------------------------------------- */

static gboolean
gst_cuda_histo_fields_is_integer (const GValue *value)
{
  return G_VALUE_HOLDS_UINT64 (value) || G_VALUE_HOLDS_INT64 (value);
}

static gboolean
gst_cuda_histo_fields_append_integer (GArray *numbers, const GValue *value)
{
  guint64 number;

  if (!gst_cuda_histo_fields_is_integer (value))
    return FALSE;
  number = G_VALUE_HOLDS_UINT64 (value) ? g_value_get_uint64 (value) : (guint64)g_value_get_int64 (value);
  g_array_append_val (numbers, number);
  return TRUE;
}

/* Appends 64-bit integers, or rows of GST_CUDA_HISTO_FIELDS_ROW of them. FALSE if the array has any other content. */
static gboolean
gst_cuda_histo_fields_append_array (GArray *numbers, const GValue *array, gboolean may_have_rows)
{
  const guint size = gst_value_array_get_size (array);

  for (guint i = 0; i < size; i++) {
    const GValue *value = gst_value_array_get_value (array, i);

    if (may_have_rows && GST_VALUE_HOLDS_ARRAY (value)) {
      if (gst_value_array_get_size (value) != GST_CUDA_HISTO_FIELDS_ROW
          || !gst_cuda_histo_fields_append_array (numbers, value, FALSE))
        return FALSE;
    } else if (!gst_cuda_histo_fields_append_integer (numbers, value)) {
      return FALSE;
    }
  }
  return size > 0;
}

static gboolean
gst_cuda_histo_fields_pack_array (const GValue *array, GValue *packed)
{
  const guint size = gst_value_array_get_size (array);
  const gboolean has_rows = size > 0 && GST_VALUE_HOLDS_ARRAY (gst_value_array_get_value (array, 0));
  GArray *numbers
      = g_array_sized_new (FALSE, FALSE, sizeof (guint64), has_rows ? size * GST_CUDA_HISTO_FIELDS_ROW : MAX (size, 1));
  gsize n_numbers;
  gpointer data;

  if (!gst_cuda_histo_fields_append_array (numbers, array, TRUE)) {
    g_array_unref (numbers);
    return FALSE;
  }
  data = g_array_steal (numbers, &n_numbers);
  g_array_unref (numbers);
  g_value_init (packed, G_TYPE_BYTES);
  g_value_take_boxed (packed, g_bytes_new_take (data, n_numbers * sizeof (guint64)));
  return TRUE;
}

/* Converts little-endian to the machine's byte order, and drops the padding after the last integer. */
static void
gst_cuda_histo_fields_keep_bytes (const GValue *value, GValue *kept)
{
  GBytes *bytes = g_value_get_boxed (value);
  gsize size = 0;
  gconstpointer data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  const gsize padding = size % sizeof (guint64) <= MAX_PADDING ? size % sizeof (guint64) : 0;
  guint64 *numbers;

  g_value_init (kept, G_TYPE_BYTES);
  size -= padding;
  /* A GBytes that is part of another one may begin at any address. */
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN && (guintptr)data % sizeof (guint64) == 0) {
    if (padding > 0)
      g_value_take_boxed (kept, g_bytes_new_from_bytes (bytes, 0, size));
    else
      g_value_set_boxed (kept, bytes);
    return;
  }
  numbers = g_memdup2 (data, size);
  for (gsize i = 0; i < size / sizeof (guint64); i++)
    numbers[i] = GUINT64_FROM_LE (numbers[i]);
  g_value_take_boxed (kept, g_bytes_new_take (numbers, size));
}

GstStructure *
gst_cuda_histo_fields_keep (const GstStructure *structure, const gchar *left_out)
{
  GstStructure *fields = gst_structure_new_empty (gst_structure_get_name (structure));
  const gint n_fields = gst_structure_n_fields (structure);

  for (gint i = 0; i < n_fields; i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint)i);
    const GValue *value = gst_structure_get_value (structure, name);
    GValue kept = G_VALUE_INIT;

    if (left_out != NULL && strcmp (name, left_out) == 0)
      continue;
    if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
      gst_cuda_histo_fields_keep_bytes (value, &kept);
    } else if (!GST_VALUE_HOLDS_ARRAY (value) || !gst_cuda_histo_fields_pack_array (value, &kept)) {
      g_value_init (&kept, G_VALUE_TYPE (value));
      g_value_copy (value, &kept);
    }
    gst_structure_take_value (fields, name, &kept);
  }
  return fields;
}

static GBytes *
gst_cuda_histo_fields_find_bytes (const GstStructure *fields, const gchar *name, gsize row)
{
  const GValue *value = gst_structure_get_value (fields, name);
  GBytes *bytes = value != NULL && G_VALUE_HOLDS (value, G_TYPE_BYTES) ? g_value_get_boxed (value) : NULL;
  const gsize size = bytes != NULL ? g_bytes_get_size (bytes) : 0;

  return size > 0 && size % (row * sizeof (guint64)) == 0 ? bytes : NULL;
}

gconstpointer
gst_cuda_histo_fields_get_numbers (const GstStructure *fields, const gchar *name, gsize row, gsize *n_numbers)
{
  GBytes *bytes = gst_cuda_histo_fields_find_bytes (fields, name, row);

  if (n_numbers != NULL)
    *n_numbers = bytes != NULL ? g_bytes_get_size (bytes) / sizeof (guint64) : 0;
  return bytes != NULL ? g_bytes_get_data (bytes, NULL) : NULL;
}

GBytes *
gst_cuda_histo_fields_get_bytes (const GstStructure *fields, const gchar *name, gsize row)
{
  GBytes *bytes = gst_cuda_histo_fields_find_bytes (fields, name, row);

  return bytes != NULL ? g_bytes_ref (bytes) : NULL;
}

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

guint64
gst_cuda_histo_fields_get_uint64 (const GstStructure *fields, const gchar *name, guint64 absent)
{
  const GValue *value = gst_structure_get_value (fields, name);
  gint64 number = -1;

  if (value == NULL)
    return absent;
  if (G_VALUE_HOLDS_UINT64 (value))
    return g_value_get_uint64 (value);
  if (G_VALUE_HOLDS_UINT (value))
    return g_value_get_uint (value);
  if (G_VALUE_HOLDS_INT64 (value))
    number = g_value_get_int64 (value);
  else if (G_VALUE_HOLDS_INT (value))
    number = g_value_get_int (value);
  return number >= 0 ? (guint64)number : absent;
}

guint
gst_cuda_histo_fields_get_uint (const GstStructure *fields, const gchar *name)
{
  const guint64 number = gst_cuda_histo_fields_get_uint64 (fields, name, 0);

  return number <= G_MAXUINT ? (guint)number : 0;
}

gdouble
gst_cuda_histo_fields_get_number (const GValue *value)
{
  GValue number = G_VALUE_INIT;

  if (value == NULL)
    return NAN;
  g_value_init (&number, G_TYPE_DOUBLE);
  return g_value_transform (value, &number) ? g_value_get_double (&number) : NAN;
}

gdouble
gst_cuda_histo_fields_get_double (const GstStructure *fields, const gchar *name)
{
  return gst_cuda_histo_fields_get_number (gst_structure_get_value (fields, name));
}

gboolean
gst_cuda_histo_fields_get_rectangle (const GstStructure *fields, const gchar *name, guint rectangle[4])
{
  const GValue *value = gst_structure_get_value (fields, name);
  gboolean is_rectangle = value != NULL && GST_VALUE_HOLDS_ARRAY (value) && gst_value_array_get_size (value) == 4;

  for (guint i = 0; i < 4 && is_rectangle; i++)
    is_rectangle = G_VALUE_HOLDS_UINT (gst_value_array_get_value (value, i));
  for (guint i = 0; i < 4; i++)
    rectangle[i] = is_rectangle ? g_value_get_uint (gst_value_array_get_value (value, i)) : 0;
  return is_rectangle;
}

/* ---- strings --------------------------------------------------------------------------------------------------------- */

const gchar *
gst_cuda_histo_fields_get_string (const GstStructure *fields, const gchar *name)
{
  const gchar *text = gst_structure_get_string (fields, name);

  return text != NULL ? text : "";
}
