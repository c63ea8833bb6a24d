/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The mark of a file that a subcommand has written: an extended attribute of the file, user.cudahisto, with the subcommand and
 * the SHA-256 of the content. So no format needs room for it, and whoever changes a byte of the file, or writes another in its
 * place, breaks it. A copy has it where the program that copies keeps such attributes. */

#ifndef CUDAHISTO_OUTPUTMARK_H
#define CUDAHISTO_OUTPUTMARK_H

#include <glib.h>

G_BEGIN_DECLS

/* The attribute, also of what `measure` writes: resultmark.h. */
#define OUTPUT_MARK_NAME "user.cudahisto"

/* Marks the file as one of `kind`, whose content has this SHA-256, in hexadecimal digits. Nothing where the file system has no
 * such attributes. */
void output_mark_set (int fd, const gchar *kind, const gchar *digest);

/* Whether the file is one of `kind`, and as it was when it was marked. Reads all of it. */
gboolean output_mark_is_intact (const gchar *path, const gchar *kind);

G_END_DECLS

#endif
