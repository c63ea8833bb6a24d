/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto report`: shows sidecars as an HTML page. */

#include <gst/gst.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "report/film.h"
#include "output/output.h"
#include "report/page.h"
#include "common/progress.h"
#include "lines/reader.h"
#include "common/terminal.h"

/* 30 MB with the page's own text. */
#define MAX_DATA_BYTES (29 * 1000 * 1000)
#define PROGRESS_US (100 * 1000)

/* ---- output -------------------------------------------------------------------------------------------------------------- */

/* "film.html" of "film.jsonl". */
static gchar *
report_name_output (const gchar *input)
{
  const gsize length = strlen (input);
  const gsize stem = g_str_has_suffix (input, ".jsonl") ? length - strlen (".jsonl") : length;

  return g_strdup_printf ("%.*s.html", (int)stem, input);
}

/* ---- input --------------------------------------------------------------------------------------------------------------- */

typedef struct {
  Reader *reader;
  const gchar *name;
  guint index, count; /* of this file, and the number of files */
  gint64 began_us, drawn_us;
} Reading;

static void
report_draw_progress (Reading *reading, guint64 results)
{
  const gint64 now_us = g_get_monotonic_time ();
  const gint64 size = lines_get_size (reader_get_lines (reading->reader));
  const Progress progress = {
    .name = reading->name,
    .index = reading->index,
    .count = reading->count,
    .unit = "results",
    .done = (gdouble)results,
    .position = (gdouble)lines_get_position (reader_get_lines (reading->reader)),
    .length = size > 0 ? (gdouble)size : 0,
    .elapsed = (gdouble)(now_us - reading->began_us) / 1e6,
  };
  g_autofree gchar *line = NULL;

  if (!terminal_can_redraw (STDERR_FILENO) || now_us - reading->drawn_us < PROGRESS_US)
    return;
  reading->drawn_us = now_us;
  line = progress_describe (&progress, terminal_get_width (STDERR_FILENO) - 1);
  terminal_draw_line (STDERR_FILENO, line);
}

static CommandStatus
report_read_lines (Film *film, Reading *reading)
{
  Lines *lines = reader_get_lines (reading->reader);
  GstStructure *structure;
  CommandStatus status;
  LinesKind kind;

  while ((kind = reader_next (reading->reader, &structure)) != LINES_END) {
    if (kind == LINES_EVENT)
      film_add_event (film, structure);
    else
      film_add_result (film, structure, lines_get_components (lines));
    gst_structure_free (structure);
    report_draw_progress (reading, film_count_results (film));
  }
  terminal_clear_line (STDERR_FILENO);
  status = reader_finish (reading->reader);
  if (status != COMMAND_OK)
    film_add_warning (film, "Some lines of the file are invalid and not shown here; `cudahisto show` lists them.");
  if (reader_warn_of_end (reading->reader))
    film_add_warning (film, "The file ends within a line, which is skipped: it was being written, or its writer was stopped.");
  return status;
}

/* Adds a file to the page, in about `most` bytes or less. Sets *used to the number. */
static CommandStatus
report_add_file (Page *page, const gchar *path, guint index, guint count, gsize most, gsize *used)
{
  g_autofree gchar *name = strcmp (path, "-") == 0 ? g_strdup ("standard input") : g_filename_display_basename (path);
  g_autofree gchar *shown = terminal_clean (name);
  Reading reading = { .name = shown, .index = index, .count = count, .began_us = g_get_monotonic_time () };
  CommandStatus status;
  Film *film;

  *used = 0;
  reading.reader = reader_open (path);
  if (reading.reader == NULL)
    return COMMAND_ERROR;
  film = film_new (name);
  status = report_read_lines (film, &reading);
  if (film_count_results (film) == 0 && film_count_events (film) == 0) {
    if (status == COMMAND_OK)
      status = command_fail ("%s has no results: the stream was empty, or nothing has been measured yet", name);
  } else {
    g_autoptr (GString) facts = g_string_new (NULL);
    gchar *curves, *heat;

    film_finish (film, most, facts, &curves, &heat);
    *used = strlen (curves) + strlen (heat) + facts->len;
    page_add_film (page, film_get_name (film), facts->str, curves, heat);
  }
  film_free (film);
  reader_close (reading.reader);
  return status;
}

static void
report_print_summary (const gchar *output, guint n_films, gsize length)
{
  g_autofree gchar *name = g_filename_display_name (output), *shown = terminal_clean (name);

  g_print ("%s: %u %s, %.1f MB\n", shown, n_films, n_films == 1 ? "file" : "files", (gdouble)length / 1e6);
}

static CommandStatus
report_make (const gchar *output, char **inputs, const OutputPolicy *policy)
{
  const guint count = g_strv_length (inputs);
  gsize budget = MAX_DATA_BYTES;
  CommandStatus status = COMMAND_OK;
  Output *file = output_open (output, (const gchar *const *)inputs, policy);
  guint n_films = 0;
  Page *page;

  if (file == NULL)
    return COMMAND_ERROR;
  page = page_new ();
  for (guint i = 0; i < count; i++) {
    gsize used;

    /* The unused part of a file's share goes to the next ones. */
    if (report_add_file (page, inputs[i], i, count, budget / (count - i), &used) != COMMAND_OK)
      status = COMMAND_ERROR;
    budget -= MIN (budget, used);
    n_films += used > 0;
  }
  if (n_films > 0) {
    g_autoptr (GString) html = page_make (page);

    output_write (file, html->str, html->len);
    if (output_close (g_steal_pointer (&file), COMMAND_OK) != COMMAND_OK)
      status = COMMAND_ERROR;
    else if (!output_is_standard (output))
      report_print_summary (output, n_films, html->len);
  }
  output_abandon (file);
  page_free (page);
  return status;
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

static const gchar description[] = "Makes a self-contained HTML page: levels and histogram over time, events,\n"
                                   "extremes. Several files appear below each other or side by side. Without -o, the\n"
                                   "page of film.jsonl is film.html in the same folder.\n"
                                   "\n"
                                   "A non-empty file is overwritten only if `cudahisto report` wrote it and it is\n"
                                   "unchanged, or with --force.\n"
                                   "\n"
                                   "  cudahisto measure film.mp4 -o film.jsonl && cudahisto report film.jsonl\n"
                                   "  cudahisto report source.jsonl encode.jsonl -o compare.html\n"
                                   "  zcat film.jsonl.gz | cudahisto report - -o film.html";

static CommandStatus
report_run (int argc, char **argv)
{
  OutputPolicy policy = { .kind = "report" };
  gchar *output = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Output file; -: stdout", "FILE.html" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &policy.is_forced, "Overwrite any file, except an input", NULL },
    G_OPTION_ENTRY_NULL,
  };
  CommandStatus status;

  if (!command_parse (&command_report, entries, description, &argc, &argv, &status))
    return status;
  if (argc < 2)
    status = command_fail ("report: name the files to report, such as film.jsonl, or - for standard input. "
                           "`cudahisto report --help` has examples.");
  else if (output == NULL && strcmp (argv[1], "-") == 0)
    status = command_fail ("report: name the file for the page with -o, since the input is standard input");
  else {
    if (output == NULL)
      output = report_name_output (argv[1]);
    command_init_structures ();
    status = report_make (output, argv + 1, &policy);
  }
  g_free (output);
  return status;
}

const Command command_report = {
  .name = "report",
  .usage = "FILE|-...",
  .summary = "Draw charts of results on a page for a browser",
  .run = report_run,
};
