/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/reader.h"

#include <string.h>
#include <unistd.h>

#include "common/terminal.h"

#define MAX_REPORTED_LINES 3
#define MAX_INVALID_LINES 100

struct _Reader {
  Lines *lines;
  guint64 good, bad, of_other_versions;
  gboolean has_failed, is_quiet;
};

Reader *
reader_open (const gchar *path)
{
  g_autoptr (GError) error = NULL;
  Lines *lines;
  Reader *reader;

  if (strcmp (path, "-") == 0 && terminal_is_there (STDIN_FILENO))
    command_warn ("reading from the keyboard: name a file to read it instead, or press Ctrl-D to end");
  lines = lines_open (path, &error);
  if (lines == NULL) {
    command_fail ("%s", error->message);
    return NULL;
  }
  reader = g_new0 (Reader, 1);
  reader->lines = lines;
  return reader;
}

void
reader_close (Reader *reader)
{
  if (reader == NULL)
    return;
  lines_close (reader->lines);
  g_free (reader);
}

static void
reader_take_error (Reader *reader, const GError *error)
{
  const gboolean is_of_line = error->code != LINES_FAULT_READ && error->code != LINES_FAULT_TEXT;

  if (reader->is_quiet)
    return;
  if (!is_of_line)
    reader->has_failed = TRUE;
  else
    reader->bad++;
  if (error->code == LINES_FAULT_VERSION)
    reader->of_other_versions++;
  if (!is_of_line || reader->bad <= MAX_REPORTED_LINES)
    command_fail ("%s", error->message);
}

LinesKind
reader_next (Reader *reader, GstStructure **structure)
{
  while (reader->good > 0 || reader->bad < MAX_INVALID_LINES) {
    g_autoptr (GError) error = NULL;
    const LinesKind kind = lines_next (reader->lines, structure, &error);

    if (kind == LINES_RESULT || kind == LINES_EVENT)
      reader->good++;
    if (kind != LINES_ERROR)
      return kind;
    reader_take_error (reader, error);
  }
  return LINES_END;
}

gboolean
reader_keep (Reader *reader)
{
  g_autoptr (GError) error = NULL;

  if (lines_keep (reader->lines, &error))
    return TRUE;
  command_fail ("%s", error->message);
  return FALSE;
}

void
reader_rewind (Reader *reader)
{
  reader->is_quiet = TRUE;
  lines_rewind (reader->lines);
}

CommandStatus
reader_finish (Reader *reader)
{
  const gchar *name = lines_get_name (reader->lines);

  if (reader->good == 0 && reader->bad >= MAX_INVALID_LINES)
    command_fail ("%s is not a sidecar of cudahisto: its first %d lines are invalid", name, MAX_INVALID_LINES);
  else if (reader->bad > MAX_REPORTED_LINES)
    command_fail ("%s: %" G_GUINT64_FORMAT " more lines are invalid", name, reader->bad - MAX_REPORTED_LINES);
  return reader->bad > 0 || reader->has_failed ? COMMAND_ERROR : COMMAND_OK;
}

guint64
reader_count_good (const Reader *reader)
{
  return reader->good;
}

guint64
reader_count_of_other_versions (const Reader *reader)
{
  return reader->of_other_versions;
}

Lines *
reader_get_lines (Reader *reader)
{
  return reader->lines;
}

gboolean
reader_is_over (const Reader *reader)
{
  return lines_are_over (reader->lines) || (reader->good == 0 && reader->bad >= MAX_INVALID_LINES);
}

gboolean
reader_reopen (Reader *reader, const gchar *path)
{
  Lines *lines = lines_open (path, NULL);

  if (lines == NULL)
    return FALSE;
  lines_close (reader->lines);
  reader->lines = lines;
  return TRUE;
}

gboolean
reader_warn_of_end (Reader *reader)
{
  const gboolean is_torn = lines_ends_within_line (reader->lines);

  if (is_torn)
    command_warn ("%s ends within a line, which is skipped: it is being written, or its writer was stopped",
                  lines_get_name (reader->lines));
  return is_torn;
}

const gchar *
reader_get_path (const Command *command, int argc, char **argv)
{
  if (argc <= 2)
    return argc == 2 ? argv[1] : "-";
  command_fail ("%s takes one file, and there are %d: \"%s\" is the second. `cudahisto %s --help` has examples.", command->name,
                argc - 1, argv[2], command->name);
  return NULL;
}
