/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gstcudahistoprivate.h"

#include "frame/source.h"
#include "frame/videoinfo.h"
#include "input/caps.h"

gboolean
gst_cuda_histo_configure (GstCudaHisto *self, GstCaps *caps)
{
  const gint stops = g_atomic_int_get (&self->stops);
  GstCudaHistoWindowMode mode = self->active.window;
  gboolean is_video = gst_cuda_histo_caps_are_video (caps);
  GstVideoInfo info;

  if (g_atomic_int_get (&self->has_failed)) /* already reported: caps are sent again before the next buffer */
    return FALSE;
  if (is_video && !gst_cuda_histo_video_info_from_caps (&info, caps)) {
    gst_cuda_histo_fail (self, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, g_strdup ("Cannot parse the video caps."),
                         gst_caps_to_string (caps));
    return FALSE;
  }
  if (is_video && mode == GST_CUDA_HISTO_WINDOW_BYTES) {
    gst_cuda_histo_fail (self, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                         g_strdup ("Cannot use window=bytes with raw video. Set window=buffer or window=stream."), NULL);
    return FALSE;
  }
  if (gst_cuda_histo_caps_are_cuda (caps) && !gst_cuda_histo_prepare_for_cuda (self))
    return FALSE;
  if (mode == GST_CUDA_HISTO_WINDOW_AUTO)
    mode = is_video ? GST_CUDA_HISTO_WINDOW_BUFFER : GST_CUDA_HISTO_WINDOW_STREAM;

  gst_caps_replace (&self->caps, caps);
  if (caps != NULL)
    gst_cuda_histo_forget_refusal (self);
  self->is_cuda = gst_cuda_histo_caps_are_cuda (caps);
  if (is_video) {
    self->info = info;
    gst_cuda_histo_source_init_video (&self->source, &self->info, NULL);
  } else {
    gst_cuda_histo_source_init_bytes (&self->source);
  }
  self->regions.count = 0;
  gst_cuda_histo_window_init (&self->window, mode, self->active.window_size, self->active.interval);
  self->window.divides_stream = self->active.window == GST_CUDA_HISTO_WINDOW_AUTO;
  gst_cuda_histo_forget_previous (self);
  self->is_configured = TRUE;
  GST_INFO_OBJECT (self, "counting %s, window %d", self->source.format, mode);
  gst_cuda_histo_choose_statistics (self);
  if (stops == g_atomic_int_get (&self->stops))
    gst_cuda_histo_check_regions (self);
  return stops == g_atomic_int_get (&self->stops) && gst_cuda_histo_choose_reference (self)
         && stops == g_atomic_int_get (&self->stops);
}

/* Closes the window, if one is open. FALSE after a failure, after discarding an incomplete window, and after an
 * interruption. */
static gboolean
gst_cuda_histo_close_window (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->breaks);
  GstCudaHistoSpan span;
  gboolean succeeded = gst_cuda_histo_flush_gathered (self) && !self->has_partial_buffer;

  if (breaks != g_atomic_int_get (&self->breaks))
    return FALSE;
  self->has_partial_buffer = FALSE;
  if (!gst_cuda_histo_window_close (&self->window, ended_by, &span))
    return succeeded;
  span.origin = self->origin;
  span.regions = self->regions;
  if (succeeded)
    gst_cuda_histo_counter_close_window (self->counter, &self->source, &span);
  else
    gst_cuda_histo_counter_discard_window (self->counter, span.ended_frames);
  return succeeded;
}

gboolean
gst_cuda_histo_divide_stream (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->breaks);
  gboolean succeeded = gst_cuda_histo_close_window (self, ended_by);

  if (breaks == g_atomic_int_get (&self->breaks)) {
    if (!self->active.add_meta)
      return succeeded;
    /* The window's last buffer has left: no buffer can carry a meta. */
    succeeded &= gst_cuda_histo_counter_drain (self->counter);
  }
  if (breaks != g_atomic_int_get (&self->breaks))
    return FALSE;
  gst_cuda_histo_drop_results (self);
  return succeeded;
}

