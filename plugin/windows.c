/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "windows.h"

#include "counting.h"
#include "gstcudahistoprivate.h"

/* Closes the window, if one is open. FALSE after a failure, after discarding an incomplete window, and after an
 * interruption. */
static gboolean
gst_cuda_histo_close_window (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  GstCudaHistoSpan span;
  gboolean succeeded = gst_cuda_histo_flush_gathered (self) && !self->windows.has_partial_buffer;

  if (breaks != g_atomic_int_get (&self->host.breaks))
    return FALSE;
  self->windows.has_partial_buffer = FALSE;
  if (!gst_cuda_histo_window_close (&self->windows.window, ended_by, &span))
    return succeeded;
  span.origin = self->windows.origin;
  span.regions = self->regions.current;
  if (self->format.source.is_video && self->windows.source.height < self->format.frame_height)
    gst_cuda_histo_regions_divide (&span.regions, self->windows.source.height);
  if (succeeded)
    gst_cuda_histo_counter_close_window (self->use.counter, &self->windows.source, &span);
  else
    gst_cuda_histo_counter_discard_window (self->use.counter, span.ended_frames);
  return succeeded;
}

/* Closes the window early, and drops the results that no buffer has taken. FALSE after a failure. */
static gboolean
gst_cuda_histo_close_window_early (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  gboolean succeeded = gst_cuda_histo_close_window (self, ended_by);

  if (breaks == g_atomic_int_get (&self->host.breaks)) {
    if (!self->active.add_meta)
      return succeeded;
    /* The window's last buffer has left: no buffer can carry a meta. */
    succeeded &= gst_cuda_histo_counter_drain (self->use.counter);
  }
  if (breaks != g_atomic_int_get (&self->host.breaks))
    return FALSE;
  gst_cuda_histo_drop_results (self);
  return succeeded;
}

gboolean
gst_cuda_histo_divide_stream (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  /* Without an open window, the only result to come is that of the present buffer's first field, which the buffer takes. */
  return !self->windows.window.is_open || gst_cuda_histo_close_window_early (self, ended_by);
}

gboolean
gst_cuda_histo_end_window_early (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  gboolean succeeded;

  if (!self->format.is_configured)
    return TRUE;
  if (self->detection.events != 0)
    gst_cuda_histo_counter_mark (self->use.counter, &self->format.source, ended_by);
  if (breaks != g_atomic_int_get (&self->host.breaks))
    return FALSE;
  succeeded = gst_cuda_histo_close_window_early (self, ended_by);
  if (breaks == g_atomic_int_get (&self->host.breaks))
    gst_cuda_histo_operands_forget (&self->operands);
  return succeeded;
}

void
gst_cuda_histo_discard_window (GstCudaHisto *self)
{
  GstCudaHistoSpan span = { 0 };

  gst_cuda_histo_gather_discard (self->gather);
  self->windows.has_partial_buffer = FALSE;
  gst_cuda_histo_window_close (&self->windows.window, GST_CUDA_HISTO_ENDED_BY_COMPLETE, &span); /* without a report */
  gst_cuda_histo_operands_forget (&self->operands);
  gst_cuda_histo_counter_discard_window (self->use.counter, span.ended_frames);
}

gboolean
gst_cuda_histo_was_interrupted (GstCudaHisto *self, gint breaks)
{
  if (breaks == g_atomic_int_get (&self->host.breaks))
    return FALSE;
  if (g_atomic_int_get (&self->host.is_started))
    gst_cuda_histo_discard_window (self);
  return TRUE;
}

gboolean
gst_cuda_histo_add_to_window (GstCudaHisto *self, GstCudaHistoPosition *position, guint64 size, gboolean starts_buffer,
                              gboolean ends_buffer, gboolean *closed)
{
  gboolean is_complete;

  if (position->arrival == 0 && gst_cuda_histo_window_wants_arrival (&self->windows.window))
    position->arrival = (GstClockTime)g_get_monotonic_time () * GST_USECOND;
  if (!self->windows.window.is_open) {
    if (!GST_CLOCK_TIME_IS_VALID (self->buffer.counting.utc_time))
      self->buffer.counting.utc_time = gst_cuda_histo_origin_get_utc_time (GST_ELEMENT (self), position->arrival);
    gst_cuda_histo_origin_read (&self->windows.origin, self->buffer.input, self->buffer.counting.utc_time);
  }
  if (!self->windows.window.is_open || self->format.source.height > self->windows.source.height)
    self->windows.source = self->format.source;
  is_complete = gst_cuda_histo_window_add (&self->windows.window, position, size, starts_buffer, ends_buffer);
  if (ends_buffer)
    self->buffer.is_unaccounted = FALSE;
  if (!is_complete)
    return TRUE;
  *closed = TRUE;
  return gst_cuda_histo_close_window (self, GST_CUDA_HISTO_ENDED_BY_COMPLETE);
}

void
gst_cuda_histo_omit (GstCudaHisto *self)
{
  gst_cuda_histo_ledger_add_skipped (&self->ledger);
  self->buffer.is_unaccounted = FALSE;
  gst_cuda_histo_operands_forget (&self->operands);
}

void
gst_cuda_histo_skip (GstCudaHisto *self, GError *error)
{
  gst_cuda_histo_omit (self);
  gst_cuda_histo_notices_add_skipped (&self->host.notices, GST_ELEMENT (self), self->stream.next_frame - 1, error);
}

void
gst_cuda_histo_report_all (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  gboolean ends_lines;

  gst_cuda_histo_end_window_early (self, ended_by);
  if (breaks == g_atomic_int_get (&self->host.breaks))
    gst_cuda_histo_counter_drain (self->use.counter);
  if (breaks == g_atomic_int_get (&self->host.breaks))
    gst_cuda_histo_report_end_damage (self, ended_by);
  if (breaks == g_atomic_int_get (&self->host.breaks))
    gst_cuda_histo_notices_finish (&self->host.notices, GST_ELEMENT (self));
  /* Existing lines stay after a failure, and if no frame came: a source that failed looks like an empty one. */
  ends_lines = breaks == g_atomic_int_get (&self->host.breaks) && ended_by == GST_CUDA_HISTO_ENDED_BY_EOS
               && gst_cuda_histo_ledger_get (&self->ledger).in > 0 && !g_atomic_int_get (&self->host.has_failed)
               && gst_cuda_histo_check_sidecar (self);
  if (breaks != g_atomic_int_get (&self->host.breaks))
    return;
  if (ends_lines)
    gst_cuda_histo_sidecar_end_stream (self->sidecar_use.sidecar);
  if (ended_by == GST_CUDA_HISTO_ENDED_BY_EOS)
    gst_cuda_histo_sidecar_drain_at_end (self->sidecar_use.sidecar);
  else
    gst_cuda_histo_sidecar_drain (self->sidecar_use.sidecar);
}
