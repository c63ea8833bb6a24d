/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Locations of inputs: a path, a URI, "-" (standard input), or a device such as /dev/video0. */

#pragma once

#include <glib.h>

/* Returns the name for messages: a copy in UTF-8 without control characters, and without the password of a URI. */
gchar *location_name (const gchar *where);

/* Returns the last part of the path, without directories, host, user, password and query: "film.mp4" for "/a/film.mp4" and for
 * "https://host/a/film.mp4?x=1". NULL: it has none. Free with g_free(). */
gchar *location_get_file_name (const gchar *where);

/* Returns the URI for GStreamer. Free with g_free(). Opens a FIFO, which waits for its writer; the caller then owns *fd,
 * otherwise -1. NULL: it does not exist, is a directory, empty, unreadable, or a terminal (unless `may_be_typed`); `error` has
 * the message. */
gchar *location_get_uri (const gchar *where, gboolean may_be_typed, int *fd, GError **error);
