/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moments: when a frame is in the stream. */

#ifndef GST_CUDA_HISTO_MOMENT_H
#define GST_CUDA_HISTO_MOMENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  guint64 frame;             /* index of its buffer */
  GstClockTime stream_time;  /* GST_CLOCK_TIME_NONE: unknown */
  gboolean runs_back;        /* stream time becomes less from frame to frame, as it does at a negative rate */
  guint repeats;             /* frames directly before it that have its timestamp */
  GstClockTime step;         /* the least distance of timestamps so far; both: see common/timestamps.h */
  GstClockTime running_time; /* GST_CLOCK_TIME_NONE: unknown */
  GstClockTime utc_time;     /* when it came, since 1970; GST_CLOCK_TIME_NONE: unknown */
} GstCudaHistoMoment;

/* FALSE: the stream time of `later`, which comes after `earlier`, is on the wrong side of it. */
gboolean gst_cuda_histo_moment_is_in_order (const GstCudaHistoMoment *earlier, const GstCudaHistoMoment *later);

/* The time between two moments of a stream that may run backwards. Where either has none, it follows from their frames and the
 * frame rate, and without one (`framerate_n` 0) is 0. */
GstClockTime gst_cuda_histo_moment_get_distance (const GstCudaHistoMoment *left, const GstCudaHistoMoment *right,
                                                 gint framerate_n, gint framerate_d);

G_END_DECLS

#endif
