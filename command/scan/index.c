/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/index.h"

#include <string.h>

#include "common/terminal.h"
#include "lines/lines.h"
#include "lines/values.h"
#include "merging/total.h"
#include "output/output.h"
#include "scan/folder.h"
#include "scan/record.h"

/* Kinds of events with a column each. */
static const gchar *const event_kinds[] = { "black", "freeze", "scene-change", "clipped", "damaged" };

typedef enum {
  COLUMN_FILM,
  COLUMN_STATUS,
  COLUMN_FRAMES,
  COLUMN_FORMAT,
  COLUMN_WIDTH,
  COLUMN_HEIGHT,
  COLUMN_FRAMERATE,
  COLUMN_COLORIMETRY,
  COLUMN_COMPONENT,
  COLUMN_MIN,
  COLUMN_MEAN,
  COLUMN_MAX,
  COLUMN_EVENTS, /* one for each kind */
  COLUMN_SECONDS = COLUMN_EVENTS + G_N_ELEMENTS (event_kinds),
  COLUMN_RESULTS,
  COLUMN_PAGE,
  COLUMN_MESSAGE,
  COLUMNS
} Column;

/* Names in index.csv. */
static const gchar *const column_names[COLUMNS] = {
  [COLUMN_FILM] = "film",
  [COLUMN_STATUS] = "status",
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

typedef struct {
  gchar *cells[COLUMNS]; /* NULL: empty */
} Row;

typedef struct {
  const gchar *folder;
  GPtrArray *totals; /* Total, one for each format */
  Output *table, *page;
} Index;

/* ---- a film's row ----------------------------------------------------------------------------------------------------- */

static const gchar *
index_name_status (const ScanRecord *record)
{
  static const gchar *const names[] = { [COMMAND_OK] = "complete", [COMMAND_FINDING] = "damaged", [COMMAND_ERROR] = "failed" };

  return record != NULL ? names[record->status] : "missing";
}

/* The component whose numbers are shown: luma if there is one. */
static const gchar *
index_find_component (const gchar *const *components)
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
  const gchar *component = components[0] != NULL ? index_find_component (components) : NULL;

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

/* Adds the sum of a film to that of its format. */
static void
index_add_sum (Index *index, const GstStructure *sum, const gchar *const *components)
{
  Total *total;

  for (guint i = 0; i < index->totals->len; i++)
    if (total_add (index->totals->pdata[i], sum, components, NULL))
      return;
  total = total_new ();
  if (total_add (total, sum, components, NULL))
    g_ptr_array_add (index->totals, total);
  else
    total_free (total);
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
index_read_summary (Index *index, const gchar *path, Row *row)
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
      index_add_sum (index, structure, lines_get_components (lines));
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

static void
index_fill_row (Index *index, const ScanFilm *film, Row *row)
{
  g_autoptr (ScanPaths) paths = scan_paths_new (index->folder, film->name);
  ScanRecord *record = scan_record_read (paths->record);

  row->cells[COLUMN_FILM] = g_strdup (film->location);
  row->cells[COLUMN_STATUS] = g_strdup (index_name_status (record));
  if (record != NULL) {
    row->cells[COLUMN_SECONDS] = g_strdup_printf ("%.2f", record->seconds);
    row->cells[COLUMN_MESSAGE] = g_strdup (record->message);
    if (record->status != COMMAND_ERROR)
      index_read_summary (index, paths->summary, row);
  }
  row_set_file (row, COLUMN_RESULTS, paths->results, film->name, ".jsonl");
  row_set_file (row, COLUMN_PAGE, paths->page, film->name, ".html");
  scan_record_free (record);
}

static void
row_clear (Row *row)
{
  for (guint i = 0; i < COLUMNS; i++)
    g_free (row->cells[i]);
}

/* ---- index.csv -------------------------------------------------------------------------------------------------------- */

/* Quotes a cell as RFC 4180 does. */
static void
index_write_cell (Output *output, const gchar *cell, gboolean is_last)
{
  const gboolean is_quoted = cell != NULL && strpbrk (cell, ",\"\r\n") != NULL;
  g_auto (GStrv) parts = g_strsplit (cell != NULL ? cell : "", "\"", -1);
  g_autofree gchar *text = g_strjoinv ("\"\"", parts);

  output_print (output, "%s%s%s%s", is_quoted ? "\"" : "", text, is_quoted ? "\"" : "", is_last ? "\n" : ",");
}

static void
index_write_row (Output *output, const gchar *const *cells)
{
  for (guint i = 0; i < COLUMNS; i++)
    index_write_cell (output, cells[i], i + 1 == COLUMNS);
}

/* ---- index.html ------------------------------------------------------------------------------------------------------- */

static const gchar page_begin[]
    = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Films</title>\n<style>\n"
      ":root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif }\n"
      "body { margin: 1.5rem }\n"
      "table { border-collapse: collapse; font-variant-numeric: tabular-nums }\n"
      "th, td { padding: .25rem .75rem; text-align: left; border-bottom: 1px solid #8884; vertical-align: top }\n"
      "th { position: sticky; top: 0; background: Canvas }\n"
      "td.number, th.number { text-align: right }\n"
      "tr.damaged td:nth-child(2) { color: #b26a00 } tr.failed td:nth-child(2) { color: #d32f2f }\n"
      ".message { color: #888; font-size: .85em; white-space: pre-line; overflow-wrap: anywhere }\n"
      "</style>\n<h1>Films</h1>\n";

static gchar *
index_escape (const gchar *text)
{
  g_autofree gchar *clean = terminal_clean (text != NULL ? text : "");

  return g_markup_escape_text (clean, -1);
}

/* Writes the name of the film, as a link to its page, with its messages. */
static void
page_write_name (Output *page, const Row *row)
{
  g_autofree gchar *base = g_path_get_basename (row->cells[COLUMN_FILM]), *name = index_escape (base),
                   *location = index_escape (row->cells[COLUMN_FILM]);
  const gchar *link = row->cells[COLUMN_PAGE];

  output_print (page, "<td title=\"%s\">", location);
  if (link != NULL) {
    g_autofree gchar *target = g_uri_escape_bytes ((const guint8 *)link, strlen (link), "/");

    output_print (page, "<a href=\"./%s\">%s</a>", target, name);
  } else {
    output_print (page, "%s", name);
  }
  if (row->cells[COLUMN_MESSAGE] != NULL && *row->cells[COLUMN_MESSAGE] != '\0') {
    g_auto (GStrv) lines = g_strsplit (row->cells[COLUMN_MESSAGE], "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
      g_autofree gchar *text = index_escape (lines[i]);

      output_print (page, "<div class=\"message\">%s</div>", text);
    }
  }
  output_print (page, "</td>");
}

static void
page_write_number (Output *page, const gchar *cell)
{
  output_print (page, "<td class=\"number\">%s</td>", cell != NULL ? cell : "");
}

static void
page_write_row (Output *page, const Row *row)
{
  gchar *const *cells = row->cells;
  g_autofree gchar *format = index_escape (cells[COLUMN_FORMAT]);
  gdouble mean = cells[COLUMN_MEAN] != NULL ? g_ascii_strtod (cells[COLUMN_MEAN], NULL) : 0;
  g_autofree gchar *rounded = cells[COLUMN_MEAN] != NULL ? g_strdup_printf ("%.1f", mean) : NULL;

  output_print (page, "<tr class=\"%s\">", cells[COLUMN_STATUS]);
  page_write_name (page, row);
  output_print (page, "<td>%s</td><td>", cells[COLUMN_STATUS]);
  if (cells[COLUMN_WIDTH] != NULL)
    output_print (page, "%s %s &times; %s", format, cells[COLUMN_WIDTH], cells[COLUMN_HEIGHT]);
  output_print (page, "</td>");
  page_write_number (page, cells[COLUMN_FRAMERATE]);
  page_write_number (page, cells[COLUMN_FRAMES]);
  page_write_number (page, cells[COLUMN_MIN]);
  page_write_number (page, rounded);
  page_write_number (page, cells[COLUMN_MAX]);
  for (guint i = 0; i < G_N_ELEMENTS (event_kinds); i++)
    page_write_number (page, cells[COLUMN_EVENTS + i]);
  output_print (page, "</tr>\n");
}

static void
page_write_head (Output *page, guint n_films)
{
  static const gchar *const numbers[] = { "frames/s", "frames", "min", "mean", "max" };

  output_write (page, page_begin, strlen (page_begin));
  output_print (page,
                "<p>%u %s. Numbers are those of luma, or of the first component. Also as <a href=\"index.csv\">table</a>, "
                "and <a href=\"summary.jsonl\">added up for each format</a>.</p>\n<table>\n<tr><th>film</th>"
                "<th>status</th><th>format</th>",
                n_films, n_films == 1 ? "film" : "films");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    output_print (page, "<th class=\"number\">%s</th>", numbers[i]);
  for (guint i = 0; i < G_N_ELEMENTS (event_kinds); i++)
    output_print (page, "<th class=\"number\">%s</th>", event_kinds[i]);
  output_print (page, "</tr>\n");
}

/* ---- all films -------------------------------------------------------------------------------------------------------- */

static Output *
index_open (const gchar *folder, const gchar *name, gboolean is_forced)
{
  const gchar *const inputs[] = { NULL };
  const OutputPolicy policy = { .kind = "scan", .is_forced = is_forced };
  g_autofree gchar *path = g_build_filename (folder, name, NULL);

  return output_open (path, inputs, &policy);
}

static CommandStatus
index_write_totals (const Index *index, gboolean is_forced)
{
  Output *output = index_open (index->folder, "summary.jsonl", is_forced);

  for (guint i = 0; output != NULL && i < index->totals->len; i++) {
    g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);
    g_autofree gchar *line = total_to_line (index->totals->pdata[i], missing);

    output_write (output, line, strlen (line));
  }
  return output != NULL ? output_close (output, COMMAND_OK) : COMMAND_ERROR;
}

static void
index_free_total (gpointer total)
{
  total_free (total);
}

CommandStatus
scan_write_index (const gchar *folder, GPtrArray *films, gboolean is_forced)
{
  Index index = {
    .folder = folder,
    .totals = g_ptr_array_new_with_free_func (index_free_total),
    .table = index_open (folder, "index.csv", is_forced),
  };
  CommandStatus status = COMMAND_ERROR;

  index.page = index.table != NULL ? index_open (folder, "index.html", is_forced) : NULL;
  if (index.page != NULL) {
    index_write_row (index.table, column_names);
    page_write_head (index.page, films->len);
    for (guint i = 0; i < films->len; i++) {
      Row row = { .cells = { NULL } };

      index_fill_row (&index, films->pdata[i], &row);
      index_write_row (index.table, (const gchar *const *)row.cells);
      page_write_row (index.page, &row);
      row_clear (&row);
    }
    output_print (index.page, "</table>\n</html>\n");
    status = output_close (index.table, COMMAND_OK);
    status = output_close (index.page, status);
    if (status == COMMAND_OK)
      status = index_write_totals (&index, is_forced);
  } else {
    output_abandon (index.table);
  }
  g_ptr_array_unref (index.totals);
  return status;
}
