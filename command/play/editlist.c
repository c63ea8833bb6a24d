/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/editlist.h"

#include "decoding/edits.h"

#define ROUNDING GST_USECOND /* of timestamps */

struct _EditList {
  GMutex lock;
  GstSegment segment;     /* the first segment of the video */
  guint n_segments;       /* so far; films with several edits are not checked */
  GstClockTime end;       /* end of the media so far */
  GstClockTime remainder; /* of the frame in which the segment begins; 0: none so far */
  GstClockTime least;     /* lower bound of the missing time if qtdemux stops after the last packet */
  GstClockTime start;     /* of the current segment */
  guint n_skipped;        /* packets before it, in fragmented films */
  gboolean is_fragmented, is_stream;
  gboolean has_input_ended; /* qtdemux received the end of a stream */
  gboolean has_ended_early; /* video ended before the stream */
};

static gboolean
edit_list_is_video (GstPad *pad)
{
  g_autofree gchar *name = gst_pad_get_name (pad);

  return g_str_has_prefix (name, "video");
}

static void
edit_list_take_packet (EditList *list, const GstBuffer *packet)
{
  const GstClockTime time = GST_BUFFER_PTS (packet), end = time + GST_BUFFER_DURATION (packet);
  const GstSegment *segment = &list->segment;

  /* qtdemux stops at a key frame. */
  list->least = GST_BUFFER_FLAG_IS_SET (packet, GST_BUFFER_FLAG_DELTA_UNIT)
                    ? DECODING_EDITS_LEAST
                    : MIN (DECODING_EDITS_LEAST, GST_BUFFER_DURATION (packet) * 3 / 4);

  list->end = MAX (list->end, end);
  if (list->is_fragmented && end <= list->start + ROUNDING)
    list->n_skipped++;
  if (list->n_segments == 1 && segment->format == GST_FORMAT_TIME && time + ROUNDING < segment->start
      && end > segment->start + ROUNDING)
    list->remainder = end - segment->start;
}

static void
edit_list_take_segment (EditList *list, GstPad *pad, GstEvent *event)
{
  g_autoptr (GstElement) demuxer = gst_pad_get_parent_element (pad);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (demuxer, "sink");
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  list->start = segment->format == GST_FORMAT_TIME ? segment->start : 0;
  list->is_fragmented = decoding_edits_has_fragments (demuxer);
  list->is_stream = GST_PAD_MODE (sink) == GST_PAD_MODE_PUSH;
  if (list->n_segments++ == 0)
    gst_segment_copy_into (segment, &list->segment);
}

static GstPadProbeReturn
edit_list_take (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  EditList *list = user_data;

  g_mutex_lock (&list->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
      edit_list_take_segment (list, pad, event);
    else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
      list->has_ended_early = list->is_stream && !list->has_input_ended;
  } else {
    const GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    if (GST_BUFFER_PTS_IS_VALID (buffer) && GST_BUFFER_DURATION_IS_VALID (buffer))
      edit_list_take_packet (list, buffer);
  }
  g_mutex_unlock (&list->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
edit_list_take_input (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  EditList *list = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS) {
    g_mutex_lock (&list->lock);
    list->has_input_ended = TRUE;
    g_mutex_unlock (&list->lock);
  }
  return GST_PAD_PROBE_OK;
}

static void
edit_list_take_pad (GstElement *demuxer G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  if (edit_list_is_video (pad))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, edit_list_take, user_data, NULL);
}

static void
edit_list_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) sink = NULL;

  if (factory == NULL || !g_str_equal (GST_OBJECT_NAME (factory), "qtdemux"))
    return;
  sink = gst_element_get_static_pad (element, "sink");
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, edit_list_take_input, user_data, NULL);
  g_signal_connect (element, "pad-added", G_CALLBACK (edit_list_take_pad), user_data);
}

EditList *
edit_list_new (GstElement *pipeline)
{
  EditList *list = g_new0 (EditList, 1);

  g_mutex_init (&list->lock);
  gst_segment_init (&list->segment, GST_FORMAT_UNDEFINED);
  /* After decoding/edits.h, which changes and drops segments. */
  g_signal_connect_after (pipeline, "deep-element-added", G_CALLBACK (edit_list_take_element), list);
  return list;
}

void
edit_list_free (EditList *list)
{
  g_mutex_clear (&list->lock);
  g_free (list);
}

gboolean
edit_list_is_short (EditList *list, GstClockTime *end, GstClockTime *length)
{
  const GstSegment *segment = &list->segment;
  gboolean is_short;

  g_mutex_lock (&list->lock);
  is_short = list->n_segments == 1 && !list->is_fragmented && segment->format == GST_FORMAT_TIME
             && GST_CLOCK_TIME_IS_VALID (segment->stop) && segment->stop > segment->start
             && list->end + list->least < segment->stop;
  if (is_short) {
    *length = segment->time + segment->stop - segment->start;
    *end = segment->time + (list->end > segment->start ? list->end - segment->start : 0);
    is_short = list->has_ended_early || (segment->start > segment->time && (segment->start >= *length || list->end >= *length));
  }
  g_mutex_unlock (&list->lock);
  return is_short;
}

guint
edit_list_get_skipped (EditList *list)
{
  guint n_skipped;

  g_mutex_lock (&list->lock);
  n_skipped = list->n_skipped;
  g_mutex_unlock (&list->lock);
  return n_skipped;
}

gboolean
edit_list_is_fragmented (EditList *list)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&list->lock);

  return list->is_fragmented;
}

GstClockTime
edit_list_get_remainder (EditList *list)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&list->lock);

  return list->remainder;
}
