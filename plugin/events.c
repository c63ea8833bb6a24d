/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "events.h"

#include "configure.h"
#include "gstcudahistoprivate.h"
#include "input/caps.h"

static gboolean
gst_cuda_histo_caps_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  G_GNUC_UNUSED g_autoptr (GstCudaHistoCounter) counter = gst_cuda_histo_counter_ref (self->use.counter);
  const gint stops = g_atomic_int_get (&self->host.stops);
  gboolean is_configured;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (self->format.is_configured && self->format.caps != NULL && gst_caps_is_equal (self->format.caps, caps))
    return gst_cuda_histo_get_base_class ()->sink_event (base, event);

  gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_CAPS);
  if (stops == g_atomic_int_get (&self->host.stops) && self->format.is_configured && !gst_cuda_histo_caps_are_video (caps))
    gst_cuda_histo_report_end_damage (self, GST_CUDA_HISTO_ENDED_BY_CAPS);
  is_configured = stops == g_atomic_int_get (&self->host.stops) && gst_cuda_histo_configure (self, caps);
  if (stops != g_atomic_int_get (&self->host.stops) && g_atomic_int_get (&self->host.is_started))
    return gst_cuda_histo_caps_event (base, event); /* a handler of a message has stopped and restarted the element */
  if (!is_configured) {
    gst_event_unref (event);
    return FALSE;
  }
  return gst_cuda_histo_get_base_class ()->sink_event (base, event);
}

/* Releases threads that wait for the counter or the sidecar. One may be the streaming thread, for which the sender of the flush
 * waits, perhaps on the counter's own thread, in a handler of a message. Not serialized: any thread. */
static void
gst_cuda_histo_start_flushing (GstCudaHisto *self)
{
  g_autoptr (GstCudaHistoCounter) counter = NULL;

  GST_OBJECT_LOCK (self);
  if (self->use.counter != NULL) {
    counter = gst_cuda_histo_counter_ref (self->use.counter);
    /* Under the lock: not after a stop has released the counter. */
    gst_cuda_histo_sidecar_set_flushing (self->sidecar_use.sidecar, TRUE);
  }
  GST_OBJECT_UNLOCK (self);
  if (counter != NULL)
    gst_cuda_histo_counter_set_flushing (counter, TRUE);
  gst_cuda_histo_comparison_set_flushing (&self->comparison, GST_ELEMENT (self), TRUE);
}

void
gst_cuda_histo_report_segment (GstElement *element)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);
  G_GNUC_UNUSED g_autoptr (GstCudaHistoCounter) counter = gst_cuda_histo_counter_ref (self->use.counter);

  gst_cuda_histo_report_all (self, GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE);
}

static void
gst_cuda_histo_begin_segment (GstCudaHisto *self, const GstSegment *segment)
{
  const gint stops = g_atomic_int_get (&self->host.stops);

  if (gst_cuda_histo_position_segment_continues (&GST_BASE_TRANSFORM_CAST (self)->segment, segment, &self->stream.latest,
                                                 self->stream.next_offset))
    return;
  gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_SEGMENT);
  if (stops == g_atomic_int_get (&self->host.stops) && GST_BASE_TRANSFORM_CAST (self)->segment.format != GST_FORMAT_UNDEFINED)
    gst_cuda_histo_report_end_damage (self, GST_CUDA_HISTO_ENDED_BY_SEGMENT);
  if (stops == g_atomic_int_get (&self->host.stops))
    gst_cuda_histo_end_timeline (self);
}

/* Reports everything that belongs before a SEGMENT, SEGMENT_DONE or EOS. */
static void
gst_cuda_histo_report_before (GstCudaHisto *self, GstEvent *event)
{
  const gint stops = g_atomic_int_get (&self->host.stops);
  const GstSegment *segment;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_parse_segment (event, &segment);
    gst_cuda_histo_begin_segment (self, segment);
    return;
  }
  gst_cuda_histo_report_all (self, GST_EVENT_TYPE (event) == GST_EVENT_EOS ? GST_CUDA_HISTO_ENDED_BY_EOS
                                                                           : GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE);
  if (stops == g_atomic_int_get (&self->host.stops))
    gst_cuda_histo_check_time (self, GST_CLOCK_TIME_NONE);
}

/* Ends the flush and the stream before it. */
static void
gst_cuda_histo_stop_flushing (GstCudaHisto *self, GstCudaHistoCounter *counter)
{
  const gint stops = g_atomic_int_get (&self->host.stops);

  g_atomic_int_inc (&self->host.breaks);
  gst_cuda_histo_discard_window (self);
  if (stops != g_atomic_int_get (&self->host.stops))
    return;
  gst_cuda_histo_counter_set_flushing (counter, FALSE);
  gst_cuda_histo_sidecar_set_flushing (self->sidecar_use.sidecar, FALSE);
  gst_cuda_histo_comparison_set_flushing (&self->comparison, GST_ELEMENT (self), FALSE);
  self->stream.next_offset = 0;
  gst_cuda_histo_forget_damage (self);
}

