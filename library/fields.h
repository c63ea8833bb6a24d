/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields of a message or a meta, kept: a structure of its own with the same names, in which all arrays of 64-bit integers
 * are packed in the machine's byte order. */

#ifndef GST_CUDA_HISTO_FIELDS_H
#define GST_CUDA_HISTO_FIELDS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* How many counters a row of a waveform or a vectorscope has. */
#define GST_CUDA_HISTO_FIELDS_ROW 256

/* Keeps all fields but `left_out`, which may be NULL. What is packed is shared, if it is in the machine's byte order. Free with
 * gst_structure_free(). */
GstStructure *gst_cuda_histo_fields_keep (const GstStructure *structure, const gchar *left_out);

/* A number of any type that it fits into; else `absent`. */
guint64 gst_cuda_histo_fields_get_uint64 (const GstStructure *fields, const gchar *name, guint64 absent);
guint gst_cuda_histo_fields_get_uint (const GstStructure *fields, const gchar *name);
gdouble gst_cuda_histo_fields_get_double (const GstStructure *fields, const gchar *name);

/* Never NULL: "" where it is not there. It belongs to `fields`. */
const gchar *gst_cuda_histo_fields_get_string (const GstStructure *fields, const gchar *name);

/* An array of 64-bit integers, *n_numbers of them (which may be NULL), a multiple of `row`. It belongs to `fields`. NULL, and
 * 0: it is not there. */
gconstpointer gst_cuda_histo_fields_get_numbers (const GstStructure *fields, const gchar *name, gsize row, gsize *n_numbers);

/* The same array, as a reference to be given back with g_bytes_unref(). NULL: it is not there. */
GBytes *gst_cuda_histo_fields_get_bytes (const GstStructure *fields, const gchar *name, gsize row);

/* x, y, width and height. FALSE, and all of them 0: it is not there. */
gboolean gst_cuda_histo_fields_get_rectangle (const GstStructure *fields, const gchar *name, guint rectangle[4]);

/* Any number as a double; NaN: it is NULL, or no number. */
gdouble gst_cuda_histo_fields_get_number (const GValue *value);

G_END_DECLS

#endif
