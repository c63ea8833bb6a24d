/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/values.h"

#include <math.h>
#include <string.h>

#define USUAL_NAME 600 /* with the terminating zero */

const GValue *
values_get (const GstStructure *structure, const gchar *component, const gchar *name)
{
  gchar full[USUAL_NAME];
  g_autofree gchar *longer = NULL;

  if (component == NULL)
    return gst_structure_get_value (structure, name);
  if (g_snprintf (full, sizeof full, "%s-%s", component, name) < USUAL_NAME)
    return gst_structure_get_value (structure, full);
  longer = g_strdup_printf ("%s-%s", component, name);
  return gst_structure_get_value (structure, longer);
}

gboolean
values_get_uint64 (const GstStructure *structure, const gchar *component, const gchar *name, guint64 *number)
{
  const GValue *value = values_get (structure, component, name);

  if (value != NULL && G_VALUE_HOLDS_UINT64 (value))
    *number = g_value_get_uint64 (value);
  else if (value != NULL && G_VALUE_HOLDS_UINT (value))
    *number = g_value_get_uint (value);
  else
    return FALSE;
  return TRUE;
}

gboolean
values_get_double (const GstStructure *structure, const gchar *component, const gchar *name, gdouble *number)
{
  const GValue *value = values_get (structure, component, name);
  guint64 whole;

  if (value != NULL && G_VALUE_HOLDS_DOUBLE (value))
    *number = g_value_get_double (value);
  else if (values_get_uint64 (structure, component, name, &whole))
    *number = (gdouble)whole;
  else
    return FALSE;
  return TRUE;
}

gdouble
values_read_double (const GstStructure *structure, const gchar *component, const gchar *name)
{
  gdouble number = NAN;

  values_get_double (structure, component, name, &number);
  return number;
}

const gchar *
values_get_string (const GstStructure *structure, const gchar *component, const gchar *name)
{
  const GValue *value = values_get (structure, component, name);

  return value != NULL && G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : NULL;
}

GstClockTime
values_get_time (const GstStructure *structure, const gchar *name)
{
  guint64 time = GST_CLOCK_TIME_NONE;

  values_get_uint64 (structure, NULL, name, &time);
  return time;
}

const guint64 *
values_get_array (const GstStructure *structure, const gchar *component, const gchar *name, gsize *n_numbers)
{
  const GValue *value = values_get (structure, component, name);
  const guint64 *numbers;

  *n_numbers = 0;
  if (value == NULL || !G_VALUE_HOLDS (value, G_TYPE_BYTES))
    return NULL;
  numbers = g_bytes_get_data (g_value_get_boxed (value), n_numbers);
  *n_numbers /= sizeof *numbers;
  return numbers;
}

gboolean
values_get_rectangle (const GstStructure *structure, const gchar *name, guint rectangle[4])
{
  const GValue *value = gst_structure_get_value (structure, name);

  if (value == NULL || !GST_VALUE_HOLDS_ARRAY (value) || gst_value_array_get_size (value) != 4)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    rectangle[i] = g_value_get_uint (gst_value_array_get_value (value, i));
  return TRUE;
}

guint
values_count_regions (const GstStructure *structure)
{
  const GValue *value = gst_structure_get_value (structure, VALUES_REGIONS);

  return value != NULL && GST_VALUE_HOLDS_ARRAY (value) ? gst_value_array_get_size (value) : 0;
}

const GstStructure *
values_get_region (const GstStructure *structure, guint index)
{
  return gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (structure, VALUES_REGIONS), index));
}

gchar *
values_format_double (gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE], format[] = "%.17g";

  /* A double keeps any 15 digits (DBL_DIG), and 17 digits distinguish any two doubles. */
  for (gchar last = '5'; last <= '7'; last++) {
    format[3] = last;
    g_ascii_formatd (text, sizeof text, format, number);
    if (g_ascii_strtod (text, NULL) == number)
      break;
  }
  return g_strdup (text);
}
