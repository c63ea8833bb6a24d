/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields of many results as columns of a flat table: those of every result, each once, in the order of the lines. */

#ifndef CUDAHISTO_COLUMNS_H
#define CUDAHISTO_COLUMNS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Columns Columns;

/* Scalar fields alone, or the counters of histograms, too. */
Columns *columns_new (gboolean has_histograms);
void columns_free (Columns *columns);

/* Adds the columns of what the result has and those before it had not. */
void columns_add (Columns *columns, const GstStructure *result);

/* Whether all fields of the result have their columns. */
gboolean columns_know (const Columns *columns, const GstStructure *result);

guint columns_count (const Columns *columns);

/* Appends the header, or the row of a result, with a newline. Names are made of letters, digits and underscores, and no two are
 * the same; what the result does not have, or does not know, is empty. */
void columns_append_header (const Columns *columns, GString *text);
void columns_append_row (const Columns *columns, const GstStructure *result, GString *text);

/* Appends a text as a cell, in UTF-8, quoted where RFC 4180 asks for that. What a spreadsheet would take for a formula, also in
 * a cell of its own where it parts cells at semicolons or tabs, has an apostrophe before it. */
void columns_append_text (GString *text, const gchar *cell);

G_END_DECLS

#endif
