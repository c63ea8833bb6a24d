/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory for cairo's pixels. GStreamer's own pools abort the process if memory is exhausted. */

#include "gstcudahistoscope.h"

#define GST_TYPE_CUDA_HISTO_SCOPE_POOL (gst_cuda_histo_scope_pool_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHistoScopePool, gst_cuda_histo_scope_pool, GST, CUDA_HISTO_SCOPE_POOL, GstBufferPool)

struct _GstCudaHistoScopePool {
  GstBufferPool pool;
  GstVideoFormat format;
  guint width;
  guint height;
};

G_DEFINE_TYPE (GstCudaHistoScopePool, gst_cuda_histo_scope_pool, GST_TYPE_BUFFER_POOL)

static GstFlowReturn
gst_cuda_histo_scope_pool_alloc_buffer (GstBufferPool *pool, GstBuffer **buffer,
                                        GstBufferPoolAcquireParams *params G_GNUC_UNUSED)
{
  const GstCudaHistoScopePool *self = GST_CUDA_HISTO_SCOPE_POOL (pool);
  const gsize size = (gsize)self->width * self->height * 4;
  gpointer pixels = g_try_malloc (size);

  if (pixels == NULL)
    return GST_FLOW_ERROR;
  *buffer = gst_buffer_new_wrapped (pixels, size);
  gst_buffer_add_video_meta (*buffer, GST_VIDEO_FRAME_FLAG_NONE, self->format, self->width, self->height);
  return GST_FLOW_OK;
}

static void
gst_cuda_histo_scope_pool_class_init (GstCudaHistoScopePoolClass *klass)
{
  GST_BUFFER_POOL_CLASS (klass)->alloc_buffer = gst_cuda_histo_scope_pool_alloc_buffer;
}

static void
gst_cuda_histo_scope_pool_init (GstCudaHistoScopePool *self G_GNUC_UNUSED)
{
}

void
gst_cuda_histo_scope_drop_pool (GstCudaHistoScope *self)
{
  if (self->pool != NULL) {
    gst_buffer_pool_set_active (self->pool, FALSE);
    g_clear_pointer (&self->pool, gst_object_unref);
  }
}

static gboolean
gst_cuda_histo_scope_make_pool (GstCudaHistoScope *self, GstVideoFormat format, guint width, guint height)
{
  GstCudaHistoScopePool *pool = g_object_new (GST_TYPE_CUDA_HISTO_SCOPE_POOL, NULL);
  GstStructure *config = gst_buffer_pool_get_config (GST_BUFFER_POOL (pool));

  gst_object_ref_sink (pool);
  gst_cuda_histo_scope_drop_pool (self);
  pool->format = format;
  pool->width = width;
  pool->height = height;
  self->pool = GST_BUFFER_POOL (pool);
  gst_buffer_pool_config_set_params (config, NULL, width * height * 4, 0, 0);
  return gst_buffer_pool_set_config (self->pool, config) && gst_buffer_pool_set_active (self->pool, TRUE);
}

GstBuffer *
gst_cuda_histo_scope_take_pixels (GstCudaHistoScope *self, GstVideoFormat format, guint width, guint height)
{
  const GstCudaHistoScopePool *pool = self->pool != NULL ? GST_CUDA_HISTO_SCOPE_POOL (self->pool) : NULL;
  GstBuffer *pixels = NULL;

  if ((pool == NULL || pool->format != format || pool->width != width || pool->height != height)
      && !gst_cuda_histo_scope_make_pool (self, format, width, height))
    return NULL;
  return gst_buffer_pool_acquire_buffer (self->pool, &pixels, NULL) == GST_FLOW_OK ? pixels : NULL;
}
