/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sidecar as subcommands read it: what is wrong with its lines is said, and the others are gone on with. */

#ifndef CUDAHISTO_READER_H
#define CUDAHISTO_READER_H

#include "common/command.h"
#include "lines/lines.h"

G_BEGIN_DECLS

typedef struct _Reader Reader;

/* "-": standard input. NULL: it cannot be read, and that has been said. */
Reader *reader_open (const gchar *path);
void reader_close (Reader *reader);

/* LINES_RESULT, LINES_EVENT or LINES_END. Of the lines that are none of a sidecar the first few are said, and the others
 * counted; where the file begins with many of them, and nothing else, it is given up. */
LinesKind reader_next (Reader *reader, GstStructure **structure);

/* Before the first line: sees to it that the file can be read twice. FALSE: it cannot, which has been said. */
gboolean reader_keep (Reader *reader);

/* Begins again where it began, after reader_finish(). What is wrong with lines is not said again. */
void reader_rewind (Reader *reader);

/* After LINES_END: says how many more lines were wrong than have been said so. COMMAND_ERROR: any were, or the file could not
 * be read to its end; else COMMAND_OK. */
CommandStatus reader_finish (Reader *reader);

/* How many lines were good, and how many are of another version of the format. */
guint64 reader_count_good (const Reader *reader);
guint64 reader_count_of_other_versions (const Reader *reader);

Lines *reader_get_lines (Reader *reader);

/* Whether nothing will come any more: the file was given up, cannot be read on, or is a pipe that nobody writes to. */
gboolean reader_is_over (const Reader *reader);

/* Opens the path anew, where lines_was_replaced(). FALSE: it cannot be opened now. */
gboolean reader_reopen (Reader *reader, const gchar *path);

/* Says that the file ends within a line, if it does. */
gboolean reader_warn_of_end (Reader *reader);

/* The one file that a subcommand was given, "-" where there is none. NULL: there are more, and that has been said. */
const gchar *reader_get_path (const Command *command, int argc, char **argv);

G_END_DECLS

#endif
