/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/indexpage.h"

#include <string.h>

#include "common/location.h"
#include "common/terminal.h"

static const gchar page_begin[]
    = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>cudahisto: films</title>\n<style>\n"
      ":root { color-scheme: dark light; --page: #0f1011; --panel: #17181a; --line: #2b2d31; --text: #dcdee1;\n"
      "  --faint: #969aa0; --link: #56b4e9; --good: #2cb48c; --note: #e69f00; --bad: #f2794a }\n"
      "@media (prefers-color-scheme: light) { :root { --page: #f3f3f3; --panel: #fff; --line: #d6d7d8; --text: #26282b;\n"
      "  --faint: #5d6167; --link: #0072b2; --good: #00654a; --note: #b34f00; --bad: #a83200 } }\n"
      "body { margin: 1.5rem; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif }\n"
      "h1 { margin: 0 0 .25rem; font-size: 1.3rem }\n"
      "p { margin: .25rem 0; max-width: 60rem } .faint { color: var(--faint) } a { color: var(--link) }\n"
      ".good { color: var(--good) } .note { color: var(--note) } .bad { color: var(--bad) }\n"
      ".table { margin-top: 1rem; overflow-x: auto }\n"
      "table { border-collapse: collapse; background: var(--panel); font-variant-numeric: tabular-nums }\n"
      "th, td { padding: .35rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }\n"
      "th { color: var(--faint); font-weight: 600; white-space: nowrap }\n"
      "td { white-space: nowrap } td.film, td.message { white-space: normal; overflow-wrap: anywhere }\n"
      "td.film { min-width: 14rem } tr.noted td { border-bottom: 0; padding-bottom: 0 }\n"
      "td.number, th.number { text-align: right } td.zero { color: var(--faint) }\n"
      "tbody tr:hover { background: var(--page) }\n"
      "td.message { color: var(--faint); font-size: .9em; padding-top: 0 }\n";

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

static gchar *
page_escape (const gchar *text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text != NULL ? text : "", -1), *clean = terminal_clean (valid);

  return g_markup_escape_text (clean, -1);
}

static void
page_append_cell (GString *rows, const gchar *class, const gchar *text)
{
  g_autofree gchar *shown = page_escape (text);

  g_string_append_printf (rows, "<td class=\"%s\">%s</td>", class, shown);
}

/* Appends the name of the film, as a link to its page. */
static void
page_append_name (GString *rows, const Row *row, const gchar *name)
{
  g_autofree gchar *shown = page_escape (name), *location = page_escape (row->cells[COLUMN_FILM]);
  const gchar *page = row->cells[COLUMN_PAGE];

  g_string_append_printf (rows, "<td class=\"film\" title=\"%s\">", location);
  if (page != NULL) {
    g_autofree gchar *target = g_uri_escape_bytes ((const guint8 *)page, strlen (page), "/");

    g_string_append_printf (rows, "<a href=\"./%s\">%s</a>", target, shown);
  } else {
    g_string_append (rows, shown);
  }
  g_string_append (rows, "</td>");
}

static gboolean
page_has_message (const Row *row)
{
  return row->cells[COLUMN_MESSAGE] != NULL && *row->cells[COLUMN_MESSAGE] != '\0';
}

/* Appends a row with the messages about the film, without its name at their beginning. */
static void
page_append_messages (GString *rows, const Row *row)
{
  g_autofree gchar *name = location_name (row->cells[COLUMN_FILM]), *begin = g_strdup_printf ("\"%s\"", name);
  g_auto (GStrv) lines = g_strsplit (row->cells[COLUMN_MESSAGE], "\n", -1);

  g_string_append_printf (rows, "<tr><td class=\"message\" colspan=\"%d\">", COLUMNS);
  for (guint i = 0; lines[i] != NULL; i++) {
    const gchar *line = g_str_has_prefix (lines[i], begin) ? lines[i] + strlen (begin) : lines[i];
    g_autofree gchar *text = page_escape (line + strspn (line, ": "));

    g_string_append_printf (rows, "<div>%s</div>", text);
  }
  g_string_append (rows, "</td></tr>\n");
}

/* Returns the colour of a status or a verdict. */
static const gchar *
page_get_class (const gchar *word)
{
  static const gchar *const good[] = { "complete", "pass", NULL }, *const bad[] = { "failed", "missing", "fail", NULL },
                            *const note[] = { "damaged", "not-measured", NULL };

  if (g_strv_contains (good, word))
    return "good";
  if (g_strv_contains (bad, word))
    return "bad";
  return g_strv_contains (note, word) ? "note" : "faint";
}

static void
page_append_format (GString *rows, const Row *row)
{
  gchar *const *cells = row->cells;
  g_autofree gchar *format = cells[COLUMN_WIDTH] != NULL
                                 ? g_strdup_printf ("%s %s×%s", cells[COLUMN_FORMAT], cells[COLUMN_WIDTH], cells[COLUMN_HEIGHT])
                                 : NULL;

  page_append_cell (rows, "", format);
}

