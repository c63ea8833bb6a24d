/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file that `cudahisto measure` has the element write: before it begins, and when all is written. */

#ifndef CUDAHISTO_RESULTFILE_H
#define CUDAHISTO_RESULTFILE_H

#include <glib.h>

G_BEGIN_DECLS

/* For --force: empties the file, whatever it holds, unless it is `input` or `reference` (NULL: there is none), paths or URIs.
 * Nothing where it is not there or no file. FALSE: `error` is a sentence. */
gboolean result_file_empty (const gchar *location, const gchar *input, const gchar *reference, GError **error);

/* Whether the file that was written is still at the location; `fd`: a descriptor of it, -1: there is none. FALSE: it
 * disappeared or was replaced, which has been said. */
gboolean result_file_check (const gchar *location, gint fd);

G_END_DECLS

#endif
