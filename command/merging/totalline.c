/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "merging/totalline.h"

#include <math.h>
#include <string.h>

#include <cudahisto/histo.h>

#include "lines/values.h"
#include "lines/json.h"

static const gchar *const sentences[N_WHY] = {
  [WHY_LINES] = "not all results have the values that they follow from (docs/statistics.md, \"Adding results up\")",
  [WHY_DEPTH] = "256 bins are too few for samples of more than 8 bits (measure with bins=native)",
  [WHY_LENGTH] = "their length differs between results",
  [WHY_DIFFERS] = "they are not the same in all results",
  [WHY_SIZE] = "they are too large",
  [WHY_TIMES] = "the results do not follow each other in the stream, or have no times",
  [WHY_UNKNOWN] = "this version of cudahisto cannot add them",
};

static void
total_line_append_double (GString *text, gdouble number)
{
  g_autofree gchar *digits = values_format_double (number);

  if (!isfinite (number))
    g_string_append (text, "null");
  else
    g_string_append_printf (text, "%s%s", digits, strpbrk (digits, ".e") == NULL ? ".0" : "");
}

static gboolean
total_line_is_time (const gchar *name)
{
  return g_str_has_suffix (name, "-time") || strcmp (name, "timestamp") == 0;
}

static void
total_line_append_value (GString *text, const gchar *name, const GValue *value)
{
  static const gchar *const members[] = { "{\"x\":", ",\"y\":", ",\"width\":", ",\"height\":" };

  if (G_VALUE_HOLDS_UINT64 (value)) {
    if (total_line_is_time (name) && !GST_CLOCK_TIME_IS_VALID (g_value_get_uint64 (value)))
      g_string_append (text, "null");
    else
      number_append_wide (text, g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    number_append_wide (text, g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_INT64 (value)) {
    g_string_append_printf (text, "%" G_GINT64_FORMAT, g_value_get_int64 (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    g_string_append_printf (text, "%d", g_value_get_int (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    total_line_append_double (text, g_value_get_double (value));
  } else if (G_VALUE_HOLDS_STRING (value)) {
    json_append_text (text, g_value_get_string (value), FALSE);
  } else if (GST_VALUE_HOLDS_FRACTION (value)) {
    g_string_append_printf (text, "\"%d/%d\"", gst_value_get_fraction_numerator (value),
                            gst_value_get_fraction_denominator (value));
  } else if (GST_VALUE_HOLDS_ARRAY (value)) {
    for (guint i = 0; i < G_N_ELEMENTS (members); i++)
      g_string_append_printf (text, "%s%u", members[i], g_value_get_uint (gst_value_array_get_value (value, i)));
    g_string_append_c (text, '}');
  } else {
    g_string_append (text, "null");
  }
}

static void
total_line_append_array (GString *text, const Entry *entry)
{
  const gboolean is_table = entry->field->type == FIELD_TYPE_TABLE;
  const gboolean is_signed = entry->field->type == FIELD_TYPE_SUMS;

  g_string_append_c (text, '[');
  for (gsize i = 0; i < entry->length; i++) {
    if (i > 0)
      g_string_append_c (text, ',');
    if (is_table && i % HISTO_BINS == 0)
      g_string_append_c (text, '[');
    if (is_signed)
      g_string_append_printf (text, "%" G_GINT64_FORMAT, (gint64)entry->array[i]);
    else
      number_append_wide (text, entry->array[i]);
    if (is_table && (i % HISTO_BINS == HISTO_BINS - 1 || i == entry->length - 1))
      g_string_append_c (text, ']');
  }
  g_string_append_c (text, ']');
}

void
total_line_omit (Omissions *omissions, Why why, const gchar *region, const gchar *name)
{
  if (omissions->names[why] == NULL)
    omissions->names[why] = g_string_new (NULL);
  g_string_append_printf (omissions->names[why], "%s%s%s", omissions->names[why]->len > 0 ? ", " : "", region, name);
}

void
total_line_append_name (GString *text, const gchar *name)
{
  const gchar last = text->str[text->len - 1];

  if (last != '{' && last != '[')
    g_string_append_c (text, ',');
  if (name != NULL) {
    json_append_text (text, name, FALSE);
    g_string_append_c (text, ':');
  }
}

static void
total_line_append_span (GString *text, const Span *span, const Entry *entry, Omissions *omissions)
{
  const gboolean is_duration = entry->field->id == FIELD_ID_DURATION, is_frames = entry->field->id == FIELD_ID_FRAMES;
  const Why why = is_duration ? span->why_no_duration : is_frames ? span->why_no_frames : span->why_no_size;

  if (why != WHY_NOT) {
    total_line_omit (omissions, why, "", entry->name);
    return;
  }
  total_line_append_name (text, entry->name);
  if (is_duration && !GST_CLOCK_TIME_IS_VALID (span->duration))
    g_string_append (text, "null");
  else
    number_append_wide (text, is_duration ? span->duration : is_frames ? span->frames : span->size);
}

/* Appends the members of a scope. */
static void
total_line_append_scope (GString *text, const Span *span, const Numbers *numbers, gint scope, const gchar *region,
                         Omissions *omissions)
{
  const gchar *open_group = NULL;

  for (guint i = 0; i < numbers->entries->len; i++) {
    const Entry *entry = numbers->entries->pdata[i];
    const gchar *group = field_scope_get_group (entry->field->scope);

    if (entry->scope != scope)
      continue;
    if (entry->why != WHY_NOT) {
      total_line_omit (omissions, entry->why, region, entry->name);
      continue;
    }
    if (g_strcmp0 (group, open_group) != 0) {
      if (open_group != NULL)
        g_string_append_c (text, '}');
      if (group != NULL) {
        total_line_append_name (text, group);
        g_string_append_c (text, '{');
      }
      open_group = group;
    }
    if (entry->field->addition == FIELD_ADDITION_SPANNED) {
      total_line_append_span (text, span, entry, omissions);
      continue;
    }
    if (entry->array == NULL && !G_IS_VALUE (&entry->value) && entry->field->addition >= FIELD_ADDITION_BOUNDING_BOX)
      continue; /* the first result did not have the field */
    total_line_append_name (text, field_get_member (entry->field));
    if (entry->array != NULL)
      total_line_append_array (text, entry);
    else if (G_IS_VALUE (&entry->value))
      total_line_append_value (text, entry->name, &entry->value);
    else
      number_append_wide (text, entry->sum);
  }
  if (open_group != NULL)
    g_string_append_c (text, '}');
}

void
total_line_append_numbers (GString *text, const Span *span, const Numbers *numbers, const gchar *region, Omissions *omissions)
{
  total_line_append_scope (text, span, numbers, PICTURE, region, omissions);
  total_line_append_name (text, "components");
  g_string_append_c (text, '{');
  for (guint c = 0; c < numbers->components->len; c++) {
    total_line_append_name (text, g_array_index (numbers->components, Component, c).name);
    g_string_append_c (text, '{');
    total_line_append_scope (text, span, numbers, (gint)c, region, omissions);
    g_string_append_c (text, '}');
  }
  g_string_append_c (text, '}');
}

void
total_line_append_omissions (Omissions *omissions, GPtrArray *missing)
{
  for (guint why = 0; why < N_WHY; why++) {
    if (omissions->names[why] == NULL)
      continue;
    g_ptr_array_add (missing, g_strdup_printf ("%s omitted, since %s", omissions->names[why]->str, sentences[why]));
    g_string_free (omissions->names[why], TRUE);
  }
}
