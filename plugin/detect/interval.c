/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "detect/interval.h"

static GstClockTime
gst_cuda_histo_interval_get_duration (const GstCudaHistoInterval *interval, const GstCudaHistoMoment *end)
{
  return gst_cuda_histo_moment_get_distance (&interval->start, end, interval->framerate_n, interval->framerate_d);
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
  interval->is_event = FALSE;
  interval->start = interval->last = *moment;
  interval->frames = 1;
}

void
gst_cuda_histo_interval_extend (GstCudaHistoInterval *interval, const GstCudaHistoMoment *moment)
{
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
  if (!interval->is_open)
    return FALSE;
  *duration = gst_cuda_histo_interval_get_duration (interval, next != NULL ? next : &interval->last);
  interval->is_open = FALSE;
  return interval->is_event || (next != NULL && gst_cuda_histo_interval_is_enough (interval, *duration));
}
