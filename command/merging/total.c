/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "merging/total.h"

#include <string.h>

#include "lines/values.h"
#include "lines/lines.h"
#include "lines/number.h"
#include "lines/schema.h"
#include "merging/totalderive.h"
#include "merging/totalline.h"
#include "merging/totalnumbers.h"
#include "merging/totalspan.h"

struct _Total {
  guint64 results, depth;
  Numbers *picture;
  GPtrArray *regions; /* Numbers, of each region */
  Why why_no_regions;
  Span span;
};

Total *
total_new (void)
{
  Total *total = g_new0 (Total, 1);

  total->picture = total_numbers_new ();
  total->regions = g_ptr_array_new_with_free_func (total_numbers_free);
  total->span.timestamp = total->span.duration = GST_CLOCK_TIME_NONE;
  return total;
}

void
total_free (Total *total)
{
  if (total == NULL)
    return;
  g_ptr_array_unref (total->regions);
  total_numbers_free (total->picture);
  g_free (total);
}

guint64
total_count (const Total *total)
{
  return total->results;
}

static gboolean
total_is_same_region (const Numbers *numbers, const GstStructure *region)
{
  static const gchar *const names[] = { "x", "y", "width", "height", "id", "parent-id", "type" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const Entry *entry = g_hash_table_lookup (numbers->by_name, names[i]);
    const GValue *value = gst_structure_get_value (region, names[i]);

    if ((entry != NULL) != (value != NULL) || (value != NULL && gst_value_compare (&entry->value, value) != GST_VALUE_EQUAL))
      return FALSE;
  }
  return TRUE;
}

static void
total_add_regions (Total *total, const GstStructure *result, const gchar *const *components, guint64 number)
{
  const guint count = values_count_regions (result);

  if (number > 1 && count != total->regions->len)
    total->why_no_regions = WHY_DIFFERS;
  for (guint i = 0; i < count && total->why_no_regions == WHY_NOT; i++) {
    const GstStructure *region = values_get_region (result, i);

    if (number == 1) {
      g_ptr_array_add (total->regions, total_numbers_new ());
      total_numbers_set_components (total->regions->pdata[i], components);
    } else if (!total_is_same_region (total->regions->pdata[i], region)) {
      total->why_no_regions = WHY_DIFFERS;
      return;
    }
    total_numbers_add (total->regions->pdata[i], region, number);
  }
}

/* "I420 1280x720", "bytes". Free with g_free(). */
static gchar *
total_describe_source (const GValue *format, const GValue *width, const GValue *height)
{
  if (format == NULL || !G_VALUE_HOLDS_STRING (format))
    return g_strdup ("?");
  if (width == NULL || height == NULL || !G_VALUE_HOLDS_UINT (width) || !G_VALUE_HOLDS_UINT (height))
    return g_strdup (g_value_get_string (format));
  return g_strdup_printf ("%s %ux%u", g_value_get_string (format), g_value_get_uint (width), g_value_get_uint (height));
}

static const GValue *
total_find_value (const Total *total, const gchar *name)
{
  const Entry *entry = g_hash_table_lookup (total->picture->by_name, name);

  return entry != NULL && G_IS_VALUE (&entry->value) ? &entry->value : NULL;
}

/* Whether both are the height of a field of the same frames. The top field may have a row more. */
static gboolean
total_are_fields (const Total *total, const GstStructure *result, const GValue *height, const GValue *other)
{
  const gchar *field = field_describe (FIELD_ID_FIELD)->name;

  return total_find_value (total, field) != NULL && gst_structure_has_field (result, field) && height != NULL && other != NULL
         && G_VALUE_HOLDS_UINT (height) && G_VALUE_HOLDS_UINT (other)
         && ABS ((gint64)g_value_get_uint (height) - (gint64)g_value_get_uint (other)) <= 1;
}

