/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's CUDA library: contexts that elements share, and memory on the GPU. Every call of it, and every difference between
 * its versions, is here. Contexts are GstObjects to the rest of the plugin.
 *
 * The library is not linked but loaded when it is first needed: it brings in OpenGL and two window systems, which would cost
 * milliseconds even where bytes are counted on a machine without a GPU. For the same reason the plugin works where the library
 * is not installed. In a build without it (-Dgst-cuda=disabled) all calls answer that there is nothing. */

#ifndef GST_CUDA_HISTO_CUDACONTEXT_H
#define GST_CUDA_HISTO_CUDACONTEXT_H

#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

struct CUctx_st;
struct CUstream_st;

#define GST_CUDA_HISTO_CUDA_FEATURE "memory:CUDAMemory"

/* Whether this build knows frames on the GPU. Loads nothing. */
gboolean gst_cuda_histo_cuda_is_built (void);

/* Whether the library and a driver are there, which this call loads. Any thread; after the first time it costs nothing. */
gboolean gst_cuda_histo_cuda_load (void);

/* The same if the process has loaded the library already, so that other elements may have a context. Else FALSE, and nothing
 * is loaded. */
gboolean gst_cuda_histo_cuda_is_in_use (void);

/* ---- contexts ------------------------------------------------------------------------------------------------------- */

/* Makes sure that *context is a GstCudaContext, which the caller owns: one that was set on the element, one of its
 * neighbours or the application, or else a new one, which all these hear of. Calls the element's set_context(), which fills
 * in *context with the next function. `device_id` -1: any device. FALSE where there is none. */
gboolean gst_cuda_histo_cuda_ensure_context (GstElement *element, gint device_id, GstObject **context);

/* What set_context() does with `shared`: fills in *context where that is NULL and the device is right. */
void gst_cuda_histo_cuda_take_context (GstElement *element, GstContext *shared, gint device_id, GstObject **context);

/* Answers a CONTEXT query with `context`, which may be NULL. FALSE: not asked for, or nothing to say. */
gboolean gst_cuda_histo_cuda_answer_query (GstElement *element, GstQuery *query, GstObject *context);

/* The CUDA context in a GstCudaContext, which owns it; and the number of its device. */
struct CUctx_st *gst_cuda_histo_cuda_get_handle (GstObject *context);
gint gst_cuda_histo_cuda_get_device (GstObject *context);

/* ---- memory --------------------------------------------------------------------------------------------------------- */

/* Together with GST_MAP_READ: the address is the GPU's. Without it, mapping memory on the GPU gives a copy in system memory. */
#define GST_CUDA_HISTO_MAP_CUDA (GST_MAP_FLAG_LAST << 1)

/* What is known of memory on the GPU. All is borrowed from the memory. */
typedef struct {
  GstObject *context;         /* a GstCudaContext */
  const GstVideoInfo *layout; /* strides and offsets of the frame in it */
  struct CUstream_st *stream; /* on which its samples become complete; NULL: they are, once it is mapped */
} GstCudaHistoCudaMemory;

/* FALSE where the buffer is not a single memory on the GPU. */
gboolean gst_cuda_histo_cuda_inspect (GstBuffer *buffer, GstCudaHistoCudaMemory *memory);

/* A pool of memory on the GPU for frames of `info`, to be given back with gst_cuda_histo_cuda_free_pool(). NULL where there is
 * none: frames of an odd height with chroma between two rows are among those, of which the library of GStreamer 1.22 loses a
 * row on their way to the GPU. */
GstBufferPool *gst_cuda_histo_cuda_new_pool (GstObject *context, const GstVideoInfo *info);
void gst_cuda_histo_cuda_free_pool (GstBufferPool *pool);

/* A copy of the frame in memory of the pool, which is of the same `info`. NULL after a failure. */
GstBuffer *gst_cuda_histo_cuda_upload (GstBufferPool *pool, const GstVideoInfo *info, GstBuffer *buffer);

G_END_DECLS

#endif
