/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The schema: one list of fields (fields/list.h) makes the bus message, the buffer meta, the sidecar line and docs/messages.md.
 * Also attaches the meta to a buffer. */

#ifndef GST_CUDA_HISTO_SCHEMA_H
#define GST_CUDA_HISTO_SCHEMA_H

#include "result/result.h"

G_BEGIN_DECLS

#define GST_CUDA_HISTO_MESSAGE_NAME "cudahisto"
/* The version of the format, at the start of each line of JSON. It changes when a field is removed or changes its meaning. */
#define GST_CUDA_HISTO_JSON_VERSION 1
#define GST_CUDA_HISTO_META_NAME "GstCudaHistoMeta"
#define GST_CUDA_HISTO_REGIONS_NAME "regions"

/**
 * GstCudaHistoMessageBins:
 * @GST_CUDA_HISTO_MESSAGE_BINS_ARRAY: a GstValueArray of guint64
 * @GST_CUDA_HISTO_MESSAGE_BINS_PACKED: a GBytes of little-endian 64-bit integers, padded to a multiple of 3 bytes
 * @GST_CUDA_HISTO_MESSAGE_BINS_NONE: no histogram in the message or the meta
 *
 * How a message or a meta carries the histograms.
 */
typedef enum {
  GST_CUDA_HISTO_MESSAGE_BINS_ARRAY,
  GST_CUDA_HISTO_MESSAGE_BINS_PACKED,
  GST_CUDA_HISTO_MESSAGE_BINS_NONE
} GstCudaHistoMessageBins;

/**
 * GstCudaHistoMessageArrays:
 * @GST_CUDA_HISTO_MESSAGE_ARRAYS_NONE: none in the message
 * @GST_CUDA_HISTO_MESSAGE_ARRAYS_ARRAY: GstValueArrays of guint64 or gint64, or of such arrays
 * @GST_CUDA_HISTO_MESSAGE_ARRAYS_PACKED: a GBytes of little-endian 64-bit integers each, padded as histograms are
 *
 * How a message carries the arrays that are larger than histograms: waveforms, vectorscopes.
 *
 * Since: 0.2
 */
typedef enum {
  GST_CUDA_HISTO_MESSAGE_ARRAYS_NONE,
  GST_CUDA_HISTO_MESSAGE_ARRAYS_ARRAY,
  GST_CUDA_HISTO_MESSAGE_ARRAYS_PACKED
} GstCudaHistoMessageArrays;

/* Returns "complete" and the like. Static. */
const gchar *gst_cuda_histo_ended_by_get_name (GstCudaHistoEndedBy ended_by);

/* Returns the structure of a message or of the meta, owned by the caller. Provenance comes first, then the numbers of each
 * component, then histograms and arrays, so that a printed message begins with its readable part. */
GstStructure *gst_cuda_histo_schema_to_structure (const GstCudaHistoWindowResult *result, GstCudaHistoMessageBins bins,
                                                  GstCudaHistoMessageArrays arrays);

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

G_END_DECLS

#endif
