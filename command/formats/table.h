/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results and events as `cudahisto show` prints them: a table of numbers, and a histogram, on standard output. */

#ifndef CUDAHISTO_TABLE_H
#define CUDAHISTO_TABLE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Sets how wide lines may be, in columns; 80 at first. */
void table_set_width (guint columns);

/* A line of standard output, without control characters, cut to the width. */
void table_print (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* The names of the columns. */
void table_print_header (void);

/* A result: where in the stream it is, a row a component, what the table has no columns for, and the same of each region.
 * `components` are the names to print, the last NULL. */
void table_print_result (const GstStructure *result, const gchar *const *components);

/* What began, or what is over, and when, in a line. */
void table_print_event (const GstStructure *event);

/* A histogram, eight rows high: counters of values from 0 to `max`. Prints nothing of one that is empty. */
void table_draw_histogram (const gchar *name, const guint64 *counters, gsize n_counters, guint max);

G_END_DECLS

#endif
