/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints results and events for `cudahisto show`: a table of numbers, and a histogram, on standard output. */

#pragma once

#include <gst/gst.h>

/* Sets the largest line width, in columns; 80 by default. */
void table_set_width (guint columns);

/* Prints a line without control characters, cut to the width. */
void table_print (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* Prints the names of the columns. */
void table_print_header (void);

/* Prints a result: its position, a row per component, numbers without a column, and the same for each region. `components`: the
 * names to print, NULL-terminated. */
void table_print_result (const GstStructure *result, const gchar *const *components);

/* Prints a line about an event that began or ended. */
void table_print_event (const GstStructure *event);

/* Draws a histogram, eight rows high. The bins cover values from 0 to `max`. Prints nothing if it is empty. */
void table_draw_histogram (const gchar *name, const guint64 *counters, gsize n_counters, guint max);
