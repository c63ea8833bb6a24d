/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The scope over a picture: attached to the buffer as a composition, or blended into the frame. */

#include "gstcudahistoscope.h"

/* The visible part of the frame. */
static GstVideoRectangle
gst_cuda_histo_scope_find_visible (const GstCudaHistoScope *self, GstBuffer *buffer)
{
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  const gint width = GST_VIDEO_INFO_WIDTH (&self->info), height = GST_VIDEO_INFO_HEIGHT (&self->info);
  GstVideoRectangle visible = { 0, 0, width, height };

  if (crop != NULL) {
    visible.x = (gint)MIN (crop->x, (guint)width);
    visible.y = (gint)MIN (crop->y, (guint)height);
    visible.w = (gint)MIN (crop->width, (guint)(width - visible.x));
    visible.h = (gint)MIN (crop->height, (guint)(height - visible.y));
  }
  return visible;
}

/* The pixel aspect ratio: width by height. */
static gdouble
gst_cuda_histo_scope_get_pixel_aspect (const GstCudaHistoScope *self)
{
  const gdouble aspect = (gdouble)GST_VIDEO_INFO_PAR_N (&self->info) / MAX (1, GST_VIDEO_INFO_PAR_D (&self->info));

  return CLAMP (aspect, 0.05, 20);
}

/* gst_video_blend () divides each pixel by its alpha before it converts it to YUV, in each frame and for the whole rectangle.
 * The three divisions a pixel are most of the cost of blending. */
static gboolean
gst_cuda_histo_scope_is_blended_into_yuv (const GstCudaHistoScope *self)
{
  return !self->is_attached && self->is_in_system_memory && !GST_VIDEO_INFO_IS_RGB (&self->info);
}

/* Converts cairo's pixels to straight alpha, rounded like gst_video_blend (). Most pixels equal the previous one. */
static void
gst_cuda_histo_scope_unpremultiply (guint32 *pixels, gsize count)
{
  guint32 last = 0, last_straight = 0;

  for (gsize i = 0; i < count; i++) {
    if (pixels[i] != last) {
      const guint32 alpha = pixels[i] >> 24, half = alpha / 2, divisor = MAX (alpha, 1);
      const guint32 red = ((pixels[i] >> 16 & 0xff) * 255 + half) / divisor;
      const guint32 green = ((pixels[i] >> 8 & 0xff) * 255 + half) / divisor;
      const guint32 blue = ((pixels[i] & 0xff) * 255 + half) / divisor;

      last = pixels[i];
      last_straight = alpha << 24 | red << 16 | green << 8 | blue;
    }
    pixels[i] = last_straight;
  }
}

static GstVideoOverlayComposition *
gst_cuda_histo_scope_make_composition (GstBuffer *pixels, const GstVideoRectangle *visible,
                                       const GstCudaHistoScopeRectangle *place, GstVideoOverlayFormatFlags flags)
{
  GstVideoOverlayRectangle *rectangle = gst_video_overlay_rectangle_new_raw (
      pixels, visible->x + place->x, visible->y + place->y, (guint)place->width, (guint)place->height, flags);
  GstVideoOverlayComposition *composition = gst_video_overlay_composition_new (rectangle);

  gst_video_overlay_rectangle_unref (rectangle);
  return composition;
}

