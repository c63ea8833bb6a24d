/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/index.h"

#include <errno.h>
#include <string.h>

#include "merging/total.h"
#include "output/output.h"
#include "scan/folder.h"
#include "scan/indexpage.h"
#include "scan/record.h"
#include "scan/row.h"

typedef struct {
  const gchar *folder;
  const ScanArguments *arguments;
  gboolean is_forced;
  GPtrArray *totals; /* Total, one for each format */
  Output *table, *page;
  GString *rows; /* of the page */
  ScanCounts *counts;
} Index;

/* The files. */
#define TABLE "index.csv"
#define PAGE "index.html"
#define SUMMARY "summary.jsonl"

/* ---- index.csv -------------------------------------------------------------------------------------------------------- */

/* Quotes a cell as RFC 4180 does. Bytes of names that are not UTF-8 become U+FFFD, so that every program can read the table. */
static void
index_write_cell (Output *output, const gchar *cell, gboolean is_last)
{
  g_autofree gchar *valid = g_utf8_make_valid (cell != NULL ? cell : "", -1);
  const gboolean is_quoted = strpbrk (valid, ",\"\r\n") != NULL;
  g_auto (GStrv) parts = g_strsplit (valid, "\"", -1);
  g_autofree gchar *text = g_strjoinv ("\"\"", parts);

  output_print (output, "%s%s%s%s", is_quoted ? "\"" : "", text, is_quoted ? "\"" : "", is_last ? "\n" : ",");
}

static void
index_write_row (Output *output, const gchar *const *cells)
{
  for (guint i = 0; i < COLUMNS; i++)
    index_write_cell (output, cells[i], i + 1 == COLUMNS);
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
index_write_totals (const Index *index)
{
  Output *output = index_open (index->folder, SUMMARY, index->is_forced);

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

gboolean
scan_check_index (const gchar *folder, gboolean is_forced)
{
  static const gchar *const names[] = { TABLE, PAGE, SUMMARY };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    Output *output = index_open (folder, names[i], is_forced);

    if (output == NULL)
      return FALSE;
    output_abandon (output);
  }
  return TRUE;
}

/* Adds the sum of a film to that of its format. */
static void
index_add_sum (const GstStructure *sum, const gchar *const *components, gpointer data)
{
  const Index *index = data;
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

static void
index_count_film (ScanCounts *counts, const ScanRecord *record)
{
  if (record == NULL) {
    counts->n_missing++;
    return;
  }
  counts->n_complete += record->status == COMMAND_OK;
  counts->n_damaged += record->status == COMMAND_FINDING;
  counts->n_failed += record->status == COMMAND_ERROR;
  counts->n_rejected += g_str_equal (record->verdict, "fail");
  counts->n_unjudged += g_str_equal (record->verdict, "not-measured");
}

static void
index_add_film (Index *index, const ScanFilm *film)
{
  g_autoptr (ScanPaths) paths = scan_paths_new (index->folder, film->name);
  ScanRecord *record = scan_record_read (paths->record);
  Row row = { .cells = { NULL } };

  if (record != NULL && !scan_record_is_of (record, film, index->arguments->text, paths->results))
    g_clear_pointer (&record, scan_record_free);
  index_count_film (index->counts, record);
  row_fill (&row, film, record, paths, index_add_sum, index);
  index_write_row (index->table, (const gchar *const *)row.cells);
  index_page_append_row (index->rows, &row, film->name, index->arguments->has_policy);
  for (guint i = 0; i < ROW_EVENT_KINDS; i++)
    index->counts->n_events[i]
        += row.cells[COLUMN_EVENTS + i] != NULL ? g_ascii_strtoull (row.cells[COLUMN_EVENTS + i], NULL, 10) : 0;
  row_clear (&row);
  scan_record_free (record);
}

static CommandStatus
index_write_files (Index *index, GPtrArray *films)
{
  CommandStatus status = COMMAND_OK;

  index->table = index_open (index->folder, TABLE, index->is_forced);
  index->page = index->table != NULL ? index_open (index->folder, PAGE, index->is_forced) : NULL;
  if (index->page == NULL) {
    output_abandon (index->table);
    return COMMAND_ERROR;
  }
  index_write_row (index->table, row_names);
  for (guint i = 0; i < films->len; i++)
    index_add_film (index, films->pdata[i]);
  index_page_write (index->page, index->rows, index->counts, index->arguments->has_policy);
  status = output_close (index->table, status);
  status = output_close (index->page, status);
  return status == COMMAND_OK ? index_write_totals (index) : status;
}

CommandStatus
scan_write_index (const gchar *folder, GPtrArray *films, const ScanArguments *arguments, gboolean is_forced, ScanCounts *counts)
{
  Index index = { .folder = folder,
                  .arguments = arguments,
                  .is_forced = is_forced,
                  .totals = g_ptr_array_new_with_free_func (index_free_total),
                  .rows = g_string_new (NULL),
                  .counts = counts };
  const int lock = scan_folder_lock (folder);
  CommandStatus status = lock < 0 ? command_fail ("cannot lock \"%s\": %s", folder, g_strerror (errno)) : COMMAND_OK;

  if (lock >= 0) {
    status = index_write_files (&index, films);
    scan_paths_unlock (lock);
  }
  g_ptr_array_unref (index.totals);
  g_string_free (index.rows, TRUE);
  return status;
}
