/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Intervals: frames in a row that have something in common, and whether they are enough for an event. Pure arithmetic.
 *
 * As FFmpeg's blackdetect and freezedetect have it, an interval reaches from its first frame to the first that is not part of
 * it, and one that no such frame ends to its last. An event is known as soon as that is long enough: in the middle, or only
 * when it is over. */

#ifndef GST_CUDA_HISTO_INTERVAL_H
#define GST_CUDA_HISTO_INTERVAL_H

#include "detect/moment.h"

G_BEGIN_DECLS

typedef struct {
  /* set by the owner */
  GstClockTime min_duration;     /* less is no event */
  gint framerate_n, framerate_d; /* for frames without times; 0: unknown */

  /* private but for reading */
  gboolean is_open;
  gboolean is_event;        /* it is known to be long enough */
  GstCudaHistoMoment start; /* its first frame */
  GstCudaHistoMoment last;  /* the last frame in it so far */
  guint64 frames;
  gboolean went_back; /* time has, where it should not */
  guint most_repeats; /* of the frames behind `start`, up to the one that ends it: too little may lie between times */
} GstCudaHistoInterval;

/* Begins with a frame. None is open. */
void gst_cuda_histo_interval_open (GstCudaHistoInterval *interval, const GstCudaHistoMoment *moment);

/* One more frame, behind `last`. */
void gst_cuda_histo_interval_extend (GstCudaHistoInterval *interval, const GstCudaHistoMoment *moment);

/* Whether the interval becomes an event now: once TRUE, where it reaches far enough. */
gboolean gst_cuda_histo_interval_begins_event (GstCudaHistoInterval *interval);

/* Ends the interval, before the frame `next`, or, where that is NULL, with the last one. TRUE where it was an event; *duration
 * is then as long as it was, or GST_CLOCK_TIME_NONE where times do not say. FALSE too where none is open. `start` and `frames`
 * can be read until the next is opened. */
gboolean gst_cuda_histo_interval_close (GstCudaHistoInterval *interval, const GstCudaHistoMoment *next, GstClockTime *duration);

G_END_DECLS

#endif
