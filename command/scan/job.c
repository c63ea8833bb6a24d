/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/job.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/location.h"

#define SELF "/proc/self/exe"
#define PREFIX "cudahisto: "                /* of messages of this command */
#define EVENT "{\"cudahisto\":1,\"event\":" /* the beginning of a line of an event */
#define MAX_MESSAGE_BYTES 4096              /* a decoder may complain about each frame */

typedef enum { STEP_MEASURE, STEP_MERGE, STEP_REPORT, STEPS } Step;

struct _ScanJob {
  const ScanFilm *film;
  ScanPaths *paths;
  gchar *const *options;
  int lock;
  void (*done) (ScanJob *job, const ScanFilm *film, const ScanRecord *record, gpointer data);
  gpointer data;
  Step step;
  GSubprocess *process; /* of the step */
  gboolean is_interrupted;
  gint64 began_us;
  ScanRecord record;
};

static void scan_job_run_step (ScanJob *job);

/* ---- the end ---------------------------------------------------------------------------------------------------------- */

static void
scan_job_end (ScanJob *job, gboolean has_record)
{
  g_unlink (job->paths->partial);
  scan_paths_unlock (job->lock);
  job->done (job, job->film, has_record ? &job->record : NULL, job->data);
  g_clear_object (&job->process);
  scan_paths_free (job->paths);
  g_free (job->record.options);
  g_free (job->record.message);
  g_free (job);
}

static void
scan_job_fail (ScanJob *job, const gchar *reason)
{
  g_autofree gchar *name = location_name (job->film->location);

  command_fail ("%s: %s", name, reason);
  scan_job_end (job, FALSE);
}

/* Appends the lines of events to the sum, so that the index need not read the results again. */
static gboolean
scan_job_append_events (const ScanJob *job)
{
  FILE *from = fopen (job->paths->partial, "re"), *to = fopen (job->paths->summary, "ae");
  gboolean is_good = from != NULL && to != NULL;
  gchar *line = NULL;
  size_t size = 0;
  ssize_t length;

  while (is_good && (length = getline (&line, &size, from)) > 0)
    if (g_str_has_prefix (line, EVENT))
      is_good = fwrite (line, 1, (size_t)length, to) == (size_t)length;
  free (line);
  is_good = is_good && !ferror (from);
  if (from != NULL)
    fclose (from);
  return to != NULL && fclose (to) == 0 && is_good;
}

/* Gives the results their final name. Old results are removed before the record changes, so that a name never belongs to the
 * record of another measurement. */
static void
scan_job_complete (ScanJob *job)
{
  g_autoptr (GError) error = NULL;

  job->record.seconds = (gdouble)(g_get_monotonic_time () - job->began_us) / 1e6;
  if (job->record.status == COMMAND_ERROR) {
    g_unlink (job->paths->page);
    g_unlink (job->paths->summary);
  }
  if (g_unlink (job->paths->results) != 0 && errno != ENOENT)
    scan_job_fail (job, g_strerror (errno));
  else if (!scan_record_write (&job->record, job->paths->record, &error))
    scan_job_fail (job, error->message);
  else if (job->record.status != COMMAND_ERROR && g_rename (job->paths->partial, job->paths->results) != 0)
    scan_job_fail (job, g_strerror (errno));
  else
    scan_job_end (job, TRUE);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------ */

/* Returns the messages in what a process wrote to standard error, a line each, without the name of the command. */
static gchar *
scan_read_messages (GBytes *text)
{
  gsize length = 0;
  const gchar *data = text != NULL ? g_bytes_get_data (text, &length) : "";
  g_autofree gchar *valid = g_utf8_make_valid (data != NULL ? data : "", (gssize)MIN (length, MAX_MESSAGE_BYTES));
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);
  GString *messages = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++) {
    const gchar *line = g_str_has_prefix (lines[i], PREFIX) ? lines[i] + strlen (PREFIX) : lines[i];

    if (*line != '\0')
      g_string_append_printf (messages, "%s%s", messages->len > 0 ? "\n" : "", line);
  }
  return g_string_free (messages, FALSE);
}

static CommandStatus
scan_find_status (GSubprocess *process)
{
  if (g_subprocess_get_if_exited (process))
    return CLAMP (g_subprocess_get_exit_status (process), COMMAND_OK, COMMAND_ERROR);
  return COMMAND_ERROR;
}

