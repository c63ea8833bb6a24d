/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/json.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

static void
gst_cuda_histo_json_separate (GstCudaHistoJson *json)
{
  if (json->needs_comma)
    g_string_append_c (json->text, ',');
  json->needs_comma = TRUE;
}

static void
gst_cuda_histo_json_begin (GstCudaHistoJson *json, gchar bracket)
{
  gst_cuda_histo_json_separate (json);
  g_string_append_c (json->text, bracket);
  json->needs_comma = FALSE;
}

static void
gst_cuda_histo_json_end (GstCudaHistoJson *json, gchar bracket)
{
  g_string_append_c (json->text, bracket);
  json->needs_comma = TRUE;
}

void
gst_cuda_histo_json_begin_object (GstCudaHistoJson *json)
{
  gst_cuda_histo_json_begin (json, '{');
}

void
gst_cuda_histo_json_end_object (GstCudaHistoJson *json)
{
  gst_cuda_histo_json_end (json, '}');
}

void
gst_cuda_histo_json_begin_array (GstCudaHistoJson *json)
{
  gst_cuda_histo_json_begin (json, '[');
}

void
gst_cuda_histo_json_end_array (GstCudaHistoJson *json)
{
  gst_cuda_histo_json_end (json, ']');
}

void
gst_cuda_histo_json_add_name (GstCudaHistoJson *json, const gchar *name)
{
  gst_cuda_histo_json_add_string (json, name);
  g_string_append_c (json->text, ':');
  json->needs_comma = FALSE;
}

void
gst_cuda_histo_json_add_string (GstCudaHistoJson *json, const gchar *value)
{
  g_autofree gchar *valid = g_utf8_validate (value, -1, NULL) ? NULL : g_utf8_make_valid (value, -1);

  gst_cuda_histo_json_separate (json);
  g_string_append_c (json->text, '"');
  for (const gchar *at = valid != NULL ? valid : value; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\')
      g_string_append_c (json->text, '\\');
    if ((guchar)*at < 0x20)
      g_string_append_printf (json->text, "\\u%04x", (guint)*at);
    else
      g_string_append_c (json->text, *at);
  }
  g_string_append_c (json->text, '"');
}

/* Writes at least `least` digits. */
static void
gst_cuda_histo_json_append_digits (GstCudaHistoJson *json, guint64 value, guint least)
{
  gchar digits[20];
  guint first = sizeof digits;

  do {
    digits[--first] = (gchar)('0' + value % 10);
    value /= 10;
  } while (value > 0 || sizeof digits - first < least);
  g_string_append_len (json->text, digits + first, (gssize)(sizeof digits - first));
}

static void
gst_cuda_histo_json_append_wide (GstCudaHistoJson *json, Wide value)
{
  const guint64 unit = G_GUINT64_CONSTANT (10000000000000000000); /* 10^19 */

  if (value >= unit)
    gst_cuda_histo_json_append_wide (json, value / unit);
  gst_cuda_histo_json_append_digits (json, (guint64)(value % unit), value >= unit ? 19 : 1);
}

void
gst_cuda_histo_json_add_uint64 (GstCudaHistoJson *json, guint64 value)
{
  gst_cuda_histo_json_separate (json);
  gst_cuda_histo_json_append_digits (json, value, 1);
}

void
gst_cuda_histo_json_add_uint128 (GstCudaHistoJson *json, guint64 high, guint64 low)
{
  gst_cuda_histo_json_separate (json);
  gst_cuda_histo_json_append_wide (json, (Wide)high << 64 | low);
}

void
gst_cuda_histo_json_add_int64 (GstCudaHistoJson *json, gint64 value)
{
  gst_cuda_histo_json_separate (json);
  if (value < 0)
    g_string_append_c (json->text, '-');
  gst_cuda_histo_json_append_digits (json, value < 0 ? -(guint64)value : (guint64)value, 1);
}

void
gst_cuda_histo_json_add_double (GstCudaHistoJson *json, gdouble value)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE], format[] = "%.17g";

  if (!isfinite (value)) {
    gst_cuda_histo_json_add_null (json);
    return;
  }
  gst_cuda_histo_json_separate (json);
  /* A double preserves any 15 digits (DBL_DIG), and 17 digits distinguish any two doubles. */
  for (gchar last = '5'; last <= '7'; last++) {
    format[3] = last;
    g_ascii_formatd (text, sizeof text, format, value);
    if (g_ascii_strtod (text, NULL) == value)
      break;
  }
  g_string_append (json->text, text);
  if (strpbrk (text, ".e") == NULL)
    g_string_append (json->text, ".0");
}

void
gst_cuda_histo_json_add_null (GstCudaHistoJson *json)
{
  gst_cuda_histo_json_separate (json);
  g_string_append (json->text, "null");
}
