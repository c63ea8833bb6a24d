/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Intervals: consecutive frames with a common property, and whether they last long enough for an event. Pure arithmetic.
 *
 * As in FFmpeg's blackdetect and freezedetect, an interval reaches from its first frame to the first frame after it. If no
 * frame follows, it ends with its last frame. The event begins as soon as the interval is long enough, which may be only at its
 * end. */

#pragma once

#include "detect/moment.h"

typedef struct {
  /* set by the owner */
  GstClockTime min_duration;     /* a shorter interval is no event */
  gint framerate_n, framerate_d; /* for frames without times; 0: unknown */

  /* private; the owner may read it */
  gboolean is_open;
  gboolean is_event;        /* it is long enough */
  GstCudaHistoMoment start; /* first frame */
  GstCudaHistoMoment last;  /* last frame so far */
  guint64 frames;
  gboolean went_back; /* a time was less than the one before, against the direction of the stream */
  guint most_repeats; /* largest number of repeats of the frames after `start`, including the frame that ends the interval */
} GstCudaHistoInterval;

/* Opens an interval with its first frame. No interval is open. */
void gst_cuda_histo_interval_open (GstCudaHistoInterval *interval, const GstCudaHistoMoment *moment);

/* Adds the next frame. */
void gst_cuda_histo_interval_extend (GstCudaHistoInterval *interval, const GstCudaHistoMoment *moment);

/* Whether the interval has just become long enough for an event. TRUE once per interval. */
gboolean gst_cuda_histo_interval_begins_event (GstCudaHistoInterval *interval);

/* Ends the interval before frame `next`, or with its last frame if `next` is NULL. TRUE if it was an event: *duration is its
 * length, or GST_CLOCK_TIME_NONE if times are unusable. FALSE if it was too short or none is open. `start` and `frames` stay
 * readable until the next interval opens. */
gboolean gst_cuda_histo_interval_close (GstCudaHistoInterval *interval, const GstCudaHistoMoment *next, GstClockTime *duration);
