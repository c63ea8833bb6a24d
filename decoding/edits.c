/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/edits.h"

#include <gst/base/gstadapter.h>
#include <string.h>

#include "decoding/boxes.h"
#include "decoding/movie.h"

#define MOST_BOXES 100000               /* a limit for corrupt files */
#define MOST_BYTES ((guint64)256 << 20) /* of headers from a pipe */

/* The box with all headers, in the file or stream that a demuxer reads. */
typedef struct {
  GstElement *pipeline, *demuxer;
  /* File. */
  guint64 at;
  gsize size; /* 0: unknown so far */
  /* Stream. */
  GstAdapter *adapter; /* bytes that the demuxer does not have yet */
  guint64 passed;      /* number of bytes to pass, until the next box */
} Headers;

static GQuark
decoding_edits_quark (void)
{
  return g_quark_from_static_string ("cudahisto-excess-duration");
}

static GQuark
decoding_edits_fragments_quark (void)
{
  return g_quark_from_static_string ("cudahisto-fragments");
}

static void
headers_free (gpointer data)
{
  Headers *headers = data;

  g_object_unref (headers->adapter);
  g_free (headers);
}

/* Reads the head of a box. FALSE: it is damaged, or the last box. qtdemux reads no box `moov` with a long head. */
static gboolean
headers_read (const guint8 head[DECODING_BOX_LONG_HEAD], gsize count, guint64 *size, gboolean *is_movie)
{
  gsize head_bytes;
  const gboolean is_read = decoding_box_read_head (head, count, size, &head_bytes);

  *is_movie = memcmp (head + 4, "moov", 4) == 0 && head_bytes == DECODING_BOX_HEAD;
  return is_read && *size > 0 && *size <= G_MAXINT64;
}

static void
headers_change (const Headers *headers, guint8 *data, gsize size, GstClockTime least)
{
  const DecodingMovie change = decoding_movie_change (data, size, least);

  g_object_set_qdata_full (G_OBJECT (headers->pipeline), decoding_edits_quark (),
                           g_memdup2 (&change.excess, sizeof change.excess), g_free);
  if (change.is_fragmented)
    g_object_set_qdata (G_OBJECT (headers->demuxer), decoding_edits_fragments_quark (), headers->demuxer);
}

/* ---- file -------------------------------------------------------------------------------------------------------------- */

/* Finds the first outermost box `moov`. FALSE: the file has none that qtdemux can read. */
static gboolean
headers_find (Headers *headers, GstPad *source)
{
  gboolean is_movie;
  guint64 size;

  for (guint i = 0; i < MOST_BOXES; i++, headers->at += size) {
    g_autoptr (GstBuffer) buffer = NULL;
    guint8 head[DECODING_BOX_LONG_HEAD] = { 0 };
    gsize count;

    if (gst_pad_get_range (source, headers->at, sizeof head, &buffer) != GST_FLOW_OK
        || (count = gst_buffer_extract (buffer, 0, head, sizeof head)) < DECODING_BOX_HEAD
        || !headers_read (head, count, &size, &is_movie) || size > G_MAXINT64 - headers->at)
      return FALSE;
    if (is_movie) {
      headers->size = (gsize)size;
      return TRUE;
    }
  }
  return FALSE;
}

/* qtdemux reads the box's head, and then the whole box at once. Buffers of other places may be samples. */
static GstPadProbeReturn
headers_take_range (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Headers *headers = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstMapInfo map;

  if (buffer == NULL)
    return GST_PAD_PROBE_OK;
  if (headers->size == 0) {
    g_autoptr (GstPad) source = gst_pad_get_peer (pad);

    if (source == NULL || !headers_find (headers, source))
      return GST_PAD_PROBE_REMOVE;
  }
  if (GST_PAD_PROBE_INFO_OFFSET (info) != headers->at || gst_buffer_get_size (buffer) != headers->size)
    return GST_PAD_PROBE_OK;
  buffer = gst_buffer_make_writable (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  if (gst_buffer_map (buffer, &map, GST_MAP_READWRITE)) {
    headers_change (headers, map.data, map.size, DECODING_EDITS_LEAST);
    gst_buffer_unmap (buffer, &map);
  }
  return GST_PAD_PROBE_REMOVE;
}

/* ---- stream ------------------------------------------------------------------------------------------------------------ */

static GstBuffer *
headers_append (GstBuffer *passed, GstBuffer *buffer)
{
  return passed != NULL ? gst_buffer_append (passed, buffer) : buffer;
}

/* Looks at the next box. Returns FALSE if it is incomplete. Sets `is_last` if no later box is of interest. */
static gboolean
headers_look (Headers *headers, GstBuffer **passed, gboolean *is_last)
{
  guint8 head[DECODING_BOX_LONG_HEAD], *data;
  gboolean is_movie;
  guint64 size;

  if (gst_adapter_available (headers->adapter) < sizeof head)
    return FALSE;
  gst_adapter_copy (headers->adapter, head, 0, sizeof head);
  *is_last = !headers_read (head, sizeof head, &size, &is_movie) || (is_movie && size > MOST_BYTES);
  if (*is_last || !is_movie) {
    headers->passed = *is_last ? G_MAXUINT64 : size;
    return TRUE;
  }
  if (gst_adapter_available (headers->adapter) < size)
    return FALSE;
  data = gst_adapter_take (headers->adapter, (gsize)size);
  headers_change (headers, data, (gsize)size, 1);
  *passed = headers_append (*passed, gst_buffer_new_wrapped (data, (gsize)size));
  headers->passed = G_MAXUINT64;
  *is_last = TRUE;
  return TRUE;
}

/* qtdemux waits for the whole box. Holds it back until it is complete. */
static GstPadProbeReturn
headers_take_data (Headers *headers, GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info), *passed = NULL;
  const GstBufferFlags flags = GST_BUFFER_FLAGS (buffer);
  gboolean is_last = FALSE;
  gsize count;

  gst_adapter_push (headers->adapter, buffer);
  do {
    count = (gsize)MIN (headers->passed, gst_adapter_available (headers->adapter));
    if (count > 0)
      passed = headers_append (passed, gst_adapter_take_buffer (headers->adapter, count));
    if (headers->passed != G_MAXUINT64)
      headers->passed -= count;
  } while (gst_adapter_available (headers->adapter) > 0 && headers_look (headers, &passed, &is_last));
  GST_PAD_PROBE_INFO_DATA (info) = passed;
  if (passed == NULL)
    return GST_PAD_PROBE_HANDLED;
  GST_BUFFER_FLAGS (passed) |= flags & GST_BUFFER_FLAG_DISCONT;
  return is_last ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK;
}

