/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moments: the place and time of a frame in the stream. */

#pragma once

#include <gst/gst.h>

typedef struct {
  guint64 frame;             /* index of its buffer */
  GstClockTime stream_time;  /* GST_CLOCK_TIME_NONE: unknown */
  gboolean runs_back;        /* stream time decreases from frame to frame (negative rate) */
  guint repeats;             /* frames directly before it with the same timestamp; see common/timestamps.h */
  GstClockTime step;         /* least distance of timestamps so far */
  GstClockTime running_time; /* GST_CLOCK_TIME_NONE: unknown */
  GstClockTime utc_time;     /* arrival, since 1970; GST_CLOCK_TIME_NONE: unknown */
} GstCudaHistoMoment;

/* FALSE: the stream time of `later`, a later frame, contradicts the direction of the stream. */
gboolean gst_cuda_histo_moment_is_in_order (const GstCudaHistoMoment *earlier, const GstCudaHistoMoment *later);

/* Returns the time between two moments of a stream that may run backwards. If either has no time, it follows from the frame
 * indices and the frame rate; 0 without a frame rate (`framerate_n` 0). */
GstClockTime gst_cuda_histo_moment_get_distance (const GstCudaHistoMoment *left, const GstCudaHistoMoment *right,
                                                 gint framerate_n, gint framerate_d);
