/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sidecar as the page of a report shows it: columns over time, a heat map, events, and extremes with their times. */

#ifndef CUDAHISTO_FILM_H
#define CUDAHISTO_FILM_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Film Film;

/* `file`: the name of the file of lines, in UTF-8. */
Film *film_new (const gchar *file);
void film_free (Film *film);

/* A line of it; `components` are the names of the result's, and end with NULL. */
void film_add_result (Film *film, const GstStructure *result, const gchar *const *components);
void film_add_event (Film *film, const GstStructure *event);

/* Sentences that the page shows below the film's name: a warning if numbers are missing or wrong, a note otherwise. */
void film_add_warning (Film *film, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
void film_add_note (Film *film, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* What the page calls it: the input that all results have, or the file. */
const gchar *film_get_name (const Film *film);

guint64 film_count_results (const Film *film);
guint64 film_count_events (const Film *film);

/* Its data as page/film.js reads it: what it is in JSON, and two columns' texts (packing.h), of curves and of the heat map, of
 * at most about `most` bytes together. What would be longer is coarser in time, and a note says so. Once only. The texts are
 * freed with g_free(). */
void film_finish (Film *film, gsize most, GString *facts, gchar **curves, gchar **heat);

G_END_DECLS

#endif
