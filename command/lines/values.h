/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values of the structures of lines.h, by field name (docs/messages.md). Callers take the names of statistics from
 * fields/fields.h. They spell out those of a result's source and position, such as "width", and of members of events, which are
 * not in the list of fields. */

#pragma once

#include <gst/gst.h>

#define VALUES_REGIONS "regions" /* the array of regions, which is no field of fields/list.h */

/* Returns "Y-mean" for "Y" and "mean"; "mean" for NULL. NULL: there is no such field. */
const GValue *values_get (const GstStructure *structure, const gchar *component, const gchar *name);

/* FALSE, and *number unchanged: there is no such field, or it is not a number of this type. Integers convert to double. */
gboolean values_get_uint64 (const GstStructure *structure, const gchar *component, const gchar *name, guint64 *number);
gboolean values_get_double (const GstStructure *structure, const gchar *component, const gchar *name, gdouble *number);

/* The same; NaN: there is no such number. */
gdouble values_read_double (const GstStructure *structure, const gchar *component, const gchar *name);

/* NULL: there is no such field, or it is not a string. */
const gchar *values_get_string (const GstStructure *structure, const gchar *component, const gchar *name);

/* A time in ns; GST_CLOCK_TIME_NONE also if it is unknown. */
GstClockTime values_get_time (const GstStructure *structure, const gchar *name);

/* The numbers of an array, little-endian. NULL: there is no such field. */
const guint64 *values_get_array (const GstStructure *structure, const gchar *component, const gchar *name, gsize *n_numbers);

/* x, y, width and height. */
gboolean values_get_rectangle (const GstStructure *structure, const gchar *name, guint rectangle[4]);

/* The number of regions, and a region. */
guint values_count_regions (const GstStructure *structure);
const GstStructure *values_get_region (const GstStructure *structure, guint index);

/* Formats a double as in JSON: with the fewest digits, from 15 to 17, that give the same double back. Free with g_free(). */
gchar *values_format_double (gdouble number);