/* Handles an event in the element. FALSE if a handler of a message has flushed or stopped the element: the event's stream has
 * then ended. A restarted element still needs STREAM_START and SEGMENT. */
static gboolean
gst_cuda_histo_take_event (GstCudaHisto *self, GstEvent *event)
{
  g_autoptr (GstCudaHistoCounter) counter = gst_cuda_histo_counter_ref (self->use.counter);
  const gint breaks = g_atomic_int_get (&self->host.breaks), stops = g_atomic_int_get (&self->host.stops);

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_FLUSH_STOP:
    gst_cuda_histo_stop_flushing (self, counter);
    if (stops == g_atomic_int_get (&self->host.stops))
      gst_cuda_histo_end_timeline (self);
    return TRUE; /* downstream needs it in any case */
  case GST_EVENT_STREAM_START:
    gst_cuda_histo_begin_stream (self, event);
    gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_STREAM_START);
    if (stops == g_atomic_int_get (&self->host.stops))
      gst_cuda_histo_report_end_damage (self, GST_CUDA_HISTO_ENDED_BY_STREAM_START);
    if (stops == g_atomic_int_get (&self->host.stops))
      gst_cuda_histo_end_timeline (self);
    if (stops != g_atomic_int_get (&self->host.stops))
      return g_atomic_int_get (&self->host.is_started);
    self->stream.next_offset = 0;
    return TRUE;
  case GST_EVENT_SEGMENT:
  case GST_EVENT_SEGMENT_DONE:
  case GST_EVENT_EOS:
    gst_cuda_histo_report_before (self, event);
    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT && stops != g_atomic_int_get (&self->host.stops))
      return g_atomic_int_get (&self->host.is_started);
    return breaks == g_atomic_int_get (&self->host.breaks);
  case GST_EVENT_CUSTOM_DOWNSTREAM:
    if (gst_event_has_name (event, GST_CUDA_HISTO_DAMAGE_EVENT_NAME))
      gst_cuda_histo_note_damage (self, gst_event_get_structure (event));
    return TRUE;
  default:
    return TRUE;
  }
}

gboolean
gst_cuda_histo_sink_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean is_flushing, resumes_puller = FALSE, succeeded;

  if (GST_EVENT_IS_SERIALIZED (event) && g_atomic_int_get (&self->host.is_started)) {
    self->stream.has_begun |= GST_EVENT_IS_STICKY (event); /* all of them are sent again before the next buffer */
    if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
      return gst_cuda_histo_caps_event (base, event);
    if (!gst_cuda_histo_take_event (self, event)) {
      gst_event_unref (event);
      return FALSE; /* otherwise the pad would store it and stay at EOS */
    }
    resumes_puller = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP && g_atomic_int_get (&self->pads.is_pulling);
  }
  is_flushing = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  succeeded = gst_cuda_histo_get_base_class ()->sink_event (base, event);
  if (is_flushing) /* only when downstream knows: the streaming thread continues there */
    gst_cuda_histo_start_flushing (self);
  if (resumes_puller)
    gst_cuda_histo_puller_flushed (self->pads.puller);
  return succeeded;
}

/* Returns the flow return for an event that does not pass. The source pad may be flushing or stopped, which it is slightly
 * before the sink pad. The base class returns FALSE, which GStreamer treats as an error of the stream, for CAPS as
 * "not-negotiated". But nothing has failed, and sticky events are sent again before the next buffer. */
GstFlowReturn
gst_cuda_histo_receive_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (parent);
  GstPad *srcpad = GST_BASE_TRANSFORM_SRC_PAD (GST_BASE_TRANSFORM_CAST (self));
  const gboolean are_caps = GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  gboolean is_flushing;

  if (self->pads.receive_event_in_base (pad, parent, event))
    return GST_FLOW_OK;
  GST_OBJECT_LOCK (srcpad);
  is_flushing = GST_PAD_IS_FLUSHING (srcpad);
  GST_OBJECT_UNLOCK (srcpad);
  if (is_flushing || breaks != g_atomic_int_get (&self->host.breaks))
    return GST_FLOW_FLUSHING;
  return are_caps ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR;
}

/* In pull mode the puller, as the source, handles seeks. */
gboolean
gst_cuda_histo_src_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean done;

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) /* as a new link does, also through ghost pads */
    gst_cuda_histo_look_downstream (self);
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK || !g_atomic_int_get (&self->pads.is_pulling))
    return gst_cuda_histo_get_base_class ()->src_event (base, event);
  done = gst_cuda_histo_puller_seek (self->pads.puller, event);
  gst_event_unref (event);
  return done;
}

/* Handles an event for the element itself. The base class would send seeks upstream at once. */
gboolean
gst_cuda_histo_send_event (GstElement *element, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return gst_cuda_histo_src_event (GST_BASE_TRANSFORM (element), event);
  return GST_ELEMENT_CLASS (gst_cuda_histo_get_base_class ())->send_event (element, event);
}
