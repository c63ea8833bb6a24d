/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The output of a subcommand: a file (-o), or standard output. A new file is written beside the existing one and replaces it
 * once complete; if that fails, the old file stays unchanged. The file keeps its permissions, and a symbolic link stays a link.
 * A file that can be written but not replaced (a mount point, another user's, or its directory accepts no new file) is
 * overwritten once the content is complete. Anything else, such as a FIFO or /dev/null, is written directly.
 *
 * The new file exchanges its name with the old one, which is then removed. If the process is killed between these two steps,
 * the old file remains in the same directory as `.cudahisto-*`. */

#pragma once

#include "common/command.h"

typedef struct _Output Output;

/* Whether an existing file may be overwritten: a file that is not empty only if this subcommand wrote it and it is unchanged
 * since (outputmark.h), or if the user forces it. */
typedef struct {
  const gchar *kind; /* the subcommand */
  gboolean is_forced;
} OutputPolicy;

/* Checks that standard output is not one of the input files (`inputs`, NULL-terminated; "-": standard input). FALSE: it is, and
 * an error was reported. */
gboolean output_check_standard (const gchar *const *inputs);

/* Call it before reading any input, so that errors come early. If a file appears, disappears or is replaced before
 * output_close(), that is an error. `path`: NULL or "-" is standard output; a name that ends in ".gz" is compressed. A FIFO
 * must get a reader within two seconds. NULL, after reporting an error: the path is one of the inputs, by whatever name or
 * descriptor, must not be overwritten, or cannot be opened. */
Output *output_open (const gchar *path, const gchar *const *inputs, const OutputPolicy *policy);

/* Returns whether the path is standard output, by whatever name: "/dev/stdout", a link to it, or its terminal or pipe. */
gboolean output_is_standard (const gchar *path);

/* Write text. On a terminal, control characters other than newline and tab are replaced. */
void output_write (Output *output, const gchar *text, gsize length);
void output_print (Output *output, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* FALSE: writing has failed; do not write any more. */
gboolean output_is_good (Output *output);

/* Returns the given status, or COMMAND_ERROR if not all was written, after reporting an error. Accepts NULL. */
CommandStatus output_close (Output *output, CommandStatus status);

/* Discards the output; an existing file stays unchanged. Accepts NULL. */
void output_abandon (Output *output);
