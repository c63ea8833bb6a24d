/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sidecar in the page of a report: columns over time, a heat map, events, and extremes with their times. */

#pragma once

#include <gst/gst.h>

typedef struct _Film Film;

/* `file`: name of the sidecar, in UTF-8. */
Film *film_new (const gchar *file);
void film_free (Film *film);

/* Add a line. `components`: names of the result's components, NULL-terminated. */
void film_add_result (Film *film, const GstStructure *result, const gchar *const *components);
void film_add_event (Film *film, const GstStructure *event);

/* Add text below the film's name in the page: a warning if numbers are missing or wrong, otherwise a note. */
void film_add_warning (Film *film, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
void film_add_note (Film *film, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* Warns that the file ends within a line. */
void film_warn_of_end (Film *film);

/* Returns its name in the page: the input that all results have, or the file. */
const gchar *film_get_name (const Film *film);

guint64 film_count_results (const Film *film);
guint64 film_count_events (const Film *film);

/* Returns its data for page/film.js: `facts` in JSON, and two texts of columns (packing.h), for curves and heat map, of at most
 * about `most` bytes together. If they would be longer, their time resolution is reduced, and a note reports it. Call it once.
 * Free the texts with g_free(). */
void film_finish (Film *film, gsize most, GString *facts, gchar **curves, gchar **heat);
