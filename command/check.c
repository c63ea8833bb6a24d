/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto check`: measures films, or reads their results, and judges them by a policy. */

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "common/command.h"
#include "common/interrupt.h"
#include "common/location.h"
#include "common/settings.h"
#include "lines/reader.h"
#include "output/output.h"
#include "play/declaration.h"
#include "policy/judge.h"
#include "policy/verdictjson.h"
#include "policy/verdictjunit.h"
#include "policy/verdicttext.h"
#include "report/page.h"

#define LINES_SUFFIX ".jsonl"

typedef struct {
  gchar *policy, *shown, *format, *out_path, *lines, *events, *backend, *timeout, *framerate;
  gchar **assignments;
  Detected detected; /* of `events` */
  gboolean is_list;
  gint run;
  OutputPolicy output_policy;
} CheckOptions;

typedef struct {
  const gchar *name;
  void (*begin) (GString *text);
  void (*append) (GString *text, const Verdict *verdict, gboolean is_first); /* NULL: a page */
  void (*end) (GString *text);
} Format;

/* What is written. */
typedef struct {
  const Format *format;
  GString *text;
  Page *page; /* NULL: the format is text */
  guint n_verdicts;
} Report;

/* An input. */
typedef struct {
  const CheckOptions *options;
  const Policy *policy;
  Film *film;        /* of the page; NULL: the format is text */
  GString *messages; /* errors and warnings so far */
} Check;

/* ---- formats ---------------------------------------------------------------------------------------------------------- */

static void
check_append_text (GString *text, const Verdict *verdict, gboolean is_first)
{
  if (!is_first)
    g_string_append_c (text, '\n');
  verdict_text_append (text, verdict);
}

static void
check_append_junit (GString *text, const Verdict *verdict, gboolean is_first G_GNUC_UNUSED)
{
  verdict_junit_append (text, verdict);
}

static const Format formats[] = {
  { "text", NULL, check_append_text, NULL },
  { "json", verdict_json_begin, verdict_json_append, verdict_json_end },
  { "junit", verdict_junit_begin, check_append_junit, verdict_junit_end },
  { "html", NULL, NULL, NULL },
};

/* NULL: there is no such format, and an error was reported. */
static const Format *
check_find_format (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (name == NULL || strcmp (name, formats[i].name) == 0)
      return &formats[i];
  command_fail ("check: --format=%s is not one of text, json, junit and html", name);
  return NULL;
}

/* ---- measuring -------------------------------------------------------------------------------------------------------- */

/* Returns whether an input is a file of results: standard input, or a file that begins like a line of JSON. */
static gboolean
check_is_lines (const gchar *where)
{
  gchar begin[2] = "";
  FILE *file;

  if (g_str_equal (where, "-") || g_str_has_suffix (where, LINES_SUFFIX))
    return TRUE;
  if (!g_file_test (where, G_FILE_TEST_IS_REGULAR) || (file = g_fopen (where, "r")) == NULL)
    return FALSE;
  if (fgets (begin, sizeof begin, file) == NULL)
    begin[0] = '\0';
  fclose (file);
  return begin[0] == '{';
}

static void
check_add_option (GPtrArray *arguments, const gchar *name, const gchar *value)
{
  if (value != NULL && *value != '\0')
    g_ptr_array_add (arguments, g_strdup_printf ("--%s=%s", name, value));
}

/* Returns what the policy and the curves of a page need. */
static gchar *
check_get_statistics (const Check *check)
{
  g_autofree gchar *needed = policy_get_statistics (check->policy);

  if (check->film == NULL)
    return g_steal_pointer (&needed);
  return g_strconcat (needed, *needed != '\0' ? "+" : "", "basic", NULL);
}

/* Measures a film into a file of results. */
static CommandStatus
check_measure (const Check *check, const gchar *where, const gchar *lines)
{
  const CheckOptions *options = check->options;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new_with_free_func (g_free);
  g_autofree gchar *statistics = check_get_statistics (check), *events = policy_get_events (check->policy);
  g_auto (GStrv) settings = policy_get_settings (check->policy);
  g_autofree gchar **words = NULL;

  g_ptr_array_add (arguments, g_strdup (command_measure.name));
  check_add_option (arguments, "output", lines);
  check_add_option (arguments, "statistics", statistics);
  check_add_option (arguments, "events", events);
  check_add_option (arguments, "backend", options->backend);
  check_add_option (arguments, "timeout", options->timeout);
  check_add_option (arguments, "framerate", options->framerate);
  for (gchar **setting = settings; *setting != NULL; setting++)
    check_add_option (arguments, "set", *setting);
  for (gchar **assignment = options->assignments; assignment != NULL && *assignment != NULL; assignment++)
    check_add_option (arguments, "set", *assignment);
  if (options->output_policy.is_forced)
    g_ptr_array_add (arguments, g_strdup ("--force"));
  g_ptr_array_add (arguments, g_strdup ("--quiet"));
  g_ptr_array_add (arguments, g_strdup ("--"));
  g_ptr_array_add (arguments, g_strdup (where));
  words = g_memdup2 (arguments->pdata, (arguments->len + 1) * sizeof *words); /* the parser removes some of them */
  words[arguments->len] = NULL;
  return command_measure.run ((int)arguments->len, words);
}

/* ---- judging ---------------------------------------------------------------------------------------------------------- */

static void
check_take_line (const Check *check, Judge *judge, LinesKind kind, const GstStructure *line, const gchar *const *components)
{
  if (kind == LINES_EVENT)
    judge_take_event (judge, line);
  else
    judge_take_result (judge, line, components);
  if (check->film == NULL)
    return;
  if (kind == LINES_EVENT)
    film_add_event (check->film, line);
  else
    film_add_result (check->film, line, components);
}

/* What is known of a film besides its lines. */
typedef struct {
  const Detected *detected;       /* NULL: unknown */
  const Declaration *declaration; /* NULL: unknown */
  const gchar *finding;           /* of the measurement; NULL: none */
} Known;

/* NULL: an error was reported. */
static Verdict *
check_judge (const Check *check, const gchar *path, const gchar *where, const Known *known)
{
  g_autofree gchar *name = location_name (where);
  g_autoptr (GError) error = NULL;
  Reader *reader = reader_open (path);
  Judge *judge = judge_new (check->policy, (guint)check->options->run);
  Verdict *verdict = NULL;
  GstStructure *line;
  LinesKind kind;

  if (known->detected != NULL)
    judge_set_detected (judge, known->detected);
  if (known->finding != NULL)
    judge_set_finding (judge, known->finding);
  while (reader != NULL && (kind = reader_next (reader, &line)) != LINES_END) {
    check_take_line (check, judge, kind, line, lines_get_components (reader_get_lines (reader)));
    gst_structure_free (line);
  }
  if (reader != NULL && reader_finish (reader) == COMMAND_OK) {
    if (reader_warn_of_end (reader)) {
      judge_set_cut (judge);
      if (check->film != NULL)
        film_warn_of_end (check->film);
    }
    verdict = judge_finish (judge, name, known->declaration, &error);
    if (verdict == NULL)
      command_fail ("%s", error->message);
  }
  reader_close (reader);
  judge_free (judge);
  return verdict;
}

/* NULL: an error was reported, or a signal was caught. */
static Verdict *
check_measure_and_judge (const Check *check, const gchar *where, const gchar *path)
{
  const Detected detected = policy_get_detected (check->policy);
  Declaration declaration = { .duration = GST_CLOCK_TIME_NONE, .end = GST_CLOCK_TIME_NONE };
  g_autofree gchar *finding = NULL;
  Known known = { .detected = &detected, .declaration = &declaration };
  CommandStatus status;

  declaration_collect (&declaration);
  status = check_measure (check, where, path);
  declaration_collect (NULL);
  finding = g_strdup (check->messages->str);
  if (status == COMMAND_ERROR || interrupt_get () != 0)
    return NULL;
  if (status == COMMAND_FINDING)
    known.finding = *finding != '\0' ? finding : "the film is damaged";
  return check_judge (check, path, where, &known);
}

/* NULL: an error was reported, or a signal was caught. */
static Verdict *
check_film (const Check *check, const gchar *where)
{
  const CheckOptions *options = check->options;
  g_autofree gchar *folder = NULL, *path = NULL;
  g_autoptr (GError) error = NULL;
  Verdict *verdict = NULL;

  folder = options->lines == NULL ? g_dir_make_tmp ("cudahisto-XXXXXX", &error) : NULL;
  if (error != NULL) {
    command_fail ("%s", error->message);
    return NULL;
  }
  path = options->lines != NULL ? g_strdup (options->lines) : g_build_filename (folder, "film" LINES_SUFFIX, NULL);
  verdict = check_measure_and_judge (check, where, path);
  if (folder != NULL) {
    g_remove (path);
    g_rmdir (folder);
  }
  return verdict;
}

static CommandStatus
check_get_status (const Verdict *verdict)
{
  switch (verdict_get_outcome (verdict)) {
  case VERDICT_FAIL:
    return COMMAND_FINDING;
  case VERDICT_NOT_MEASURED:
    return COMMAND_ERROR;
  default:
    return COMMAND_OK;
  }
}

static Film *
check_new_film (const gchar *where)
{
  g_autofree gchar *file = location_get_file_name (where);
  g_autofree gchar *name = location_name (file != NULL ? file : where);

  return film_new (name);
}

/* Also of an input that cannot be judged. NULL: a signal was caught. */
static Verdict *
check_judge_input (const Check *check, const gchar *input)
{
  const Known known = { .detected = check->options->events != NULL ? &check->options->detected : NULL };
  g_autofree gchar *name = location_name (input);
  Verdict *verdict = check_is_lines (input) ? check_judge (check, input, input, &known) : check_film (check, input);

  if (verdict != NULL || interrupt_get () != 0)
    return verdict;
  if (check->messages->len == 0)
    g_string_append (check->messages, "the film was not measured");
  return verdict_new_failed (name, check->policy, check->messages->str);
}

/* Appends the verdict on an input to the text, or to the page. */
static CommandStatus
check_input (const CheckOptions *options, const Policy *policy, const gchar *input, guint n_left, Report *report)
{
  g_autoptr (GString) messages = g_string_new (NULL);
  const Check check = {
    .options = options, .policy = policy, .film = report->page != NULL ? check_new_film (input) : NULL, .messages = messages
  };
  Verdict *verdict;
  CommandStatus status = COMMAND_ERROR;

  command_collect_messages (messages);
  verdict = check_judge_input (&check, input);
  command_collect_messages (NULL);

  if (verdict != NULL) {
    status = check_get_status (verdict);
    if (report->page == NULL) {
      report->format->append (report->text, verdict, report->n_verdicts == 0);
    } else {
      g_autofree gchar *json = verdict_json_make_for_page (verdict);

      page_add_film (report->page, check.film, n_left, json);
    }
    report->n_verdicts++;
  }
  verdict_free (verdict);
  film_free (check.film);
  return status;
}

/* Writes the report; after a signal, there is none. */
static CommandStatus
check_write (Report *report, Output *output, CommandStatus status)
{
  if (report->n_verdicts == 0 || interrupt_get () != 0) {
    output_abandon (output);
    return status;
  }
  if (report->page != NULL) {
    g_string_free (report->text, TRUE);
    report->text = page_make (report->page);
  }
  if (report->format->end != NULL)
    report->format->end (report->text);
  output_write (output, report->text->str, report->text->len);
  return output_close (output, status);
}

/* Returns the inputs and the files of the policy. Free with g_strfreev(). */
static gchar **
check_list_files (const Policy *policy, gchar **inputs)
{
  g_autoptr (GStrvBuilder) files = g_strv_builder_new ();

  g_strv_builder_addv (files, (const char **)inputs);
  g_strv_builder_addv (files, (const char **)policy->files);
  return g_strv_builder_end (files);
}

static CommandStatus
check_all (const CheckOptions *options, const Policy *policy, const Format *format, gchar **inputs)
{
  g_auto (GStrv) files = check_list_files (policy, inputs);
  Output *output = output_open (options->out_path, (const gchar *const *)files, &options->output_policy);
  const guint count = g_strv_length (inputs);
  Report report = { .format = format, .text = g_string_new (NULL) };
  CommandStatus status = COMMAND_OK;

  if (output == NULL) {
    g_string_free (report.text, TRUE);
    return COMMAND_ERROR;
  }
  interrupt_catch (NULL, NULL); /* a folder that is created from now on is removed */
  if (format->append == NULL)
    report.page = page_new ();
  if (format->begin != NULL)
    format->begin (report.text);
  for (guint i = 0; i < count && interrupt_get () == 0; i++) {
    const CommandStatus one = check_input (options, policy, inputs[i], count - i, &report);

    status = MAX (status, one);
  }
  status = check_write (&report, output, status);
  g_string_free (report.text, TRUE);
  page_free (report.page);
  return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static CommandStatus
check_list (void)
{
  for (const gchar *const *name = policy_list (); *name != NULL; name++) {
    Policy *policy = policy_load (*name, NULL);

    g_print ("%-16s %s\n", *name, policy->title);
    policy_free (policy);
  }
  return command_finish_output (COMMAND_OK);
}

static CommandStatus
check_show (const gchar *name)
{
  g_autofree gchar *text = policy_get_text (name);

  if (text == NULL)
    return command_fail ("check: there is no built-in policy \"%s\". `cudahisto check --list` lists them.", name);
  g_print ("%s", text);
  return command_finish_output (COMMAND_OK);
}

/* Initializes GStreamer with its plugins if there is a film. FALSE: an error was reported. */
static gboolean
check_init (gchar **inputs)
{
  for (gchar **input = inputs; *input != NULL; input++)
    if (!check_is_lines (*input))
      return command_init_plugins ();
  command_init_structures ();
  return TRUE;
}

/* Returns a property of --set that would change what the policy needs; NULL: none. */
static const gchar *
check_find_conflict (gchar **assignments)
{
  for (const gchar *const *name = policy_properties; *name != NULL; name++)
    if (settings_has_assignment (assignments, *name))
      return *name;
  return NULL;
}

/* Returns whether two paths are of the same file, which need not exist. */
static gboolean
check_is_same_file (const gchar *one, const gchar *other)
{
  g_autofree gchar *first = g_canonicalize_filename (one, NULL), *second = g_canonicalize_filename (other, NULL);
  GStatBuf file, other_file;

  if (g_str_equal (first, second))
    return TRUE;
  return g_stat (one, &file) == 0 && g_stat (other, &other_file) == 0 && file.st_dev == other_file.st_dev
         && file.st_ino == other_file.st_ino;
}

/* Checks the file of --lines. FALSE: an error was reported. */
static gboolean
check_lines_option (const CheckOptions *options, const Policy *policy, gchar **inputs)
{
  const gchar *lines = options->lines;

  if (lines == NULL)
    return TRUE;
  if (g_strv_length (inputs) > 1 || check_is_lines (inputs[0]))
    return command_fail ("check: --lines takes one film") == COMMAND_OK;
  if (output_is_standard (lines) || g_str_equal (lines, "-") || g_str_has_suffix (lines, G_DIR_SEPARATOR_S)
      || g_file_test (lines, G_FILE_TEST_IS_DIR))
    return command_fail ("check: --lines=%s: name a file", lines) == COMMAND_OK;
  if (options->out_path != NULL && check_is_same_file (lines, options->out_path))
    return command_fail ("check: --lines and --output name the same file, %s", lines) == COMMAND_OK;
  for (guint i = 0; policy->files[i] != NULL; i++)
    if (check_is_same_file (lines, policy->files[i]))
      return command_fail ("check: --lines names a policy, %s", lines) == COMMAND_OK;
  return TRUE;
}

static CommandStatus
check_inputs (CheckOptions *options, gchar **inputs)
{
  const Format *format = check_find_format (options->format);
  const gchar *conflict = check_find_conflict (options->assignments);
  g_autoptr (GError) error = NULL;
  CommandStatus status;
  Policy *policy;

  if (format == NULL)
    return COMMAND_ERROR;
  if (options->policy == NULL)
    return command_fail (
        "check: name a policy, such as --policy=r103+black. `cudahisto check --list` lists the built-in ones.");
  if (options->run < 0)
    return command_fail ("check: --run=%d: must be 1 or more", options->run);
  if (options->events != NULL && !detected_parse (&options->detected, options->events, &error))
    return command_fail ("check: --events: %s", error->message);
  if (conflict != NULL)
    return command_fail ("check: --set: check sets %s itself", conflict);
  policy = policy_load (options->policy, &error);
  if (policy == NULL)
    return command_fail ("%s", error->message);
  status = check_lines_option (options, policy, inputs) && check_init (inputs) ? check_all (options, policy, format, inputs)
                                                                               : COMMAND_ERROR;
  policy_free (policy);
  return status;
}

static const gchar description[] = "Examples:\n"
                                   "  cudahisto check film.mxf --policy=r103+black      measures, then judges\n"
                                   "  cudahisto check film.jsonl -p house.policy        judges existing results\n"
                                   "  cudahisto check *.mov -p declared -f junit -o x.xml\n"
                                   "  cudahisto check film.mxf -p r103 -f html -o x.html\n"
                                   "  cudahisto check --list                            built-in policies\n"
                                   "  cudahisto check --show=archive > house.policy     a start for your own\n"
                                   "\n"
                                   "Exit status: 0: all rules pass or do not apply; 1: a rule fails; 2: error, or\n"
                                   "the results lack what a rule needs.";

static CommandStatus
check_run (int argc, char **argv)
{
  CheckOptions options = { .output_policy = { .kind = "check" } };
  const GOptionEntry entries[] = {
    { "policy", 'p', 0, G_OPTION_ARG_FILENAME, &options.policy, "Policies and files of policies, joined by +", "NAME|FILE" },
    { "list", 0, 0, G_OPTION_ARG_NONE, &options.is_list, "List the built-in policies", NULL },
    { "show", 0, 0, G_OPTION_ARG_STRING, &options.shown, "Print a built-in policy", "NAME" },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &options.format, "text, json, junit, html", "FORMAT" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.out_path, "Output file (default: stdout)", "FILE" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options.output_policy.is_forced, "Overwrite any file, except an input", NULL },
    { "lines", 0, 0, G_OPTION_ARG_FILENAME, &options.lines, "Keep the results of the film in this file", "FILE" },
    { "events", 'e', 0, G_OPTION_ARG_STRING, &options.events, "Events detected for RESULTS: black:0.5+freeze", "LIST" },
    { "run", 0, 0, G_OPTION_ARG_INT, &options.run, "Judge only this run, of results with several", "NUMBER" },
    { "backend", 'b', 0, G_OPTION_ARG_STRING, &options.backend, "As in measure", "NAME" },
    { "timeout", 't', 0, G_OPTION_ARG_STRING, &options.timeout, "As in measure", "TIME" },
    { "framerate", 0, 0, G_OPTION_ARG_STRING, &options.framerate, "As in measure", "RATE" },
    { "set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.assignments, "As in measure", "NAME=VALUE" },
    G_OPTION_ENTRY_NULL,
  };
  CommandStatus status;

  if (!command_parse (&command_check, entries, description, &argc, &argv, &status))
    return status;
  if (options.is_list)
    status = check_list ();
  else if (options.shown != NULL)
    status = check_show (options.shown);
  else if (argc < 2)
    status = command_fail ("check: name a film or a file of results. `cudahisto check --help` has examples.");
  else
    status = check_inputs (&options, argv + 1);
  g_free (options.policy);
  g_free (options.shown);
  g_free (options.format);
  g_free (options.out_path);
  g_free (options.lines);
  g_free (options.events);
  g_free (options.backend);
  g_free (options.timeout);
  g_free (options.framerate);
  g_strfreev (options.assignments);
  return status;
}

const Command command_check = {
  .name = "check",
  .usage = "FILM|RESULTS...",
  .summary = "Judge films by rules: pass or fail, with the places",
  .run = check_run,
};
