/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "configure.h"

#include "frame/pictureformat.h"
#include "frame/source.h"
#include "frame/videoinfo.h"
#include "gstcudahistoprivate.h"
#include "input/caps.h"

/* Describes the frames until the first one comes. */
static void
gst_cuda_histo_configure_fields (GstCudaHisto *self)
{
  GstCudaHistoFormat *format = &self->format;

  format->fields = self->active.fields;
  format->frame_height = (guint)GST_VIDEO_INFO_HEIGHT (&format->info);
  format->rows_each
      = gst_cuda_histo_picture_is_field (&format->info) && format->fields == GST_CUDA_HISTO_FIELDS_TOGETHER ? 2 : 1;
  format->has_fields = gst_cuda_histo_fields_are_certain (&format->info, format->fields);
  if (format->has_fields)
    gst_cuda_histo_source_init_fields (&format->source, &format->info);
  else
    gst_cuda_histo_source_init_video (&format->source, &format->info, NULL);
}

gboolean
gst_cuda_histo_configure (GstCudaHisto *self, GstCaps *caps)
{
  const gint stops = g_atomic_int_get (&self->host.stops);
  GstCudaHistoWindowMode mode = self->active.window;
  gboolean is_video = gst_cuda_histo_caps_are_video (caps);
  GstVideoInfo info;

  if (g_atomic_int_get (&self->host.has_failed)) /* already reported: caps are sent again before the next buffer */
    return FALSE;
  if (is_video && !gst_cuda_histo_video_info_from_caps (&info, caps)) {
    gst_cuda_histo_fail (&self->host, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, g_strdup ("Cannot parse the video caps."),
                         gst_caps_to_string (caps));
    return FALSE;
  }
  if (is_video && mode == GST_CUDA_HISTO_WINDOW_BYTES) {
    gst_cuda_histo_fail (&self->host, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                         g_strdup ("Cannot use window=bytes with raw video. Set window=buffer or window=stream."), NULL);
    return FALSE;
  }
  if (gst_cuda_histo_caps_are_cuda (caps) && !gst_cuda_histo_prepare_for_cuda (self))
    return FALSE;
  if (mode == GST_CUDA_HISTO_WINDOW_AUTO)
    mode = is_video ? GST_CUDA_HISTO_WINDOW_BUFFER : GST_CUDA_HISTO_WINDOW_STREAM;

  gst_caps_replace (&self->format.caps, caps);
  if (caps != NULL)
    gst_cuda_histo_forget_refusal (self);
  self->format.is_cuda = gst_cuda_histo_caps_are_cuda (caps);
  if (is_video) {
    self->format.info = info;
    gst_cuda_histo_configure_fields (self);
  } else {
    gst_cuda_histo_source_init_bytes (&self->format.source);
  }
  self->regions.current.count = 0;
  gst_cuda_histo_window_init (&self->windows.window, mode, self->active.window_size, self->active.interval);
  self->windows.window.divides_stream = self->active.window == GST_CUDA_HISTO_WINDOW_AUTO;
  gst_cuda_histo_operands_forget (&self->operands);
  self->format.is_configured = TRUE;
  GST_INFO_OBJECT (self, "counting %s, window %d", self->format.source.format, mode);
  gst_cuda_histo_choose_statistics (self);
  if (stops == g_atomic_int_get (&self->host.stops))
    gst_cuda_histo_check_regions (self);
  return stops == g_atomic_int_get (&self->host.stops)
         && gst_cuda_histo_comparison_choose (&self->comparison, &self->format, &self->host)
         && stops == g_atomic_int_get (&self->host.stops);
}
