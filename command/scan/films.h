/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The films of a scan: those named by its arguments, those in its folders, and those named in its lists. */

#pragma once

#include <glib.h>

typedef struct {
  gchar *location; /* an absolute path, or a URI */
  gboolean is_uri;
  int error; /* an errno: it cannot be opened; 0: it can, or it is a URI */
  /* Of its results, relative to the folder of results and without suffix: "tapes/a.mxf" for a.mxf in the folder tapes, "a.mxf"
   * for a film that an argument or a list names, with its folders below the current one. It does not depend on other films. */
  gchar *name;
  guint64 size;       /* bytes */
  gint64 modified_us; /* since 1970; 0 with size 0: unknown */
} ScanFilm;

/* Finds the films in `inputs`, NULL-terminated, in order and each once. A file in a folder is a film if its content is video;
 * its name does not matter. A file named as input is a film if its content is, otherwise a list: locations in lines, or
 * separated by NUL bytes as `find -print0` writes them. "-" is a list on standard input, and a FIFO is a list. Locations in a
 * list are relative to the current folder. Folders in lists are searched too. Skips the folder `output`.
 *
 * Warns of folders that cannot be read, and adds their number to *n_unread. NULL, with an error: two films have the same name,
 * or an input does not exist, is no list, or is the folder `output`. The elements are ScanFilm. */
GPtrArray *scan_find_films (gchar *const *inputs, const gchar *output, guint *n_unread, GError **error);
