/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A writer of JSON (RFC 8259), for any locale. The caller has to close all objects and arrays, and name each value of an
 * object.
 *
 * Not a library, as an exception: json-glib has no unsigned integers and writes 1e-08 as 1e-08.0. */

#pragma once

#include <glib.h>

typedef struct {
  GString *text;        /* output, owned by the caller */
  gboolean needs_comma; /* before the next name or value; initially FALSE */
} GstCudaHistoJson;

void gst_cuda_histo_json_begin_object (GstCudaHistoJson *json);
void gst_cuda_histo_json_end_object (GstCudaHistoJson *json);
void gst_cuda_histo_json_begin_array (GstCudaHistoJson *json);
void gst_cuda_histo_json_end_array (GstCudaHistoJson *json);

/* Writes the name of the object's next value. */
void gst_cuda_histo_json_add_name (GstCudaHistoJson *json, const gchar *name);

/* Replaces invalid UTF-8. */
void gst_cuda_histo_json_add_string (GstCudaHistoJson *json, const gchar *value);
void gst_cuda_histo_json_add_uint64 (GstCudaHistoJson *json, guint64 value);
/* Writes high * 2^64 + low: up to 39 digits. */
void gst_cuda_histo_json_add_uint128 (GstCudaHistoJson *json, guint64 high, guint64 low);
void gst_cuda_histo_json_add_int64 (GstCudaHistoJson *json, gint64 value);
/* Writes 15 digits if they suffice to read the same double, otherwise more, with a point or an exponent. Infinity and NaN
 * become null. */
void gst_cuda_histo_json_add_double (GstCudaHistoJson *json, gdouble value);
void gst_cuda_histo_json_add_null (GstCudaHistoJson *json);