static gchar *
scan_describe_end (GSubprocess *process, GBytes *text)
{
  if (g_subprocess_get_if_exited (process))
    return scan_read_messages (text);
  return g_strdup_printf ("the process was ended by signal %d (%s)", g_subprocess_get_term_sig (process),
                          g_strsignal (g_subprocess_get_term_sig (process)));
}

/* Takes the end of a step into the record. FALSE: the film has no results. A film without a sum, because its size changes, or
 * without a page still has its results. */
static gboolean
scan_job_take (ScanJob *job, GBytes *text)
{
  const CommandStatus status = scan_find_status (job->process);
  g_autofree gchar *message = scan_describe_end (job->process, text);

  if (job->step == STEP_MEASURE) {
    job->record.status = status;
    job->record.message = g_steal_pointer (&message);
    return status != COMMAND_ERROR;
  }
  if (status == COMMAND_ERROR) {
    g_autofree gchar *before = job->record.message;

    job->record.message = g_strconcat (before, *before != '\0' ? "\n" : "", message, NULL);
  }
  return TRUE;
}

static void
scan_job_step_ended (GObject *object, GAsyncResult *result, gpointer data)
{
  ScanJob *job = data;
  g_autoptr (GBytes) text = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_subprocess_communicate_finish (G_SUBPROCESS (object), result, NULL, &text, &error)) {
    scan_job_fail (job, error->message);
    return;
  }
  if (job->is_interrupted) {
    scan_job_end (job, FALSE);
    return;
  }
  if (!scan_job_take (job, text)) {
    scan_job_complete (job);
    return;
  }
  if (job->step == STEP_MERGE && !scan_job_append_events (job)) {
    scan_job_fail (job, g_strerror (errno));
    return;
  }
  if (++job->step < STEPS)
    scan_job_run_step (job);
  else
    scan_job_complete (job);
}

static void
scan_job_run_step (ScanJob *job)
{
  const ScanPaths *paths = job->paths;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autofree gchar *self = g_file_read_link (SELF, NULL);
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (arguments, self);
  if (job->step == STEP_MERGE)
    g_unlink (paths->summary); /* of an earlier measurement */
  if (job->step == STEP_MEASURE) {
    const gchar *const fixed[] = { "measure", "--quiet", "--force", "-o", paths->partial };

    for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
      g_ptr_array_add (arguments, (gpointer)fixed[i]);
    for (guint i = 0; job->options[i] != NULL; i++)
      g_ptr_array_add (arguments, job->options[i]);
    g_ptr_array_add (arguments, (gpointer) "--");
    g_ptr_array_add (arguments, job->film->location);
  } else {
    const gchar *const fixed[] = { job->step == STEP_MERGE ? "merge" : "report",           "--force", "-o",
                                   job->step == STEP_MERGE ? paths->summary : paths->page, "--",      paths->partial };

    for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
      g_ptr_array_add (arguments, (gpointer)fixed[i]);
  }
  g_ptr_array_add (arguments, NULL);
  g_clear_object (&job->process);
  job->process = g_subprocess_newv ((const gchar *const *)arguments->pdata,
                                    G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  if (job->process == NULL)
    scan_job_fail (job, error->message);
  else
    g_subprocess_communicate_async (job->process, NULL, NULL, scan_job_step_ended, job);
}

static gboolean
scan_job_begin (gpointer data)
{
  scan_job_run_step (data);
  return G_SOURCE_REMOVE;
}

ScanJob *
scan_job_start (const ScanFilm *film, const gchar *folder, gchar *const *options, int lock,
                void (*done) (ScanJob *job, const ScanFilm *film, const ScanRecord *record, gpointer data), gpointer data)
{
  ScanJob *job = g_new0 (ScanJob, 1);

  job->film = film;
  job->paths = scan_paths_new (folder, film->name);
  job->options = options;
  job->lock = lock;
  job->done = done;
  job->data = data;
  job->began_us = g_get_monotonic_time ();
  job->record.size = film->size;
  job->record.modified_us = film->modified_us;
  job->record.options = g_strjoinv (" ", (gchar **)options);
  g_idle_add (scan_job_begin, job); /* so that `done` is never called from here */
  return job;
}

void
scan_job_interrupt (ScanJob *job)
{
  job->is_interrupted = TRUE;
  if (job->process != NULL)
    g_subprocess_send_signal (job->process, SIGINT);
}
