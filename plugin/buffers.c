/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "buffers.h"

#include "configure.h"
#include "countbuffer.h"
#include "gstcudahistoprivate.h"
#include "settings/removedsettings.h"

static void
gst_cuda_histo_take_settings (GstCudaHisto *self)
{
  g_autoptr (GError) error = NULL;

  if (!g_atomic_int_get (&self->settings_changed) /* the common case costs one load */
      || !g_atomic_int_compare_and_exchange (&self->settings_changed, TRUE, FALSE))
    return;
  GST_OBJECT_LOCK (self);
  self->active.interval = self->settings.interval;
  self->active.when_busy = self->settings.when_busy;
  self->active.region_metas = self->settings.region_metas;
  self->active.removed = self->settings.removed;
  GST_OBJECT_UNLOCK (self);
  self->windows.window.interval = self->active.interval;
  if (self->active.removed != 0) {
    gst_cuda_histo_fail (&self->host, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
                         gst_cuda_histo_removed_explain (self->active.removed), NULL);
  } else if (gst_cuda_histo_take_regions (self, &error)) { /* last: a handler of the message may stop the element */
    gst_cuda_histo_check_regions (self);
  } else {
    g_object_notify (G_OBJECT (self), "regions");
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", error->message), ("the property keeps its last value"));
  }
}

/* Whether the counter may keep a buffer that goes downstream. An in-place filter there then has to copy it. This costs nothing
 * for bytes directly before a fakesink, which copies nothing, for frames on the GPU, which are not copied, and for frames
 * uploaded to a GPU, which return soon. With when-busy=skip the stream must not wait, so buffers are held too. */
static gboolean
gst_cuda_histo_decide_to_hold (GstCudaHisto *self)
{
  return (g_atomic_int_get (&self->pads.is_before_fakesink) && !self->format.source.is_video) || self->format.is_cuda
         || self->active.when_busy == GST_CUDA_HISTO_BUSY_SKIP || gst_cuda_histo_counter_is_on_gpu (self->use.counter);
}

/* Whether the next frame needs this frame's buffer. */
static gboolean
gst_cuda_histo_keeps_reference (GstCudaHisto *self)
{
  return self->format.is_cuda && gst_cuda_histo_count_held (self) > 0;
}

/* With add-meta: returns the same buffer if it is writable, otherwise another buffer with the same memories. Copies no samples,
 * except for memories with GST_MEMORY_FLAG_NO_SHARE, which two buffers cannot share. A buffer that cannot be copied is
 * pushed unchanged and not counted. */
GstFlowReturn
gst_cuda_histo_prepare_output_buffer (GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  GstBuffer *copy = NULL;

  /* A pad probe may have stopped the element, or it was stopped while the buffer was on its way. */
  if (!g_atomic_int_get (&self->host.is_started))
    return GST_FLOW_FLUSHING;
  self->buffer.input = input;
  gst_cuda_histo_take_settings (self); /* once for each buffer: the settings hold until it is counted */
  if (self->active.add_meta && (!gst_buffer_is_writable (input) || gst_cuda_histo_keeps_reference (self)))
    copy = gst_buffer_copy (input);
  *output = copy != NULL ? copy : input;
  return GST_FLOW_OK;
}

/* Returns the flow return for a buffer, counted or not. */
static GstFlowReturn
gst_cuda_histo_get_flow (GstCudaHisto *self, gboolean succeeded)
{
  if (g_atomic_int_get (&self->host.has_failed))
    return GST_FLOW_ERROR;
  if (succeeded)
    return GST_FLOW_OK;
  return gst_cuda_histo_counter_is_flushing (self->use.counter) || g_atomic_int_get (&self->comparison.is_flushing)
             ? GST_FLOW_FLUSHING
             : GST_FLOW_ERROR;
}

/* Returns the flow return for a buffer whose stream has ended, because a handler of a message has flushed or stopped the
 * element. */
static GstFlowReturn
gst_cuda_histo_get_flow_after_break (GstCudaHisto *self)
{
  return g_atomic_int_get (&self->host.is_started) ? GST_BASE_TRANSFORM_FLOW_DROPPED : GST_FLOW_FLUSHING;
}

/* Configures the element if no caps have, and checks the time of the next buffer. FALSE after a failure, and if a handler of a
 * message has flushed or stopped the element. */
