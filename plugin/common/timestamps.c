/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/timestamps.h"

/* Returns the least distance of consecutive times up to `next`. */
static GstClockTime
gst_cuda_histo_timestamps_get_step (const GstCudaHistoTimestamps *timestamps, GstClockTime next)
{
  const GstClockTime latest = timestamps->latest, step = timestamps->step;
  GstClockTime distance;

  if (timestamps->repeats == 0 || !GST_CLOCK_TIME_IS_VALID (latest) || !GST_CLOCK_TIME_IS_VALID (next) || next == latest)
    return step;
  distance = MAX (latest, next) - MIN (latest, next);
  return step == 0 ? distance : MIN (step, distance);
}

guint
gst_cuda_histo_timestamps_follow (GstCudaHistoTimestamps *timestamps, GstClockTime timestamp)
{
  timestamps->step = gst_cuda_histo_timestamps_get_step (timestamps, timestamp);
  if (timestamps->repeats == 0 || !GST_CLOCK_TIME_IS_VALID (timestamp) || timestamp != timestamps->latest) {
    timestamps->before_latest = timestamps->repeats > 0 ? timestamps->latest : GST_CLOCK_TIME_NONE;
    timestamps->repeats = 0;
  }
  timestamps->latest = timestamp;
  return timestamps->repeats++;
}

gboolean
gst_cuda_histo_timestamps_follow_unknown (const GstCudaHistoTimestamps *timestamps)
{
  return timestamps->repeats <= 1 && !GST_CLOCK_TIME_IS_VALID (timestamps->before_latest);
}

gboolean
gst_cuda_histo_timestamps_are_lost (const GstCudaHistoTimestamps *timestamps, GstClockTime next, GstClockTime period)
{
  const GstClockTime from = timestamps->before_latest;
  GstClockTime by_times, by_frames;

  if (timestamps->repeats == 0 || next == timestamps->latest || !gst_cuda_histo_timestamps_stand_still (timestamps->repeats - 1)
      || gst_cuda_histo_timestamps_are_coarse (timestamps->repeats - 1, gst_cuda_histo_timestamps_get_step (timestamps, next),
                                               period))
    return FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (from) || !GST_CLOCK_TIME_IS_VALID (next))
    return timestamps->repeats - 1 > GST_CUDA_HISTO_REORDERED_FRAMES;
  if (period == 0)
    return TRUE;
  by_times = MAX (from, next) - MIN (from, next);
  by_frames = (timestamps->repeats + 1) * period;
  return MAX (by_times, by_frames) - MIN (by_times, by_frames) > GST_CUDA_HISTO_ROUNDING;
}

/* Step and period are rounded down by up to 1 ns. */
gboolean
gst_cuda_histo_timestamps_are_coarse (guint repeats, GstClockTime step, GstClockTime period)
{
  return period > 0 && repeats * (period + 1) < step;
}

gboolean
gst_cuda_histo_timestamps_stand_still (guint repeats)
{
  return repeats > 1;
}
