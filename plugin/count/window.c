/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/window.h"

#include "result/damage.h"

/* Returns time + duration, or NONE if either is unknown or the sum overflows. */
static GstClockTime
gst_cuda_histo_window_add_duration (GstClockTime time, GstClockTime duration)
{
  if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (duration) || duration >= GST_CLOCK_TIME_NONE - time)
    return GST_CLOCK_TIME_NONE;
  return time + duration;
}

void
gst_cuda_histo_window_init (GstCudaHistoWindow *window, GstCudaHistoWindowMode mode, guint64 size, GstClockTime interval)
{
  *window = (GstCudaHistoWindow){ .mode = mode, .size = size, .interval = interval };
}

gboolean
gst_cuda_histo_window_wants_arrival (const GstCudaHistoWindow *window)
{
  return !window->is_open || window->interval > 0;
}

guint64
gst_cuda_histo_window_take (const GstCudaHistoWindow *window, guint64 size)
{
  if (window->mode != GST_CUDA_HISTO_WINDOW_BYTES)
    return size;
  return MIN (size, window->is_open ? window->to_boundary : window->size);
}

static void
gst_cuda_histo_window_open (GstCudaHistoWindow *window, const GstCudaHistoPosition *position)
{
  window->is_open = TRUE;
  window->to_boundary = window->size;
  window->latest = GST_CLOCK_TIME_NONE;
  window->went_back = FALSE;
  window->opened = position->arrival;
  window->span = (GstCudaHistoSpan){
    .frame = position->frame,
    .offset = position->offset,
    .timestamp = position->timestamp,
    .stream_time = position->stream_time,
    .running_time = position->running_time,
    .duration = GST_CLOCK_TIME_NONE,
    .field = position->field,
  };
}

/* Returns the window's length if it ends with this piece: in running time or, if that is unknown or went back, by the clock. */
static GstClockTime
gst_cuda_histo_window_get_length (const GstCudaHistoWindow *window, const GstCudaHistoPosition *position, gboolean ends_buffer)
{
  GstClockTime start = window->span.running_time;
  GstClockTime end = position->running_time;

  /* Unless it is the buffer's last, the end of a piece is unknown: it is at least the buffer's start. */
  if (ends_buffer && GST_CLOCK_TIME_IS_VALID (gst_cuda_histo_window_add_duration (end, position->running_duration)))
    end = gst_cuda_histo_window_add_duration (end, position->running_duration);
  if (GST_CLOCK_TIME_IS_VALID (start) && GST_CLOCK_TIME_IS_VALID (end) && end >= start)
    return end - start;
  return position->arrival > window->opened ? position->arrival - window->opened : 0;
}

/* Whether the window is long enough to be reported. It may be 1 ns shorter, because start and duration are rounded down: thirty
 * frames of 33333333 ns are a second. */
static gboolean
gst_cuda_histo_window_interval_has_passed (const GstCudaHistoWindow *window, const GstCudaHistoPosition *position,
                                           gboolean ends_buffer)
{
  return window->interval == 0 || gst_cuda_histo_window_get_length (window, position, ends_buffer) >= window->interval - 1;
}

gboolean
gst_cuda_histo_window_add (GstCudaHistoWindow *window, const GstCudaHistoPosition *position, guint64 size,
                           gboolean starts_buffer, gboolean ends_buffer)
{
  GstClockTime end = gst_cuda_histo_window_add_duration (position->timestamp, position->duration);
  gboolean may_end = FALSE;

  if (!window->is_open) {
    gst_cuda_histo_window_open (window, position);
    window->span.frames = 1;
  } else if (starts_buffer) {
    window->span.frames++;
  }
  if (window->span.field != position->field && window->span.field != GST_CUDA_HISTO_FIELD_NONE)
    window->span.field = position->field != GST_CUDA_HISTO_FIELD_NONE ? GST_CUDA_HISTO_FIELD_BOTH : GST_CUDA_HISTO_FIELD_NONE;
  if (starts_buffer) {
    window->span.damaged += position->is_damaged ? 1 : 0;
    window->span.missing = gst_cuda_histo_damage_sum (window->span.missing, position->missing);
  }
  if (ends_buffer)
    window->span.ended_frames++;
  window->span.size += size;
  if (GST_CLOCK_TIME_IS_VALID (position->timestamp)) {
    if (GST_CLOCK_TIME_IS_VALID (window->latest) && position->timestamp < window->latest)
      window->went_back = TRUE;
    window->latest = position->timestamp;
  }
  if (GST_CLOCK_TIME_IS_VALID (window->span.timestamp) && GST_CLOCK_TIME_IS_VALID (end) && !window->went_back)
    window->span.duration = end - window->span.timestamp;
  else
    window->span.duration = GST_CLOCK_TIME_NONE;

  switch (window->mode) {
  case GST_CUDA_HISTO_WINDOW_BYTES:
    g_return_val_if_fail (size <= window->to_boundary, TRUE);
    window->to_boundary -= size;
    if (window->to_boundary == 0) {
      window->to_boundary = window->size;
      may_end = TRUE;
    }
    break;
  case GST_CUDA_HISTO_WINDOW_STREAM:
    may_end = window->divides_stream && ends_buffer && window->interval > 0 && GST_CLOCK_TIME_IS_VALID (position->running_time);
    break;
  default:
    may_end = ends_buffer;
    break;
  }
  return may_end && gst_cuda_histo_window_interval_has_passed (window, position, ends_buffer);
}

gboolean
gst_cuda_histo_window_close (GstCudaHistoWindow *window, GstCudaHistoEndedBy ended_by, GstCudaHistoSpan *span)
{
  if (!window->is_open)
    return FALSE;
  *span = window->span;
  span->ended_by = ended_by;
  window->is_open = FALSE;
  return TRUE;
}
