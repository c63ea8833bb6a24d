/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/ending.h"

#define MOST_READS 256 /* consecutive reads after the end of the file; a demuxer that ends needs a few */
#define FILE_HEAD 32   /* of IVF */
#define FRAME_HEAD 12

static GQuark
decoding_ending_quark (void)
{
  return g_quark_from_static_string ("cudahisto-reads-past-end");
}

/* Sends EOS in place of the demuxer, with the number of its segment. */
static void
decoding_ending_push_eos (GstPad *pad)
{
  g_autoptr (GstEvent) segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstEvent *eos = gst_event_new_eos ();

  if (segment != NULL)
    gst_event_set_seqnum (eos, gst_event_get_seqnum (segment));
  gst_pad_push_event (pad, eos);
}

/* Ends the streams of the demuxer while its thread pushes nothing. */
static void
decoding_ending_finish (GstElement *demuxer)
{
  GList *pads = NULL;

  GST_OBJECT_LOCK (demuxer);
  for (const GList *pad = demuxer->srcpads; pad != NULL; pad = pad->next)
    pads = g_list_prepend (pads, gst_object_ref (pad->data));
  GST_OBJECT_UNLOCK (demuxer);
  GST_INFO ("%s reads on past its end, and is ended", GST_OBJECT_NAME (demuxer));
  for (const GList *pad = pads; pad != NULL; pad = pad->next)
    decoding_ending_push_eos (pad->data);
  g_list_free_full (pads, gst_object_unref);
}

/* A blocking probe, called before each pull. Only the demuxer's thread uses the number. libav's demuxers end at an error, also
 * while they open and read ahead. */
static GstPadProbeReturn
decoding_ending_take_pull (GstPad *pad, GstPadProbeInfo *info, gpointer user_data G_GNUC_UNUSED)
{
  guint reads = GPOINTER_TO_UINT (g_object_get_qdata (G_OBJECT (pad), decoding_ending_quark ()));
  gint64 size = -1;

  if (!gst_pad_peer_query_duration (pad, GST_FORMAT_BYTES, &size) || size < 0
      || GST_PAD_PROBE_INFO_OFFSET (info) < (guint64)size)
    reads = 0;
  else
    reads++;
  g_object_set_qdata (G_OBJECT (pad), decoding_ending_quark (), GUINT_TO_POINTER (reads));
  if (reads < MOST_READS)
    return GST_PAD_PROBE_PASS;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_ERROR;
  return GST_PAD_PROBE_HANDLED;
}

static GstPadProbeReturn
decoding_ending_take_event (GstPad *pad, GstPadProbeInfo *info, gpointer user_data G_GNUC_UNUSED)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_object_set_qdata (G_OBJECT (pad), decoding_ending_quark (), GUINT_TO_POINTER (MOST_READS));
  return GST_PAD_PROBE_OK;
}

static gboolean
decoding_ending_is_concerned (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && g_str_has_prefix (GST_OBJECT_NAME (factory), "avdemux_");
}

static void
decoding_ending_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element,
                              gpointer user_data G_GNUC_UNUSED)
{
  g_autoptr (GstPad) pad = NULL;

  if (!decoding_ending_is_concerned (element) || (pad = gst_element_get_static_pad (element, "sink")) == NULL)
    return;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_BLOCK, decoding_ending_take_pull, NULL, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, decoding_ending_take_event, NULL, NULL);
}

void
decoding_ending_watch (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_ending_take_element), NULL);
}

gboolean
decoding_ending_force (GstElement *pipeline)
{
  g_autoptr (GstIterator) elements = gst_bin_iterate_recurse (GST_BIN (pipeline));
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean has_any = FALSE;

  while (gst_iterator_next (elements, &value) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object (&value);
    g_autoptr (GstPad) pad = decoding_ending_is_concerned (element) ? gst_element_get_static_pad (element, "sink") : NULL;

    if (pad != NULL && GST_PAD_MODE (pad) == GST_PAD_MODE_PUSH
        && g_object_get_qdata (G_OBJECT (pad), decoding_ending_quark ()) != NULL) {
      g_object_set_qdata (G_OBJECT (pad), decoding_ending_quark (), NULL); /* only once */
      decoding_ending_finish (element);
      has_any = TRUE;
    }
    g_value_reset (&value);
  }
  return has_any;
}

/* Returns the size in the header of the frame where ivfparse in pull mode has failed: the first one without content, or whose
 * size with its header overflows 32 bits. ivfparse itself does not report the offset. On the parser's thread. */
static guint32
decoding_ending_find_frame (GstPad *sink)
{
  guint64 offset = FILE_HEAD;
  guint32 size = 0;

  do {
    g_autoptr (GstBuffer) header = NULL;

    if (gst_pad_pull_range (sink, offset, sizeof size, &header) != GST_FLOW_OK
        || gst_buffer_extract (header, 0, &size, sizeof size) != sizeof size)
      return 0;
    size = GUINT32_FROM_LE (size);
    offset += FRAME_HEAD + (guint64)size;
  } while (size > 0 && size <= G_MAXUINT32 - FRAME_HEAD);
  return size;
}

static GError *
decoding_ending_explain_frame (GstPad *sink)
{
  const guint32 size = decoding_ending_find_frame (sink);
  gint64 length = G_MAXINT64;

  gst_pad_peer_query_duration (sink, GST_FORMAT_BYTES, &length);
  if (size == 0)
    return g_error_new_literal (GST_STREAM_ERROR, GST_STREAM_ERROR_DEMUX, "its data ends at a frame without content.");
  return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_DEMUX,
                      "its data ends at a frame whose header claims %u bytes, more than %s.", size,
                      size > length ? "the file has" : "GStreamer can read");
}

GstMessage *
decoding_ending_soften (GstElement *element, GstMessage *error)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink"), src = gst_element_get_static_pad (element, "src");
  g_autoptr (GError) reason = NULL;
  const GstStructure *details = NULL;
  gint flow = GST_FLOW_OK;
  gint64 offset;

  if (factory == NULL || !g_str_equal (GST_OBJECT_NAME (factory), "ivfparse") || sink == NULL || src == NULL
      || GST_PAD_MODE (sink) != GST_PAD_MODE_PULL || GST_PAD_LAST_FLOW_RETURN (src) != GST_FLOW_OK)
    return NULL;
  gst_message_parse_error_details (error, &details);
  if (details == NULL || !gst_structure_get_int (details, "flow-return", &flow) || flow != GST_FLOW_ERROR)
    return NULL;
  if (!gst_pad_query_position (src, GST_FORMAT_BYTES, &offset) || offset < FILE_HEAD) /* it rejects the film's header */
    return NULL;
  reason = decoding_ending_explain_frame (sink);
  return gst_message_new_warning (GST_MESSAGE_SRC (error), reason, NULL);
}
