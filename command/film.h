/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sidecar as the page of a report shows it: columns over time, a heat map, events, and extremes with their times. */

#ifndef CUDAHISTO_FILM_H
#define CUDAHISTO_FILM_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Film Film;

/* `name` is what the page calls it: UTF-8. */
Film *film_new (const gchar *name);
void film_free (Film *film);

/* A line of it; `components` are the names of the result's, and end with NULL. */
void film_add_result (Film *film, const GstStructure *result, const gchar *const *components);
void film_add_event (Film *film, const GstStructure *event);

/* A sentence that the page shows below the film's name. */
void film_add_note (Film *film, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

guint64 film_count_results (const Film *film);
guint64 film_count_events (const Film *film);

/* Its data as page/film.js reads it: what it is in JSON, and two columns' texts (packing.h), of curves and of the heat map, of
 * at most about `most` bytes together. What would be longer is coarser in time, and a note says so. Once only. The texts are
 * freed with g_free(). */
void film_finish (Film *film, gsize most, GString *facts, gchar **curves, gchar **heat);

G_END_DECLS

#endif
