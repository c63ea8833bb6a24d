/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/missing.h"

#include <gst/pbutils/pbutils.h>

#include "decoding/track.h"

#define BASE "gstreamer1.0-plugins-base"
#define GOOD "gstreamer1.0-plugins-good"
#define BAD "gstreamer1.0-plugins-bad"
#define UGLY "gstreamer1.0-plugins-ugly"
#define LIBAV "gstreamer1.0-libav"

typedef struct {
  const gchar *name; /* media type or protocol */
  const gchar *package;
} MissingPlace;

/* From the packages' fields Gstreamer-Decoders and Gstreamer-Uri-Sources, in Debian 12 and 13. */
static const MissingPlace decoders[] = {
  { "application/dash+xml", BAD },
  { "application/mxf", BAD },
  { "application/ogg", BASE },
  { "application/vnd.ms-sstr+xml", BAD },
  { "application/vnd.rn-realmedia", UGLY },
  { "application/x-hls", BAD },
  { "application/x-rtp", GOOD },
  { "application/x-yuv4mpeg", BAD },
  { "image/jp2", BAD },
  { "image/jpeg", GOOD },
  { "image/png", GOOD },
  { "image/svg", BAD },
  { "image/svg+xml", BAD },
  { "image/webp", BAD },
  { "image/x-exr", BAD },
  { "image/x-j2c", BAD },
  { "image/x-jpc", BAD },
  { "image/x-portable-anymap", BAD },
  { "image/x-portable-bitmap", BAD },
  { "image/x-portable-graymap", BAD },
  { "image/x-portable-pixmap", BAD },
  { "multipart/x-mixed-replace", GOOD },
  { "video/mpegts", BAD },
  { "video/ogg", BASE },
  { "video/quicktime", GOOD },
  { "video/webm", GOOD },
  { "video/x-av1", BAD },
  { "video/x-dv", GOOD },
  { "video/x-flv", GOOD },
  { "video/x-ivf", BAD },
  { "video/x-matroska", GOOD },
  { "video/x-matroska-3d", GOOD },
  { "video/x-ms-asf", UGLY },
  { "video/x-msvideo", GOOD },
  { "video/x-theora", BASE },
  { "video/x-vp8", GOOD },
  { "video/x-vp9", GOOD },
};

static const MissingPlace sources[] = {
  { "dvb", BAD },    { "http", GOOD }, { "https", GOOD }, { "rist", BAD },   { "rtmp", BAD },
  { "rtmps", BAD },  { "rtp", BAD },   { "rtsp", GOOD },  { "rtsps", GOOD }, { "rtspt", GOOD },
  { "rtspu", GOOD }, { "srt", BAD },   { "udp", GOOD },   { "v4l2", GOOD },
};

/* Types whose parser is only in this package. */
static const gchar *const parsed[]
    = { "video/x-h264", "video/x-h265", "video/mpeg", "video/x-vp9", "video/x-av1", "image/x-jpc", NULL };

static const gchar *
missing_look_up (const MissingPlace *places, guint count, const gchar *name)
{
  for (guint i = 0; i < count; i++)
    if (g_str_equal (places[i].name, name))
      return places[i].package;
  return NULL;
}

static gboolean
missing_has_decoder (const GstCaps *caps)
{
  GList *all = gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_DECODER, GST_RANK_MARGINAL);
  g_autoptr (GstCaps) any = gst_caps_new_empty_simple (gst_structure_get_name (gst_caps_get_structure (caps, 0)));
  GList *fitting = gst_element_factory_list_filter (all, any, GST_PAD_SINK, FALSE);
  const gboolean has_decoder = fitting != NULL;

  gst_plugin_feature_list_free (fitting);
  gst_plugin_feature_list_free (all);
  return has_decoder;
}

static const gchar *
missing_find_decoder (const GstCaps *caps)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));
  const gchar *package = missing_look_up (decoders, G_N_ELEMENTS (decoders), name);
  gboolean is_container = FALSE;

  if (g_strv_contains (parsed, name) && missing_has_decoder (caps)) /* the decoder is there, its parser is missing */
    return BAD;
  if (g_str_equal (name, "video/mpeg")
      && gst_structure_get_boolean (gst_caps_get_structure (caps, 0), "systemstream", &is_container) && is_container)
    return BAD;
  return package != NULL ? package : LIBAV;
}

static const gchar *
missing_find_package (const GstStructure *missing)
{
  const gchar *type = gst_structure_get_string (missing, "type");
  const GValue *detail = gst_structure_get_value (missing, "detail");

  if (detail == NULL)
    return NULL;
  if (GST_VALUE_HOLDS_CAPS (detail) && !gst_caps_is_any (gst_value_get_caps (detail))
      && !gst_caps_is_empty (gst_value_get_caps (detail)))
    return missing_find_decoder (gst_value_get_caps (detail));
  if (G_VALUE_HOLDS_STRING (detail) && g_strcmp0 (type, "urisource") == 0)
    return missing_look_up (sources, G_N_ELEMENTS (sources), g_value_get_string (detail));
  return NULL;
}

gboolean
missing_is_message (GstMessage *message)
{
  return gst_is_missing_plugin_message (message) && decoding_track_needs_missing (gst_message_get_structure (message));
}

gboolean
missing_has_package (const GstCaps *caps)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  return missing_look_up (decoders, G_N_ELEMENTS (decoders), name) != NULL || g_strv_contains (parsed, name);
}

gchar *
missing_describe (GstMessage *message)
{
  g_autofree gchar *what = gst_missing_plugin_message_get_description (message);
  const gchar *package = missing_find_package (gst_message_get_structure (message));

  if (package == NULL)
    return g_steal_pointer (&what);
  return g_strdup_printf ("%s (Debian package %s)", what, package);
}
