/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a subcommand writes: a file (-o), or standard output. */

#ifndef CUDAHISTO_OUTPUT_H
#define CUDAHISTO_OUTPUT_H

#include "command.h"

G_BEGIN_DECLS

typedef struct _Output Output;

/* NULL, or "-": standard output. What is written to a path that ends in ".gz" is compressed. NULL is returned where it cannot
 * be opened, or is one of the files that are read (`inputs`, NULL at the end), and that has been said. */
Output *output_open (const gchar *path, const gchar *const *inputs);

void output_write (Output *output, const gchar *text, gsize length);
void output_print (Output *output, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* FALSE: nothing can be written any more, so that nothing more need be made. */
gboolean output_is_good (Output *output);

/* The status so far, or COMMAND_ERROR where not all could be written, which has been said. Accepts NULL. */
CommandStatus output_close (Output *output, CommandStatus status);

G_END_DECLS

#endif
