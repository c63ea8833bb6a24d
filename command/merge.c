/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto merge`: adds results up, exactly. */

#include <string.h>

#include "common/command.h"
#include "lines/values.h"
#include "output/output.h"
#include "lines/reader.h"
#include "lines/runs.h"
#include "common/settings.h"
#include "merging/total.h"

typedef struct {
  const gchar *const *paths; /* NULL-terminated */
  gboolean is_by_file;
  GstClockTime interval; /* 0: none */
  Output *output;
  gboolean has_results; /* results have been written */
  Total *total;
  GstClockTime begin; /* start of the total, in running time */
  RunsEnd end;
  GHashTable *warnings; /* warnings printed so far */
  CommandStatus status; /* the worst one so far */
} Merge;

static void
merge_set_status (Merge *merge, CommandStatus status)
{
  merge->status = MAX (merge->status, status);
}

/* Writes the total if it is not empty, and begins another. */
static void
merge_flush (Merge *merge)
{
  g_autoptr (GPtrArray) missing = NULL;
  g_autofree gchar *line = NULL;

  if (total_count (merge->total) == 0 || merge->status == COMMAND_ERROR)
    return;
  missing = g_ptr_array_new_with_free_func (g_free);
  line = total_to_line (merge->total, missing);
  output_write (merge->output, line, strlen (line));
  merge->has_results = TRUE;
  for (guint i = 0; i < missing->len; i++) {
    merge_set_status (merge, COMMAND_FINDING);
    if (g_hash_table_add (merge->warnings, g_strdup (missing->pdata[i])))
      command_warn ("%s", (const gchar *)missing->pdata[i]);
  }
  total_free (merge->total);
  merge->total = total_new ();
}

/* Returns whether the total covers an interval, by the rule of the element: rounding may have lost a nanosecond. */
static gboolean
merge_is_full (const Merge *merge, GstClockTime end)
{
  return merge->interval > 0 && GST_CLOCK_TIME_IS_VALID (end) && GST_CLOCK_TIME_IS_VALID (merge->begin) && end >= merge->begin
         && end - merge->begin >= merge->interval - 1;
}

static void
merge_add_result (Merge *merge, Reader *reader, const GstStructure *result)
{
  const Lines *lines = reader_get_lines (reader);
  const GstClockTime time = values_get_time (result, "running-time"), duration = values_get_time (result, "duration");
  g_autoptr (GError) error = NULL;

  /* Another run has its own times, and so its own intervals. */
  if ((runs_take_result (&merge->end, result) && merge->interval > 0) || merge_is_full (merge, time))
    merge_flush (merge);
  if (total_count (merge->total) == 0)
    merge->begin = time;
  if (!total_add (merge->total, result, lines_get_components (lines), &error)) {
    merge_set_status (merge, command_fail ("%s: line %" G_GUINT64_FORMAT " does not add up: %s", lines_get_name (lines),
                                           lines_get_number (lines), error->message));
    return;
  }
  if (GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (duration) && merge_is_full (merge, time + duration))
    merge_flush (merge);
}

static void
merge_take_event (Merge *merge, Reader *reader, const GstStructure *event)
{
  const gchar *reason = values_get_string (event, NULL, "reason");

  if (g_strcmp0 (values_get_string (event, NULL, "event"), "incomplete") != 0)
    return;
  merge_set_status (merge, COMMAND_FINDING);
  command_warn ("%s does not reach the end of its film: %s", lines_get_name (reader_get_lines (reader)),
                reason != NULL ? reason : "it was stopped");
}

static void
merge_read (Merge *merge, const gchar *path)
{
  Reader *reader = reader_open (path);
  GstStructure *structure;
  LinesKind kind;

  if (reader == NULL) {
    merge_set_status (merge, COMMAND_ERROR);
    return;
  }
  while (merge->status != COMMAND_ERROR && (kind = reader_next (reader, &structure)) != LINES_END) {
    if (kind == LINES_RESULT)
      merge_add_result (merge, reader, structure);
    else
      merge_take_event (merge, reader, structure);
    gst_structure_free (structure);
  }
  merge_set_status (merge, reader_finish (reader));
  if (reader_warn_of_end (reader))
    merge_set_status (merge, COMMAND_FINDING);
  reader_close (reader);
  if (merge->is_by_file)
    merge_flush (merge);
}

static CommandStatus
merge_files (Merge *merge)
{
  merge->total = total_new ();
  merge->warnings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (const gchar *const *path = merge->paths; *path != NULL && merge->status != COMMAND_ERROR; path++)
    merge_read (merge, *path);
  merge_flush (merge);
  if (!merge->has_results && merge->status == COMMAND_OK)
    command_warn ("there are no results to add up");
  total_free (merge->total);
  g_hash_table_unref (merge->warnings);
  if (merge->has_results && merge->status != COMMAND_ERROR)
    return output_close (g_steal_pointer (&merge->output), merge->status);
  return merge->status;
}

static const gchar description[] = "Adds results in file order. The sum equals one window over all files, bit for\n"
                                   "bit. Fields that cannot be added exactly are omitted and listed on stderr.\n"
                                   "Events are not added.\n"
                                   "\n"
                                   "A non-empty file is overwritten only if `cudahisto merge` wrote it and it is\n"
                                   "unchanged, or with --force.\n"
                                   "\n"
                                   "  cudahisto merge part1.jsonl part2.jsonl -o film.jsonl\n"
                                   "  cudahisto merge --by-file part*.jsonl      one result per file\n"
                                   "  cudahisto merge --interval=1s film.jsonl   one result per second\n"
                                   "\n"
                                   "Exit status: 0: complete; 1: fields omitted or a file incomplete; 2: error, such\n"
                                   "as results of films of different sizes.";

static CommandStatus
merge_run (int argc, char **argv)
{
  static const gchar *const standard_input[] = { "-", NULL };
  OutputPolicy policy = { .kind = "merge" };
  g_autofree gchar *out_path = NULL, *interval = NULL;
  Merge merge = { .status = COMMAND_OK };
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out_path, "Output file (default: stdout)", "FILE" },
    { "by-file", 0, 0, G_OPTION_ARG_NONE, &merge.is_by_file, "One result per file", NULL },
    { "interval", 'i', 0, G_OPTION_ARG_STRING, &interval, "Duration of each result: 1s, 500ms", "TIME" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &policy.is_forced, "Overwrite any file, except an input", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GError) error = NULL;
  CommandStatus status;

  if (!command_parse (&command_merge, entries, description, &argc, &argv, &status))
    return status;
  if (interval != NULL && !settings_parse_time ("--interval", interval, &merge.interval, &error)) {
    status = command_fail ("%s", error->message);
  } else {
    command_init_structures ();
    merge.paths = argc > 1 ? (const gchar *const *)argv + 1 : standard_input;
    merge.output = output_open (out_path, merge.paths, &policy);
    status = merge.output != NULL ? merge_files (&merge) : COMMAND_ERROR;
    output_abandon (merge.output);
  }
  return status;
}

const Command command_merge = {
  .name = "merge",
  .usage = "FILE...",
  .summary = "Add up the results of parts of a film, exactly",
  .run = merge_run,
};
