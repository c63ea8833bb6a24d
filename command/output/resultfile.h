/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file that `cudahisto measure` has the element write: before it is written, and when all is written. */

#ifndef CUDAHISTO_RESULTFILE_H
#define CUDAHISTO_RESULTFILE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* For --force: whether the file may be overwritten. FALSE: it is the input, one of its pictures, or a file that the element
 * reads, such as the reference; `error` is a sentence. */
gboolean result_file_check_inputs (const gchar *location, const gchar *input, GstElement *histo, GError **error);

/* Whether the file that was written is still at the location; `fd`: a descriptor of it, -1: there is none. FALSE: it
 * disappeared or was replaced, which has been said. */
gboolean result_file_check (const gchar *location, gint fd);

/* Whether the element refused the file because it holds anything else than its lines. --force empties such a file. */
gboolean result_file_is_refused (const GError *error);

G_END_DECLS

#endif
