/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/guard.h"

#include "decoding/choice.h"
#include "decoding/ending.h"
#include "decoding/times.h"
#include "decoding/trial.h"

/* A bus between an element and its bin. */
typedef struct {
  GstElement *element; /* owns the bus, and so this */
  GstBus *outer, *pipeline;
  GThread *connecting;
} DecodingGuard;

static void
decoding_guard_free (gpointer data)
{
  DecodingGuard *guard = data;

  gst_object_unref (guard->outer);
  gst_object_unref (guard->pipeline);
  g_thread_unref (guard->connecting);
  g_free (guard);
}

/* decodebin locks an element's state while it connects the element, and holds the lock of its streaming threads up to PAUSED.
 * An error from such a thread comes too late for decodebin. */
static gboolean
decoding_guard_is_lost (const DecodingGuard *guard, GstMessage *message)
{
  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && guard->connecting != g_thread_self ()
         && gst_element_is_locked_state (guard->element) && GST_STATE (guard->element) >= GST_STATE_PAUSED;
}

static GstBusSyncReply
decoding_guard_handle (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer user_data)
{
  const DecodingGuard *guard = user_data;
  GstMessage *warning;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && decoding_choice_take_error (guard->element)) {
    gst_message_unref (message);
    return GST_BUS_DROP;
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && (warning = decoding_ending_soften (guard->element, message)) != NULL) {
    gst_message_unref (message);
    message = warning;
  }
  gst_bus_post (decoding_guard_is_lost (guard, message) ? guard->pipeline : guard->outer, message);
  return GST_BUS_DROP;
}

static void
decoding_guard_take_element (GstBin *pipeline, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data G_GNUC_UNUSED)
{
  g_autoptr (GstBus) outer = NULL, inner = NULL;
  DecodingGuard *guard;

  decoding_trial_plan (element);
  decoding_choice_watch (element);
  decoding_times_watch (element);
  if (GST_IS_BIN (element) && !gst_element_is_locked_state (element))
    return;
  if ((outer = gst_element_get_bus (element)) == NULL)
    return;
  guard = g_new0 (DecodingGuard, 1);
  guard->element = element;
  guard->outer = g_steal_pointer (&outer);
  guard->pipeline = gst_pipeline_get_bus (GST_PIPELINE (pipeline));
  guard->connecting = g_thread_ref (g_thread_self ());
  inner = gst_object_ref_sink (g_object_new (GST_TYPE_BUS, "enable-async", FALSE, NULL)); /* needs no file descriptors */
  gst_bus_set_sync_handler (inner, decoding_guard_handle, guard, decoding_guard_free);
  gst_element_set_bus (element, inner);
}

void
decoding_guard (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (decoding_guard_take_element), NULL);
}
