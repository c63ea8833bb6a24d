/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/conversion.h"

#include <gst/video/video.h>

static guint
conversion_look_up_depth (const GstVideoFormatInfo *format)
{
  return GST_VIDEO_FORMAT_INFO_DEPTH (format, 0);
}

guint
conversion_get_depth (const gchar *format)
{
  return conversion_look_up_depth (gst_video_format_get_info (gst_video_format_from_string (format)));
}

/* Returns whether conversion keeps the colour model: RGB, or luma and chroma; grey counts as luma. */
static gboolean
conversion_is_of_same_kind (const GstVideoFormatInfo *one, const GstVideoFormatInfo *other)
{
  return !GST_VIDEO_FORMAT_INFO_IS_RGB (one) == !GST_VIDEO_FORMAT_INFO_IS_RGB (other);
}

GstCaps *
conversion_narrow (GstElement *histo, GstCaps *caps)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (histo, "sink");

  return gst_pad_query_caps (sink, caps);
}

GstCaps *
conversion_make_caps (GstElement *histo, const gchar *decoded)
{
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("video/x-raw"), counted = conversion_narrow (histo, raw);
  const GValue *names = gst_structure_get_value (gst_caps_get_structure (counted, 0), "format");
  const GstVideoFormatInfo *from = gst_video_format_get_info (gst_video_format_from_string (decoded));
  g_auto (GValue) chosen = G_VALUE_INIT;
  guint wanted = 0;

  for (guint pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      wanted = MIN (wanted, conversion_look_up_depth (from));
      g_value_init (&chosen, GST_TYPE_LIST);
    }
    for (guint i = 0; i < gst_value_list_get_size (names); i++) {
      const GValue *name = gst_value_list_get_value (names, i);
      const GstVideoFormatInfo *format = gst_video_format_get_info (gst_video_format_from_string (g_value_get_string (name)));

      if (!conversion_is_of_same_kind (from, format))
        continue;
      if (pass == 0)
        wanted = MAX (wanted, conversion_look_up_depth (format));
      else if (conversion_look_up_depth (format) >= wanted)
        gst_value_list_append_value (&chosen, name);
    }
  }
  gst_caps_set_value (raw, "format", &chosen);
  return g_steal_pointer (&raw);
}

gchar *
conversion_describe_grey (const GstCaps *caps)
{
  const gchar *text = gst_structure_get_string (gst_caps_get_structure (caps, 0), "colorimetry");
  GstVideoColorimetry described;
  GstVideoInfo info, plain;

  if (!gst_video_info_from_caps (&info, caps) || !GST_VIDEO_INFO_IS_GRAY (&info))
    return NULL;
  if (text == NULL || !gst_video_colorimetry_from_string (&described, text))
    described = info.colorimetry;
  if (described.matrix == GST_VIDEO_COLOR_MATRIX_UNKNOWN || described.matrix == GST_VIDEO_COLOR_MATRIX_RGB) {
    gst_video_info_set_format (&plain, GST_VIDEO_INFO_FORMAT (&info), (guint)GST_VIDEO_INFO_WIDTH (&info),
                               (guint)GST_VIDEO_INFO_HEIGHT (&info));
    described.matrix = plain.colorimetry.matrix;
    if (described.range == GST_VIDEO_COLOR_RANGE_UNKNOWN)
      described.range = plain.colorimetry.range;
  }
  return gst_video_colorimetry_to_string (&described);
}
