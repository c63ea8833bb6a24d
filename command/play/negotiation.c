/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/negotiation.h"

#include <gst/pbutils/pbutils.h>

/* The formats of the highest depth that both FFV1 and GStreamer 1.22 support. */
#define REMEDY "Convert it: `ffmpeg -i FILM -an -c:v ffv1 -pix_fmt yuv444p12le film.mkv`, or for RGB with -pix_fmt gbrp12le."

/* The caps of a pad that always exists. NULL: the element has no such pad, or the pad has no caps. */
static GstCaps *
negotiation_get_caps (GstElement *element, const gchar *name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  return pad != NULL ? gst_pad_get_current_caps (pad) : NULL;
}

static gboolean
negotiation_is_video_decoder (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && !GST_IS_BIN (element)
         && gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
                                                           | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE);
}

/* Gets the format (or NULL) and codec of the first video decoder with a stream. */
static void
negotiation_find (GstElement *pipeline, gchar **format, gchar **codec)
{
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (pipeline));
  GValue item = G_VALUE_INIT;

  while (*codec == NULL && gst_iterator_next (elements, &item) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object (&item);

    if (negotiation_is_video_decoder (element)) {
      g_autoptr (GstCaps) coded = negotiation_get_caps (element, "sink");
      g_autoptr (GstCaps) decoded = negotiation_get_caps (element, "src");

      if (coded != NULL)
        *codec = gst_pb_utils_get_codec_description (coded);
      if (coded != NULL && decoded != NULL)
        *format = g_strdup (gst_structure_get_string (gst_caps_get_structure (decoded, 0), "format"));
    }
    g_value_unset (&item);
  }
  gst_iterator_free (elements);
}

gchar *
negotiation_explain (GstElement *pipeline, const gchar *film)
{
  g_autofree gchar *format = NULL, *codec = NULL;

  negotiation_find (pipeline, &format, &codec);
  if (format != NULL)
    return g_strdup_printf ("\"%s\" is decoded to %s, which cudahisto cannot measure. " REMEDY, film, format);
  if (codec != NULL)
    return g_strdup_printf ("\"%s\" has a pixel format of %s that GStreamer does not know. " REMEDY, film, codec);
  return g_strdup_printf ("\"%s\" has a pixel format that GStreamer does not know. " REMEDY, film);
}
