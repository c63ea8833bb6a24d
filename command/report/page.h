/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page of a report: one HTML file with its style, scripts and data, that loads nothing else. */

#pragma once

#include <glib.h>

typedef struct _Page Page;

Page *page_new (void);
void page_free (Page *page);

/* Adds a film as film_finish() returns it: name, facts in JSON, and columns. Takes ownership of the columns. */
void page_add_film (Page *page, const gchar *name, const gchar *facts, gchar *curves, gchar *heat);

/* Returns the page. Free with g_string_free(). */
GString *page_make (const Page *page);
