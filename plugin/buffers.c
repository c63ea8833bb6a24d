/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gstcudahistoprivate.h"

static void
gst_cuda_histo_take_settings (GstCudaHisto *self)
{
  g_autoptr (GError) error = NULL;

  if (!g_atomic_int_get (&self->settings_changed) /* the common case costs one load */
      || !g_atomic_int_compare_and_exchange (&self->settings_changed, TRUE, FALSE))
    return;
  GST_OBJECT_LOCK (self);
  self->active.interval = self->settings.interval;
  self->active.max_in_flight = self->settings.max_in_flight;
  self->active.when_busy = self->settings.when_busy;
  self->active.hold_buffers = self->settings.hold_buffers;
  self->active.region_metas = self->settings.region_metas;
  GST_OBJECT_UNLOCK (self);
  self->window.interval = self->active.interval;
  gst_cuda_histo_counter_set_max_in_flight (self->counter, self->active.max_in_flight);
  if (gst_cuda_histo_take_regions (self, &error)) { /* last: a handler of the message may stop the element */
    gst_cuda_histo_check_regions (self);
  } else {
    g_object_notify (G_OBJECT (self), "regions");
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", error->message), ("the property keeps its last value"));
  }
}

void
gst_cuda_histo_forget_previous (GstCudaHisto *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->previous); i++)
    g_clear_pointer (&self->previous[i], gst_cuda_histo_frame_unref);
  for (guint i = 0; i < G_N_ELEMENTS (self->freeze_starts); i++)
    g_clear_pointer (&self->freeze_starts[i], gst_cuda_histo_frame_unref);
}

void
gst_cuda_histo_skip (GstCudaHisto *self, GError *error)
{
  gst_cuda_histo_ledger_add_skipped (&self->ledger);
  self->is_unaccounted = FALSE;
  gst_cuda_histo_forget_previous (self);
  gst_cuda_histo_notices_add_skipped (&self->notices, GST_ELEMENT (self), self->next_frame - 1, error);
}

/* Whether the counter may keep a buffer that goes downstream. An in-place filter there then has to copy it. This costs nothing
 * for bytes directly before a fakesink, which copies nothing, for frames on the GPU, which are not copied, and for frames
 * uploaded to a GPU, which return soon. With when-busy=skip the stream must not wait, so buffers are held too. */
static gboolean
gst_cuda_histo_decide_to_hold (GstCudaHisto *self)
{
  switch (self->active.hold_buffers) {
  case GST_CUDA_HISTO_HOLD_TRUE:
    return TRUE;
  case GST_CUDA_HISTO_HOLD_FALSE:
    return FALSE;
  default:
    return (g_atomic_int_get (&self->is_before_fakesink) && !self->source.is_video) || self->is_cuda
           || self->active.when_busy == GST_CUDA_HISTO_BUSY_SKIP || gst_cuda_histo_counter_is_on_gpu (self->counter);
  }
}

/* Whether the next frame needs this frame's buffer. */
static gboolean
gst_cuda_histo_keeps_reference (GstCudaHisto *self)
{
  return gst_cuda_histo_count_held (self) > 0 && (self->is_cuda || self->active.hold_buffers == GST_CUDA_HISTO_HOLD_TRUE);
}

/* Returns the frame, or a copy of it, as the operand of the next frame: by then the buffer may have been overwritten, or its
 * pool may need it. Takes `frame`. */
static GstCudaHistoFrame *
gst_cuda_histo_make_operand (GstCudaHisto *self, GstCudaHistoFrame *frame)
{
  g_autoptr (GstCudaHistoPinner) pinner = NULL;
  GstCudaHistoFrame *copy;

  if (frame->frame.memory == HISTO_MEMORY_DEVICE || self->active.hold_buffers == GST_CUDA_HISTO_HOLD_TRUE)
    return frame;
  pinner = gst_cuda_histo_counter_get_pinner (self->counter);
  copy = gst_cuda_histo_frame_copy (frame, pinner);
  if (copy == NULL) /* no memory: the buffer is held instead */
    return frame;
  gst_cuda_histo_frame_unref (frame);
  return copy;
}

/* Adds a picture to the counter once more, with the frame at which a freeze may have begun as its operand. FALSE after a
 * failure. */
static gboolean
gst_cuda_histo_count_freeze (GstCudaHistoCounter *counter, GstCudaHistoFrame *frame, GstCudaHistoFrame *start,
                             const GstCudaHistoCounted *picture)
{
  GstCudaHistoFrame *part = gst_cuda_histo_frame_share (frame);
  GstCudaHistoCounted what = *picture;

  what.part = GST_CUDA_HISTO_PART_FREEZE;
  part->frame.statistics = HISTO_STATISTIC_DIFFERENCE;
  return gst_cuda_histo_counter_add (counter, part, start, &what);
}

