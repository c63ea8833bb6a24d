/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/remux.h"

#include <gst/pbutils/pbutils.h>

#include "play/missing.h"

#define LOSSLESS "-c:v ffv1"

/* Codecs with their own name in Matroska that GStreamer knows need no decoding; for others FFmpeg keeps the unknown code. AMV
 * has full range, which FFV1 does not choose itself. */
static const struct {
  const gchar *code, *options;
} known[] = {
  { "VP80", "-c copy" }, { "VP90", "-c copy" },
  { "AV01", "-c copy" }, { "apcn", "-c copy" },
  { "apch", "-c copy" }, { "apcs", "-c copy" },
  { "apco", "-c copy" }, { "ap4h", "-c copy" },
  { "ap4x", "-c copy" }, { "AMVF", LOSSLESS " -vf scale=out_range=pc -color_range pc" },
};

static const gchar *
remux_find_options (const gchar *code)
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (known[i].code, code))
      return known[i].options;
  return LOSSLESS;
}

/* Formats a code as "VP90". */
static gchar *
remux_format_code (guint32 code)
{
  gchar text[] = { (gchar)code, (gchar)(code >> 8), (gchar)(code >> 16), (gchar)(code >> 24), '\0' };

  for (guint i = 0; i < 4; i++)
    if (!g_ascii_isprint (text[i]))
      return g_strdup_printf ("0x%08x", code);
  return g_strdup (text);
}

/* Returns the container's name of a codec for which the demuxer has no caps. NULL: it has caps. */
static gchar *
remux_get_unknown (const GstCaps *caps)
{
  static const gchar prefix[] = "video/x-gst-fourcc-";
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *name = gst_structure_get_name (structure), *text;
  gint code;

  if (g_str_has_prefix (name, prefix))
    return g_strdup (name + strlen (prefix));
  if (!g_str_equal (name, "video/x-unknown") && !g_str_equal (name, "video/x-avi-unknown")
      && !g_str_equal (name, "video/x-asf-unknown"))
    return NULL;
  if (gst_structure_get_int (structure, "fourcc", &code))
    return remux_format_code ((guint32)code);
  text = gst_structure_get_string (structure, "fourcc");
  if (text == NULL)
    text = gst_structure_get_string (structure, "codec-id");
  return g_strdup (text != NULL ? text : "without a name");
}

static gboolean
remux_takes (GstElementFactory *factory, const GstCaps *caps)
{
  for (const GList *item = gst_element_factory_get_static_pad_templates (factory); item != NULL; item = item->next) {
    GstStaticPadTemplate *template = item->data;
    g_autoptr (GstCaps) accepted = template->direction == GST_PAD_SINK ? gst_static_pad_template_get_caps (template) : NULL;

    if (accepted != NULL && !gst_caps_is_any (accepted)
        && gst_caps_can_intersect (accepted, caps)) /* decodebin accepts any caps */
      return TRUE;
  }
  return FALSE;
}

/* Returns whether GStreamer has a decoder, of any rank. One that is disabled by its rank is treated like one that is not
 * installed. */
static gboolean
remux_is_decodable (const GstCaps *caps)
{
  GList *all = gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_DECODER, GST_RANK_NONE);
  g_autoptr (GstCaps) any = gst_caps_new_empty_simple (gst_structure_get_name (gst_caps_get_structure (caps, 0)));
  gboolean is_decodable = FALSE;

  for (const GList *item = all; item != NULL && !is_decodable; item = item->next)
    is_decodable = remux_takes (item->data, any);
  gst_plugin_feature_list_free (all);
  return is_decodable;
}

static gboolean
remux_has_libav (void)
{
  GstPlugin *libav = gst_registry_find_plugin (gst_registry_get (), "libav");

  if (libav == NULL)
    return FALSE;
  gst_object_unref (libav);
  return TRUE;
}

gchar *
remux_advise (const gchar *film, GstMessage *missing)
{
  const GValue *detail = gst_structure_get_value (gst_message_get_structure (missing), "detail");
  const GstCaps *caps = detail != NULL && GST_VALUE_HOLDS_CAPS (detail) ? gst_value_get_caps (detail) : NULL;
  g_autofree gchar *code = NULL, *codec = NULL;

  if (caps == NULL || gst_caps_is_any (caps) || gst_caps_is_empty (caps)
      || !g_str_has_prefix (gst_structure_get_name (gst_caps_get_structure (caps, 0)), "video/"))
    return NULL;
  code = remux_get_unknown (caps);
  if (code != NULL)
    return g_strdup_printf (
        "GStreamer cannot read the codec of \"%s\" (%s) in this container. `ffmpeg -i FILM %s film.mkv` makes "
        "a film of the same pictures that it can read.",
        film, code, remux_find_options (code));
  if (missing_has_package (caps) || remux_is_decodable (caps) || !remux_has_libav ())
    return NULL;
  codec = gst_pb_utils_get_codec_description (caps);
  return g_strdup_printf ("GStreamer has no decoder for the codec of \"%s\" (%s). `ffmpeg -i FILM %s film.mkv` makes a film of "
                          "the same pictures that it can read.",
                          film, codec, LOSSLESS);
}
