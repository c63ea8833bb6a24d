/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/edits.h"

#include <string.h>

#define BOX_HEAD 8
#define LONG_BOX_HEAD 16
#define MOST_BOXES 100000 /* a limit for corrupt files */

/* Bytes of a box of MP4 or QuickTime, without its header. */
typedef struct {
  guint8 *data;
  gsize size;
} Box;

/* The box with all headers, in the file that a demuxer reads. */
typedef struct {
  GstElement *pipeline;
  guint64 at;
  gsize size; /* 0: unknown so far */
} Headers;

static GQuark
decoding_edits_quark (void)
{
  return g_quark_from_static_string ("cudahisto-excess-duration");
}

/* ---- boxes ------------------------------------------------------------------------------------------------------------- */

static guint64
decoding_edits_get_number (const guint8 *bytes, guint count)
{
  guint64 number = 0;

  for (guint i = 0; i < count; i++)
    number = number << 8 | bytes[i];
  return number;
}

static void
decoding_edits_set_number (guint8 *bytes, guint count, guint64 number)
{
  for (guint i = count; i-- > 0; number >>= 8)
    bytes[i] = (guint8)number;
}

/* Finds the first box of a type in another one. FALSE: there is none. */
static gboolean
decoding_edits_find_box (const Box *outer, const gchar *type, Box *box)
{
  gsize at = 0, size;

  for (; outer->size - at >= 8; at += size) {
    size = (gsize)decoding_edits_get_number (outer->data + at, 4);
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
decoding_edits_get_width (const Box *box)
{
  return box->size > 0 && box->data[0] == 1 ? 8 : 4;
}

/* Finds the duration in a box `mvhd` or `mdhd`. Returns its unit, per second. 0: unknown. */
static guint32
decoding_edits_find_duration (const Box *header, guint8 **duration)
{
  const guint width = decoding_edits_get_width (header);
  const gsize at = 4 + 2 * (gsize)width; /* after the version and two other times */

  if (header->size < at + 4 + width)
    return 0;
  *duration = header->data + at + 4;
  return (guint32)decoding_edits_get_number (header->data + at, 4);
}

/* Returns the media time at which the only edit of a track begins, in ns. 0: the track has none, or several. */
static GstClockTime
decoding_edits_get_start (const Box *track)
{
  Box edits, list, media, header;
  guint8 *duration;
  guint64 time;
  guint32 timescale;
  guint width;

  if (!decoding_edits_find_box (track, "edts", &edits) || !decoding_edits_find_box (&edits, "elst", &list)
      || !decoding_edits_find_box (track, "mdia", &media) || !decoding_edits_find_box (&media, "mdhd", &header)
      || (timescale = decoding_edits_find_duration (&header, &duration)) == 0)
    return 0;
  width = decoding_edits_get_width (&list);
  if (list.size < 8 + 2 * (gsize)width || decoding_edits_get_number (list.data + 4, 4) != 1)
    return 0;
  time = decoding_edits_get_number (list.data + 8 + width, width);
  return time <= G_MAXINT32 ? gst_util_uint64_scale (time, GST_SECOND, timescale) : 0; /* -1: an empty edit */
}

/* qtdemux 1.22 compares media times with the film's duration. Adds the time that an edit list skips to the duration, so that
 * qtdemux ends with the edit. Returns the added time, in ns. */
static GstClockTime
decoding_edits_lengthen (const Box *movie)
{
  Box rest = *movie, header, track;
  GstClockTime start = 0;
  guint8 *duration;
  guint64 added, length;
  guint32 timescale;
  guint width;

  for (; decoding_edits_find_box (&rest, "trak", &track);
       rest = (Box){ track.data + track.size, (gsize)(movie->data + movie->size - track.data) - track.size })
    start = MAX (start, decoding_edits_get_start (&track));
  if (start < DECODING_EDITS_LEAST || !decoding_edits_find_box (movie, "mvhd", &header)
      || (timescale = decoding_edits_find_duration (&header, &duration)) == 0)
    return 0;
  width = decoding_edits_get_width (&header);
  length = decoding_edits_get_number (duration, width);
  added = gst_util_uint64_scale_ceil (start, timescale, GST_SECOND);
  if (length == 0 || length > G_MAXINT32 || added > G_MAXINT32) /* fragments, unknown, or damaged */
    return 0;
  decoding_edits_set_number (duration, width, length + added);
  return gst_util_uint64_scale (added, GST_SECOND, timescale);
}

/* ---- the file ---------------------------------------------------------------------------------------------------------- */

/* Finds the first outermost box `moov`. FALSE: the file has none that qtdemux can read. */
static gboolean
headers_find (Headers *headers, GstPad *source)
{
  guint64 size;

  for (guint i = 0; i < MOST_BOXES; i++, headers->at += size) {
    g_autoptr (GstBuffer) buffer = NULL;
    guint8 head[LONG_BOX_HEAD] = { 0 };
    gsize count, least = BOX_HEAD;

    if (gst_pad_get_range (source, headers->at, sizeof head, &buffer) != GST_FLOW_OK
        || (count = gst_buffer_extract (buffer, 0, head, sizeof head)) < BOX_HEAD)
      return FALSE;
    size = decoding_edits_get_number (head, 4);
    if (size == 1 && count == LONG_BOX_HEAD) {
      size = decoding_edits_get_number (head + BOX_HEAD, 8);
      least = LONG_BOX_HEAD;
    }
    if (size < least || size > G_MAXINT64 - headers->at) /* 0: the last box, which may have samples */
      return FALSE;
    if (memcmp (head + 4, "moov", 4) == 0) {
      headers->size = (gsize)size;
      return least == BOX_HEAD;
    }
  }
  return FALSE;
}

static GstBuffer *
headers_change (const Headers *headers, GstBuffer *buffer)
{
  GstClockTime excess = 0;
  GstMapInfo map;
  Box movie;

  buffer = gst_buffer_make_writable (buffer);
  if (gst_buffer_map (buffer, &map, GST_MAP_READWRITE)) {
    if (decoding_edits_find_box (&(Box){ map.data, map.size }, "moov", &movie))
      excess = decoding_edits_lengthen (&movie);
    gst_buffer_unmap (buffer, &map);
  }
  g_object_set_qdata (G_OBJECT (headers->pipeline), decoding_edits_quark (), GSIZE_TO_POINTER (excess));
  return buffer;
}

/* qtdemux reads the box's head, and then the whole box at once. Buffers of other places may be samples. */
static GstPadProbeReturn
headers_take (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Headers *headers = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (buffer == NULL)
    return GST_PAD_PROBE_OK;
  if (headers->size == 0) {
    g_autoptr (GstPad) source = gst_pad_get_peer (pad);

    if (source == NULL || !headers_find (headers, source))
      return GST_PAD_PROBE_REMOVE;
  }
  if (GST_PAD_PROBE_INFO_OFFSET (info) != headers->at || gst_buffer_get_size (buffer) != headers->size)
    return GST_PAD_PROBE_OK;
  GST_PAD_PROBE_INFO_DATA (info) = headers_change (headers, buffer);
  return GST_PAD_PROBE_REMOVE;
}

static void
decoding_edits_take_element (GstBin *pipeline, GstBin *bin, GstElement *element, gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const Headers headers = { .pipeline = GST_ELEMENT (pipeline) };
  g_autoptr (GstPad) sink = NULL;

  (void)bin;
  (void)user_data;
  if (factory == NULL || !g_str_equal (GST_OBJECT_NAME (factory), "qtdemux"))
    return;
  sink = gst_element_get_static_pad (element, "sink");
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_PULL, headers_take,
                     g_memdup2 (&headers, sizeof headers), g_free);
}

void
decoding_edits_watch (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_edits_take_element), NULL);
}

GstClockTime
decoding_edits_get_excess (GstElement *pipeline)
{
  return GPOINTER_TO_SIZE (g_object_get_qdata (G_OBJECT (pipeline), decoding_edits_quark ()));
}