/* After a seek, qtdemux reads from the begin of a box. Other elements than sources, such as that of DASH, send their own
 * segments. */
static GstPadProbeReturn
headers_take_stream (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  Headers *headers = user_data;
  const GstSegment *segment;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return headers_take_data (headers, info);
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_event_parse_segment (GST_PAD_PROBE_INFO_EVENT (info), &segment);
  gst_adapter_clear (headers->adapter);
  headers->passed = 0;
  return segment->format == GST_FORMAT_BYTES ? GST_PAD_PROBE_OK : GST_PAD_PROBE_REMOVE;
}

/* ---- segments ---------------------------------------------------------------------------------------------------------- */

/* The segment that was pushed last. */
typedef struct {
  GstElement *demuxer;
  GstSegment segment; /* GST_FORMAT_UNDEFINED: none */
} Edit;

/* Returns whether qtdemux repeats a segment, or begins again with the first one, as it does at each fragment of a stream. */
static gboolean
edit_is_repeated (const Edit *edit, const GstSegment *segment)
{
  return edit->segment.format == GST_FORMAT_TIME
         && (segment->start - segment->time == edit->segment.start - edit->segment.time || segment->time < edit->segment.time);
}

/* Segments of fragmented films end at a duration that does not include the delay of reordered frames, or only earlier
 * fragments. Decoders drop later frames, and finish the current ones at each segment. */
static GstPadProbeReturn
edit_take_segment (Edit *edit, GstPadProbeInfo *info)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info), *changed;
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  if (segment.format != GST_FORMAT_TIME || segment.rate < 0)
    return GST_PAD_PROBE_OK;
  if (edit_is_repeated (edit, &segment))
    return GST_PAD_PROBE_DROP;
  segment.stop = GST_CLOCK_TIME_NONE;
  edit->segment = segment;
  changed = gst_event_new_segment (&segment);
  gst_event_set_seqnum (changed, gst_event_get_seqnum (event));
  gst_event_unref (event);
  GST_PAD_PROBE_INFO_DATA (info) = changed;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
edit_take_event (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  Edit *edit = user_data;

  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
  case GST_EVENT_SEGMENT:
    return decoding_edits_has_fragments (edit->demuxer) ? edit_take_segment (edit, info) : GST_PAD_PROBE_OK;
  case GST_EVENT_FLUSH_STOP:
    edit->segment.format = GST_FORMAT_UNDEFINED;
    return GST_PAD_PROBE_OK;
  default:
    return GST_PAD_PROBE_OK;
  }
}

static void
decoding_edits_take_pad (GstElement *demuxer, GstPad *pad, gpointer user_data G_GNUC_UNUSED)
{
  Edit *edit = g_new0 (Edit, 1);

  edit->demuxer = demuxer;
  gst_segment_init (&edit->segment, GST_FORMAT_UNDEFINED);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH, edit_take_event, edit, g_free);
}

/* ---- demuxers ---------------------------------------------------------------------------------------------------------- */

static void
decoding_edits_add_probe (GstElement *pipeline, GstElement *demuxer, GstPadProbeType type, GstPadProbeCallback callback)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (demuxer, "sink");
  Headers *headers = g_new0 (Headers, 1);

  headers->pipeline = pipeline;
  headers->demuxer = demuxer;
  headers->adapter = gst_adapter_new ();
  gst_pad_add_probe (sink, type, callback, headers, headers_free);
}

static void
decoding_edits_take_element (GstBin *pipeline, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data G_GNUC_UNUSED)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory == NULL || !g_str_equal (GST_OBJECT_NAME (factory), "qtdemux"))
    return;
  decoding_edits_add_probe (GST_ELEMENT (pipeline), element, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_PULL,
                            headers_take_range);
  decoding_edits_add_probe (GST_ELEMENT (pipeline), element,
                            GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
                            headers_take_stream);
  g_signal_connect (element, "pad-added", G_CALLBACK (decoding_edits_take_pad), NULL);
}

void
decoding_edits_watch (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_edits_take_element), NULL);
}

static gpointer
decoding_edits_copy_excess (gpointer excess, gpointer user_data G_GNUC_UNUSED)
{
  return g_memdup2 (excess, sizeof (GstClockTime));
}

GstClockTime
decoding_edits_get_excess (GstElement *pipeline)
{
  g_autofree GstClockTime *excess
      = g_object_dup_qdata (G_OBJECT (pipeline), decoding_edits_quark (), decoding_edits_copy_excess, NULL);

  return excess != NULL ? *excess : 0;
}

gboolean
decoding_edits_has_fragments (GstElement *demuxer)
{
  return g_object_get_qdata (G_OBJECT (demuxer), decoding_edits_fragments_quark ()) != NULL;
}
