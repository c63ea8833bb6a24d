/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/png.h"

#include <string.h>

#define DEPTH_AT 24 /* offset in the file: in the first chunk (IHDR), after the size */
#define TYPE_AT 25
#define RGB 2
#define PIXEL_BYTES 8
#define OPAQUE 0xff /* value of each byte of alpha */

static GQuark
decoding_png_quark (void)
{
  return g_quark_from_static_string ("cudahisto-png-rgb-16");
}

/* Stores the picture's type with the decoder. */
static GstPadProbeReturn
decoding_png_take_file (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  guint8 head[TYPE_AT + 1];

  if (gst_buffer_extract (buffer, 0, head, sizeof head) == sizeof head && memcmp (head, "\x89PNG\r\n\x1a\n", 8) == 0)
    g_object_set_qdata (user_data, decoding_png_quark (), GINT_TO_POINTER (head[DEPTH_AT] == 16 && head[TYPE_AT] == RGB));
  return GST_PAD_PROBE_OK;
}

/* Alpha is the first of four components. If it is opaque everywhere, the decoder did not mix up the components. */
static gboolean
decoding_png_is_opaque (GstBuffer *buffer)
{
  gboolean is_opaque = TRUE;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return TRUE;
  for (gsize i = 0; i + PIXEL_BYTES <= map.size && is_opaque; i += PIXEL_BYTES)
    is_opaque = map.data[i] == OPAQUE && map.data[i + 1] == OPAQUE;
  gst_buffer_unmap (buffer, &map);
  return is_opaque;
}

static GstPadProbeReturn
decoding_png_take_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (g_object_get_qdata (user_data, decoding_png_quark ()) == NULL || caps == NULL
      || g_strcmp0 (gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"), "ARGB64") != 0
      || decoding_png_is_opaque (GST_PAD_PROBE_INFO_BUFFER (info)))
    return GST_PAD_PROBE_OK;
  GST_ELEMENT_ERROR (
      user_data, STREAM, NOT_IMPLEMENTED,
      ("GStreamer's pngdec decodes PNG of 16 bits without alpha wrongly. Add alpha: `ffmpeg -i PICTURE -pix_fmt rgba64be "
       "picture.png`."),
      (NULL));
  return GST_PAD_PROBE_DROP;
}

static void
decoding_png_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element,
                           gpointer user_data G_GNUC_UNUSED)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) sink = NULL, source = NULL;

  if (factory == NULL || !g_str_equal (GST_OBJECT_NAME (factory), "pngdec"))
    return;
  sink = gst_element_get_static_pad (element, "sink");
  source = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, decoding_png_take_file, element, NULL);
  gst_pad_add_probe (source, GST_PAD_PROBE_TYPE_BUFFER, decoding_png_take_frame, element, NULL);
}

void
decoding_png_watch (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_png_take_element), NULL);
}
