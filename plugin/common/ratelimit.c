/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/ratelimit.h"

guint64
gst_cuda_histo_rate_limit_finish (GstCudaHistoRateLimit *limit)
{
  guint64 count = limit->count;

  limit->count = 0;
  return count;
}

guint64
gst_cuda_histo_rate_limit_add (GstCudaHistoRateLimit *limit, guint64 times)
{
  gint64 now = g_get_monotonic_time ();

  limit->count += times;
  if (limit->last != 0 && now - limit->last < G_USEC_PER_SEC)
    return 0;
  limit->last = now;
  return gst_cuda_histo_rate_limit_finish (limit);
}
