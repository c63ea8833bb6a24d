/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Timestamps of frames. Containers round them, so that consecutive frames can share a timestamp: two frames, or all frames
 * within one step of a coarse clock. If more frames share one, time stands still, and their true times are unknown. */

#pragma once

#include <gst/gst.h>

/* The largest rounding of times in containers, in ns. */
#define GST_CUDA_HISTO_ROUNDING GST_MSECOND

/* The largest number of frames that a decoder of H.264 or H.265 holds back to reorder them. */
#define GST_CUDA_HISTO_REORDERED_FRAMES 16

/* Initialise with zeros. */
typedef struct {
  GstClockTime latest, before_latest; /* timestamp of the last frame, and the last one that differs from it */
  GstClockTime step;                  /* least distance of consecutive different timestamps; 0: unknown */
  guint repeats;                      /* repeats of the next frame if it has `latest` */
} GstCudaHistoTimestamps;

/* Adds the timestamp, or stream time, of the next frame, in ns; GST_CLOCK_TIME_NONE: unknown. Returns the number of frames
 * directly before it with the same timestamp. */
guint gst_cuda_histo_timestamps_follow (GstCudaHistoTimestamps *timestamps, GstClockTime timestamp);

/* Whether the frame before the last one, or its timestamp, is unknown. Then it may have had the same timestamp as the last
 * one. */
gboolean gst_cuda_histo_timestamps_follow_unknown (const GstCudaHistoTimestamps *timestamps);

/* Whether the timestamps before a frame at `next` are invented. They are if time stood still, and `next` differs from the time
 * that frames of `period` reach. If it does not, a decoder has given several frames one timestamp, and the other times may be
 * right. If `next` or the time before is unknown, they are invented if more frames share one than a decoder reorders. Both
 * arguments in ns. `next` GST_CLOCK_TIME_NONE: no next frame, or its time is unknown. `period` 0: unknown. */
gboolean gst_cuda_histo_timestamps_are_lost (const GstCudaHistoTimestamps *timestamps, GstClockTime next, GstClockTime period);

/* Whether a frame and the `repeats` frames before it, of `period` each, fit into one step of a clock with steps of `step`. Then
 * their common timestamp is rounded, not repeated. Both in ns, 0: unknown. */
gboolean gst_cuda_histo_timestamps_are_coarse (guint repeats, GstClockTime step, GstClockTime period);

/* Whether time stands still at a frame with that number of repeats, unless the clock is coarse. */
gboolean gst_cuda_histo_timestamps_stand_still (guint repeats);
