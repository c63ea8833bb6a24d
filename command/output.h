/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a subcommand writes: a file (-o), or standard output. A file is written beside the one of its name, which it replaces
 * when it is whole: until then, and where it cannot be, what was there stays as it was. It keeps its permissions, and a
 * symbolic link to it stays one. One that may be written and cannot be replaced (a mount point, somebody else's, or its folder
 * takes no new file) gets the content when that is whole. What is no file, such as a FIFO or /dev/null, is written to. */

#ifndef CUDAHISTO_OUTPUT_H
#define CUDAHISTO_OUTPUT_H

#include "command.h"

G_BEGIN_DECLS

typedef struct _Output Output;

/* What a subcommand writes. A file that is there, holds something, and holds something else is not overwritten. */
typedef struct {
  const gchar *name; /* "report of cudahisto" */
  /* Whether a file begins as one of this kind does: its first bytes, some thousands or all, unpacked where they are compressed
   * by gzip, and a zero behind them. */
  gboolean (*is_one) (const gchar *begin, gsize length);
} OutputKind;

/* Whether the path can be written: it is none of the files that are read (`inputs`, NULL at the end; "-": standard input),
 * neither by name nor by another name or descriptor of the same file, and nothing but what `kind` is would be overwritten.
 * NULL, or "-": standard output, which is to be another file than the inputs, too. FALSE: it cannot, and that has been said. */
gboolean output_check (const gchar *path, const gchar *const *inputs, const OutputKind *kind);

/* NULL, or "-": standard output. What is written to a path that ends in ".gz" is compressed. NULL is returned where it cannot
 * be opened, or is refused as by output_check(), and that has been said. */
Output *output_open (const gchar *path, const gchar *const *inputs, const OutputKind *kind);

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
