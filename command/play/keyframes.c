/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/keyframes.h"

#include <gst/video/video.h>
#include <string.h>

#define PICTURE_SIZE 6 /* bytes of the start code and of the type of a picture */
#define PICTURE_I 1

/* Return whether a packet has no key frame, whatever its flag is. mpegvideoparse takes the last packet of a stream for one, and
 * some Matroska files mark all packets of VP8 as key frames. */
static gboolean
key_frames_is_other_mpeg (const guint8 *data, gsize size)
{
  static const guint8 start[] = { 0, 0, 1, 0 };

  for (gsize i = 0; i + PICTURE_SIZE <= size; i++)
    if (memcmp (data + i, start, sizeof start) == 0)
      return (data[i + 5] >> 3 & 7) != PICTURE_I;
  return FALSE;
}

/* The first bits: a marker (2), the profile (2, and a third if both are 1), "shows an existing frame", "is no key frame". */
static gboolean
key_frames_is_other_vp9 (const guint8 *data, gsize size)
{
  const guint shift = size > 0 && (data[0] >> 4 & 3) == 3 ? 1 : 2;

  return size > 0 && (data[0] >> shift & 3) != 0;
}

static gboolean
key_frames_is_other (GstBuffer *buffer, GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *format = caps != NULL ? gst_caps_get_structure (caps, 0) : NULL;
  gboolean is_other = FALSE;
  gint version = 0;
  GstMapInfo map;

  if (format == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  if (gst_structure_has_name (format, "video/x-vp8"))
    is_other = map.size > 0 && (map.data[0] & 1) != 0;
  else if (gst_structure_has_name (format, "video/x-vp9"))
    is_other = key_frames_is_other_vp9 (map.data, map.size);
  else if (gst_structure_has_name (format, "video/mpeg") && gst_structure_get_int (format, "mpegversion", &version)
           && version <= 2)
    is_other = key_frames_is_other_mpeg (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return is_other;
}

static void
key_frames_report_untimed (GstPad *pad)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);

  if (element != NULL)
    gst_element_post_message (element,
                              gst_message_new_application (GST_OBJECT (element), gst_structure_new_empty (KEY_FRAMES_UNTIMED)));
}

/* Decoders need headers, which are not frames. Each key frame leaves the decoder before the next one enters: without the frames
 * in between, H.264 has no order of frames. */
static gboolean
key_frames_take_packet (GstPad *pad, GstBuffer *buffer)
{
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER) && !GST_BUFFER_PTS_IS_VALID (buffer)
      && !GST_BUFFER_DURATION_IS_VALID (buffer))
    return TRUE;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT) || key_frames_is_other (buffer, pad))
    return FALSE;
  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    key_frames_report_untimed (pad);
  gst_pad_send_event (pad, gst_video_event_new_still_frame (TRUE)); /* drains the decoder */
  return TRUE;
}

static gboolean
key_frames_take_listed (GstBuffer **buffer, guint index G_GNUC_UNUSED, gpointer user_data)
{
  if (!key_frames_take_packet (user_data, *buffer))
    gst_clear_buffer (buffer);
  return TRUE;
}

static GstPadProbeReturn
key_frames_take_packets (GstPad *pad, GstPadProbeInfo *info, gpointer user_data G_GNUC_UNUSED)
{
  GstBufferList *list;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    return key_frames_take_packet (pad, GST_PAD_PROBE_INFO_BUFFER (info)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  list = gst_buffer_list_make_writable (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  gst_buffer_list_foreach (list, key_frames_take_listed, pad);
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
key_frames_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element,
                         gpointer user_data G_GNUC_UNUSED)
{
  const GstElementFactoryListType media = GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE;
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) sink = NULL;

  if (factory == NULL || GST_IS_BIN (element) || !gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER)
      || !gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER | media))
    return;
  sink = gst_element_get_static_pad (element, "sink");
  if (sink != NULL)
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, key_frames_take_packets, NULL, NULL);
}

void
key_frames_select (GstElement *pipeline, GstElement *queue)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (queue, "src");

  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (key_frames_take_element), NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, key_frames_take_frame, NULL, NULL);
}
