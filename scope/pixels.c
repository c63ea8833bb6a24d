/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory for what cairo draws. */

#include "gstcudahistoscope.h"

void
gst_cuda_histo_scope_drop_pool (GstCudaHistoScope *self)
{
  if (self->pool != NULL) {
    gst_buffer_pool_set_active (self->pool, FALSE);
    g_clear_pointer (&self->pool, gst_object_unref);
  }
}

static gboolean
gst_cuda_histo_scope_make_pool (GstCudaHistoScope *self, GstVideoFormat format, gint width, gint height)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string (format), "width",
                                       G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
  GstBufferPool *pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_cuda_histo_scope_drop_pool (self);
  gst_buffer_pool_config_set_params (config, caps, (guint)width * (guint)height * 4, 0, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_caps_unref (caps);
  if (!gst_buffer_pool_set_config (pool, config) || !gst_buffer_pool_set_active (pool, TRUE)) {
    gst_object_unref (pool);
    return FALSE;
  }
  self->pool = pool;
  self->pool_format = format;
  self->pool_width = width;
  self->pool_height = height;
  return TRUE;
}

GstBuffer *
gst_cuda_histo_scope_take_pixels (GstCudaHistoScope *self, GstVideoFormat format, gint width, gint height)
{
  GstBuffer *pixels = NULL;

  if ((self->pool == NULL || self->pool_format != format || self->pool_width != width || self->pool_height != height)
      && !gst_cuda_histo_scope_make_pool (self, format, width, height))
    return NULL;
  return gst_buffer_pool_acquire_buffer (self->pool, &pixels, NULL) == GST_FLOW_OK ? pixels : NULL;
}
