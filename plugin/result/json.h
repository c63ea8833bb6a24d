/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A writer of JSON (RFC 8259), in any locale. Whoever writes with it sees to it that what is begun is ended, and
 * that each value of an object has a name.
 *
 * Not a library's, as an exception: json-glib, the one at hand, has no unsigned integers and writes 1e-08 as 1e-08.0. */

#ifndef GST_CUDA_HISTO_JSON_H
#define GST_CUDA_HISTO_JSON_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  GString *text;        /* what is written; the owner's */
  gboolean needs_comma; /* before the next name or value. FALSE at first */
} GstCudaHistoJson;

void gst_cuda_histo_json_begin_object (GstCudaHistoJson *json);
void gst_cuda_histo_json_end_object (GstCudaHistoJson *json);
void gst_cuda_histo_json_begin_array (GstCudaHistoJson *json);
void gst_cuda_histo_json_end_array (GstCudaHistoJson *json);

/* The name of the object's next value. */
void gst_cuda_histo_json_add_name (GstCudaHistoJson *json, const gchar *name);

/* What is not UTF-8 is written with replacement characters. */
void gst_cuda_histo_json_add_string (GstCudaHistoJson *json, const gchar *value);
void gst_cuda_histo_json_add_uint64 (GstCudaHistoJson *json, guint64 value);
/* high * 2^64 + low: up to 39 digits. */
void gst_cuda_histo_json_add_uint128 (GstCudaHistoJson *json, guint64 high, guint64 low);
void gst_cuda_histo_json_add_int64 (GstCudaHistoJson *json, gint64 value);
/* The same bits when read, with 15 digits where they suffice, and with a point or an exponent. What is not finite is null. */
void gst_cuda_histo_json_add_double (GstCudaHistoJson *json, gdouble value);
void gst_cuda_histo_json_add_null (GstCudaHistoJson *json);

G_END_DECLS

#endif
