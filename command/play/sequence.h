/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures that are the frames of a film: the files of a pattern such as "shot.%04d.png", or of a folder. */

#ifndef CUDAHISTO_SEQUENCE_H
#define CUDAHISTO_SEQUENCE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  GPtrArray *paths;        /* of the pictures, in order */
  GArray *places;          /* guint64, of each: its number less that of the first; gaps in the numbers are gaps in time */
  const gchar *media_type; /* "image/png" */
  const gchar *type;       /* "PNG" */
  guint64 n_missing;       /* numbers without a picture, */
  gchar *missing;          /* and which: "7, 12-15"; NULL: none */
  guint n_others;          /* files in the folder that are no pictures */
} Sequence;

/* Whether a location means a sequence: a folder, or a name with %d or the like. A file of just that name is what it says. */
gboolean sequence_is_location (const gchar *where);

/* NULL: `error` is a sentence. */
Sequence *sequence_find (const gchar *where, GError **error);
void sequence_free (Sequence *sequence);

/* What results of such a location are called: "shot" of "shot.%04d.png", "frames" of "/a/frames/". NULL: there is no name. Free
 * with g_free(). */
gchar *sequence_get_stem (const gchar *where);

G_END_DECLS

#endif
