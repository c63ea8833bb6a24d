/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fields/fields.h"
#include "lines/values.h"
#include "common/terminal.h"

#define USUAL_WIDTH 80
#define MOST_COLUMNS 64
#define ROWS 8
#define INDENT "        "

static guint width = USUAL_WIDTH;

void
table_set_width (guint columns)
{
  width = MIN (columns, USUAL_WIDTH);
}

void
table_print (const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL, *clean = NULL, *cut = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  clean = terminal_clean (text);
  cut = terminal_cut (clean, width);
  fputs (cut, stdout);
  putchar ('\n');
}

/* The columns of a component's row, and their widths. */
static const struct {
  FieldId field;
  gint width;
} levels[] = {
  { FIELD_ID_COUNT, 15 }, { FIELD_ID_MEAN, 9 },   { FIELD_ID_STDDEV, 9 }, { FIELD_ID_MIN, 5 },
  { FIELD_ID_LOW, 5 },    { FIELD_ID_MEDIAN, 6 }, { FIELD_ID_HIGH, 5 },   { FIELD_ID_MAX, 5 },
};

void
table_print_header (void)
{
  g_autoptr (GString) row = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    g_string_append_printf (row, " %*s", levels[i].width, field_describe (levels[i].field)->name);
  table_print ("  %-5s%s", "", row->str);
}

/* ---- a result --------------------------------------------------------------------------------------------------------- */

/* Returns a text of a result without control characters. */
static gchar *
table_get_text (const GstStructure *structure, const gchar *name)
{
  const gchar *text = values_get_string (structure, NULL, name);

  return terminal_clean (text != NULL ? text : "?");
}

