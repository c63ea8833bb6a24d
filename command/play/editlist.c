/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/editlist.h"

#include <string.h>

#define LEAST_MISSING (GST_SECOND / 5) /* rounding and reordered frames make less */
#define ROUNDING GST_USECOND           /* of timestamps */

struct _EditList {
  GMutex lock;
  GstSegment segment;     /* the first segment of the video */
  guint n_segments;       /* so far; films with several edits are not checked */
  GstClockTime end;       /* end of the media so far */
  GstClockTime remainder; /* of the frame in which the segment begins; 0: none so far */
  GstClockTime least;     /* lower bound of the missing time if qtdemux stops after the last packet */
  GstClockTime excess;    /* of the duration that qtdemux reads */
};

/* Bytes of a box of MP4 or QuickTime, without its header. */
typedef struct {
  guint8 *data;
  gsize size;
} Box;

/* ---- the duration that qtdemux reads ----------------------------------------------------------------------------------- */

static guint64
edit_list_get_number (const guint8 *bytes, guint count)
{
  guint64 number = 0;

  for (guint i = 0; i < count; i++)
    number = number << 8 | bytes[i];
  return number;
}

static void
edit_list_set_number (guint8 *bytes, guint count, guint64 number)
{
  for (guint i = count; i-- > 0; number >>= 8)
    bytes[i] = (guint8)number;
}

/* Finds the first box of a type in another one. FALSE: there is none. */
static gboolean
edit_list_find_box (const Box *outer, const gchar *type, Box *box)
{
  gsize at = 0, size;

  for (; outer->size - at >= 8; at += size) {
    size = (gsize)edit_list_get_number (outer->data + at, 4);
    if (size < 8 || size > outer->size - at)
      return FALSE;
    if (memcmp (outer->data + at + 4, type, 4) == 0) {
      *box = (Box){ outer->data + at + 8, size - 8 };
      return TRUE;
    }
  }
  return FALSE;
}

/* Returns the number of bytes of each time in a box, which depends on the box's version. */
static guint
edit_list_get_width (const Box *box)
{
  return box->size > 0 && box->data[0] == 1 ? 8 : 4;
}

/* Finds the duration in a box `mvhd` or `mdhd`. Returns its unit, per second. 0: unknown. */
static guint32
edit_list_find_duration (const Box *header, guint8 **duration)
{
  const guint width = edit_list_get_width (header);
  const gsize at = 4 + 2 * (gsize)width; /* after the version and two other times */

  if (header->size < at + 4 + width)
    return 0;
  *duration = header->data + at + 4;
  return (guint32)edit_list_get_number (header->data + at, 4);
}

/* Returns the media time at which the only edit of a track begins, in ns. 0: the track has none, or several. */
static GstClockTime
edit_list_get_start (const Box *track)
{
  Box edits, list, media, header;
  guint8 *duration;
  guint64 time;
  guint32 timescale;
  guint width;

  if (!edit_list_find_box (track, "edts", &edits) || !edit_list_find_box (&edits, "elst", &list)
      || !edit_list_find_box (track, "mdia", &media) || !edit_list_find_box (&media, "mdhd", &header)
      || (timescale = edit_list_find_duration (&header, &duration)) == 0)
    return 0;
  width = edit_list_get_width (&list);
  if (list.size < 8 + 2 * (gsize)width || edit_list_get_number (list.data + 4, 4) != 1)
    return 0;
  time = edit_list_get_number (list.data + 8 + width, width);
  return time <= G_MAXINT32 ? gst_util_uint64_scale (time, GST_SECOND, timescale) : 0; /* -1: an empty edit */
}

/* qtdemux 1.22 compares media times with the film's duration. Adds the time that an edit list skips to the duration, so that
 * qtdemux ends with the edit. Returns the added time, in ns. */
