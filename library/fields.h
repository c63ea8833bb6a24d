/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A copy of the fields of a message or a meta: a structure with the same names, in which all arrays of 64-bit integers are
 * packed in the machine's byte order. */

#pragma once

#include <gst/gst.h>

/* bins in a row of a waveform or a vectorscope */
#define GST_CUDA_HISTO_FIELDS_ROW 256

/* Copies all fields except `left_out`, which may be NULL. Packed arrays in the machine's byte order are shared. Free with
 * gst_structure_free(). */
GstStructure *gst_cuda_histo_fields_keep (const GstStructure *structure, const gchar *left_out);

/* Gets a number of any type whose value fits, otherwise `absent`. */
guint64 gst_cuda_histo_fields_get_uint64 (const GstStructure *fields, const gchar *name, guint64 absent);
guint gst_cuda_histo_fields_get_uint (const GstStructure *fields, const gchar *name);
gdouble gst_cuda_histo_fields_get_double (const GstStructure *fields, const gchar *name);

/* Gets a string owned by `fields`, "" if the field is absent. Never NULL. */
const gchar *gst_cuda_histo_fields_get_string (const GstStructure *fields, const gchar *name);

/* Gets an array of *n_numbers 64-bit integers, a multiple of `row`. `fields` owns it. `n_numbers` may be NULL. If the array is
 * absent: NULL and 0. */
gconstpointer gst_cuda_histo_fields_get_numbers (const GstStructure *fields, const gchar *name, gsize row, gsize *n_numbers);

/* Gets the same array as a reference. Release it with g_bytes_unref(). NULL if the array is absent. */
GBytes *gst_cuda_histo_fields_get_bytes (const GstStructure *fields, const gchar *name, gsize row);

/* Gets x, y, width and height. FALSE and zeros if the field is absent. */
gboolean gst_cuda_histo_fields_get_rectangle (const GstStructure *fields, const gchar *name, guint rectangle[4]);

/* Converts any number to a double. NaN if `value` is NULL or not a number. */
gdouble gst_cuda_histo_fields_get_number (const GValue *value);
