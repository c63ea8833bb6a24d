/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/keyframes.h"

#include <gst/video/video.h>
#include <string.h>

#define PICTURE_SIZE 6 /* bytes of the start code and of the type of a picture */
#define PICTURE_I 1
#define PICTURE_B 3
#define VOP 0xb6 /* a picture of MPEG-4 */
#define VOP_B 2

struct _KeyFrames {
  gint has_only_decode_times; /* atomic: packets that are not key frames */
};

typedef struct {
  KeyFrames *keys;
  GstPad *pad;
} ListOwner;

/* ---- packets of a demuxer ---------------------------------------------------------------------------------------------- */

/* Returns whether NAL units follow their lengths, as in MP4, instead of start codes. */
static gboolean
key_frames_has_lengths (const guint8 *data, gsize size)
{
  gsize position = 0;

  while (position + 4 <= size)
    position += 4 + (gsize)GST_READ_UINT32_BE (data + position);
  return position == size;
}

/* Returns whether a picture is presented before one that was decoded earlier. `data` follows its start code. */
static gboolean
key_frames_is_bidirectional (const GstStructure *format, const guint8 *data)
{
  gint version = 4; /* of DivX and others */

  if (gst_structure_has_name (format, "video/x-h264")) /* its first slice: macroblock 0, type 1 or 6 */
    return (data[0] & 0x1f) == 1 && (data[1] >> 4 == 0xa || data[1] >> 2 == 0x27);
  gst_structure_get_int (format, "mpegversion", &version);
  return version == 4 ? data[0] == VOP && data[1] >> 6 == VOP_B : data[0] == 0 && (data[2] >> 3 & 7) == PICTURE_B;
}

static gboolean
key_frames_has_bidirectional (const GstStructure *format, const guint8 *data, gsize size)
{
  static const guint8 start[] = { 0, 0, 1 };

  if (gst_structure_has_name (format, "video/x-h264") && key_frames_has_lengths (data, size)) {
    for (gsize i = 0; i + PICTURE_SIZE <= size; i += 4 + (gsize)GST_READ_UINT32_BE (data + i))
      if (key_frames_is_bidirectional (format, data + i + 4))
        return TRUE;
    return FALSE;
  }
  for (gsize i = 0; i + PICTURE_SIZE <= size; i++)
    if (memcmp (data + i, start, sizeof start) == 0 && key_frames_is_bidirectional (format, data + i + sizeof start))
      return TRUE;
  return FALSE;
}

/* Returns whether a packet changes the order of frames: the time of the key frame before may not be that of its packet. */
static gboolean
key_frames_is_reordered (GstPad *pad, GstBuffer *buffer)
{
  static const gchar *const media[] = { "video/mpeg", "video/x-h264", "video/x-divx", "video/x-xvid", "video/x-3ivx", NULL };
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *format = caps != NULL ? gst_caps_get_structure (caps, 0) : NULL;
  gboolean is_reordered;
  GstMapInfo map;

  if (format == NULL || !g_strv_contains (media, gst_structure_get_name (format))
      || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  is_reordered = key_frames_has_bidirectional (format, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return is_reordered;
}

static void
key_frames_report_untimed (GstPad *pad)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);

  if (element != NULL)
    gst_element_post_message (element,
                              gst_message_new_application (GST_OBJECT (element), gst_structure_new_empty (KEY_FRAMES_UNTIMED)));
}

static GstPadProbeReturn
key_frames_take_demuxed (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  KeyFrames *keys = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (GST_BUFFER_PTS_IS_VALID (buffer) || !GST_BUFFER_DTS_IS_VALID (buffer))
    return GST_PAD_PROBE_OK;
  g_atomic_int_set (&keys->has_only_decode_times, TRUE);
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT) || key_frames_is_reordered (pad, buffer))
    key_frames_report_untimed (pad);
  return GST_PAD_PROBE_OK;
}

static void
key_frames_take_pad (GstElement *demuxer G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  if (g_str_has_prefix (GST_OBJECT_NAME (pad), "video"))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, key_frames_take_demuxed, user_data, NULL);
}

/* ---- packets of the decoder -------------------------------------------------------------------------------------------- */

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

/* Some parsers lose a timestamp. */
static void
key_frames_restore_time (KeyFrames *keys, GstBuffer **packet)
{
  if (GST_BUFFER_PTS_IS_VALID (*packet) || !g_atomic_int_get (&keys->has_only_decode_times))
    return;
  *packet = gst_buffer_make_writable (*packet);
  GST_BUFFER_PTS (*packet) = GST_BUFFER_DTS (*packet);
}

/* Decoders need headers, which are not frames. Each key frame leaves the decoder before the next one enters: without the frames
 * in between, H.264 has no order of frames. */
static gboolean
key_frames_take_packet (KeyFrames *keys, GstPad *pad, GstBuffer **packet)
{
  GstBuffer *buffer = *packet;

  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER) && !GST_BUFFER_PTS_IS_VALID (buffer)
      && !GST_BUFFER_DURATION_IS_VALID (buffer))
    return TRUE;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT) || key_frames_is_other (buffer, pad))
    return FALSE;
  key_frames_restore_time (keys, packet);
  if (!GST_BUFFER_PTS_IS_VALID (*packet))
    key_frames_report_untimed (pad);
  gst_pad_send_event (pad, gst_video_event_new_still_frame (TRUE)); /* drains the decoder */
  return TRUE;
}

static gboolean
key_frames_take_listed (GstBuffer **buffer, guint index G_GNUC_UNUSED, gpointer user_data)
{
  const ListOwner *owner = user_data;

  if (!key_frames_take_packet (owner->keys, owner->pad, buffer))
    gst_clear_buffer (buffer);
  return TRUE;
}

static GstPadProbeReturn
key_frames_take_packets (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  ListOwner owner = { user_data, pad };
  gboolean is_kept;
  GstBufferList *list;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    is_kept = key_frames_take_packet (user_data, pad, (GstBuffer **)&info->data);
    return is_kept ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  }
  list = gst_buffer_list_make_writable (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  gst_buffer_list_foreach (list, key_frames_take_listed, &owner);
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
key_frames_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data)
{
  const GstElementFactoryListType media = GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE;
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) sink = NULL;

  if (factory != NULL && gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DEMUXER))
    g_signal_connect (element, "pad-added", G_CALLBACK (key_frames_take_pad), user_data);
  if (factory == NULL || GST_IS_BIN (element) || !gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER)
      || !gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER | media))
    return;
  sink = gst_element_get_static_pad (element, "sink");
  if (sink != NULL)
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, key_frames_take_packets, user_data,
                       NULL);
}

KeyFrames *
key_frames_new (GstElement *pipeline, GstElement *queue)
{
  KeyFrames *keys = g_new0 (KeyFrames, 1);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (queue, "src");

  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (key_frames_take_element), keys);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, key_frames_take_frame, NULL, NULL);
  return keys;
}

void
key_frames_free (KeyFrames *keys)
{
  g_free (keys);
}
