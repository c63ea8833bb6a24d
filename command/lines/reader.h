/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a sidecar for a subcommand. Reports invalid lines and continues with the others. */

#pragma once

#include "common/command.h"
#include "lines/lines.h"

typedef struct _Reader Reader;

/* "-": standard input. NULL: it cannot be read, and an error was reported. */
Reader *reader_open (const gchar *path);
void reader_close (Reader *reader);

/* Returns LINES_RESULT, LINES_EVENT or LINES_END. Reports the first few invalid lines, and counts the others. Gives up on a
 * file that begins with many of them. */
LinesKind reader_next (Reader *reader, GstStructure **structure);

/* Call it before the first line: makes the file readable twice. FALSE: it is not, and an error was reported. */
gboolean reader_keep (Reader *reader);

/* Starts again after reader_finish(). Invalid lines are not reported again. */
void reader_rewind (Reader *reader);

/* After LINES_END: reports the number of further invalid lines. Returns COMMAND_ERROR if there were any, or if reading failed;
 * otherwise COMMAND_OK. */
CommandStatus reader_finish (Reader *reader);

/* Number of valid lines, and of lines of another version of the format. */
guint64 reader_count_good (const Reader *reader);
guint64 reader_count_of_other_versions (const Reader *reader);

Lines *reader_get_lines (Reader *reader);

/* Returns whether nothing more can follow: reading was given up or failed, or all writers of a pipe have closed it. */
gboolean reader_is_over (const Reader *reader);

/* Opens the path again after lines_was_replaced(). FALSE: it cannot be opened now. */
gboolean reader_reopen (Reader *reader, const gchar *path);

/* Warns if the file ends within a line. */
gboolean reader_warn_of_end (Reader *reader);

/* Returns the only file argument of a subcommand, or "-" if there is none. NULL: there are several, and an error was
 * reported. */
const gchar *reader_get_path (const Command *command, int argc, char **argv);
