/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "detect/interval.h"

#include "common/timestamps.h"

/* Whether a timestamp with that number of repeats is unusable, at the frame rate and with the clock steps up to `end`. */
static gboolean
gst_cuda_histo_interval_stands_still (const GstCudaHistoInterval *interval, guint repeats, const GstCudaHistoMoment *end)
{
  const gint n = interval->framerate_n, d = interval->framerate_d;
  const GstClockTime period = n > 0 && d > 0 ? gst_util_uint64_scale (GST_SECOND, (guint64)d, (guint64)n) : 0;

  return gst_cuda_histo_timestamps_stand_still (repeats) && !gst_cuda_histo_timestamps_are_coarse (repeats, end->step, period);
}

/* Returns the duration up to `end`. *is_known: FALSE if it follows from the number of frames, because times are unusable. */
static GstClockTime
gst_cuda_histo_interval_get_duration (const GstCudaHistoInterval *interval, const GstCudaHistoMoment *end, gboolean *is_known)
{
  GstCudaHistoMoment start = interval->start;
  const GstClockTime by_times = gst_cuda_histo_moment_get_distance (&start, end, interval->framerate_n, interval->framerate_d);
  GstClockTime by_frames;

  start.stream_time = GST_CLOCK_TIME_NONE;
  by_frames = gst_cuda_histo_moment_get_distance (&start, end, interval->framerate_n, interval->framerate_d);
  *is_known = !interval->went_back && !gst_cuda_histo_interval_stands_still (interval, start.repeats, end)
              && (!gst_cuda_histo_interval_stands_still (interval, interval->most_repeats, end)
                  || by_frames <= by_times + GST_CUDA_HISTO_ROUNDING);
  return *is_known ? by_times : by_frames;
}

/* Timestamps are rounded down, so that a distance can be 1 ns short. */
static gboolean
gst_cuda_histo_interval_is_enough (const GstCudaHistoInterval *interval, GstClockTime duration)
{
  return duration >= interval->min_duration || interval->min_duration - duration == 1;
}

void
gst_cuda_histo_interval_open (GstCudaHistoInterval *interval, const GstCudaHistoMoment *moment)
{
  interval->is_open = TRUE;
  interval->is_event = interval->went_back = FALSE;
  interval->most_repeats = 0;
  interval->start = interval->last = *moment;
  interval->frames = 1;
}

void
gst_cuda_histo_interval_extend (GstCudaHistoInterval *interval, const GstCudaHistoMoment *moment)
{
  interval->went_back |= !gst_cuda_histo_moment_is_in_order (&interval->last, moment);
  interval->most_repeats = MAX (interval->most_repeats, moment->repeats);
  interval->last = *moment;
  interval->frames++;
}

gboolean
gst_cuda_histo_interval_begins_event (GstCudaHistoInterval *interval)
{
  gboolean is_known;

  if (interval->is_event
      || !gst_cuda_histo_interval_is_enough (interval,
                                             gst_cuda_histo_interval_get_duration (interval, &interval->last, &is_known)))
    return FALSE;
  interval->is_event = TRUE;
  return TRUE;
}

gboolean
gst_cuda_histo_interval_close (GstCudaHistoInterval *interval, const GstCudaHistoMoment *next, GstClockTime *duration)
{
  const GstCudaHistoMoment *end = next != NULL ? next : &interval->last;
  gboolean is_event, is_known;

  if (!interval->is_open)
    return FALSE;
  interval->went_back |= !gst_cuda_histo_moment_is_in_order (&interval->last, end);
  interval->most_repeats = MAX (interval->most_repeats, end->repeats);
  *duration = gst_cuda_histo_interval_get_duration (interval, end, &is_known);
  interval->is_open = FALSE;
  is_event = interval->is_event || (next != NULL && gst_cuda_histo_interval_is_enough (interval, *duration));
  if (!is_known)
    *duration = GST_CLOCK_TIME_NONE;
  return is_event;
}
