/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "detect/interval.h"

static GstClockTime
gst_cuda_histo_interval_get_duration (const GstCudaHistoInterval *interval, const GstCudaHistoMoment *end)
{
  GstCudaHistoMoment start = interval->start;

  if (interval->went_back)
    start.stream_time = GST_CLOCK_TIME_NONE;
  return gst_cuda_histo_moment_get_distance (&start, end, interval->framerate_n, interval->framerate_d);
}

/* Timestamps are rounded down, so that the distance of two may lack a nanosecond. */
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
  interval->start = interval->last = *moment;
  interval->frames = 1;
}

void
gst_cuda_histo_interval_extend (GstCudaHistoInterval *interval, const GstCudaHistoMoment *moment)
{
  interval->went_back |= !gst_cuda_histo_moment_is_in_order (&interval->last, moment);
  interval->last = *moment;
  interval->frames++;
}

gboolean
gst_cuda_histo_interval_begins_event (GstCudaHistoInterval *interval)
{
  if (interval->is_event
      || !gst_cuda_histo_interval_is_enough (interval, gst_cuda_histo_interval_get_duration (interval, &interval->last)))
    return FALSE;
  interval->is_event = TRUE;
  return TRUE;
}

gboolean
gst_cuda_histo_interval_close (GstCudaHistoInterval *interval, const GstCudaHistoMoment *next, GstClockTime *duration)
{
  const GstCudaHistoMoment *end = next != NULL ? next : &interval->last;
  gboolean is_event;

  if (!interval->is_open)
    return FALSE;
  interval->went_back |= !gst_cuda_histo_moment_is_in_order (&interval->last, end);
  *duration = gst_cuda_histo_interval_get_duration (interval, end);
  interval->is_open = FALSE;
  is_event = interval->is_event || (next != NULL && gst_cuda_histo_interval_is_enough (interval, *duration));
  if (interval->went_back)
    *duration = GST_CLOCK_TIME_NONE;
  return is_event;
}
