/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "stream.h"

#include "gstcudahistoprivate.h"

void
gst_cuda_histo_begin_stream (GstCudaHisto *self, GstEvent *event)
{
  const guint32 seqnum = gst_event_get_seqnum (event);

  if (seqnum != self->stream.seqnum) {
    self->stream.frames = 0;
    self->stream.line = (DecodingTimeline){ 0 };
  }
  self->stream.seqnum = seqnum;
}

void
gst_cuda_histo_begin_frame (GstCudaHisto *self, GstCudaHistoPosition *position)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM_CAST (self)->segment;
  const GstCudaHistoFieldOrder *order = &self->buffer.order;
  const guint index = self->buffer.next_field++;
  const GstCudaHistoDamage damage = self->buffer.counting.damage;

  gst_cuda_histo_ledger_add_in (&self->ledger);
  self->buffer.is_unaccounted = TRUE;
  gst_cuda_histo_position_init (position, segment, order->timestamps[index], order->durations[index],
                                self->stream.next_frame++);
  position->field = order->fields[index];
  self->stream.latest = *position;
  self->buffer.counting = (GstCudaHistoCounted){
    .frame = position->frame,
    .stream_time = position->stream_time,
    .running_time = position->running_time,
    .duration = position->duration,
    .runs_back = (segment->rate < 0) != (segment->applied_rate < 0),
    .repeats = self->buffer.repeats,
    .step = self->stream.timestamps.step / order->count,
    .utc_time = GST_CLOCK_TIME_NONE,
  };
  gst_cuda_histo_begin_damage (self, self->buffer.input, position);
  if (index > 0 && damage.is_damaged) { /* upstream has reported the frame */
    self->buffer.counting.damage.causes |= damage.causes;
    self->buffer.counting.damage.is_damaged = position->is_damaged = TRUE;
  }
  if (self->format.source.is_video && self->active.detection.events != 0) {
    position->arrival = (GstClockTime)g_get_monotonic_time () * GST_USECOND;
    self->buffer.counting.utc_time = gst_cuda_histo_origin_get_utc_time (GST_ELEMENT (self), position->arrival);
  }
}

void
gst_cuda_histo_check_time (GstCudaHisto *self, GstClockTime next)
{
  const gint n = GST_VIDEO_INFO_FPS_N (&self->format.info), d = GST_VIDEO_INFO_FPS_D (&self->format.info);
  const GstClockTime period = n > 0 ? gst_util_uint64_scale (GST_SECOND, (guint64)d, (guint64)n) : 0;
  const GstClockTime latest = self->stream.timestamps.latest;
  g_autofree gchar *where = NULL;

  if (!g_atomic_int_get (&self->detection.has_unknown_end)
      && (self->detection.events == 0 || !gst_cuda_histo_timestamps_are_lost (&self->stream.timestamps, next, period)))
    return;
  if (GST_CLOCK_TIME_IS_VALID (latest))
    where = g_strdup_printf (", at %.3f s", (gdouble)latest / GST_SECOND);
  gst_cuda_histo_notices_warn_once (
      &self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_TIME_STANDS_STILL,
      g_strdup_printf (
          "The timestamps of the stream stand still or go back%s. The duration of events there follows from the frame rate, "
          "and their end is unknown. After a gap all later times may be wrong.",
          where != NULL ? where : ""));
}

void
gst_cuda_histo_end_timeline (GstCudaHisto *self)
{
  const gint stops = g_atomic_int_get (&self->host.stops);

  gst_cuda_histo_check_time (self, GST_CLOCK_TIME_NONE);
  if (stops != g_atomic_int_get (&self->host.stops))
    return;
  self->stream.timestamps = (GstCudaHistoTimestamps){ 0 };
  self->stream.latest.running_time = GST_CLOCK_TIME_NONE;
}
