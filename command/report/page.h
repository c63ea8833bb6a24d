/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page of a report: one HTML file with its style, scripts and data, that loads nothing else. */

#pragma once

#include "report/film.h"

typedef struct _Page Page;

Page *page_new (void);
void page_free (Page *page);

/* Adds a film after its last line. The films share the size of the page: `n_left` films, including this one, may still be
 * added. `verdict`: an object in JSON without "<", with which the page begins; NULL: none. */
void page_add_film (Page *page, Film *film, guint n_left, const gchar *verdict);

guint page_count_films (const Page *page);

/* Returns the page. Free with g_string_free(). */
GString *page_make (const Page *page);
