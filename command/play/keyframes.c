/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/keyframes.h"

/* Headers are not key frames, and decoders need them. */
static gboolean
key_frames_want (GstBuffer *buffer)
{
  return !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)
         || (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER) && !GST_BUFFER_PTS_IS_VALID (buffer));
}

static gboolean
key_frames_filter (GstBuffer **buffer, guint index G_GNUC_UNUSED, gpointer user_data G_GNUC_UNUSED)
{
  if (!key_frames_want (*buffer))
    gst_clear_buffer (buffer);
  return TRUE;
}

static GstPadProbeReturn
key_frames_take_packets (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data G_GNUC_UNUSED)
{
  GstBufferList *list;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    return key_frames_want (GST_PAD_PROBE_INFO_BUFFER (info)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  list = gst_buffer_list_make_writable (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  gst_buffer_list_foreach (list, key_frames_filter, NULL);
  GST_PAD_PROBE_INFO_DATA (info) = list;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
key_frames_take_frame (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data G_GNUC_UNUSED)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static void
key_frames_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data G_GNUC_UNUSED)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) sink = NULL;

  if (factory == NULL || GST_IS_BIN (element) || !gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER)
      || !gst_element_factory_list_is_type (factory,
                                            GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE))
    return;
  sink = gst_element_get_static_pad (element, "sink");
  if (sink != NULL)
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, key_frames_take_packets, NULL,
                       NULL);
}

void
key_frames_select (GstElement *pipeline, GstPad *pad)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (key_frames_take_element), NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, key_frames_take_frame, NULL, NULL);
}
