/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's CUDA library: contexts that elements share, and memory on the GPU. All calls of the library, and all differences
 * between its versions, are here. The rest of the plugin sees contexts as GstObjects.
 *
 * The library is loaded at its first use and not linked: it loads OpenGL and two window systems, which costs milliseconds even
 * if bytes are counted without a GPU. The plugin therefore also works without the library. In a build without it
 * (-Dgst-cuda=disabled) all functions report that nothing is available. */

#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

struct CUctx_st;
struct CUstream_st;

#define GST_CUDA_HISTO_CUDA_FEATURE "memory:CUDAMemory"

/* Whether this build supports frames on the GPU. Loads nothing. */
gboolean gst_cuda_histo_cuda_is_built (void);

/* Loads the library and a driver. FALSE if either is missing. Any thread; only the first call costs time. */
gboolean gst_cuda_histo_cuda_load (void);

/* Whether the process has already loaded the library, so that other elements may have a context, and it is usable. Does not
 * load it. */
gboolean gst_cuda_histo_cuda_is_in_use (void);

/* ---- contexts ------------------------------------------------------------------------------------------------------- */

/* Sets *context to a GstCudaContext, which the caller owns: the one set on the element, one of its neighbours or the
 * application, or a new one, which is announced to them. Calls the element's set_context(), which has to call
 * gst_cuda_histo_cuda_take_context(). `device_id` -1: any device. FALSE if there is none. */
gboolean gst_cuda_histo_cuda_ensure_context (GstElement *element, gint device_id, GstObject **context);

/* For set_context(): sets *context to the one in `shared` if *context is NULL and the device matches. */
void gst_cuda_histo_cuda_take_context (GstElement *element, GstContext *shared, gint device_id, GstObject **context);

/* Answers a CONTEXT query with `context`, which may be NULL. FALSE: another query, or no context. */
gboolean gst_cuda_histo_cuda_answer_query (GstElement *element, GstQuery *query, GstObject *context);

/* Returns the CUDA context of a GstCudaContext, which owns it; the number of its device. */
struct CUctx_st *gst_cuda_histo_cuda_get_handle (GstObject *context);
gint gst_cuda_histo_cuda_get_device (GstObject *context);

/* ---- memory --------------------------------------------------------------------------------------------------------- */

/* Use it with GST_MAP_READ: the mapped address is the GPU's. Without it, mapping memory on the GPU gives a copy in system
 * memory. */
#define GST_CUDA_HISTO_MAP_CUDA (GST_MAP_FLAG_LAST << 1)

/* Properties of memory on the GPU. All pointers are borrowed from the memory. */
typedef struct {
  GstObject *context;         /* a GstCudaContext */
  const GstVideoInfo *layout; /* strides and offsets of the frame in it */
  struct CUstream_st *stream; /* stream that completes its samples; NULL: they are complete once it is mapped */
} GstCudaHistoCudaMemory;

/* FALSE if the buffer is not a single memory on the GPU. */
gboolean gst_cuda_histo_cuda_inspect (GstBuffer *buffer, GstCudaHistoCudaMemory *memory);

/* Returns a pool of memory on the GPU for frames of `info`. Free it with gst_cuda_histo_cuda_free_pool(). NULL if impossible,
 * for example for frames of an odd height whose chroma rows belong to two rows of luma: GStreamer 1.22 loses a row of them on
 * upload. */
GstBufferPool *gst_cuda_histo_cuda_new_pool (GstObject *context, const GstVideoInfo *info);
void gst_cuda_histo_cuda_free_pool (GstBufferPool *pool);

/* Returns a copy of the frame in memory of the pool, which has the same `info`. NULL after a failure. */
GstBuffer *gst_cuda_histo_cuda_upload (GstBufferPool *pool, const GstVideoInfo *info, GstBuffer *buffer);

G_END_DECLS
