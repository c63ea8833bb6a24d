/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/unknown.h"

static GstPadProbeReturn
decoding_unknown_take_answer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data G_GNUC_UNUSED)
{
  gint64 duration;

  if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) != GST_QUERY_DURATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_duration (GST_PAD_PROBE_INFO_QUERY (info), NULL, &duration);
  return duration < 0 ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
decoding_unknown_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element,
                               gpointer user_data G_GNUC_UNUSED)
{
  g_autoptr (GstPad) pad = GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SOURCE) && !GST_IS_BIN (element)
                               ? gst_element_get_static_pad (element, "src")
                               : NULL;

  if (pad != NULL)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM | GST_PAD_PROBE_TYPE_PULL, decoding_unknown_take_answer, NULL,
                       NULL);
}

void
decoding_unknown_watch (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_unknown_take_element), NULL);
}
