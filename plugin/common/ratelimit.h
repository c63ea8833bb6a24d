/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A rate limit for warnings of what may happen thousands of times a second: the first is given at once, and then at most one
 * a second, with the number of times since. For one thread at a time, or under a lock. */

#ifndef GST_CUDA_HISTO_RATELIMIT_H
#define GST_CUDA_HISTO_RATELIMIT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* All zeros: nothing has happened yet. */
typedef struct {
  gint64 last;   /* when a warning was given, by g_get_monotonic_time(); 0: never */
  guint64 count; /* how often it happened since */
} GstCudaHistoRateLimit;

/* It happened `times` more. */
void gst_cuda_histo_rate_limit_add (GstCudaHistoRateLimit *limit, guint64 times);

/* When a warning is due, by g_get_monotonic_time(); G_MAXINT64: there is nothing to warn of. */
gint64 gst_cuda_histo_rate_limit_get_time (const GstCudaHistoRateLimit *limit);

/* Where a warning is due, how often it happened since the last one; else 0. */
guint64 gst_cuda_histo_rate_limit_take (GstCudaHistoRateLimit *limit);

/* The same for a last warning, at the end, for which nobody waits. 0: there is nothing to warn of. */
guint64 gst_cuda_histo_rate_limit_finish (GstCudaHistoRateLimit *limit);

G_END_DECLS

#endif
