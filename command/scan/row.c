/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/row.h"

#include "common/location.h"
#include "lines/lines.h"
#include "lines/values.h"

/* Kinds of events with a column each. */
static const gchar *const event_kinds[ROW_EVENT_KINDS] = { "black", "freeze", "scene-change", "clipped", "damaged" };

const gchar *const row_names[COLUMNS] = {
  [COLUMN_FILM] = "film",
  [COLUMN_STATUS] = "status",
  [COLUMN_VERDICT] = "verdict",
  [COLUMN_FRAMES] = "frames",
  [COLUMN_FORMAT] = "format",
  [COLUMN_WIDTH] = "width",
  [COLUMN_HEIGHT] = "height",
  [COLUMN_FRAMERATE] = "framerate",
  [COLUMN_COLORIMETRY] = "colorimetry",
  [COLUMN_COMPONENT] = "component",
  [COLUMN_MIN] = "min",
  [COLUMN_MEAN] = "mean",
  [COLUMN_MAX] = "max",
  [COLUMN_EVENTS] = "black",
  [COLUMN_EVENTS + 1] = "freeze",
  [COLUMN_EVENTS + 2] = "scene-change",
  [COLUMN_EVENTS + 3] = "clipped",
  [COLUMN_EVENTS + 4] = "damaged",
  [COLUMN_SECONDS] = "seconds",
  [COLUMN_RESULTS] = "results",
  [COLUMN_PAGE] = "page",
  [COLUMN_MESSAGE] = "message",
};

/* The component whose numbers are shown: luma if there is one. */
static const gchar *
row_find_component (const gchar *const *components)
{
  static const gchar *const names[] = { "Y", "luma", "GRAY" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strv_contains (components, names[i]))
      return names[i];
  return components[0];
}

static void
row_set_value (Row *row, Column column, const GstStructure *result, const gchar *component, const gchar *name)
{
  const GValue *value = values_get (result, component, name);
  gdouble number;

  if (value == NULL)
    return;
  if (G_VALUE_HOLDS_STRING (value))
    row->cells[column] = g_value_dup_string (value);
  else if (G_VALUE_HOLDS_DOUBLE (value) && values_get_double (result, component, name, &number))
    row->cells[column] = values_format_double (number);
  else
    row->cells[column] = gst_value_serialize (value);
}

static void
row_take_sum (Row *row, const GstStructure *sum, const gchar *const *components)
{
  const gchar *component = components[0] != NULL ? row_find_component (components) : NULL;

  row_set_value (row, COLUMN_FRAMES, sum, NULL, "frames");
  row_set_value (row, COLUMN_FORMAT, sum, NULL, "format");
  row_set_value (row, COLUMN_WIDTH, sum, NULL, "width");
  row_set_value (row, COLUMN_HEIGHT, sum, NULL, "height");
  row_set_value (row, COLUMN_FRAMERATE, sum, NULL, "framerate");
  row_set_value (row, COLUMN_COLORIMETRY, sum, NULL, "colorimetry");
  if (component == NULL)
    return;
  row->cells[COLUMN_COMPONENT] = g_strdup (component);
  row_set_value (row, COLUMN_MIN, sum, component, "min");
  row_set_value (row, COLUMN_MEAN, sum, component, "mean");
  row_set_value (row, COLUMN_MAX, sum, component, "max");
}

/* An event that lasts has a line at its start, without end, and one at its end. */
static void
row_count_event (guint counts[], const GstStructure *event)
{
  const gchar *kind = values_get_string (event, NULL, "event");

  for (guint i = 0; i < G_N_ELEMENTS (event_kinds); i++)
    if (g_strcmp0 (kind, event_kinds[i]) == 0 && GST_CLOCK_TIME_IS_VALID (values_get_time (event, "end")))
      counts[i]++;
}

/* Reads the sum and the events of a film. */
static void
row_read_summary (Row *row, const gchar *path, RowSum take_sum, gpointer data)
{
  guint counts[G_N_ELEMENTS (event_kinds)] = { 0 };
  Lines *lines = lines_open (path, NULL);
  GstStructure *structure;
  LinesKind kind;

  if (lines == NULL)
    return;
  while ((kind = lines_next (lines, &structure, NULL)) != LINES_END) {
    if (kind == LINES_ERROR)
      continue;
    if (kind == LINES_EVENT) {
      row_count_event (counts, structure);
    } else {
      row_take_sum (row, structure, lines_get_components (lines));
      take_sum (structure, lines_get_components (lines), data);
    }
    gst_structure_free (structure);
  }
  lines_close (lines);
  for (guint i = 0; i < G_N_ELEMENTS (event_kinds); i++)
    row->cells[COLUMN_EVENTS + i] = g_strdup_printf ("%u", counts[i]);
}

/* Sets a file of the film, relative to the folder, if it exists. */
static void
row_set_file (Row *row, Column column, const gchar *path, const gchar *name, const gchar *suffix)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    row->cells[column] = g_strconcat (name, suffix, NULL);
}

/* Takes a measurement into the row. */
static void
row_take_record (Row *row, const ScanFilm *film, const ScanRecord *record, const ScanPaths *paths, RowSum take_sum,
                 gpointer data)
{
  row->cells[COLUMN_VERDICT] = g_strdup (record->verdict);
  row->cells[COLUMN_SECONDS] = g_strdup_printf ("%.2f", record->seconds);
  row->cells[COLUMN_MESSAGE] = g_strdup (record->message);
  if (record->status == COMMAND_ERROR)
    return;
  row_read_summary (row, paths->summary, take_sum, data);
  row_set_file (row, COLUMN_RESULTS, paths->results, film->name, ".jsonl");
  row_set_file (row, COLUMN_PAGE, paths->page, film->name, ".html");
}

void
row_fill (Row *row, const ScanFilm *film, const ScanRecord *record, const ScanPaths *paths, RowSum take_sum, gpointer data)
{
  static const gchar *const names[] = { [COMMAND_OK] = "complete", [COMMAND_FINDING] = "damaged", [COMMAND_ERROR] = "failed" };

  row->cells[COLUMN_FILM] = film->is_uri ? location_name (film->location) : g_strdup (film->location);
  row->cells[COLUMN_STATUS] = g_strdup (record != NULL ? names[record->status] : "missing");
  if (record != NULL)
    row_take_record (row, film, record, paths, take_sum, data);
  else if (film->error != 0)
    row->cells[COLUMN_MESSAGE] = g_strdup (g_strerror (film->error));
}

void
row_clear (Row *row)
{
  for (guint i = 0; i < COLUMNS; i++)
    g_free (row->cells[i]);
}
