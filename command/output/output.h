/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a subcommand writes: a file (-o), or standard output. A file is written beside the one of its name, which it replaces
 * when it is whole: until then, and where it cannot be, what was there stays as it was. It keeps its permissions, and a
 * symbolic link to it stays one. One that may be written and cannot be replaced (a mount point, somebody else's, or its folder
 * takes no new file) gets the content when that is whole. What is no file, such as a FIFO or /dev/null, is written to.
 *
 * The new file exchanges its name with the old one, which is then removed. If the process is killed between these two steps,
 * the old file remains in the same directory as `.cudahisto-*`. */

#ifndef CUDAHISTO_OUTPUT_H
#define CUDAHISTO_OUTPUT_H

#include "common/command.h"

G_BEGIN_DECLS

typedef struct _Output Output;

/* What a subcommand writes. A file that is there and holds something is overwritten where this subcommand has written it and
 * nobody has changed it since, which outputmark.h tells, or where the user has said so. */
typedef struct {
  const gchar *kind; /* the subcommand */
  gboolean is_forced;
} OutputPolicy;

/* Whether standard output is none of the files that are read (`inputs`, NULL at the end; "-": standard input). FALSE: it is
 * one, and that has been said. */
gboolean output_check_standard (const gchar *const *inputs);

/* Before anything is read: so that what cannot be written is known before hours of reading, and what is there is known, too: a
 * file that appears, disappears or is replaced until output_close() is an error. NULL, or "-": standard output. What is written
 * to a path that ends in ".gz" is compressed. A FIFO has a reader within two seconds. NULL is returned where it cannot be
 * written: it is one of the files that are read, by whatever name or descriptor, or none that may be overwritten, or cannot be
 * opened; and that has been said. */
Output *output_open (const gchar *path, const gchar *const *inputs, const OutputPolicy *policy);

/* Whether it is standard output, by whatever name: "/dev/stdout", a link to that, or the terminal or pipe that it is. */
gboolean output_is_standard (const gchar *path);

/* On a terminal control characters are replaced, but for newlines and tabs. */
void output_write (Output *output, const gchar *text, gsize length);
void output_print (Output *output, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* FALSE: nothing can be written any more, so that nothing more need be made. */
gboolean output_is_good (Output *output);

/* The status so far, or COMMAND_ERROR where not all could be written, which has been said. Accepts NULL. */
CommandStatus output_close (Output *output, CommandStatus status);

/* Ends it without an effect on the file of that name. Accepts NULL. */
void output_abandon (Output *output);

G_END_DECLS

#endif
