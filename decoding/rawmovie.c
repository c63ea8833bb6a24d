/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/rawmovie.h"

#define ROW_PIXELS 64 /* rows of r210 are padded to a multiple of this */
#define REMEDY "Convert the film: `ffmpeg -i FILM -an -c:v ffv1 film.mkv`."

static GstPadProbeReturn
decoding_rawmovie_drop (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer user_data G_GNUC_UNUSED)
{
  return GST_PAD_PROBE_DROP;
}

/* Returns an error if GStreamer reads such video wrongly, otherwise NULL. */
static const gchar *
decoding_rawmovie_find_fault (const GstStructure *caps)
{
  const gchar *format = gst_structure_get_string (caps, "format");
  gint width = 0;

  gst_structure_get_int (caps, "width", &width);
  if (g_strcmp0 (format, "v308") == 0)
    return "GStreamer mixes up the components of v308. " REMEDY;
  if (g_strcmp0 (format, "r210") == 0 && width % ROW_PIXELS != 0)
    return "GStreamer reads r210 wrongly if the width is not a multiple of 64. " REMEDY;
  return NULL;
}

static void
decoding_rawmovie_take_pad (GstElement *demuxer, GstPad *pad, gpointer user_data G_GNUC_UNUSED)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *structure = caps != NULL ? gst_caps_get_structure (caps, 0) : NULL;
  const gchar *fault = NULL;

  if (structure != NULL && gst_structure_has_name (structure, "video/x-raw"))
    fault = decoding_rawmovie_find_fault (structure);
  if (fault == NULL)
    return;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, decoding_rawmovie_drop, NULL, NULL);
  GST_ELEMENT_ERROR (demuxer, STREAM, NOT_IMPLEMENTED, ("%s", fault), (NULL));
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