gboolean
gst_cuda_histo_end_window_early (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->breaks);
  gboolean succeeded;

  if (!self->is_configured)
    return TRUE;
  if (self->events != 0)
    gst_cuda_histo_counter_mark (self->counter, &self->source, ended_by);
  if (breaks != g_atomic_int_get (&self->breaks))
    return FALSE;
  succeeded = gst_cuda_histo_divide_stream (self, ended_by);
  if (breaks == g_atomic_int_get (&self->breaks))
    gst_cuda_histo_forget_previous (self);
  return succeeded;
}

void
gst_cuda_histo_discard_window (GstCudaHisto *self)
{
  GstCudaHistoSpan span = { 0 };

  gst_cuda_histo_gather_discard (self->gather);
  self->has_partial_buffer = FALSE;
  gst_cuda_histo_window_close (&self->window, GST_CUDA_HISTO_ENDED_BY_COMPLETE, &span); /* without a report */
  gst_cuda_histo_forget_previous (self);
  gst_cuda_histo_counter_discard_window (self->counter, span.ended_frames);
}

gboolean
gst_cuda_histo_was_interrupted (GstCudaHisto *self, gint breaks)
{
  if (breaks == g_atomic_int_get (&self->breaks))
    return FALSE;
  if (g_atomic_int_get (&self->is_started))
    gst_cuda_histo_discard_window (self);
  return TRUE;
}

gboolean
gst_cuda_histo_add_to_window (GstCudaHisto *self, GstCudaHistoPosition *position, guint64 size, gboolean starts_buffer,
                              gboolean ends_buffer, gboolean *closed)
{
  gboolean is_complete;

  if (position->arrival == 0 && gst_cuda_histo_window_wants_arrival (&self->window))
    position->arrival = (GstClockTime)g_get_monotonic_time () * GST_USECOND;
  if (!self->window.is_open) {
    if (!GST_CLOCK_TIME_IS_VALID (self->counting.utc_time))
      self->counting.utc_time = gst_cuda_histo_origin_get_utc_time (GST_ELEMENT (self), position->arrival);
    gst_cuda_histo_origin_read (&self->origin, self->input, self->counting.utc_time);
  }
  is_complete = gst_cuda_histo_window_add (&self->window, position, size, starts_buffer, ends_buffer);
  if (ends_buffer)
    self->is_unaccounted = FALSE;
  if (!is_complete)
    return TRUE;
  *closed = TRUE;
  return gst_cuda_histo_close_window (self, GST_CUDA_HISTO_ENDED_BY_COMPLETE);
}

void
gst_cuda_histo_report_all (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->breaks);
  gboolean ends_lines;

  gst_cuda_histo_end_window_early (self, ended_by);
  if (breaks == g_atomic_int_get (&self->breaks))
    gst_cuda_histo_counter_drain (self->counter);
  if (breaks == g_atomic_int_get (&self->breaks))
    gst_cuda_histo_report_end_damage (self, ended_by);
  if (breaks == g_atomic_int_get (&self->breaks))
    gst_cuda_histo_notices_finish (&self->notices, GST_ELEMENT (self));
  /* Existing lines stay after a failure, and if no frame came: a source that failed looks like an empty one. */
  ends_lines = breaks == g_atomic_int_get (&self->breaks) && ended_by == GST_CUDA_HISTO_ENDED_BY_EOS
               && gst_cuda_histo_ledger_get (&self->ledger).in > 0 && !g_atomic_int_get (&self->has_failed)
               && gst_cuda_histo_check_sidecar (self);
  if (breaks != g_atomic_int_get (&self->breaks))
    return;
  if (ends_lines)
    gst_cuda_histo_sidecar_end_stream (self->sidecar);
  if (ended_by == GST_CUDA_HISTO_ENDED_BY_EOS)
    gst_cuda_histo_sidecar_drain_at_end (self->sidecar);
  else
    gst_cuda_histo_sidecar_drain (self->sidecar);
}
