/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The mark of a file that a subcommand has written: the extended attribute user.cudahisto, with the subcommand and the SHA-256
 * of the content. It needs no space in the format, and any change to the file invalidates it. A copy has the mark if the
 * copying program keeps attributes. */

#pragma once

#include <glib.h>

/* The attribute; resultmark.h also uses it. */
#define OUTPUT_MARK_NAME "user.cudahisto"

/* Marks the file as output of `kind` whose content has this SHA-256, in hexadecimal digits. Does nothing if the file system has
 * no such attributes. */
void output_mark_set (int fd, const gchar *kind, const gchar *digest);

/* Returns whether the file is output of `kind` and unchanged since it was marked. Reads the whole file. */
gboolean output_mark_is_intact (const gchar *path, const gchar *kind);