static GstClockTime
edit_list_lengthen (const Box *movie)
{
  Box rest = *movie, header, track;
  GstClockTime start = 0;
  guint8 *duration;
  guint64 added, length;
  guint32 timescale;
  guint width;

  for (; edit_list_find_box (&rest, "trak", &track);
       rest = (Box){ track.data + track.size, (gsize)(movie->data + movie->size - track.data) - track.size })
    start = MAX (start, edit_list_get_start (&track));
  if (start < LEAST_MISSING || !edit_list_find_box (movie, "mvhd", &header)
      || (timescale = edit_list_find_duration (&header, &duration)) == 0)
    return 0;
  width = edit_list_get_width (&header);
  length = edit_list_get_number (duration, width);
  added = gst_util_uint64_scale_ceil (start, timescale, GST_SECOND);
  if (length == 0 || length > G_MAXINT32 || added > G_MAXINT32) /* fragments, unknown, or damaged */
    return 0;
  edit_list_set_number (duration, width, length + added);
  return gst_util_uint64_scale (added, GST_SECOND, timescale);
}

/* qtdemux reads the box with all headers at once. */
static GstPadProbeReturn
edit_list_take_headers (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  EditList *list = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstMapInfo map;
  guint8 head[8];
  Box movie;

  (void)pad;
  if (buffer == NULL || gst_buffer_extract (buffer, 0, head, sizeof head) != sizeof head || memcmp (head + 4, "moov", 4) != 0)
    return GST_PAD_PROBE_OK;
  buffer = gst_buffer_make_writable (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  if (gst_buffer_map (buffer, &map, GST_MAP_READWRITE)) {
    if (edit_list_find_box (&(Box){ map.data, map.size }, "moov", &movie)) {
      g_mutex_lock (&list->lock);
      list->excess = edit_list_lengthen (&movie);
      g_mutex_unlock (&list->lock);
    }
    gst_buffer_unmap (buffer, &map);
  }
  return GST_PAD_PROBE_OK;
}

/* ---- packets ----------------------------------------------------------------------------------------------------------- */

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
                    ? LEAST_MISSING
                    : MIN (LEAST_MISSING, GST_BUFFER_DURATION (packet) * 3 / 4);

  list->end = MAX (list->end, end);
  if (list->n_segments == 1 && segment->format == GST_FORMAT_TIME && time + ROUNDING < segment->start
      && end > segment->start + ROUNDING)
    list->remainder = end - segment->start;
}

static GstPadProbeReturn
edit_list_take (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  EditList *list = user_data;

  (void)pad;
  g_mutex_lock (&list->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT && list->n_segments++ == 0)
      gst_event_copy_segment (event, &list->segment);
  } else {
    const GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    if (GST_BUFFER_PTS_IS_VALID (buffer) && GST_BUFFER_DURATION_IS_VALID (buffer))
      edit_list_take_packet (list, buffer);
  }
  g_mutex_unlock (&list->lock);
  return GST_PAD_PROBE_OK;
}

static void
edit_list_take_pad (GstElement *demuxer, GstPad *pad, gpointer user_data)
{
  (void)demuxer;
  if (edit_list_is_video (pad))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, edit_list_take, user_data, NULL);
}

static void
edit_list_take_element (GstBin *pipeline, GstBin *bin, GstElement *element, gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  (void)pipeline;
  (void)bin;
  if (factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), "qtdemux")) {
    g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");

    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_PULL, edit_list_take_headers, user_data, NULL);
    g_signal_connect (element, "pad-added", G_CALLBACK (edit_list_take_pad), user_data);
  }
}

EditList *
edit_list_new (GstElement *pipeline)
{
  EditList *list = g_new0 (EditList, 1);

  g_mutex_init (&list->lock);
  gst_segment_init (&list->segment, GST_FORMAT_UNDEFINED);
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (edit_list_take_element), list);
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
  is_short = list->n_segments == 1 && segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (segment->stop)
             && segment->stop > segment->start && segment->start > segment->time && list->end + list->least < segment->stop;
  if (is_short) {
    *length = segment->time + segment->stop - segment->start;
    *end = segment->time + (list->end > segment->start ? list->end - segment->start : 0);
    is_short = segment->start >= *length || list->end >= *length;
  }
  g_mutex_unlock (&list->lock);
  return is_short;
}

GstClockTime
edit_list_get_remainder (EditList *list)
{
  GstClockTime remainder;

  g_mutex_lock (&list->lock);
  remainder = list->remainder;
  g_mutex_unlock (&list->lock);
  return remainder;
}

GstClockTime
edit_list_get_excess (EditList *list)
{
  GstClockTime excess;

  g_mutex_lock (&list->lock);
  excess = list->excess;
  g_mutex_unlock (&list->lock);
  return excess;
}
