/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/timestamps.h"

guint
gst_cuda_histo_timestamps_follow (GstCudaHistoTimestamps *timestamps, GstClockTime timestamp)
{
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

  if (timestamps->repeats == 0 || next == timestamps->latest
      || !gst_cuda_histo_timestamps_stand_still (timestamps->repeats - 1))
    return FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (from) || !GST_CLOCK_TIME_IS_VALID (next) || period == 0)
    return TRUE;
  by_times = MAX (from, next) - MIN (from, next);
  by_frames = (timestamps->repeats + 1) * period;
  return MAX (by_times, by_frames) - MIN (by_times, by_frames) > GST_CUDA_HISTO_ROUNDING;
}

gboolean
gst_cuda_histo_timestamps_stand_still (guint repeats)
{
  return repeats > 1;
}
