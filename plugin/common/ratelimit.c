/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/ratelimit.h"

void
gst_cuda_histo_rate_limit_add (GstCudaHistoRateLimit *limit, guint64 times)
{
  limit->count += times;
}

gint64
gst_cuda_histo_rate_limit_get_time (const GstCudaHistoRateLimit *limit)
{
  if (limit->count == 0)
    return G_MAXINT64;
  return limit->last == 0 ? 0 : limit->last + G_TIME_SPAN_SECOND;
}

guint64
gst_cuda_histo_rate_limit_take (GstCudaHistoRateLimit *limit)
{
  gint64 now = g_get_monotonic_time ();

  if (gst_cuda_histo_rate_limit_get_time (limit) > now)
    return 0;
  limit->last = now;
  return gst_cuda_histo_rate_limit_finish (limit);
}

guint64
gst_cuda_histo_rate_limit_finish (GstCudaHistoRateLimit *limit)
{
  guint64 count = limit->count;

  limit->count = 0;
  return count;
}