/* Returns whether the result has the same source; otherwise sets `error`. */
static gboolean
total_check_source (const Total *total, const GstStructure *result, const gchar *const *components, GError **error)
{
  const gchar *what = NULL;

  for (FieldId id = 1; id < N_FIELDS && what == NULL; id++) {
    const FieldDescription *field = field_describe (id);
    const GValue *ours = total_find_value (total, field->name), *theirs = gst_structure_get_value (result, field->name);

    if (field->addition == FIELD_ADDITION_SAME_SOURCE
        && ((ours != NULL) != (theirs != NULL) || (ours != NULL && gst_value_compare (ours, theirs) != GST_VALUE_EQUAL))
        && !(id == FIELD_ID_HEIGHT && total_are_fields (total, result, ours, theirs)))
      what = field->name;
  }
  for (guint c = 0; c <= total->picture->components->len && what == NULL; c++) {
    const gchar *name
        = c < total->picture->components->len ? g_array_index (total->picture->components, Component, c).name : NULL;

    if (g_strcmp0 (name, components[c]) != 0)
      what = "components";
  }
  if (what == NULL)
    return TRUE;
  if (strcmp (what, "format") == 0 || strcmp (what, "width") == 0 || strcmp (what, "height") == 0) {
    gchar *ours = total_describe_source (total_find_value (total, "format"), total_find_value (total, "width"),
                                         total_find_value (total, "height"));
    gchar *theirs
        = total_describe_source (gst_structure_get_value (result, "format"), gst_structure_get_value (result, "width"),
                                 gst_structure_get_value (result, "height"));

    g_set_error (error, LINES_FAULT, LINES_FAULT_LINE, "its source is %s, and the source of earlier results is %s", theirs,
                 ours);
    g_free (theirs);
    g_free (ours);
  } else {
    g_set_error (error, LINES_FAULT, LINES_FAULT_LINE, "its `%s` differs from earlier results", what);
  }
  return FALSE;
}

gboolean
total_add (Total *total, const GstStructure *result, const gchar *const *components, GError **error)
{
  const guint64 number = total->results + 1;

  if (total->results == 0) {
    total_numbers_set_components (total->picture, components);
    values_get_uint64 (result, NULL, "depth", &total->depth);
  } else if (!total_check_source (total, result, components, error)) {
    return FALSE;
  }
  total_span_add (&total->span, result, number == 1);
  total_numbers_add (total->picture, result, number);
  total_add_regions (total, result, components, number);
  total->results = number;
  return TRUE;
}

static void
total_append_regions (GString *text, const Total *total, Omissions *omissions)
{
  if (total->why_no_regions != WHY_NOT) {
    total_line_omit (omissions, total->why_no_regions, "", VALUES_REGIONS);
    return;
  }
  if (total->regions->len == 0)
    return;
  total_line_append_name (text, VALUES_REGIONS);
  g_string_append_c (text, '[');
  for (guint i = 0; i < total->regions->len; i++) {
    g_autofree gchar *region = g_strdup_printf ("region %u ", i);

    total_line_append_name (text, NULL);
    g_string_append_c (text, '{');
    total_derive (total->regions->pdata[i], total->depth);
    total_line_append_numbers (text, &total->span, total->regions->pdata[i], region, omissions);
    g_string_append_c (text, '}');
  }
  g_string_append_c (text, ']');
}

gchar *
total_to_line (Total *total, GPtrArray *missing)
{
  GString *text = g_string_new ("{");
  Omissions omissions = { { NULL } };

  total_line_append_name (text, "cudahisto");
  number_append_wide (text, SCHEMA_VERSION);
  total_derive (total->picture, total->depth);
  total_line_append_numbers (text, &total->span, total->picture, "", &omissions);
  total_append_regions (text, total, &omissions);
  g_string_append (text, "}\n");
  /* Lines of the element have no blanks; lines of a sum have one after the version. The element overwrites only its own lines,
   * and so never a sum. */
  g_string_insert (text, strchr (text->str, ',') + 1 - text->str, " ");
  total_line_append_omissions (&omissions, missing);
  return g_string_free (text, FALSE);
}
