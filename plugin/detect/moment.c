/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "detect/moment.h"

static guint64
gst_cuda_histo_moment_subtract (guint64 left, guint64 right)
{
  return left > right ? left - right : right - left;
}

gboolean
gst_cuda_histo_moment_is_in_order (const GstCudaHistoMoment *earlier, const GstCudaHistoMoment *later)
{
  const GstClockTime from = earlier->stream_time, to = later->stream_time;

  return !GST_CLOCK_TIME_IS_VALID (from) || !GST_CLOCK_TIME_IS_VALID (to) || (later->runs_back ? to <= from : to >= from);
}

GstClockTime
gst_cuda_histo_moment_get_distance (const GstCudaHistoMoment *left, const GstCudaHistoMoment *right, gint framerate_n,
                                    gint framerate_d)
{
  if (GST_CLOCK_TIME_IS_VALID (left->stream_time) && GST_CLOCK_TIME_IS_VALID (right->stream_time))
    return gst_cuda_histo_moment_subtract (left->stream_time, right->stream_time);
  if (framerate_n <= 0 || framerate_d <= 0)
    return 0;
  return gst_util_uint64_scale (gst_cuda_histo_moment_subtract (left->frame, right->frame), (guint64)framerate_d * GST_SECOND,
                                (guint64)framerate_n);
}
