/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields of many results as columns of a flat table. Each field has one column, in the order of the lines. */

#pragma once

#include <gst/gst.h>

typedef struct _Columns Columns;

/* `has_histograms`: has a column for each bin, besides the scalar fields. */
Columns *columns_new (gboolean has_histograms);
void columns_free (Columns *columns);

/* Adds columns for the fields of the result that have none yet. */
void columns_add (Columns *columns, const GstStructure *result);

/* Returns whether all fields of the result have columns. */
gboolean columns_know (const Columns *columns, const GstStructure *result);

guint columns_count (const Columns *columns);

/* Append the header, or the row of a result, with a newline. Column names are unique, and have only letters, digits and
 * underscores. Missing and unknown values are empty. */
void columns_append_header (const Columns *columns, GString *text);
void columns_append_row (const Columns *columns, const GstStructure *result, GString *text);

/* Appends a text as a cell, in UTF-8, quoted as RFC 4180 requires. A text that a spreadsheet would take for a formula gets an
 * apostrophe before it, even if it becomes one only when the cell is split at semicolons or tabs. */
void columns_append_text (GString *text, const gchar *cell);
