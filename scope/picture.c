/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The scope as a separate picture for each input frame. Pictures share their memory until the next result. */

#include "gstcudahistoscope.h"

/* gst_buffer_foreach_meta() callback: copies metas about the frame's time, not those about its picture. */
static gboolean
gst_cuda_histo_scope_copy_meta (GstBuffer *buffer, GstMeta **meta, gpointer picture)
{
  GstMetaTransformCopy copy = { FALSE, 0, (gsize)-1 };
  const GType api = (*meta)->info->api;

  if ((api == GST_VIDEO_TIME_CODE_META_API_TYPE || api == GST_REFERENCE_TIMESTAMP_META_API_TYPE)
      && (*meta)->info->transform_func != NULL)
    (*meta)->info->transform_func (picture, *meta, buffer, _gst_meta_transform_copy, &copy);
  return TRUE;
}

/* Draws the background if the scope cannot be drawn. */
static void
gst_cuda_histo_scope_fill_background (guint8 *pixels, gsize size, guint32 colour)
{
  for (gsize at = 0; at < size; at += sizeof (guint32))
    GST_WRITE_UINT32_LE (pixels + at, colour | 0xff000000);
}

static gboolean
gst_cuda_histo_scope_update_picture (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings)
{
  const gint width = GST_VIDEO_INFO_WIDTH (&self->picture_info), height = GST_VIDEO_INFO_HEIGHT (&self->picture_info);
  GstCudaHistoScopeReading reading;
  GstBuffer *pixels;
  GstMapInfo map;

  if (self->result != NULL) {
    gst_cuda_histo_scope_reading_init (&reading, self->result);
    gst_cuda_histo_scope_warn_of_lacks (self, settings, &reading.signal);
  }
  pixels = gst_cuda_histo_scope_take_pixels (self, GST_VIDEO_INFO_FORMAT (&self->picture_info), (guint)width, (guint)height);
  if (pixels == NULL)
    return FALSE;
  if (!gst_buffer_map (pixels, &map, GST_MAP_WRITE)) {
    gst_buffer_unref (pixels);
    return FALSE;
  }
  if (!gst_cuda_histo_scope_canvas_draw (
          self->canvas, settings, self->result != NULL ? &reading : NULL, TRUE, (guint)width, (guint)height,
          (gdouble)GST_VIDEO_INFO_PAR_N (&self->picture_info) / MAX (1, GST_VIDEO_INFO_PAR_D (&self->picture_info)), map.data,
          width * 4)) {
    gst_cuda_histo_scope_warn_of_not_drawn (self, width, height);
    gst_cuda_histo_scope_fill_background (map.data, map.size, settings->background_color);
  }
  gst_buffer_unmap (pixels, &map);
  gst_buffer_replace (&self->picture, pixels);
  gst_buffer_unref (pixels);
  return TRUE;
}

GstBuffer *
gst_cuda_histo_scope_draw_picture (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings, GstBuffer *buffer)
{
  GstBuffer *picture = NULL;

  if (self->is_drawn || gst_cuda_histo_scope_update_picture (self, settings)) {
    self->is_drawn = TRUE;
    picture = gst_buffer_copy (self->picture);
    gst_buffer_copy_into (picture, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize)-1);
    GST_BUFFER_FLAG_UNSET (picture, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_RFF
                                        | GST_VIDEO_BUFFER_FLAG_ONEFIELD | GST_VIDEO_BUFFER_FLAG_MULTIPLE_VIEW
                                        | GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE);
    gst_buffer_foreach_meta (buffer, gst_cuda_histo_scope_copy_meta, picture);
  }
  gst_buffer_unref (buffer);
  return picture;
}
