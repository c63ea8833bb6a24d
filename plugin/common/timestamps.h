/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Timestamps of frames as containers leave them: rounded, so that two frames may have one, or as many as come within the
 * step of a coarse clock. Where more have one, time stands still: when they really are, nobody says. */

#ifndef GST_CUDA_HISTO_TIMESTAMPS_H
#define GST_CUDA_HISTO_TIMESTAMPS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The most by which containers round times, in ns. */
#define GST_CUDA_HISTO_ROUNDING GST_MSECOND

/* The most frames that a decoder of H.264 or H.265 holds back to bring them in order. */
#define GST_CUDA_HISTO_REORDERED_FRAMES 16

/* All zeros: no frame has come yet. */
typedef struct {
  GstClockTime latest, before_latest; /* the latter: of the last frame that has another */
  GstClockTime step;                  /* the least distance of two adjacent ones that differ; 0: none do */
  guint repeats;                      /* what the next frame that has it returns; 0: none does */
} GstCudaHistoTimestamps;

/* Takes that of the next frame, or its stream time, in ns; GST_CLOCK_TIME_NONE where unknown. Returns how many frames directly
 * before it have the same, from 0. */
guint gst_cuda_histo_timestamps_follow (GstCudaHistoTimestamps *timestamps, GstClockTime timestamp);

/* Whether the frame before the last one is unknown, or its timestamp is: it may have had the same. */
gboolean gst_cuda_histo_timestamps_follow_unknown (const GstCudaHistoTimestamps *timestamps);

/* Whether time has stood still before a frame at `next`, which comes now, and that is not where the frames, of `period` each,
 * have it: somebody has made times up. A decoder that gives three frames one time may be right before and behind; where nothing
 * is before or behind, more have to have it than a decoder reorders. Both in ns; `next` GST_CLOCK_TIME_NONE: none comes, or its
 * time is unknown; `period` 0: unknown. */
gboolean gst_cuda_histo_timestamps_are_lost (const GstCudaHistoTimestamps *timestamps, GstClockTime next, GstClockTime period);

/* Whether a clock that goes by `step` gives a frame and so many before it, of `period` each, one time, and so whether that is
 * rounded. Both in ns, 0: unknown. */
gboolean gst_cuda_histo_timestamps_are_coarse (guint repeats, GstClockTime step, GstClockTime period);

/* Whether time stands still at a frame for which that was returned, unless it is coarse. */
gboolean gst_cuda_histo_timestamps_stand_still (guint repeats);

G_END_DECLS

#endif
