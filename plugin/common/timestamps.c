/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/timestamps.h"

guint
gst_cuda_histo_timestamps_follow (GstCudaHistoTimestamps *timestamps, GstClockTime timestamp)
{
  if (!GST_CLOCK_TIME_IS_VALID (timestamp) || timestamp != timestamps->latest)
    timestamps->repeats = 0;
  timestamps->latest = timestamp;
  return timestamps->repeats++;
}

gboolean
gst_cuda_histo_timestamps_stand_still (guint repeats)
{
  return repeats > 1;
}
