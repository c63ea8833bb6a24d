/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto csv`: writes results as a flat table, or in FFmpeg's or QCTools' format. */

#include <string.h>

#include "formats/columns.h"
#include "common/command.h"
#include "lines/values.h"
#include "output/output.h"
#include "formats/qctools.h"
#include "lines/reader.h"
#include "lines/sampled.h"
#include "formats/signalstats.h"

#define SIGNALSTATS_FRAME "frame,pts_time"

typedef enum { FORM_OURS, FORM_SIGNALSTATS, FORM_QCTOOLS } Form;

typedef struct {
  Form form;
  Reader *reader;
  Output *output;
  const gchar *out_path;
  Columns *columns;
  gboolean *has_key;   /* for each key of signalstats.h: whether any result has it */
  GstStructure *first; /* the first result */
  guint64 results;
  gboolean has_windows; /* a result covers more than a frame */
  gboolean has_fields;  /* a result is of fields */
  Sampled sampled;
} Csv;

/* Collects what the header needs from a result. */
static void
csv_look_at (Csv *csv, const GstStructure *result)
{
  guint64 frames = 1;

  csv->results++;
  if (csv->form == FORM_OURS) {
    columns_add (csv->columns, result);
    return;
  }
  if (csv->first == NULL)
    csv->first = gst_structure_copy (result);
  values_get_uint64 (result, NULL, "frames", &frames);
  sampled_take (&csv->sampled, result);
  csv->has_windows |= frames > 1;
  csv->has_fields |= values_get_string (result, NULL, "field") != NULL;
  for (guint i = 0; i < signalstats_count (); i++)
    csv->has_key[i] |= signalstats_is_in (i, result);
}

/* Warns of missing keys of signalstats. FALSE: the lines have none. */
static gboolean
csv_warn_of_missing (Csv *csv)
{
  const gchar *name = lines_get_name (reader_get_lines (csv->reader));
  g_autoptr (GString) missing = g_string_new (NULL);
  guint n_missing = 0;

  for (guint i = 0; i < signalstats_count (); i++) {
    if (csv->has_key[i])
      continue;
    g_string_append_printf (missing, "%s%s", n_missing > 0 ? " " : "", signalstats_get_key (i));
    n_missing++;
  }
  if (n_missing == signalstats_count ())
    command_fail ("%s has no numbers of signalstats: measure video with Y, U and V with statistics=signalstats", name);
  else if (n_missing > 0)
    command_warn ("%s lacks %s: measure with statistics=signalstats to have all numbers", name, missing->str);
  if (csv->has_windows)
    command_warn ("%s has results of more than one frame: each is written as if it were a frame", name);
  if (csv->sampled.text != NULL)
    command_warn ("%s does not have all frames of the film (%s)", name, csv->sampled.text);
  if (csv->has_fields && csv->form == FORM_QCTOOLS)
    command_warn ("%s has results of fields, which QCTools takes for frames: measure with --fields=together", name);
  return n_missing < signalstats_count ();
}

static void
csv_append_signalstats_header (Csv *csv, GString *text)
{
  g_string_append (text, SIGNALSTATS_FRAME);
  for (guint i = 0; i < signalstats_count (); i++) {
    if (csv->has_key[i])
      g_string_append_printf (text, "," SIGNALSTATS_PREFIX "%s", signalstats_get_key (i));
  }
  g_string_append_c (text, '\n');
}

static void
csv_append_signalstats_row (Csv *csv, const GstStructure *result, GString *text)
{
  g_autofree gchar *time = signalstats_format_time (result);
  guint64 frame = 0;

  values_get_uint64 (result, NULL, "frame", &frame);
  g_string_append_printf (text, "%" G_GUINT64_FORMAT ",%s", frame, time != NULL ? time : "");
  for (guint i = 0; i < signalstats_count (); i++) {
    g_autofree gchar *value = NULL;

    if (!csv->has_key[i])
      continue;
    value = signalstats_format (i, result, TRUE);
    g_string_append_printf (text, ",%s", value != NULL ? value : "");
  }
  g_string_append_c (text, '\n');
}

/* Returns the file's name for QCTools, that of the media file: "film.mkv" for "film.mkv.qctools.xml.gz". */
static gchar *
csv_find_media_name (Csv *csv)
{
  static const gchar *const suffixes[] = { ".qctools.xml.gz", ".qctools.xml", ".xml.gz", ".xml" };
  gchar *name = csv->out_path != NULL ? g_filename_display_basename (csv->out_path)
                                      : g_strdup (lines_get_name (reader_get_lines (csv->reader)));

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    if (g_str_has_suffix (name, suffixes[i])) {
      name[strlen (name) - strlen (suffixes[i])] = '\0';
      break;
    }
  }
  return name;
}

static void
csv_write_begin (Csv *csv)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (csv->form == FORM_OURS)
    columns_append_header (csv->columns, text);
  else if (csv->form == FORM_SIGNALSTATS)
    csv_append_signalstats_header (csv, text);
  else
    qctools_begin (csv->output);
  output_write (csv->output, text->str, text->len);
}

/* FALSE: results that the header was made from are gone, and an error was reported. */
static gboolean
csv_write_rows (Csv *csv)
{
  const guint64 results = csv->results;
  g_autoptr (GString) text = g_string_new (NULL);
  GstStructure *structure;
  gboolean has_changed = FALSE;
  LinesKind kind;

  /* Stops at the number of results of the first pass: the file may be growing. */
  while (csv->results > 0 && !has_changed && output_is_good (csv->output)
         && (kind = reader_next (csv->reader, &structure)) != LINES_END) {
    has_changed = kind == LINES_RESULT && csv->form == FORM_OURS && !columns_know (csv->columns, structure);
    if (kind == LINES_RESULT && !has_changed) {
      csv->results--;
      g_string_truncate (text, 0);
      if (csv->form == FORM_OURS)
        columns_append_row (csv->columns, structure, text);
      else if (csv->form == FORM_SIGNALSTATS)
        csv_append_signalstats_row (csv, structure, text);
      else
        qctools_add_frame (csv->output, structure, csv->has_key);
      output_write (csv->output, text->str, text->len);
    }
    gst_structure_free (structure);
  }
  if (!output_is_good (csv->output) || (csv->results == 0 && !has_changed))
    return TRUE;
  command_fail ("%s was changed while it was read, and the table is incomplete: it had %" G_GUINT64_FORMAT
                " results, of which %" G_GUINT64_FORMAT
                " are gone or have changed. Read a copy, or stop the program that changes it",
                lines_get_name (reader_get_lines (csv->reader)), results, csv->results);
  return FALSE;
}

static CommandStatus
csv_write (Csv *csv, const gchar *path)
{
  GstStructure *structure;
  CommandStatus status;
  LinesKind kind;

  csv->reader = reader_open (path);
  if (csv->reader == NULL || !reader_keep (csv->reader))
    return COMMAND_ERROR;

  while ((kind = reader_next (csv->reader, &structure)) != LINES_END) {
    if (kind == LINES_RESULT)
      csv_look_at (csv, structure);
    gst_structure_free (structure);
  }
  status = reader_finish (csv->reader);
  reader_warn_of_end (csv->reader);
  if (csv->results == 0 && status == COMMAND_OK)
    command_warn ("%s has no results", lines_get_name (reader_get_lines (csv->reader)));
  if (csv->results == 0)
    return status;
  if (csv->form != FORM_OURS && !csv_warn_of_missing (csv))
    return COMMAND_ERROR;
  reader_rewind (csv->reader);
  csv_write_begin (csv);
  if (!csv_write_rows (csv))
    return COMMAND_ERROR;
  if (csv->form == FORM_QCTOOLS) {
    g_autofree gchar *name = csv_find_media_name (csv);

    qctools_end (csv->output, csv->first, name);
  }
  return output_close (g_steal_pointer (&csv->output), status);
}

static const gchar description[] = "One row per result, one column per scalar field. Missing values are empty. For\n"
                                   "events, use `cudahisto events`. Pandas, R and spreadsheets accept the names as\n"
                                   "they are: Y_mean, stream_time (in ns), stream_time_s (in s), region0_Y_mean.\n"
                                   "\n"
                                   "A non-empty file is overwritten only if `cudahisto csv` wrote it and it is\n"
                                   "unchanged, or with --force.\n"
                                   "\n"
                                   "  cudahisto csv film.jsonl -o film.csv\n"
                                   "  cudahisto csv --signalstats film.jsonl      FFmpeg's names and numbers\n"
                                   "  cudahisto csv --qctools film.jsonl -o film.mkv.qctools.xml.gz";

static CommandStatus
csv_run (int argc, char **argv)
{
  gboolean has_histograms = FALSE, is_signalstats = FALSE, is_qctools = FALSE;
  OutputPolicy policy = { .kind = "csv" };
  g_autofree gchar *out_path = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out_path, "Output file (default: stdout); FILE.gz: compressed", "FILE" },
    { "histograms", 0, 0, G_OPTION_ARG_NONE, &has_histograms, "Add a column for each histogram bin", NULL },
    { "signalstats", 0, 0, G_OPTION_ARG_NONE, &is_signalstats, "Use FFmpeg's names: lavfi.signalstats.YMIN ...", NULL },
    { "qctools", 0, 0, G_OPTION_ARG_NONE, &is_qctools, "Write an XML report for QCTools", NULL },
    { "force", 0, 0, G_OPTION_ARG_NONE, &policy.is_forced, "Overwrite any file, except an input", NULL },
    G_OPTION_ENTRY_NULL,
  };
  Csv csv = { .form = FORM_OURS };
  CommandStatus status;
  const gchar *path;

  if (!command_parse (&command_csv, entries, description, &argc, &argv, &status))
    return status;
  path = reader_get_path (&command_csv, argc, argv);
  if (path == NULL) {
    status = COMMAND_ERROR;
  } else if (has_histograms + is_signalstats + is_qctools > 1) {
    status = command_fail ("csv: --histograms, --signalstats and --qctools exclude each other: use one");
  } else {
    command_init_structures ();
    csv.form = is_qctools ? FORM_QCTOOLS : is_signalstats ? FORM_SIGNALSTATS : FORM_OURS;
    csv.out_path = out_path;
    csv.columns = columns_new (has_histograms);
    csv.has_key = g_new0 (gboolean, signalstats_count ());
    csv.output = output_open (out_path, (const gchar *const[]){ path, NULL }, &policy);
    status = csv.output != NULL ? csv_write (&csv, path) : COMMAND_ERROR;
    output_abandon (csv.output);
    reader_close (csv.reader);
    if (csv.first != NULL)
      gst_structure_free (csv.first);
    g_free (csv.has_key);
    sampled_clear (&csv.sampled);
    columns_free (csv.columns);
  }
  return status;
}

const Command command_csv = {
  .name = "csv",
  .usage = "[FILE|-]",
  .summary = "Write results as CSV, or in FFmpeg or QCTools format",
  .run = csv_run,
};
