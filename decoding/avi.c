/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/avi.h"

#include <string.h>

typedef struct {
  gboolean may_reorder;  /* the codec may have B-frames */
  gboolean is_after_key; /* the last packet was marked as a key frame */
} DecodingAvi;

static gboolean
decoding_avi_may_reorder (GstEvent *event)
{
  static const gchar *const codecs[] = { "video/mpeg", "video/x-divx", "video/x-h264", "video/x-h265", "video/x-xvid" };
  GstCaps *caps;
  const gchar *name;

  gst_event_parse_caps (event, &caps);
  name = gst_structure_get_name (gst_caps_get_structure (caps, 0));
  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (strcmp (codecs[i], name) == 0)
      return TRUE;
  return FALSE;
}

static GstPadProbeReturn
decoding_avi_take (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  DecodingAvi *avi = user_data;
  GstBuffer *packet;
  gboolean is_key;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS)
      avi->may_reorder = decoding_avi_may_reorder (GST_PAD_PROBE_INFO_EVENT (info));
    else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT)
      avi->is_after_key = FALSE;
    return GST_PAD_PROBE_OK;
  }
  packet = GST_PAD_PROBE_INFO_BUFFER (info);
  is_key = !GST_BUFFER_FLAG_IS_SET (packet, GST_BUFFER_FLAG_DELTA_UNIT);
  if (avi->may_reorder && is_key && avi->is_after_key) {
    GST_PAD_PROBE_INFO_DATA (info) = packet = gst_buffer_make_writable (packet);
    GST_BUFFER_PTS (packet) = GST_CLOCK_TIME_NONE;
  }
  avi->is_after_key = is_key;
  return GST_PAD_PROBE_OK;
}

static void
decoding_avi_take_pad (GstElement *demuxer G_GNUC_UNUSED, GstPad *pad, gpointer user_data G_GNUC_UNUSED)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, decoding_avi_take,
                     g_new0 (DecodingAvi, 1), g_free);
}

static void
decoding_avi_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element,
                           gpointer user_data G_GNUC_UNUSED)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), "avidemux"))
    g_signal_connect (element, "pad-added", G_CALLBACK (decoding_avi_take_pad), NULL);
}

void
decoding_avi_watch (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_avi_take_element), NULL);
}