static gboolean
gst_cuda_histo_prepare_for_buffer (GstCudaHisto *self)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  const gboolean is_configured = self->format.is_configured || gst_cuda_histo_configure (self, NULL);

  if (breaks == g_atomic_int_get (&self->host.breaks))
    gst_cuda_histo_check_time (self, GST_BUFFER_PTS (self->buffer.input));
  return is_configured && breaks == g_atomic_int_get (&self->host.breaks);
}

/* Finds the buffer's place in the stream, and its frames. */
static void
gst_cuda_histo_begin_buffer (GstCudaHisto *self, GstCudaHistoCounter *counter)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM_CAST (self)->segment;
  GstCudaHistoBufferUse *use = &self->buffer;
  GstBuffer *input = use->input;
  GstClockTime stream_time = GST_CLOCK_TIME_NONE;

  use->holds_buffers = gst_cuda_histo_decide_to_hold (self);
  gst_cuda_histo_counter_set_synchronous (counter, self->active.add_meta || !use->holds_buffers);
  if (GST_BUFFER_IS_DISCONT (input))
    gst_cuda_histo_operands_forget (&self->operands);

  use->number = self->stream.next_buffer++;
  use->repeats = gst_cuda_histo_timestamps_follow (&self->stream.timestamps, GST_BUFFER_PTS (input));
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (input))
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (input));
  self->stream.frames++;
  use->line_time = decoding_timeline_follow (&self->stream.line, GST_BUFFER_PTS (input), stream_time);
  use->next_field = 0;
  use->is_matched = FALSE;
  if (self->format.source.is_video)
    gst_cuda_histo_field_order_find (&use->order, self->format.fields, &self->format.info, input, use->repeats,
                                     segment->rate < 0);
  else
    use->order = (GstCudaHistoFieldOrder){ .count = 1,
                                           .timestamps = { GST_BUFFER_PTS (input) },
                                           .durations = { GST_BUFFER_DURATION (input) } };
  if (use->order.shares_timestamp)
    use->repeats = 0;
}

/* Counts the buffer with `counter`. The caller holds a reference. */
static GstFlowReturn
gst_cuda_histo_count_buffer (GstCudaHisto *self, GstCudaHistoCounter *counter, GstBuffer *output)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks), stops = g_atomic_int_get (&self->host.stops);
  GstBuffer *input = self->buffer.input;
  gboolean closed = FALSE, succeeded;

  if (!gst_cuda_histo_prepare_for_buffer (self))
    return breaks != g_atomic_int_get (&self->host.breaks) ? gst_cuda_histo_get_flow_after_break (self) : GST_FLOW_ERROR;
  gst_cuda_histo_begin_buffer (self, counter);
  if (self->format.source.is_video)
    succeeded = gst_cuda_histo_count_video (self, input, &closed);
  else
    succeeded = gst_cuda_histo_count_bytes (self, input, &closed);
  if (stops != g_atomic_int_get (&self->host.stops)) /* the stop has accounted for the buffer */
    return gst_cuda_histo_get_flow_after_break (self);
  if (self->buffer.is_unaccounted) /* refused because of a flush or a failure */
    gst_cuda_histo_ledger_add_discarded (&self->ledger, 1);

  if (succeeded && closed && self->active.add_meta)
    succeeded = gst_cuda_histo_attach_results (self, output);
  if (stops == g_atomic_int_get (&self->host.stops)) {
    if (succeeded && self->buffer.awaits_release)
      succeeded = gst_cuda_histo_counter_release_frames (counter, 0);
    self->buffer.awaits_release = FALSE;
  }
  if (breaks != g_atomic_int_get (&self->host.breaks))
    return gst_cuda_histo_get_flow_after_break (self);
  return gst_cuda_histo_get_flow (self, succeeded);
}

GstFlowReturn
gst_cuda_histo_transform_ip (GstBaseTransform *base, GstBuffer *output)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  g_autoptr (GstCudaHistoCounter) counter = NULL;

  if (!g_atomic_int_get (&self->host.is_started))
    return GST_FLOW_FLUSHING;
  if (g_atomic_int_get (&self->host.has_failed))
    return GST_FLOW_ERROR;
  if (!self->stream.has_begun) { /* its caps are unknown */
    GST_DEBUG_OBJECT (self, "dropping a buffer that was on its way when the element was stopped and restarted");
    gst_cuda_histo_ledger_add_in (&self->ledger);
    gst_cuda_histo_ledger_add_discarded (&self->ledger, 1);
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  }
  counter = gst_cuda_histo_counter_ref (self->use.counter);
  return gst_cuda_histo_count_buffer (self, counter, output);
}
