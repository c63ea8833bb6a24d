/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/rawmovie.h"

#define ROW_PIXELS 64 /* rows of r210 are padded to a multiple of this */

static void
decoding_rawmovie_take_pad (GstElement *demuxer, GstPad *pad, gpointer user_data G_GNUC_UNUSED)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *structure = caps != NULL ? gst_caps_get_structure (caps, 0) : NULL;
  const gchar *format = structure != NULL ? gst_structure_get_string (structure, "format") : NULL;
  gint width = 0;

  if (format == NULL || !gst_structure_has_name (structure, "video/x-raw"))
    return;
  gst_structure_get_int (structure, "width", &width);
  if (g_str_equal (format, "v308"))
    GST_ELEMENT_ERROR (demuxer, STREAM, NOT_IMPLEMENTED,
                       ("GStreamer mixes up the components of v308. Convert the film: `ffmpeg -i FILM -an -c:v ffv1 "
                        "film.mkv`."),
                       (NULL));
  else if (g_str_equal (format, "r210") && width % ROW_PIXELS != 0)
    GST_ELEMENT_ERROR (demuxer, STREAM, NOT_IMPLEMENTED,
                       ("GStreamer reads r210 wrongly if the width is not a multiple of 64. Convert the film: `ffmpeg "
                        "-i FILM -an -c:v ffv1 film.mkv`."),
                       (NULL));
}

static void
decoding_rawmovie_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element,
                                gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory != NULL && gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DEMUXER))
    g_signal_connect (element, "pad-added", G_CALLBACK (decoding_rawmovie_take_pad), user_data);
}

void
decoding_rawmovie_watch (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_rawmovie_take_element), NULL);
}
