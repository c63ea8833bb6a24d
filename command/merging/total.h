/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sum of results: equal to the result of one window over all of them, as docs/statistics.md defines it ("Adding results
 * up"). An empty total is the neutral element. The order matters only for values that depend on the position in the stream. */

#pragma once

#include <gst/gst.h>

typedef struct _Total Total;

Total *total_new (void);
void total_free (Total *total);

/* Adds the next result. `components`: names of its components, NULL-terminated. FALSE: it is of another source (format, size,
 * depth, range), and `error` has the difference; the total is unchanged. */
gboolean total_add (Total *total, const GstStructure *result, const gchar *const *components, GError **error);

/* Number of added results. */
guint64 total_count (const Total *total);

/* Returns the total as a line of a sidecar, with its newline. Values that do not follow exactly from the results are omitted,
 * and messages with their names are appended to `missing`. Free with g_free(). */
gchar *total_to_line (Total *total, GPtrArray *missing);
