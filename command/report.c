/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto report`: shows sidecars as an HTML page. */

#include <gst/gst.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "common/progress.h"
#include "common/terminal.h"
#include "lines/reader.h"
#include "output/output.h"
#include "policy/judge.h"
#include "policy/verdictjson.h"
#include "report/page.h"

#define PROGRESS_US (100 * 1000)

typedef struct {
  gchar *policy, *events, *out_path;
  Detected detected; /* of `events` */
  gint run;
  OutputPolicy output_policy;
} ReportOptions;

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
  Judge *judge; /* NULL: there is no policy */
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

static void
report_judge_line (Judge *judge, LinesKind kind, const GstStructure *line, const gchar *const *components)
{
  if (kind == LINES_EVENT)
    judge_take_event (judge, line);
  else
    judge_take_result (judge, line, components);
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
    if (reading->judge != NULL)
      report_judge_line (reading->judge, kind, structure, lines_get_components (lines));
    gst_structure_free (structure);
    report_draw_progress (reading, film_count_results (film));
  }
  terminal_clear_line (STDERR_FILENO);
  status = reader_finish (reading->reader);
  if (status != COMMAND_OK)
    film_add_warning (film, "Some lines of the file are invalid and not shown here; `cudahisto show` lists them.");
  if (reader_warn_of_end (reading->reader)) {
    film_warn_of_end (film);
    if (reading->judge != NULL)
      judge_set_cut (reading->judge);
  }
  return status;
}

/* Sets *verdict to the verdict in JSON, if all lines are valid. */
static CommandStatus
report_finish_judge (Film *film, Judge *judge, const gchar *name, CommandStatus status, gchar **verdict)
{
  g_autoptr (GError) error = NULL;
  Verdict *found;

  if (status != COMMAND_OK) {
    film_add_warning (film, "There is no verdict, since lines are invalid.");
    return status;
  }
  found = judge_finish (judge, name, NULL, &error);
  if (found == NULL) {
    film_add_warning (film, "There is no verdict: %s.", error->message);
    return command_fail ("%s", error->message);
  }
  *verdict = verdict_json_make_for_page (found);
  verdict_free (found);
  return COMMAND_OK;
}

/* Adds a file to the page. `policy`: NULL: none. */
static CommandStatus
report_add_file (Page *page, const ReportOptions *options, const Policy *policy, const gchar *path, guint index, guint count)
{
  g_autofree gchar *name = strcmp (path, "-") == 0 ? g_strdup ("standard input") : g_filename_display_basename (path);
  g_autofree gchar *shown = terminal_clean (name), *verdict = NULL;
  Reading reading = { .name = shown, .index = index, .count = count, .began_us = g_get_monotonic_time () };
  CommandStatus status;
  Film *film;

  reading.reader = reader_open (path);
  if (reading.reader == NULL)
    return COMMAND_ERROR;
  film = film_new (name);
  if (policy != NULL)
    reading.judge = judge_new (policy, (guint)options->run);
  if (policy != NULL && options->events != NULL)
    judge_set_detected (reading.judge, &options->detected);
  status = report_read_lines (film, &reading);
  if (film_count_results (film) == 0 && film_count_events (film) == 0) {
    if (status == COMMAND_OK)
      status = command_fail ("%s has no results: the stream was empty, or nothing has been measured yet", name);
  } else {
    if (policy != NULL)
      status = report_finish_judge (film, reading.judge, name, status, &verdict);
    page_add_film (page, film, count - index, verdict);
  }
  judge_free (reading.judge);
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
report_make (const ReportOptions *options, const Policy *policy, const gchar *output, char **inputs)
{
  const guint count = g_strv_length (inputs);
  CommandStatus status = COMMAND_OK;
  Output *file = output_open (output, (const gchar *const *)inputs, &options->output_policy);
  Page *page;

  if (file == NULL)
    return COMMAND_ERROR;
  page = page_new ();
  for (guint i = 0; i < count; i++)
    if (report_add_file (page, options, policy, inputs[i], i, count) != COMMAND_OK)
      status = COMMAND_ERROR;
  if (page_count_films (page) > 0) {
    g_autoptr (GString) html = page_make (page);

    output_write (file, html->str, html->len);
    if (output_close (g_steal_pointer (&file), COMMAND_OK) != COMMAND_OK)
      status = COMMAND_ERROR;
    else if (!output_is_standard (output))
      report_print_summary (output, page_count_films (page), html->len);
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
                                   "  cudahisto report film.jsonl --policy=r103         begins with the verdict\n"
                                   "  zcat film.jsonl.gz | cudahisto report - -o film.html";

static CommandStatus
report_inputs (ReportOptions *options, char **inputs)
{
  g_autofree gchar *output = options->out_path != NULL ? g_strdup (options->out_path) : report_name_output (inputs[0]);
  g_autoptr (GError) error = NULL;
  CommandStatus status;
  Policy *policy = NULL;

  if (options->run < 0)
    return command_fail ("report: --run=%d: must be 1 or more", options->run);
  if (options->events != NULL && !detected_parse (&options->detected, options->events, &error))
    return command_fail ("report: --events: %s", error->message);
  if (options->policy != NULL) {
    policy = policy_load (options->policy, &error);
    if (policy == NULL)
      return command_fail ("%s", error->message);
  }
  command_init_structures ();
  status = report_make (options, policy, output, inputs);
  policy_free (policy);
  return status;
}

static CommandStatus
report_run (int argc, char **argv)
{
  ReportOptions options = { .output_policy = { .kind = "report" } };
  const GOptionEntry entries[] = {
    { "policy", 'p', 0, G_OPTION_ARG_FILENAME, &options.policy, "Begin with the verdict, as in check", "NAME|FILE" },
    { "events", 'e', 0, G_OPTION_ARG_STRING, &options.events, "As in check", "LIST" },
    { "run", 0, 0, G_OPTION_ARG_INT, &options.run, "As in check", "NUMBER" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.out_path, "Output file; -: stdout", "FILE.html" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options.output_policy.is_forced, "Overwrite any file, except an input", NULL },
    G_OPTION_ENTRY_NULL,
  };
  CommandStatus status;

  if (!command_parse (&command_report, entries, description, &argc, &argv, &status))
    return status;
  if (argc < 2)
    status = command_fail ("report: name the files to report, such as film.jsonl, or - for standard input. "
                           "`cudahisto report --help` has examples.");
  else if (options.out_path == NULL && strcmp (argv[1], "-") == 0)
    status = command_fail ("report: name the file for the page with -o, since the input is standard input");
  else
    status = report_inputs (&options, argv + 1);
  g_free (options.policy);
  g_free (options.events);
  g_free (options.out_path);
  return status;
}

const Command command_report = {
  .name = "report",
  .usage = "FILE|-...",
  .summary = "Draw charts of results on a page for a browser",
  .run = report_run,
};