/* Takes `frame`, as the counter does. `start`: the frame at which a freeze may have begun, if it is not `operand`, or NULL. */
static gboolean
gst_cuda_histo_count_with_parts (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *frame,
                                 GstCudaHistoFrame *operand, GstCudaHistoFrame *start, const GstCudaHistoCounted *picture)
{
  g_autoptr (GstCudaHistoFrame) kept = gst_cuda_histo_frame_ref (frame);
  const gint breaks = g_atomic_int_get (&self->breaks);
  GstCudaHistoCounted what = *picture;

  what.ends_detection &= start == NULL;
  if (!gst_cuda_histo_counter_add (counter, frame, operand, &what))
    return FALSE;
  if (breaks != g_atomic_int_get (&self->breaks)) /* the caller checks it too */
    return TRUE;
  /* If a part is refused, the picture has been counted. */
  self->has_partial_buffer
      |= (start != NULL || self->counterpart != NULL || self->meters || self->regions.count > 0) && self->window.is_open;
  return (start == NULL || gst_cuda_histo_count_freeze (counter, kept, start, picture))
         && gst_cuda_histo_count_parts (self, counter, kept, operand, &what);
}

gboolean
gst_cuda_histo_count_frame (GstCudaHisto *self, GstCudaHistoFrame *frame, guint index)
{
  g_autoptr (GstCudaHistoFrame) operand = g_steal_pointer (&self->previous[index]);
  g_autoptr (GstCudaHistoFrame) start = NULL;
  GstCudaHistoCounter *counter = self->counter; /* refuses the frame if a handler of the warning stops the element */
  GstCudaHistoCounted what = self->counting;

  what.picture = index;
  gst_cuda_histo_describe_sums (self, frame, &what);
  self->awaits_release |= !self->holds_buffers;
  frame->frame.statistics = self->statistics;
  frame->frame.waveform_columns = gst_cuda_histo_get_waveform_columns (self);
  if (!self->has_previous)
    return gst_cuda_histo_count_with_parts (self, counter, frame, NULL, NULL, &what);

  start = gst_cuda_histo_follow_freeze (self, operand, index);
  /* Counts the copy: a GPU then has it already when it becomes the operand. */
  frame = gst_cuda_histo_make_operand (self, frame);
  self->previous[index] = gst_cuda_histo_frame_ref (frame);
  if (operand != NULL && !gst_cuda_histo_frame_matches (frame, operand)) {
    if (!self->source.is_video)
      gst_cuda_histo_warn_of_unequal_sizes (self);
    g_clear_pointer (&operand, gst_cuda_histo_frame_unref);
  }
  if (start != NULL && !gst_cuda_histo_frame_matches (frame, start))
    g_clear_pointer (&start, gst_cuda_histo_frame_unref);
  if (start != NULL && !self->measures_previous)
    return gst_cuda_histo_count_with_parts (self, counter, frame, start, NULL, &what);
  return gst_cuda_histo_count_with_parts (self, counter, frame, operand, start, &what);
}

/* With add-meta: returns the same buffer if it is writable, otherwise another buffer with the same memories. Copies no samples,
 * except for memories with GST_MEMORY_FLAG_NO_SHARE, which two buffers cannot share. A buffer that cannot be copied goes on
 * unchanged and is not counted. */
GstFlowReturn
gst_cuda_histo_prepare_output_buffer (GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  GstBuffer *copy = NULL;

  /* A pad probe may have stopped the element, or it was stopped while the buffer was on its way. */
  if (!g_atomic_int_get (&self->is_started))
    return GST_FLOW_FLUSHING;
  self->input = input;
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
  if (g_atomic_int_get (&self->has_failed))
    return GST_FLOW_ERROR;
  if (succeeded)
    return GST_FLOW_OK;
  return gst_cuda_histo_counter_is_flushing (self->counter) || g_atomic_int_get (&self->flushes_reference) ? GST_FLOW_FLUSHING
                                                                                                           : GST_FLOW_ERROR;
}

/* Returns the flow return for a buffer whose stream has ended, because a handler of a message has flushed or stopped the
 * element. */
static GstFlowReturn
gst_cuda_histo_get_flow_after_break (GstCudaHisto *self)
{
  return g_atomic_int_get (&self->is_started) ? GST_BASE_TRANSFORM_FLOW_DROPPED : GST_FLOW_FLUSHING;
}

void
gst_cuda_histo_check_time (GstCudaHisto *self, GstClockTime next)
{
  const gint n = GST_VIDEO_INFO_FPS_N (&self->info), d = GST_VIDEO_INFO_FPS_D (&self->info);
  const GstClockTime period = n > 0 ? gst_util_uint64_scale (GST_SECOND, (guint64)d, (guint64)n) : 0;
  const GstClockTime latest = self->timestamps.latest;
  g_autofree gchar *where = NULL;

  if (!g_atomic_int_get (&self->has_unknown_end)
      && (self->events == 0 || !gst_cuda_histo_timestamps_are_lost (&self->timestamps, next, period)))
    return;
  if (GST_CLOCK_TIME_IS_VALID (latest))
    where = g_strdup_printf (", at %.3f s", (gdouble)latest / GST_SECOND);
  gst_cuda_histo_notices_warn_once (
      &self->notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_TIME_STANDS_STILL,
      g_strdup_printf (
          "The timestamps of the stream stand still or go back%s. The duration of events there follows from the frame rate, "
          "and their end is unknown. After a gap all later times may be wrong.",
          where != NULL ? where : ""));
}

