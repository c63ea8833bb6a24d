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
#include <sys/prctl.h>
#include <unistd.h>

#include "common/location.h"

#define SELF "/proc/self/exe"
#define PREFIX "cudahisto: "                /* of messages of this command */
#define EVENT "{\"cudahisto\":1,\"event\":" /* the beginning of a line of an event */
#define NOT_MEASURED "not-measured"
#define MAX_MESSAGE_BYTES 4096 /* a decoder may complain about each frame */

typedef enum { STEP_MEASURE, STEP_MERGE, STEP_CHECK, STEP_REPORT, STEPS } Step;

struct _ScanJob {
  const ScanFilm *film;
  ScanPaths *paths;
  const ScanArguments *arguments;
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
  g_unlink (job->paths->partial_page);
  g_unlink (job->paths->verdict);
  scan_paths_unlock (job->lock);
  job->done (job, job->film, has_record ? &job->record : NULL, job->data);
  g_clear_object (&job->process);
  scan_paths_free (job->paths);
  g_free (job->record.options);
  g_free (job->record.message);
  g_free (job->record.verdict);
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

/* Writes a file to the disk, so that it is complete there when it gets its final name. */
static gboolean
scan_sync (const gchar *path)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  const gboolean is_good = fd >= 0 && fsync (fd) == 0;

  if (fd >= 0)
    close (fd);
  return is_good;
}

static gboolean
scan_remove (const gchar *path)
{
  return g_unlink (path) == 0 || errno == ENOENT;
}

/* FALSE: errno has the reason. A film without a page has results. */
static gboolean
scan_job_give_names (const ScanJob *job)
{
  if (g_rename (job->paths->partial_page, job->paths->page) != 0 && errno != ENOENT)
    return FALSE;
  return g_rename (job->paths->partial, job->paths->results) == 0;
}

/* Gives the results their final name. Old results are removed before the record changes, so that a name never belongs to the
 * record of another measurement. */