/* Prints the result's position and source. */
static void
table_print_place (const GstStructure *result)
{
  g_autoptr (GString) place = g_string_new (NULL);
  const gchar *sampling_name = field_describe (FIELD_ID_SAMPLING)->name;
  g_autofree gchar *format = table_get_text (result, "format"), *sampling = table_get_text (result, sampling_name);
  const gchar *unit = gst_structure_has_field (result, "field") ? "field" : "frame";
  const GstClockTime time = values_get_time (result, "stream-time");
  guint64 frame = 0, frames = 0, offset = 0, size = 0, picture_width = 0, height = 0;

  values_get_uint64 (result, NULL, "frame", &frame);
  values_get_uint64 (result, NULL, "frames", &frames);
  if (values_get_uint64 (result, NULL, "width", &picture_width)) {
    values_get_uint64 (result, NULL, "height", &height);
    if (frames > 1)
      g_string_append_printf (place, "%ss %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, unit, frame, frame + frames - 1);
    else
      g_string_append_printf (place, "%s %" G_GUINT64_FORMAT, unit, frame);
    if (GST_CLOCK_TIME_IS_VALID (time))
      g_string_append_printf (place, ", %.2f s", (gdouble)time / GST_SECOND);
    g_string_append_printf (place, ": %s %" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT, format, picture_width, height);
    if (gst_structure_has_field (result, sampling_name))
      g_string_append_printf (place, " (%s)", sampling);
  } else {
    values_get_uint64 (result, NULL, "offset", &offset);
    values_get_uint64 (result, NULL, "size", &size);
    g_string_append_printf (place, "byte %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " bytes", offset, size);
  }
  table_print ("%s", place->str);
}

/* Prints the component's row. FALSE: it has neither sums nor a histogram. */
static gboolean
table_print_row (const GstStructure *result, const gchar *component)
{
  g_autofree gchar *name = terminal_clean (component);
  g_autoptr (GString) row = g_string_new (NULL);

  if (values_get (result, component, field_describe (FIELD_ID_MEAN)->name) == NULL
      && values_get (result, component, field_describe (FIELD_ID_HISTOGRAM)->name) == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++) {
    const FieldDescription *field = field_describe (levels[i].field);
    guint64 whole;
    gdouble real;

    if (field->type == FIELD_TYPE_DOUBLE && values_get_double (result, component, field->name, &real))
      g_string_append_printf (row, " %*.2f", levels[i].width, real);
    else if (field->type != FIELD_TYPE_DOUBLE && values_get_uint64 (result, component, field->name, &whole))
      g_string_append_printf (row, " %*" G_GUINT64_FORMAT, levels[i].width, whole);
    else
      g_string_append_printf (row, " %*s", levels[i].width, "-");
  }
  table_print ("  %-5s%s", name, row->str);
  return TRUE;
}

/* Appends a number, a text, a rectangle, or the length of an array. */
static void
table_append_value (GString *text, const FieldDescription *field, const GValue *value)
{
  if (G_VALUE_HOLDS_DOUBLE (value)) {
    const gdouble number = g_value_get_double (value);

    if (isfinite (number))
      g_string_append_printf (text, " %.7g", number);
    else
      g_string_append (text, " inf");
  } else if (G_VALUE_HOLDS_UINT64 (value)) {
    g_string_append_printf (text, " %" G_GUINT64_FORMAT, g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    g_string_append_printf (text, " %u", g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_STRING (value)) {
    g_string_append_printf (text, " %s", g_value_get_string (value));
  } else if (GST_VALUE_HOLDS_ARRAY (value) && gst_value_array_get_size (value) == 4) {
    g_string_append_printf (text, " x %u, y %u, width %u, height %u", g_value_get_uint (gst_value_array_get_value (value, 0)),
                            g_value_get_uint (gst_value_array_get_value (value, 1)),
                            g_value_get_uint (gst_value_array_get_value (value, 2)),
                            g_value_get_uint (gst_value_array_get_value (value, 3)));
  } else if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    const gsize n_numbers = g_bytes_get_size (g_value_get_boxed (value)) / sizeof (guint64);

    if (field->type == FIELD_TYPE_TABLE)
      g_string_append_printf (text, " of %" G_GSIZE_FORMAT " x 256 values", n_numbers / 256);
    else
      g_string_append_printf (text, " of %" G_GSIZE_FORMAT " values", n_numbers);
  }
}

/* Prints words, wrapped to the width. */
static void
table_print_wrapped (const gchar *first_indent, const gchar *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  g_autoptr (GString) line = g_string_new (first_indent);
  gboolean is_new = TRUE;

  for (gchar **word = words; *word != NULL; word++) {
    if (!is_new && terminal_measure (line->str) + 1 + terminal_measure (*word) > width) {
      table_print ("%s", line->str);
      g_string_assign (line, INDENT);
      is_new = TRUE;
    }
    g_string_append_printf (line, "%s%s", is_new ? "" : " ", *word);
    is_new = FALSE;
  }
  table_print ("%s", line->str);
}

/* Prints the numbers without a column of the component (NULL: the picture). Members of a group follow its name. */
static void
table_print_others (const GstStructure *result, const gchar *component, const gchar *name)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree gchar *clean = terminal_clean (name);
  g_autofree gchar *indent = g_strdup_printf ("  %-5s ", clean);
  const gchar *last_group = NULL;

  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);
    const gchar *group = field_scope_get_group (field->scope);
    const GValue *value;

    if (!field->is_printed || field_is_of_component (field) != (component != NULL))
      continue;
    value = values_get (result, component, field->name);
    if (value == NULL)
      continue;
    if (group == NULL || group != last_group)
      g_string_append_printf (text, "%s%s%s", text->len > 0 ? "; " : "", group != NULL ? group : "", group != NULL ? " " : "");
    else
      g_string_append (text, ", ");
    g_string_append (text, field_get_member (field));
    table_append_value (text, field, value);
    last_group = group;
  }
  if (text->len > 0)
    table_print_wrapped (indent, text->str);
}

static void
table_print_numbers (const GstStructure *result, const gchar *const *components)
{
  for (guint c = 0; components[c] != NULL; c++) {
    const gboolean has_row = table_print_row (result, components[c]);

    table_print_others (result, components[c], has_row ? "" : components[c]);
  }
  table_print_others (result, NULL, "");
}

static void
table_print_region (const GstStructure *region, const gchar *const *components)
{
  g_autoptr (GString) what = g_string_new (NULL);
  const gchar *type = values_get_string (region, NULL, "type");
  g_autofree gchar *clean = NULL, *cut = NULL;
  gint id;
  guint64 place[4] = { 0 };

  if (type != NULL)
    g_string_append_printf (what, " %s", type);
  if (gst_structure_get_int (region, "id", &id))
    g_string_append_printf (what, " %d", id);
  clean = terminal_clean (what->str);
  cut = terminal_cut (clean, 40);
  values_get_uint64 (region, NULL, "width", &place[0]);
  values_get_uint64 (region, NULL, "height", &place[1]);
  values_get_uint64 (region, NULL, "x", &place[2]);
  values_get_uint64 (region, NULL, "y", &place[3]);
  table_print ("  region%s: %" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT " at %" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT, cut,
               place[0], place[1], place[2], place[3]);
  table_print_numbers (region, components);
}