/* Counts the buffer with `counter`. The caller holds a reference. */
static GstFlowReturn
gst_cuda_histo_count_buffer (GstCudaHisto *self, GstCudaHistoCounter *counter, GstBuffer *output)
{
  const gint breaks = g_atomic_int_get (&self->breaks), stops = g_atomic_int_get (&self->stops);
  const GstSegment *segment = &GST_BASE_TRANSFORM_CAST (self)->segment;
  GstBuffer *input = self->input;
  GstCudaHistoPosition position;
  gboolean closed = FALSE, is_configured = self->is_configured, succeeded;
  guint repeats;

  if (!is_configured)
    is_configured = gst_cuda_histo_configure (self, NULL);
  if (breaks == g_atomic_int_get (&self->breaks))
    gst_cuda_histo_check_time (self, GST_BUFFER_PTS (input));
  if (breaks != g_atomic_int_get (&self->breaks))
    return gst_cuda_histo_get_flow_after_break (self);
  if (!is_configured)
    return GST_FLOW_ERROR;
  repeats = gst_cuda_histo_timestamps_follow (&self->timestamps, GST_BUFFER_PTS (input));
  self->holds_buffers = gst_cuda_histo_decide_to_hold (self);
  gst_cuda_histo_counter_set_synchronous (counter, self->active.add_meta || !self->holds_buffers);
  if (GST_BUFFER_IS_DISCONT (input))
    gst_cuda_histo_forget_previous (self);

  gst_cuda_histo_ledger_add_in (&self->ledger);
  self->is_unaccounted = TRUE;
  gst_cuda_histo_position_init (&position, segment, input, self->next_frame++);
  self->latest = position;
  self->counting = (GstCudaHistoCounted){
    .frame = position.frame,
    .stream_time = position.stream_time,
    .running_time = position.running_time,
    .duration = position.duration,
    .runs_back = (segment->rate < 0) != (segment->applied_rate < 0),
    .repeats = repeats,
    .step = self->timestamps.step,
    .utc_time = GST_CLOCK_TIME_NONE,
  };
  gst_cuda_histo_begin_damage (self, input, &position);
  if (self->source.is_video && self->active.detection.events != 0) {
    position.arrival = (GstClockTime)g_get_monotonic_time () * GST_USECOND;
    self->counting.utc_time = gst_cuda_histo_origin_get_utc_time (GST_ELEMENT (self), position.arrival);
  }
  self->stream_frames++;
  self->line_time = decoding_timeline_follow (&self->stream_line, position.timestamp, position.stream_time);
  if (self->source.is_video)
    succeeded = gst_cuda_histo_count_video (self, input, &position, &closed);
  else
    succeeded = gst_cuda_histo_count_bytes (self, input, &position, &closed);
  if (stops != g_atomic_int_get (&self->stops)) /* the stop has accounted for the buffer */
    return gst_cuda_histo_get_flow_after_break (self);
  if (self->is_unaccounted) /* refused because of a flush or a failure */
    gst_cuda_histo_ledger_add_discarded (&self->ledger, 1);

  if (succeeded && closed && self->active.add_meta)
    succeeded = gst_cuda_histo_attach_results (self, output);
  if (stops == g_atomic_int_get (&self->stops)) {
    if (succeeded && self->awaits_release)
      succeeded = gst_cuda_histo_counter_release_frames (counter, 0);
    self->awaits_release = FALSE;
  }
  if (breaks != g_atomic_int_get (&self->breaks))
    return gst_cuda_histo_get_flow_after_break (self);
  return gst_cuda_histo_get_flow (self, succeeded);
}

GstFlowReturn
gst_cuda_histo_transform_ip (GstBaseTransform *base, GstBuffer *output)
{
  GstCudaHisto *self = GST_CUDA_HISTO (base);
  g_autoptr (GstCudaHistoCounter) counter = NULL;

  if (!g_atomic_int_get (&self->is_started))
    return GST_FLOW_FLUSHING;
  if (g_atomic_int_get (&self->has_failed))
    return GST_FLOW_ERROR;
  if (!self->has_stream) { /* its caps are unknown */
    GST_DEBUG_OBJECT (self, "dropping a buffer that was on its way when the element was stopped and restarted");
    gst_cuda_histo_ledger_add_in (&self->ledger);
    gst_cuda_histo_ledger_add_discarded (&self->ledger, 1);
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  }
  counter = gst_cuda_histo_counter_ref (self->counter);
  return gst_cuda_histo_count_buffer (self, counter, output);
}