static void
scan_job_complete (ScanJob *job)
{
  g_autoptr (GError) error = NULL;

  if (job->record.status == COMMAND_ERROR && !job->film->is_uri && g_access (job->film->location, R_OK) != 0) {
    command_fail ("%s", job->record.message); /* its disk was unmounted, say: old results stay */
    scan_job_end (job, FALSE);
    return;
  }
  job->record.seconds = (gdouble)(g_get_monotonic_time () - job->began_us) / 1e6;
  if (job->record.status == COMMAND_ERROR)
    g_unlink (job->paths->summary);
  if (job->record.status != COMMAND_ERROR && !scan_sync (job->paths->partial))
    scan_job_fail (job, g_strerror (errno));
  else if (!scan_remove (job->paths->results) || !scan_remove (job->paths->page))
    scan_job_fail (job, g_strerror (errno));
  else if (!scan_record_write (&job->record, job->paths->record, &error))
    scan_job_fail (job, error->message);
  else if (job->record.status != COMMAND_ERROR && !scan_job_give_names (job))
    scan_job_fail (job, g_strerror (errno));
  else
    scan_job_end (job, TRUE);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------ */

/* Returns the messages in what a process wrote to standard error, a line each, without the name of the command. They name the
 * film, not the partial file. */
static gchar *
scan_read_messages (GBytes *text, const gchar *film, const gchar *partial)
{
  gsize length = 0;
  const gchar *data = text != NULL ? g_bytes_get_data (text, &length) : "";
  g_autofree gchar *valid = g_utf8_make_valid (data != NULL ? data : "", (gssize)MIN (length, MAX_MESSAGE_BYTES));
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);
  GString *messages = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++) {
    const gchar *line = g_str_has_prefix (lines[i], PREFIX) ? lines[i] + strlen (PREFIX) : lines[i];
    const gboolean is_of_partial = g_str_has_prefix (line, partial);

    if (*line != '\0' && messages->len > 0)
      g_string_append_c (messages, '\n');
    if (is_of_partial)
      g_string_append_printf (messages, "\"%s\"", film);
    g_string_append (messages, is_of_partial ? line + strlen (partial) : line);
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

/* Returns the messages of a step; there is at least one if it failed. `check` may have no verdict without a message. */
static gchar *
scan_job_describe_end (const ScanJob *job, GBytes *text)
{
  static const gchar *const steps[STEPS] = { "measurement", "sum", "verdict", "report" };
  g_autofree gchar *name = location_name (job->film->location), *messages = NULL;
  GSubprocess *process = job->process;

  if (!g_subprocess_get_if_exited (process))
    return g_strdup_printf ("\"%s\": the process of its %s was ended by signal %d (%s)", name, steps[job->step],
                            g_subprocess_get_term_sig (process), g_strsignal (g_subprocess_get_term_sig (process)));
  messages = scan_read_messages (text, name, job->paths->partial);
  if (*messages != '\0' || scan_find_status (process) != COMMAND_ERROR || job->step == STEP_CHECK)
    return g_steal_pointer (&messages);
  return g_strdup_printf ("\"%s\": the process of its %s failed without a message, with exit status %d", name, steps[job->step],
                          g_subprocess_get_exit_status (process));
}

/* Takes the verdict from the output of `check`, the first one in its JSON. */
static void
scan_job_take_verdict (ScanJob *job)
{
  static const gchar *const outcomes[] = { "pass", "fail", "not-applicable", NOT_MEASURED };
  static const gchar member[] = "\"outcome\":\"";
  g_autofree gchar *text = NULL;
  const gchar *outcome = g_file_get_contents (job->paths->verdict, &text, NULL, NULL) ? strstr (text, member) : NULL;
  const gchar *verdict = NOT_MEASURED;

  for (guint i = 0; outcome != NULL && i < G_N_ELEMENTS (outcomes); i++)
    if (g_str_has_prefix (outcome + strlen (member), outcomes[i]))
      verdict = outcomes[i];
  /* As `check` judges a damaged film. */
  if (job->record.status == COMMAND_FINDING && !job->arguments->judges_damage && !g_str_equal (verdict, "fail"))
    verdict = NOT_MEASURED;
  g_free (job->record.verdict);
  job->record.verdict = g_strdup (verdict);
}

/* Takes the end of a step into the record. FALSE: the film has no results. A film without a sum, because its size changes, or
 * without a page still has its results. */
static gboolean
scan_job_take (ScanJob *job, GBytes *text)
{
  const CommandStatus status = scan_find_status (job->process);
  g_autofree gchar *message = scan_job_describe_end (job, text);

  if (job->step == STEP_MEASURE) {
    job->record.status = status;
    g_free (job->record.message);
    job->record.message = g_steal_pointer (&message);
    return status != COMMAND_ERROR;
  }
  if (job->step == STEP_CHECK)
    scan_job_take_verdict (job);
  if (status == COMMAND_ERROR && *message != '\0') {
    g_autofree gchar *before = job->record.message;

    job->record.message = g_strconcat (before, *before != '\0' ? "\n" : "", message, NULL);
  }
  return TRUE;
}

static Step
scan_job_find_next_step (const ScanJob *job)
{
  const gboolean is_needed[STEPS] = {
    [STEP_MERGE] = TRUE,
    [STEP_CHECK] = job->arguments->has_policy,
    [STEP_REPORT] = job->arguments->has_pages,
  };
  Step step = job->step + 1;

  while (step < STEPS && !is_needed[step])
    step++;
  return step;
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
  job->step = scan_job_find_next_step (job);
  if (job->step < STEPS)
    scan_job_run_step (job);
  else
    scan_job_complete (job);
}

/* Returns the path of this program, by which users find its processes, or another name if an upgrade has replaced it. */
static gchar *
scan_find_self (void)
{
  g_autofree gchar *path = g_file_read_link (SELF, NULL);

  return path != NULL && g_file_test (path, G_FILE_TEST_IS_EXECUTABLE) ? g_steal_pointer (&path) : g_strdup (SELF);
}

static gchar **
scan_job_list_words (const ScanJob *job)
{
  const ScanPaths *paths = job->paths;
  const struct StepWords {
    const gchar *command, *option, *output, *input;
    gchar **more;
  } steps[STEPS] = {
    [STEP_MEASURE] = { "measure", "--quiet", paths->partial, job->film->location, job->arguments->measure },
    [STEP_MERGE] = { "merge", NULL, paths->summary, paths->partial, NULL },
    [STEP_CHECK] = { "check", "--format=json", paths->verdict, paths->partial, job->arguments->judge },
    [STEP_REPORT] = { "report", NULL, paths->partial_page, paths->partial, job->arguments->judge },
  };
  const struct StepWords *step = &steps[job->step];
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree gchar *self = scan_find_self ();

  g_strv_builder_add_many (words, self, step->command, "--force", "-o", step->output, NULL);
  if (step->option != NULL)
    g_strv_builder_add (words, step->option);
  if (step->more != NULL)
    g_strv_builder_addv (words, (const gchar **)step->more);
  g_strv_builder_add_many (words, "--", step->input, NULL);
  return g_strv_builder_end (words);
}

/* In the new process, between fork() and exec(): ends it when this process ends, so that it never writes into a measurement of
 * the next scan. */
static void
scan_job_bind_process (gpointer data)
{
  if (prctl (PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid () != (pid_t)GPOINTER_TO_INT (data))
    _exit (COMMAND_ERROR);
}

static void
scan_job_run_step (ScanJob *job)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_auto (GStrv) words = scan_job_list_words (job);
  g_autoptr (GError) error = NULL;

  if (job->step == STEP_MERGE)
    g_unlink (job->paths->summary); /* of an earlier measurement */
  g_subprocess_launcher_set_child_setup (launcher, scan_job_bind_process, GINT_TO_POINTER (getpid ()), NULL);
  g_clear_object (&job->process);
  job->process = g_subprocess_launcher_spawnv (launcher, (const gchar *const *)words, &error);
  if (job->process == NULL)
    scan_job_fail (job, error->message);
  else
    g_subprocess_communicate_async (job->process, NULL, NULL, scan_job_step_ended, job);
}

static gboolean
scan_job_begin (gpointer data)
{
  ScanJob *job = data;

  if (job->is_interrupted)
    scan_job_end (job, FALSE);
  else
    scan_job_run_step (job);
  return G_SOURCE_REMOVE;
}

ScanJob *
scan_job_start (const ScanFilm *film, const gchar *folder, const ScanArguments *arguments, int lock,
                void (*done) (ScanJob *job, const ScanFilm *film, const ScanRecord *record, gpointer data), gpointer data)
{
  ScanJob *job = g_new0 (ScanJob, 1);

  job->film = film;
  job->paths = scan_paths_new (folder, film->name);
  job->arguments = arguments;
  job->lock = lock;
  job->done = done;
  job->data = data;
  job->began_us = g_get_monotonic_time ();
  job->record.size = film->size;
  job->record.modified_us = film->modified_us;
  job->record.options = g_strdup (arguments->text);
  job->record.message = g_strdup ("");
  job->record.verdict = g_strdup ("");
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
