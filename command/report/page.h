/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page of a report: one HTML file with its style, its scripts and its data, that loads nothing and obeys nothing else. */

#ifndef CUDAHISTO_PAGE_H
#define CUDAHISTO_PAGE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _Page Page;

Page *page_new (void);
void page_free (Page *page);

/* A film, as film_finish() describes it: its name, its facts in JSON, and its columns, which the page takes. */
void page_add_film (Page *page, const gchar *name, const gchar *facts, gchar *curves, gchar *heat);

/* The page. Free with g_string_free(). */
GString *page_make (const Page *page);

G_END_DECLS

#endif
