/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The schema: one list of fields (fields/list.h) makes the bus message, the buffer meta, the sidecar line and docs/messages.md.
 * Also attaches the meta to a buffer. */

#pragma once

#include "result/result.h"

#define GST_CUDA_HISTO_MESSAGE_NAME "cudahisto"
/* The version of the format, at the start of each line of JSON. It changes when a field is removed or changes its meaning. */
#define GST_CUDA_HISTO_JSON_VERSION 1
#define GST_CUDA_HISTO_META_NAME "GstCudaHistoMeta"
#define GST_CUDA_HISTO_REGIONS_NAME "regions"

/* How a structure or a line carries an array. */
typedef enum {
  GST_CUDA_HISTO_FORM_NONE,  /* not at all */
  GST_CUDA_HISTO_FORM_ARRAY, /* a GstValueArray of guint64 or gint64, or of such arrays; in a line an array */
  GST_CUDA_HISTO_FORM_PACKED /* a GBytes of little-endian 64-bit integers, padded to a multiple of 3 bytes */
} GstCudaHistoForm;

/* Returns "complete" and the like. Static. */
const gchar *gst_cuda_histo_ended_by_get_name (GstCudaHistoEndedBy ended_by);

/* Returns the structure of a message or of the meta, owned by the caller. Provenance comes first, then the numbers of each
 * component, then histograms and arrays, so that a printed message begins with its readable part. `histograms` is the form of
 * the picture's components' histograms, `arrays` that of all other arrays. */
GstStructure *gst_cuda_histo_schema_to_structure (const GstCudaHistoWindowResult *result, GstCudaHistoForm histograms,
                                                  GstCudaHistoForm arrays);

/* Returns the result as one line of JSON (RFC 8259) without a newline. Histograms and arrays, if any, are arrays. Unknown times
 * are null. It begins with {"cudahisto":1, and "element":. Free with g_free(). */
gchar *gst_cuda_histo_schema_to_json (const GstCudaHistoWindowResult *result, gboolean has_histograms, gboolean has_arrays);

/* Returns the table of docs/messages.md, in Markdown. Free with g_free(). */
gchar *gst_cuda_histo_schema_to_markdown (void);

/* Adds a GstCudaHistoMeta with the fields of `structure`, which it takes, to a writable buffer. FALSE after a failure. */
gboolean gst_cuda_histo_schema_attach (GstStructure *structure, GstBuffer *buffer);

/* Registers GstCudaHistoMeta once in the process. Any thread. Its only tag is "video", so that copies of the buffer and
 * converters of size, format and colours keep it. */
void gst_cuda_histo_schema_register_meta (void);
