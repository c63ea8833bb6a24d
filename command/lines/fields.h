/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fields of the structures of lines.h, by their names in docs/messages.md. */

#ifndef CUDAHISTO_FIELDS_H
#define CUDAHISTO_FIELDS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns "Y-mean" for "Y" and "mean"; "mean" for NULL. NULL: there is no such field. */
const GValue *fields_get (const GstStructure *structure, const gchar *component, const gchar *name);

/* FALSE, and *number unchanged: there is no such field, or it is not a number of this type. Integers convert to double. */
gboolean fields_get_uint64 (const GstStructure *structure, const gchar *component, const gchar *name, guint64 *number);
gboolean fields_get_double (const GstStructure *structure, const gchar *component, const gchar *name, gdouble *number);

/* The same; NaN: there is no such number. */
gdouble fields_read_double (const GstStructure *structure, const gchar *component, const gchar *name);

/* NULL: there is no such field, or it is not a string. */
const gchar *fields_get_string (const GstStructure *structure, const gchar *component, const gchar *name);

/* A time in ns; GST_CLOCK_TIME_NONE also if it is unknown. */
GstClockTime fields_get_time (const GstStructure *structure, const gchar *name);

/* The numbers of an array, little-endian. NULL: there is no such field. */
const guint64 *fields_get_array (const GstStructure *structure, const gchar *component, const gchar *name, gsize *n_numbers);

/* x, y, width and height. */
gboolean fields_get_rectangle (const GstStructure *structure, const gchar *name, guint rectangle[4]);

/* The number of regions, and a region. */
guint fields_count_regions (const GstStructure *structure);
const GstStructure *fields_get_region (const GstStructure *structure, guint index);

/* Formats a double as in JSON: with the fewest digits, from 15 to 17, that give the same double back. Free with g_free(). */
gchar *fields_format_double (gdouble number);

G_END_DECLS

#endif
