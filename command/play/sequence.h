/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sequence of pictures as a film: the files of a pattern such as "shot.%04d.png", or of a directory. */

#pragma once

#include <glib.h>

typedef struct {
  GPtrArray *paths;        /* of the pictures, in order */
  GArray *places;          /* guint64: each picture's number less that of the first; gaps in the numbers are gaps in time */
  const gchar *media_type; /* "image/png" */
  const gchar *type;       /* "PNG" */
  guint64 n_missing;       /* numbers without a picture */
  gchar *missing;          /* the list of them: "7, 12-15"; NULL: none */
  guint n_others;          /* other files in the directory */
} Sequence;

/* Returns whether a location is a sequence: a directory, or a name with %d or similar. If a file of exactly that name exists,
 * it is that file. */
gboolean sequence_is_location (const gchar *where);

/* NULL: `error` has the message. */
Sequence *sequence_find (const gchar *where, GError **error);
void sequence_free (Sequence *sequence);

/* Returns the base name of results: "shot" for "shot.%04d.png", "frames" for "/a/frames/". NULL: there is none. Free with
 * g_free(). */
gchar *sequence_get_stem (const gchar *where);
