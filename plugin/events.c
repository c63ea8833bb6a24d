/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gstcudahistoprivate.h"

static gboolean
gst_cuda_histo_caps_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (self->is_configured && self->caps != NULL && gst_caps_is_equal (self->caps, caps))
    return gst_cuda_histo_base_class->sink_event (base, event);

  gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_CAPS);
  if (!gst_cuda_histo_configure (self, caps)) {
    gst_event_unref (event);
    return FALSE;
  }
  return gst_cuda_histo_base_class->sink_event (base, event);
}

/* Lets go whoever waits for the counter or the sidecar: that may be the streaming thread, and the sender of the flush waits
 * for it, perhaps on the counter's own thread, in a handler of a message. Not serialized: any thread, at any time. */
static void
gst_cuda_histo_start_flushing (GstCudaHisto *self)
{
  g_autoptr (GstCudaHistoCounter) counter = NULL;

  GST_OBJECT_LOCK (self);
  if (self->counter != NULL) {
    counter = gst_cuda_histo_counter_ref (self->counter);
    gst_cuda_histo_sidecar_set_flushing (self->sidecar, TRUE); /* under the lock: not once a stop has given the counter away */
  }
  GST_OBJECT_UNLOCK (self);
  if (counter != NULL)
    gst_cuda_histo_counter_set_flushing (counter, TRUE);
}

void
gst_cuda_histo_report_segment (GstElement *element)
{
  gst_cuda_histo_report_all (GST_CUDA_HISTO (element), GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE);
}

/* Reports what has to be known before a SEGMENT, a SEGMENT_DONE or EOS goes on. FALSE where a handler of a message flushed
 * meanwhile: the event is of a stream that is no more. */
static gboolean
gst_cuda_histo_report_before (GstCudaHisto *self, GstEvent *event)
{
  const guint flushes = self->flushes;
  const GstSegment *segment;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_SEGMENT_DONE:
    gst_cuda_histo_report_all (self, GST_CUDA_HISTO_ENDED_BY_SEGMENT_DONE);
    break;
  case GST_EVENT_EOS:
    gst_cuda_histo_report_all (self, GST_CUDA_HISTO_ENDED_BY_EOS);
    break;
  default:
    gst_event_parse_segment (event, &segment);
    if (!gst_cuda_histo_position_segments_agree (&GST_BASE_TRANSFORM_CAST (self)->segment, segment, self->next_offset))
      gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_SEGMENT);
    break;
  }
  return flushes == self->flushes;
}

gboolean
gst_cuda_histo_sink_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean is_flushing, resumes_puller = FALSE, succeeded;

  if (g_atomic_int_get (&self->is_started)) {
    switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return gst_cuda_histo_caps_event (base, event);
    case GST_EVENT_STREAM_START:
      gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_STREAM_START);
      self->next_offset = 0;
      break;
    case GST_EVENT_FLUSH_STOP:
      self->flushes++;
      gst_cuda_histo_discard_window (self);
      gst_cuda_histo_counter_set_flushing (self->counter, FALSE);
      gst_cuda_histo_sidecar_set_flushing (self->sidecar, FALSE);
      self->next_offset = 0;
      resumes_puller = g_atomic_int_get (&self->is_pulling);
      break;
    case GST_EVENT_SEGMENT:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      if (!gst_cuda_histo_report_before (self, event)) {
        gst_event_unref (event);
        return FALSE; /* else the pad would keep it, and be at EOS for good */
      }
      break;
    default:
      break;
    }
  }
  is_flushing = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  succeeded = gst_cuda_histo_base_class->sink_event (base, event);
  if (is_flushing) /* not before downstream knows: the streaming thread goes on there */
    gst_cuda_histo_start_flushing (self);
  if (resumes_puller)
    gst_cuda_histo_puller_flushed (self->puller);
  return succeeded;
}

/* Where the puller is the source, seeks are for it. */
gboolean
gst_cuda_histo_src_event (GstBaseTransform *base, GstEvent *event)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  gboolean done;

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) /* as a new link sends it, through ghost pads too */
    gst_cuda_histo_look_downstream (self);
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK || !g_atomic_int_get (&self->is_pulling))
    return gst_cuda_histo_base_class->src_event (base, event);
  done = gst_cuda_histo_puller_seek (self->puller, event);
  gst_event_unref (event);
  return done;
}

/* An event for the element itself: the base class sends seeks upstream at once. */
gboolean
gst_cuda_histo_send_event (GstElement *element, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return gst_cuda_histo_src_event (GST_BASE_TRANSFORM (element), event);
  return GST_ELEMENT_CLASS (gst_cuda_histo_base_class)->send_event (element, event);
}
