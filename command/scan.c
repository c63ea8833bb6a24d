/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto scan`: measures many films, several at once. */

#include <errno.h>
#include <gst/gst.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "common/interrupt.h"
#include "common/location.h"
#include "common/progress.h"
#include "common/terminal.h"
#include "scan/arguments.h"
#include "scan/films.h"
#include "scan/folder.h"
#include "scan/index.h"
#include "scan/job.h"
#include "scan/record.h"

#define MAX_JOBS 1024
#define DEFAULT_JOBS G_MININT
#define JOB_MB 512       /* of memory: a decoder of 4K films, and the frames in flight */
#define LOCK_WAIT_MS 500 /* between two attempts to lock a film that another scan measures */

typedef struct {
  gchar *output;
  ScanSettings settings;
  gint n_jobs; /* DEFAULT_JOBS: by cores and memory */
  gboolean is_forced, is_quiet;
} ScanOptions;

typedef struct {
  const ScanOptions *options;
  GPtrArray *films;
  ScanArguments *arguments;
  guint n_jobs;
  GPtrArray *waiting; /* ScanFilm, still to be measured; the next one is the last, so that removing it is fast */
  GPtrArray *running; /* ScanJob */
  GMainLoop *loop;
  guint n_done, n_measured;      /* of those that were waiting; done: also by another scan, or not at all */
  guint64 bytes_done, bytes_all; /* of the films to be measured */
  gint64 began_us;
  guint retry;        /* source that tries locked films again; 0: none */
  gboolean has_error; /* a folder cannot be read, or a job ended without a record */
} Scan;

static const gchar description[] = "Examples:\n"
                                   "  cudahisto scan tapes/ -o results/            all films in a folder\n"
                                   "  cudahisto scan tapes/ -o results/ --jobs=4   four at once\n"
                                   "  cudahisto scan list.txt -o results/          the films that a list names\n"
                                   "  find . -name '*.mov' -print0 | cudahisto scan - -o results/\n"
                                   "  cudahisto scan tapes/ -o results/ -e black+freeze -s signalstats\n"
                                   "  cudahisto scan tapes/ -o results/ --policy=r103+black\n"
                                   "\n"
                                   "Measures many films, several at once, each into its own file. Finds films by\n"
                                   "content, not by name. A second scan into the same folder measures only films\n"
                                   "that are new, have changed, or have failed.\n"
                                   "\n"
                                   "The folder gets index.html (a table with a link to each film's report),\n"
                                   "index.csv (the same for programs) and summary.jsonl (the sum of all results of\n"
                                   "each format).\n"
                                   "\n"
                                   "Exit status: 0: all films are complete, and pass; 1: a film is damaged, or fails\n"
                                   "the policy; 2: a film was not measured or not judged, or error.";

/* ---- progress --------------------------------------------------------------------------------------------------------- */

static void
scan_draw_progress (const Scan *scan)
{
  const guint n_all = scan->n_done + scan->running->len + scan->waiting->len;
  g_autofree gchar *name = NULL, *line = NULL;
  Progress progress;

  if (n_all == 0 || scan->options->is_quiet || !terminal_can_redraw (STDERR_FILENO))
    return;
  name = g_strdup_printf ("%u of %u", scan->n_done, n_all);
  progress = (Progress){
    .name = name,
    .count = 1,
    .unit = "films",
    .done = scan->n_done,
    .position = (gdouble)scan->bytes_done,
    .length = (gdouble)scan->bytes_all,
    .elapsed = (gdouble)(g_get_monotonic_time () - scan->began_us) / 1e6,
  };
  line = progress_describe (&progress, terminal_get_line_width (STDERR_FILENO));
  terminal_draw_line (STDERR_FILENO, line);
}

static void
scan_report_film (const ScanFilm *film, const ScanRecord *record)
{
  g_autofree gchar *name = location_name (film->location);
  g_auto (GStrv) lines = g_strsplit (record->message, "\n", 2);

  if (record->status == COMMAND_ERROR)
    command_fail ("%s", lines[0] != NULL && *lines[0] != '\0' ? lines[0] : name);
  else if (record->status == COMMAND_FINDING)
    command_warn ("%s", lines[0] != NULL && *lines[0] != '\0' ? lines[0] : name);
}

/* ---- jobs ------------------------------------------------------------------------------------------------------------- */

static void scan_start_jobs (Scan *scan);

static void
scan_job_done (ScanJob *job, const ScanFilm *film, const ScanRecord *record, gpointer data)
{
  Scan *scan = data;

  g_ptr_array_remove (scan->running, job);
  scan->n_done++;
  scan->bytes_done += film->size;
  if (record == NULL)
    scan->has_error |= interrupt_get () == 0;
  else
    scan_report_film (film, record);
  scan->n_measured += record != NULL;
  scan_draw_progress (scan);
  scan_start_jobs (scan);
}

static gboolean
scan_is_up_to_date (const Scan *scan, const ScanFilm *film, const ScanPaths *paths)
{
  ScanRecord *record = scan_record_read (paths->record);
  const gboolean is_done = record != NULL && record->status != COMMAND_ERROR
                           && scan_record_is_of (record, film, scan->arguments->text, paths->results);

  scan_record_free (record);
  return is_done;
}

/* Starts a film, or counts it if another scan has measured it meanwhile. FALSE: another scan is measuring it. */
static gboolean
scan_start_film (Scan *scan, const ScanFilm *film)
{
  g_autoptr (ScanPaths) paths = scan_paths_new (scan->options->output, film->name);
  g_autoptr (GError) error = NULL;
  const gboolean is_ready = scan_paths_prepare (paths, scan->options->is_forced, &error);
  const int lock = is_ready ? scan_paths_lock (paths, &error) : -1;

  if (lock < 0 && error == NULL)
    return FALSE;
  if (lock >= 0 && !scan_is_up_to_date (scan, film, paths)) {
    g_ptr_array_add (scan->running, scan_job_start (film, scan->options->output, scan->arguments, lock, scan_job_done, scan));
    return TRUE;
  }
  if (lock >= 0) {
    scan_paths_unlock (lock);
  } else {
    command_fail ("%s", error->message);
    scan->has_error = TRUE;
  }
  scan->n_done++;
  scan->bytes_done += film->size;
  return TRUE;
}

static gboolean
scan_retry (gpointer data)
{
  Scan *scan = data;

  scan->retry = 0;
  scan_start_jobs (scan);
  return G_SOURCE_REMOVE;
}

/* Starts films until n_jobs are running. Ends the loop when all are done. */
static void
scan_start_jobs (Scan *scan)
{
  guint i = scan->waiting->len;

  while (i > 0 && scan->running->len < scan->n_jobs && interrupt_get () == 0)
    if (scan_start_film (scan, scan->waiting->pdata[--i]))
      g_ptr_array_remove_index (scan->waiting, i);
  if (scan->running->len == 0 && (scan->waiting->len == 0 || interrupt_get () != 0))
    g_main_loop_quit (scan->loop);
  else if (scan->running->len < scan->n_jobs && scan->waiting->len > 0 && scan->retry == 0)
    scan->retry = g_timeout_add (LOCK_WAIT_MS, scan_retry, scan);
}

static void
scan_interrupt (gpointer data)
{
  Scan *scan = data;

  for (guint i = 0; i < scan->running->len; i++)
    scan_job_interrupt (scan->running->pdata[i]);
  scan_start_jobs (scan);
}

static gboolean
scan_begin (gpointer data)
{
  scan_start_jobs (data);
  return G_SOURCE_REMOVE;
}

/* ---- the scan --------------------------------------------------------------------------------------------------------- */

/* Returns the megabytes of memory that are available; 0: unknown. */
static guint64
scan_find_memory (void)
{
  g_autofree gchar *text = NULL;
  const gchar *line = g_file_get_contents ("/proc/meminfo", &text, NULL, NULL) ? strstr (text, "\nMemAvailable:") : NULL;

  return line != NULL ? g_ascii_strtoull (line + strlen ("\nMemAvailable:"), NULL, 10) / 1024 : 0;
}

static guint
scan_choose_jobs (const ScanOptions *options)
{
  const guint64 memory = scan_find_memory ();

  if (options->n_jobs != DEFAULT_JOBS)
    return (guint)options->n_jobs;
  return (guint)CLAMP (memory > 0 ? memory / JOB_MB : 1, 1, g_get_num_processors ());
}

static void
scan_report_missing (const ScanFilm *film)
{
  g_autofree gchar *name = location_name (film->location);

  command_fail ("\"%s\" cannot be read: %s", name, g_strerror (film->error));
}

/* Puts the films that must be measured into `waiting`, so that the first is taken first. */
static void
scan_plan (Scan *scan)
{
  GPtrArray *waiting = scan->waiting;

  for (guint i = 0; i < scan->films->len; i++) {
    ScanFilm *film = scan->films->pdata[i];
    g_autoptr (ScanPaths) paths = scan_paths_new (scan->options->output, film->name);

    if (scan_is_up_to_date (scan, film, paths))
      continue;
    if (film->error != 0) {
      scan_report_missing (film);
    } else {
      g_ptr_array_add (waiting, film);
      scan->bytes_all += film->size;
    }
  }
  for (guint i = 0; i < waiting->len / 2; i++) {
    const gpointer first = waiting->pdata[i];

    waiting->pdata[i] = waiting->pdata[waiting->len - 1 - i];
    waiting->pdata[waiting->len - 1 - i] = first;
  }
}

static void
scan_print_count (guint count, const gchar *words)
{
  if (count > 0)
    g_printerr (", %u %s", count, words);
}

static void
scan_print_summary (const Scan *scan, const ScanCounts *counts)
{
  g_autofree gchar *took = progress_format_seconds ((gdouble)(g_get_monotonic_time () - scan->began_us) / 1e6);
  g_autofree gchar *folder = location_name (scan->options->output);

  if (scan->options->is_quiet)
    return;
  g_printerr ("%u %s", scan->films->len, scan->films->len == 1 ? "film" : "films");
  scan_print_count (counts->n_complete, "complete");
  scan_print_count (counts->n_damaged, "damaged");
  scan_print_count (counts->n_failed, "failed");
  scan_print_count (counts->n_missing, "missing");
  scan_print_count (counts->n_rejected, "rejected by the policy");
  scan_print_count (counts->n_unjudged, "not judged");
  g_printerr ("; %u measured in %s, at most %u at once\nsee %s/index.html\n", scan->n_measured, took, scan->n_jobs, folder);
}

static CommandStatus
scan_get_status (const Scan *scan, const ScanCounts *counts)
{
  if (scan->has_error || counts->n_failed > 0 || counts->n_missing > 0 || counts->n_unjudged > 0)
    return COMMAND_ERROR;
  return counts->n_damaged > 0 || counts->n_rejected > 0 ? COMMAND_FINDING : COMMAND_OK;
}

/* Measures the films, then writes the index, also after a signal. */
static CommandStatus
scan_films (Scan *scan)
{
  const ScanOptions *options = scan->options;
  ScanCounts counts = { 0 };

  scan->began_us = g_get_monotonic_time ();
  interrupt_catch (scan_interrupt, scan);
  scan_plan (scan);
  g_idle_add (scan_begin, scan);
  scan_draw_progress (scan);
  g_main_loop_run (scan->loop);
  interrupt_catch (NULL, NULL);
  if (scan->retry != 0)
    g_source_remove (scan->retry);
  terminal_clear_line (STDERR_FILENO);
  if (scan_write_index (options->output, scan->films, scan->arguments, options->is_forced, &counts) != COMMAND_OK)
    return COMMAND_ERROR;
  if (interrupt_get () != 0)
    return COMMAND_ERROR;
  scan_print_summary (scan, &counts);
  return scan_get_status (scan, &counts);
}

/* Returns the films; NULL: an error was reported. */
static GPtrArray *
scan_search (Scan *scan, gchar *const *inputs)
{
  const gchar *output = scan->options->output;
  g_autoptr (GError) error = NULL;
  guint n_unread = 0;
  GPtrArray *films = scan_find_films (inputs, output, &n_unread, &error);

  scan->has_error |= n_unread > 0;
  if (films == NULL) {
    command_fail ("%s", error->message);
    return NULL;
  }
  if (films->len > 0 && g_mkdir_with_parents (output, 0777) == 0 && scan_check_index (output, scan->options->is_forced))
    return films;
  if (films->len == 0)
    command_fail ("there are no films: scan measures files whose content is video");
  else if (!g_file_test (output, G_FILE_TEST_IS_DIR))
    command_fail ("--output: cannot create the folder \"%s\": %s", output, g_strerror (errno));
  g_ptr_array_unref (films);
  return NULL;
}

static CommandStatus
scan_all (const ScanOptions *options, gchar *const *inputs)
{
  g_autoptr (GError) error = NULL;
  Scan scan = { .options = options, .n_jobs = scan_choose_jobs (options) };
  CommandStatus status = COMMAND_ERROR;

  if (!command_init_plugins ())
    return COMMAND_ERROR;
  scan.arguments = scan_arguments_new (&options->settings, &error);
  if (scan.arguments == NULL)
    return command_fail ("%s", error->message);
  scan.films = scan_search (&scan, inputs);
  if (scan.films != NULL) {
    scan.waiting = g_ptr_array_new ();
    scan.running = g_ptr_array_new ();
    scan.loop = g_main_loop_new (NULL, FALSE);
    status = scan_films (&scan);
    g_main_loop_unref (scan.loop);
    g_ptr_array_unref (scan.running);
    g_ptr_array_unref (scan.waiting);
    g_ptr_array_unref (scan.films);
  }
  scan_arguments_free (scan.arguments);
  return status;
}

static void
scan_clear_options (ScanOptions *options)
{
  ScanSettings *settings = &options->settings;

  g_free (options->output);
  g_free (settings->statistics);
  g_free (settings->events);
  g_free (settings->interval);
  g_free (settings->backend);
  g_free (settings->bins);
  g_free (settings->fields);
  g_free (settings->timeout);
  g_free (settings->policy);
  g_strfreev (settings->assignments);
}

static CommandStatus
scan_run (int argc, char **argv)
{
  ScanOptions options = { .n_jobs = DEFAULT_JOBS };
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "Folder of the results; it is created", "FOLDER" },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &options.n_jobs, "Films at once (default: by cores and memory)", "NUMBER" },
    { "interval", 'i', 0, G_OPTION_ARG_STRING, &options.settings.interval, "As in measure", "TIME" },
    { "statistics", 's', 0, G_OPTION_ARG_STRING, &options.settings.statistics, "As in measure", "LIST" },
    { "events", 'e', 0, G_OPTION_ARG_STRING, &options.settings.events, "As in measure", "LIST" },
    { "policy", 'p', 0, G_OPTION_ARG_FILENAME, &options.settings.policy, "Judge each film, as in check", "NAME|FILE" },
    { "backend", 'b', 0, G_OPTION_ARG_STRING, &options.settings.backend, "As in measure", "NAME" },
    { "bins", 0, 0, G_OPTION_ARG_STRING, &options.settings.bins, "As in measure", "NUMBER" },
    { "fields", 0, 0, G_OPTION_ARG_STRING, &options.settings.fields, "As in measure", "HOW" },
    { "timeout", 't', 0, G_OPTION_ARG_STRING, &options.settings.timeout, "As in measure", "TIME" },
    { "set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.settings.assignments, "As in measure", "NAME=VALUE" },
    { "no-pages", 0, 0, G_OPTION_ARG_NONE, &options.settings.has_no_pages, "Make no page for each film, which takes time",
      NULL },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options.is_forced, "Overwrite any file of an index, page or result", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.is_quiet, "No progress, no summary", NULL },
    G_OPTION_ENTRY_NULL,
  };
  CommandStatus status;

  if (!command_parse (&command_scan, entries, description, &argc, &argv, &status))
    return status;
  if (options.output == NULL)
    status = command_fail ("scan: name the folder of the results: --output=FOLDER.");
  else if (options.n_jobs != DEFAULT_JOBS && (options.n_jobs < 1 || options.n_jobs > MAX_JOBS))
    status = command_fail ("--jobs=%d: must be 1 to %d", options.n_jobs, MAX_JOBS);
  else if (argc < 2)
    status = command_fail ("scan: name a folder, a list of films, or films. `cudahisto scan --help` has examples.");
  else
    status = scan_all (&options, argv + 1);
  scan_clear_options (&options);
  interrupt_pass_on ();
  return status;
}

const Command command_scan = {
  .name = "scan",
  .usage = "FOLDER|LIST|FILE...",
  .summary = "Measure many films, several at once, with an index",
  .run = scan_run,
};
