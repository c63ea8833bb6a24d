/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replaces cudacontext.c in a build without GStreamer's CUDA library. */

#include "frame/cudacontext.h"

gboolean
gst_cuda_histo_cuda_is_built (void)
{
  return FALSE;
}

gboolean
gst_cuda_histo_cuda_load (void)
{
  return FALSE;
}

gboolean
gst_cuda_histo_cuda_is_in_use (void)
{
  return FALSE;
}

gboolean
gst_cuda_histo_cuda_ensure_context (GstElement *element G_GNUC_UNUSED, gint device_id G_GNUC_UNUSED,
                                    GstObject **context G_GNUC_UNUSED)
{
  return FALSE;
}

void
gst_cuda_histo_cuda_take_context (GstElement *element G_GNUC_UNUSED, GstContext *shared G_GNUC_UNUSED,
                                  gint device_id G_GNUC_UNUSED, GstObject **context G_GNUC_UNUSED)
{
}

gboolean
gst_cuda_histo_cuda_answer_query (GstElement *element G_GNUC_UNUSED, GstQuery *query G_GNUC_UNUSED,
                                  GstObject *context G_GNUC_UNUSED)
{
  return FALSE;
}

struct CUctx_st *
gst_cuda_histo_cuda_get_handle (GstObject *context G_GNUC_UNUSED)
{
  return NULL;
}

gint
gst_cuda_histo_cuda_get_device (GstObject *context G_GNUC_UNUSED)
{
  return -1;
}

gboolean
gst_cuda_histo_cuda_inspect (GstBuffer *buffer G_GNUC_UNUSED, GstCudaHistoCudaMemory *memory G_GNUC_UNUSED)
{
  return FALSE;
}

GstBufferPool *
gst_cuda_histo_cuda_new_pool (GstObject *context G_GNUC_UNUSED, const GstVideoInfo *info G_GNUC_UNUSED)
{
  return NULL;
}

void
gst_cuda_histo_cuda_free_pool (GstBufferPool *pool G_GNUC_UNUSED)
{
}

GstBuffer *
gst_cuda_histo_cuda_upload (GstBufferPool *pool G_GNUC_UNUSED, const GstVideoInfo *info G_GNUC_UNUSED,
                            GstBuffer *buffer G_GNUC_UNUSED)
{
  return NULL;
}