void
table_print_result (const GstStructure *result, const gchar *const *components)
{
  table_print_place (result);
  table_print_numbers (result, components);
  for (guint i = 0; i < values_count_regions (result); i++)
    table_print_region (values_get_region (result, i), components);
}

/* ---- an event --------------------------------------------------------------------------------------------------------- */

static gchar *
table_format_time (GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (time) ? g_strdup_printf ("%.2f s", (gdouble)time / GST_SECOND) : g_strdup ("?");
}

void
table_print_event (const GstStructure *event)
{
  g_autofree gchar *kind = table_get_text (event, "event");
  g_autofree gchar *start = table_format_time (values_get_time (event, "start"));
  g_autofree gchar *end = table_format_time (values_get_time (event, "end"));
  g_autofree gchar *ended_by = table_get_text (event, "ended-by"), *reason = table_get_text (event, "reason");
  guint64 frame = 0;

  values_get_uint64 (event, NULL, "frame", &frame);
  if (gst_structure_has_field (event, "ended-by"))
    table_print ("%s: frame %" G_GUINT64_FORMAT ", %s to %s (%s)", kind, frame, start, end, ended_by);
  else if (gst_structure_has_field (event, "reason")) /* the event "incomplete" */
    table_print ("%s: frame %" G_GUINT64_FORMAT ", %s: %s", kind, frame, start, reason);
  else
    table_print ("%s: frame %" G_GUINT64_FORMAT ", %s, begins", kind, frame, start);
}

/* ---- a histogram ------------------------------------------------------------------------------------------------------ */

static guint64
table_add (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

/* Returns the number of columns: the largest power of two that fits the width and the bins. */
static guint
table_count_columns (gsize n_counters)
{
  guint columns = MOST_COLUMNS;

  while (columns > 1 && (columns > n_counters || columns + 4 > width))
    columns /= 2;
  return columns;
}

static void
table_draw_row (const guint64 *heights, guint columns, guint64 highest, guint row)
{
  static const gchar *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  const gboolean has_blocks = terminal_is_utf8 () || !terminal_is_there (STDOUT_FILENO);
  g_autoptr (GString) text = g_string_new ("  |");
  gsize end = text->len;

  for (guint i = 0; i < columns; i++) {
    const gdouble height = ROWS * ((gdouble)heights[i] / (gdouble)highest);
    const gint eighths = (gint)CLAMP (rint (8 * (height - row)), 0, 8);

    g_string_append (text, has_blocks ? blocks[eighths] : eighths >= 4 ? "#" : eighths > 0 ? "." : " ");
    if (eighths > 0)
      end = text->len;
  }
  g_string_truncate (text, end);
  table_print ("%s", text->str);
}

void
table_draw_histogram (const gchar *name, const guint64 *counters, gsize n_counters, guint max)
{
  guint64 heights[MOST_COLUMNS] = { 0 }, highest = 0;
  const guint columns = table_count_columns (n_counters);
  const gsize counters_a_column = (n_counters + columns - 1) / columns;
  const guint values_a_column = (guint)(((guint64)max + columns) / columns);
  gchar ruler[MOST_COLUMNS + 1];

  for (gsize i = 0; i < n_counters; i++)
    heights[i / counters_a_column] = table_add (heights[i / counters_a_column], GUINT64_FROM_LE (counters[i]));
  for (guint i = 0; i < columns; i++)
    highest = MAX (highest, heights[i]);
  if (highest == 0)
    return;
  putchar ('\n');
  table_print ("histogram of %s, %u values a column, the highest has %" G_GUINT64_FORMAT " samples", name, values_a_column,
               highest);
  for (guint row = ROWS; row > 0; row--)
    table_draw_row (heights, columns, highest, row - 1);
  memset (ruler, '-', columns);
  ruler[columns] = '\0';
  table_print ("  +%s", ruler);
  table_print ("   0%*u", (gint)columns - 1, max);
}