/* Draws the last result, unless it is drawn already. */
static void
gst_cuda_histo_scope_draw_composition (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings,
                                       const GstVideoRectangle *visible)
{
  const gdouble aspect = gst_cuda_histo_scope_get_pixel_aspect (self);
  const gboolean is_straight = gst_cuda_histo_scope_is_blended_into_yuv (self);
  GstCudaHistoScopeReading reading;
  GstCudaHistoScopeRectangle place;
  GstBuffer *pixels;
  GstMapInfo map;

  g_clear_pointer (&self->composition, gst_video_overlay_composition_unref);
  gst_cuda_histo_scope_reading_init (&reading, self->result);
  gst_cuda_histo_scope_warn_of_lacks (self, settings, &reading.signal);
  place = gst_cuda_histo_scope_canvas_place (settings, &reading.signal, (guint)visible->w, (guint)visible->h, aspect);
  if (place.width == 0 || settings->opacity <= 0)
    return;
  pixels = gst_cuda_histo_scope_take_pixels (self, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, (guint)place.width,
                                             (guint)place.height);
  if (pixels != NULL && gst_buffer_map (pixels, &map, GST_MAP_WRITE)) {
    const gboolean is_drawn = gst_cuda_histo_scope_canvas_draw (self->canvas, settings, &reading, FALSE, (guint)place.width,
                                                                (guint)place.height, aspect, map.data, place.width * 4);

    if (is_straight)
      gst_cuda_histo_scope_unpremultiply ((guint32 *)(void *)map.data, (gsize)place.width * (gsize)place.height);
    gst_buffer_unmap (pixels, &map);
    if (is_drawn)
      self->composition = gst_cuda_histo_scope_make_composition (
          pixels, visible, &place,
          is_straight ? GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE : GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  }
  gst_clear_buffer (&pixels);
  if (self->composition == NULL)
    gst_cuda_histo_scope_warn_of_not_drawn (self, place.width, place.height);
}

/* Adds the composition after those already on the buffer. */
static GstBuffer *
gst_cuda_histo_scope_attach (GstCudaHistoScope *self, GstBuffer *buffer)
{
  GstVideoOverlayCompositionMeta *meta;

  buffer = gst_buffer_make_writable (buffer);
  meta = gst_buffer_get_video_overlay_composition_meta (buffer);
  if (meta != NULL) {
    GstVideoOverlayComposition *all = gst_video_overlay_composition_copy (meta->overlay);

    gst_video_overlay_composition_add_rectangle (all, gst_video_overlay_composition_get_rectangle (self->composition, 0));
    gst_video_overlay_composition_unref (meta->overlay);
    meta->overlay = all;
  } else {
    gst_buffer_add_video_overlay_composition_meta (buffer, self->composition);
  }
  return buffer;
}

static GstBuffer *
gst_cuda_histo_scope_blend (GstCudaHistoScope *self, GstBuffer *buffer)
{
  GstVideoFrame frame;
  gboolean is_blended = FALSE;

  buffer = gst_buffer_make_writable (buffer);
  if (gst_video_frame_map (&frame, &self->info, buffer, GST_MAP_READWRITE | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    is_blended = gst_video_overlay_composition_blend (self->composition, &frame);
    gst_video_frame_unmap (&frame);
  }
  if (!is_blended && gst_cuda_histo_scope_take_notice (self, GST_CUDA_HISTO_SCOPE_NOTICE_NOT_WRITABLE))
    GST_ELEMENT_WARNING (
        self, STREAM, FORMAT, ("Cannot draw the scope into these frames; put videoconvert before cudahistoscope."),
        ("format %s; frames pass unchanged", gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&self->info))));
  return buffer;
}

GstBuffer *
gst_cuda_histo_scope_draw_over (GstCudaHistoScope *self, const GstCudaHistoScopeSettings *settings, GstBuffer *buffer)
{
  GstVideoRectangle visible;

  if (self->result == NULL)
    return buffer;
  visible = gst_cuda_histo_scope_find_visible (self, buffer);
  if (!self->is_drawn || memcmp (&visible, &self->drawn_crop, sizeof visible) != 0) {
    gst_cuda_histo_scope_draw_composition (self, settings, &visible);
    self->drawn_crop = visible;
    self->is_drawn = TRUE;
  }
  if (self->composition == NULL)
    return buffer;
  if (!self->is_attached && self->is_in_system_memory)
    return gst_cuda_histo_scope_blend (self, buffer);
  if (!self->is_attached && gst_cuda_histo_scope_take_notice (self, GST_CUDA_HISTO_SCOPE_NOTICE_NOT_BLENDED))
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
                         ("No element downstream draws the scope over frames in this memory; move them into system memory "
                          "before cudahistoscope (cudadownload), or use a sink that blends compositions."),
                         ("buffers have the scope as a GstVideoOverlayComposition"));
  return gst_cuda_histo_scope_attach (self, buffer);
}
