/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/guard.h"

#define CONNECT_MS 1000 /* that decodebin has for connecting an element, at most */

/* decodebin keeps an element's errors to itself until it has connected it. A demuxer that pulls its data on a thread of its own
 * may be faster than that: its error is lost, and nothing comes any more. It waits with its first data. */
static GstPadProbeReturn
decoding_guard_await_connection (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);

  (void)info;
  (void)user_data;
  for (guint i = 0; i < CONNECT_MS && element != NULL && gst_element_is_locked_state (element) && !GST_PAD_IS_FLUSHING (pad);
       i++)
    g_usleep (1000);
  return GST_PAD_PROBE_REMOVE;
}

/* While decodebin connects an element it keeps it from following its own state. */
static void
decoding_guard_take_element (GstBin *pipeline, GstBin *bin, GstElement *element, gpointer user_data)
{
  (void)pipeline;
  (void)bin;
  (void)user_data;
  /* Where libav's decoders write into GStreamer's memory, they crash with a format that GStreamer does not know. */
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "direct-rendering") != NULL)
    g_object_set (element, "direct-rendering", FALSE, NULL);
  if (!gst_element_is_locked_state (element))
    return;
  GST_OBJECT_LOCK (element);
  for (const GList *pad = element->sinkpads; pad != NULL; pad = pad->next)
    gst_pad_add_probe (pad->data, GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_BUFFER, decoding_guard_await_connection, NULL,
                       NULL);
  GST_OBJECT_UNLOCK (element);
}

void
decoding_guard (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_guard_take_element), NULL);
}