/* Returns "25" for "25/1", and "29.97" for "30000/1001". NULL: there is no frame rate. */
static gchar *
page_format_rate (const gchar *framerate)
{
  guint64 numerator, denominator;
  gchar text[G_ASCII_DTOSTR_BUF_SIZE], *end = NULL;

  if (framerate == NULL)
    return NULL;
  numerator = g_ascii_strtoull (framerate, &end, 10);
  denominator = *end == '/' ? g_ascii_strtoull (end + 1, NULL, 10) : 1;
  if (denominator == 0)
    return NULL;
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.5g", (gdouble)numerator / (gdouble)denominator));
}

static void
page_append_event (GString *rows, guint kind, const gchar *count)
{
  g_autofree gchar *class = g_strdup_printf ("number e%u%s", kind, g_strcmp0 (count, "0") == 0 ? " zero" : "");

  page_append_cell (rows, class, count);
}

static void
page_append_number (GString *rows, const gchar *number)
{
  page_append_cell (rows, "number", number);
}

void
index_page_append_row (GString *rows, const Row *row, const gchar *name, gboolean has_policy)
{
  gchar *const *cells = row->cells;
  g_autofree gchar *mean
      = cells[COLUMN_MEAN] != NULL ? g_strdup_printf ("%.1f", g_ascii_strtod (cells[COLUMN_MEAN], NULL)) : NULL;
  g_autofree gchar *rate = page_format_rate (cells[COLUMN_FRAMERATE]);

  g_string_append (rows, page_has_message (row) ? "<tr class=\"noted\">" : "<tr>");
  page_append_name (rows, row, name);
  page_append_cell (rows, page_get_class (cells[COLUMN_STATUS]), cells[COLUMN_STATUS]);
  if (has_policy)
    page_append_cell (rows, page_get_class (cells[COLUMN_VERDICT] != NULL ? cells[COLUMN_VERDICT] : ""), cells[COLUMN_VERDICT]);
  page_append_format (rows, row);
  page_append_number (rows, rate);
  page_append_number (rows, cells[COLUMN_FRAMES]);
  page_append_number (rows, cells[COLUMN_MIN]);
  page_append_number (rows, mean);
  page_append_number (rows, cells[COLUMN_MAX]);
  for (guint i = 0; i < ROW_EVENT_KINDS; i++)
    page_append_event (rows, i, cells[COLUMN_EVENTS + i]);
  g_string_append (rows, "</tr>\n");
  if (page_has_message (row))
    page_append_messages (rows, row);
}

/* ---- the page --------------------------------------------------------------------------------------------------------- */

static void
page_write_count (Output *page, guint count, const gchar *class, const gchar *words)
{
  if (count > 0)
    output_print (page, ", <span class=\"%s\">%u %s</span>", class, count, words);
}

static void
page_write_counts (Output *page, const ScanCounts *counts)
{
  const guint n_films = counts->n_complete + counts->n_damaged + counts->n_failed + counts->n_missing;

  output_print (page, "<p>%u %s", n_films, n_films == 1 ? "film" : "films");
  page_write_count (page, counts->n_complete, "good", "complete");
  page_write_count (page, counts->n_damaged, "note", "damaged");
  page_write_count (page, counts->n_failed, "bad", "failed");
  page_write_count (page, counts->n_missing, "bad", "missing");
  page_write_count (page, counts->n_rejected, "bad", "rejected by the policy");
  page_write_count (page, counts->n_unjudged, "note", "not judged");
  output_print (page, ".</p>\n");
}

static void
page_write_names (Output *page, gboolean has_policy)
{
  static const Column numbers[] = { COLUMN_FRAMES, COLUMN_MIN, COLUMN_MEAN, COLUMN_MAX };

  output_print (page, "<div class=\"table\"><table>\n<thead><tr><th>film</th><th>status</th>%s<th>format</th>",
                has_policy ? "<th>verdict</th>" : "");
  output_print (page, "<th class=\"number\">frames/s</th>");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    output_print (page, "<th class=\"number\">%s</th>", row_names[numbers[i]]);
  for (guint i = 0; i < ROW_EVENT_KINDS; i++)
    output_print (page, "<th class=\"number e%u\">%s</th>", i, row_names[COLUMN_EVENTS + i]);
  output_print (page, "</tr></thead>\n<tbody>\n");
}

void
index_page_write (Output *page, const GString *rows, const ScanCounts *counts, gboolean has_policy)
{
  output_write (page, page_begin, strlen (page_begin));
  for (guint i = 0; i < ROW_EVENT_KINDS; i++)
    if (counts->n_events[i] == 0)
      output_print (page, ".e%u { display: none }\n", i);
  output_print (page, "</style>\n<h1>Films</h1>\n");
  page_write_counts (page, counts);
  output_print (page, "<p class=\"faint\">min, mean and max are those of luma, or of the first component. Kinds of events have "
                      "a column if they occur. All numbers: <a href=\"index.csv\">index.csv</a>. Sums of each format: "
                      "<a href=\"summary.jsonl\">summary.jsonl</a>.</p>\n");
  page_write_names (page, has_policy);
  output_write (page, rows->str, rows->len);
  output_print (page, "</tbody>\n</table></div>\n</html>\n");
}
