/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sum of results: what one window over all of them would have said, as docs/statistics.md defines it ("Adding results up").
 * An empty total is its neutral element, and the order of adding counts for what depends on the stream's alone. */

#ifndef CUDAHISTO_TOTAL_H
#define CUDAHISTO_TOTAL_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Total Total;

Total *total_new (void);
void total_free (Total *total);

/* Adds the next result. `components` are its components' names, the last NULL. FALSE: it is of another source (format, size,
 * depth, range), and `error` says which; the total is as it was. */
gboolean total_add (Total *total, const GstStructure *result, const gchar *const *components, GError **error);

/* How many results have been added. */
guint64 total_count (const Total *total);

/* The line of a sidecar that the total makes, with its newline. What does not follow exactly from the results is left out, and
 * its names are appended to `missing`, sentence by sentence. Free with g_free(). */
gchar *total_to_line (Total *total, GPtrArray *missing);

G_END_DECLS

#endif
