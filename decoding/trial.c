/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/trial.h"

#define PROPERTY "direct-rendering"
#define MOST_BUFFERS 16 /* tried, since the first ones may be headers */

/* TRUE: decodes in GStreamer's memory. */
static void
decoding_trial_set (GstElement *decoder, gboolean is_direct)
{
  g_object_set (decoder, PROPERTY, is_direct, NULL);
}

static gboolean
decoding_trial_take_event (GstPad *pad, GstObject *parent G_GNUC_UNUSED, GstEvent *event)
{
  gboolean *is_known = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    *is_known = TRUE;
  gst_event_unref (event);
  return TRUE;
}

static GstFlowReturn
decoding_trial_take_buffer (GstPad *pad G_GNUC_UNUSED, GstObject *parent G_GNUC_UNUSED, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
decoding_trial_push_sticky (GstPad *pad G_GNUC_UNUSED, GstEvent **event, gpointer source)
{
  gst_pad_push_event (source, gst_event_ref (*event));
  return TRUE;
}

/* Decodes the buffer after the pad's sticky events. TRUE: GStreamer knows the format. */
static gboolean
decoding_trial_decode (GstElement *decoder, GstPad *like, GstBuffer *buffer)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder, "sink"), src = gst_element_get_static_pad (decoder, "src");
  g_autoptr (GstPad) before = gst_object_ref_sink (gst_pad_new ("before", GST_PAD_SRC));
  g_autoptr (GstPad) after = gst_object_ref_sink (gst_pad_new ("after", GST_PAD_SINK));
  gboolean is_known = FALSE;

  gst_pad_set_element_private (after, &is_known);
  gst_pad_set_event_function (after, decoding_trial_take_event);
  gst_pad_set_chain_function (after, decoding_trial_take_buffer);
  gst_pad_set_active (before, TRUE);
  gst_pad_set_active (after, TRUE);
  if (gst_pad_link (before, sink) == GST_PAD_LINK_OK && gst_pad_link (src, after) == GST_PAD_LINK_OK
      && gst_element_set_state (decoder, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE) {
    gst_pad_sticky_events_foreach (like, decoding_trial_push_sticky, before);
    gst_pad_push (before, gst_buffer_ref (buffer));
    gst_pad_push_event (before, gst_event_new_eos ());
  }
  gst_element_set_state (decoder, GST_STATE_NULL);
  gst_pad_set_active (before, FALSE);
  gst_pad_set_active (after, FALSE);
  return is_known;
}

static gboolean
decoding_trial_run (GstElement *element, GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstElement) decoder = gst_element_factory_create (gst_element_get_factory (element), NULL);

  if (decoder == NULL)
    return FALSE;
  gst_object_ref_sink (decoder);
  decoding_trial_set (decoder, FALSE);
  return decoding_trial_decode (decoder, pad, buffer);
}

static GstPadProbeReturn
decoding_trial_take (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  guint *tried = user_data;

  if (element != NULL && decoding_trial_run (element, pad, GST_PAD_PROBE_INFO_BUFFER (info)))
    decoding_trial_set (element, TRUE);
  else if (++*tried < MOST_BUFFERS)
    return GST_PAD_PROBE_OK;
  return GST_PAD_PROBE_REMOVE;
}

void
decoding_trial_plan (GstElement *element)
{
  g_autoptr (GstPad) sink = NULL;
  gboolean is_direct = FALSE;

  if (!gst_element_factory_list_is_type (gst_element_get_factory (element), GST_ELEMENT_FACTORY_TYPE_DECODER)
      || g_object_class_find_property (G_OBJECT_GET_CLASS (element), PROPERTY) == NULL)
    return;
  g_object_get (element, PROPERTY, &is_direct, NULL);
  if (!is_direct || (sink = gst_element_get_static_pad (element, "sink")) == NULL)
    return;
  decoding_trial_set (element, FALSE);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, decoding_trial_take, g_new0 (guint, 1), g_free);
}
