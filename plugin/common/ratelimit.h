/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A rate limit for frequent warnings. The first is due at once, later ones at most once a second, with the number of events
 * since the last. Not thread-safe: use it from one thread or under a lock. */

#pragma once

#include <gst/gst.h>

/* Initialise with zeros. */
typedef struct {
  gint64 last;   /* time of the last warning, by g_get_monotonic_time(); 0: never */
  guint64 count; /* events since then */
} GstCudaHistoRateLimit;

/* Adds `times` events. */
void gst_cuda_histo_rate_limit_add (GstCudaHistoRateLimit *limit, guint64 times);

/* Returns when the next warning is due, by g_get_monotonic_time(). G_MAXINT64: no event to report. */
gint64 gst_cuda_histo_rate_limit_get_time (const GstCudaHistoRateLimit *limit);

/* If a warning is due, returns the number of events since the last one. Otherwise returns 0. */
guint64 gst_cuda_histo_rate_limit_take (GstCudaHistoRateLimit *limit);

/* Like gst_cuda_histo_rate_limit_take(), but at once, for a last warning at the end. 0: no event to report. */
guint64 gst_cuda_histo_rate_limit_finish (GstCudaHistoRateLimit *limit);
