/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/json.h"

#include <math.h>

#include "lines/values.h"

void
json_append_text (GString *json, const gchar *text, gboolean is_in_page)
{
  g_autofree gchar *valid = NULL;

  if (text == NULL) {
    g_string_append (json, "null");
    return;
  }
  valid = g_utf8_make_valid (text, -1);
  g_string_append_c (json, '"');
  for (const gchar *at = valid; *at != '\0'; at++) {
    if ((guchar)*at < 0x20 || (is_in_page && (*at == '<' || *at == '>' || *at == '&')))
      g_string_append_printf (json, "\\u%04x", (guint)*at);
    else if (*at == '"' || *at == '\\')
      g_string_append_printf (json, "\\%c", *at);
    else
      g_string_append_c (json, *at);
  }
  g_string_append_c (json, '"');
}

void
json_append_double (GString *json, gdouble number)
{
  g_autofree gchar *digits = isfinite (number) ? values_format_double (number) : g_strdup ("null");

  g_string_append (json, digits);
}

void
json_append_text_member (GString *json, const gchar *name, const gchar *text)
{
  g_string_append_printf (json, ",\"%s\":", name);
  json_append_text (json, text, TRUE);
}

void
json_append_double_member (GString *json, const gchar *name, gdouble number)
{
  g_string_append_printf (json, ",\"%s\":", name);
  json_append_double (json, number);
}
