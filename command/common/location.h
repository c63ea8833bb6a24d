/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where an input is: a path, a URI, "-" (standard input), or a device such as /dev/video0. */

#ifndef CUDAHISTO_LOCATION_H
#define CUDAHISTO_LOCATION_H

#include <glib.h>

G_BEGIN_DECLS

/* What it is called in sentences: a copy without control characters, in UTF-8; without the password of a URI. */
gchar *location_name (const gchar *where);

/* The last part of its path, without directories, host, user, password and query: "film.mp4" of "/a/film.mp4" and of
 * "https://host/a/film.mp4?x=1". NULL: it has none. Free with g_free(). */
gchar *location_get_file_name (const gchar *where);

/* Its URI, for GStreamer: free with g_free(). NULL: `error` is a sentence: it is not there, a folder, empty, may not be read,
 * or a terminal, unless it `may_be_typed`. A FIFO is opened, which waits for its writer: *fd is then the caller's, else -1. */
gchar *location_get_uri (const gchar *where, gboolean may_be_typed, int *fd, GError **error);

G_END_DECLS

#endif
