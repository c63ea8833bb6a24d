/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/track.h"

gboolean
decoding_track_is_other (const GstCaps *caps)
{
  static const gchar *const prefixes[] = { "audio/",
                                           "text/",
                                           "subpicture/",
                                           "subtitle/",
                                           "closedcaption/",
                                           "meta/",
                                           "application/x-ssa",
                                           "application/x-ass",
                                           "application/x-usf",
                                           "application/x-teletext",
                                           "application/x-subtitle" };
  const gchar *media_type = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  if (g_str_equal (media_type, "audio/ogg")) /* a container of joined files; only the first may lack video */
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (media_type, prefixes[i]))
      return TRUE;
  return FALSE;
}

gboolean
decoding_track_decodes (GstElement *source G_GNUC_UNUSED, GstPad *pad G_GNUC_UNUSED, GstCaps *caps,
                        gpointer user_data G_GNUC_UNUSED)
{
  return !decoding_track_is_other (caps);
}

gboolean
decoding_track_needs_missing (const GstStructure *missing)
{
  const GValue *detail = gst_structure_get_value (missing, "detail");

  if (detail == NULL || !GST_VALUE_HOLDS_CAPS (detail) || gst_caps_is_any (gst_value_get_caps (detail))
      || gst_caps_is_empty (gst_value_get_caps (detail)))
    return TRUE;
  return !decoding_track_is_other (gst_value_get_caps (detail));
}
