/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events: input of the detectors, and reports of their findings. */

#pragma once

#include "count/counter.h"
#include "count/position.h"
#include "detect/detectors.h"
#include "element.h"

typedef struct {
  GstCudaHistoEvents events; /* events to detect, for the present caps. For the streaming thread */
  GstCudaHistoDamage damage; /* of the next buffer, and before it. For the streaming thread */
  gint is_like_start;        /* atomic: the last counted buffer equals the one at which a freeze may have begun */
  gint has_unknown_end;      /* atomic: timestamps did not give the length of an event */
  /* For the thread that does the counter's work. */
  GstCudaHistoDetectors detectors;
  GstCudaHistoFindings flushed; /* events ended by a flush and not yet reported */
} GstCudaHistoDetectionUse;

/* Prepares for a start. */
void gst_cuda_histo_open_detection (GstCudaHisto *self);

/* Decides on the events to detect in frames of the present caps, after the choice of statistics. Warns of events that cannot be
 * detected. */
void gst_cuda_histo_choose_events (GstCudaHisto *self);

/* Returns the largest number of frames that are kept as operands of later ones. */
guint gst_cuda_histo_count_held (GstCudaHisto *self);

/* With `freeze`: waits until the previous frame is counted, which decides on the operand of the next. FALSE after a failure,
 * and while flushing. */
gboolean gst_cuda_histo_await_verdict (GstCudaHisto *self);

/* For the thread that does the counter's work: handles a counted frame; ends open events, and sets the source of later frames.
 * Both report their findings. */
void gst_cuda_histo_detect (GstCudaHisto *self, const GstCudaHistoCounted *counted);
void gst_cuda_histo_end_events (GstCudaHisto *self, GstCudaHistoEndedBy ended_by, const GstCudaHistoSource *source);

/* Adds upstream's report on the next buffer: `event` is the structure of a custom event. A buffer's `counting` begins with that
 * and its flags. Until the counter accepts the buffer, the report stays: if the buffer is skipped, it becomes damage before the
 * next one. If no buffer follows, it is reported at the end of the stream or at the stop. A flush drops it. */
void gst_cuda_histo_note_damage (GstCudaHisto *self, const GstStructure *event);
void gst_cuda_histo_begin_damage (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position);
void gst_cuda_histo_forget_damage (GstCudaHisto *self);
void gst_cuda_histo_report_end_damage (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* Ends open events by a flush. They are reported before later ones. */
void gst_cuda_histo_flush_events (GstCudaHisto *self);
