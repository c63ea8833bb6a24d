/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The time codes of a film, derived from the results of its frames.
 *
 * If results have time codes, these are used. Otherwise the film's first frame has 00:00:00:00. Its stream time need not be 0:
 * FFmpeg starts MPEG-TS at 0.7 s or later. If the first frame has no result, or if a result has an earlier time, 00:00:00:00 is
 * stream time 0.
 *
 * Results of fields count fields (`frame`, `frames`, `framerate`). Time codes count the film's frames, of two fields each. */

#pragma once

#include <gst/gst.h>

/* Consecutive results that are all of frames, or all of fields. */
typedef struct {
  guint64 begin;  /* `frame` of the first one */
  guint64 halves; /* half frames of the film before it */
  guint each;     /* half frames for each of `frames`: 1 of fields, otherwise 2 */
} EventClockSpan;

/* All zeros before the first result. */
typedef struct {
  GArray *spans;          /* EventClockSpan, in order; NULL: none */
  gboolean has_fields;    /* some results are of fields */
  gint rate_n, rate_d;    /* the film's frames per second, from the caps; rate_n 0: unknown */
  gchar *timecode;        /* of frame `timecode_frame`, or NULL */
  guint64 timecode_frame; /* the first result that has one */
  GstClockTime timecode_time;
  guint64 next_frame;                 /* the frame after the last result */
  GstClockTime last;                  /* stream time of the last result with a time, or 0 */
  guint64 last_halves;                /* half frames of that result */
  gboolean is_last_top;               /* that result is of a top field */
  guint n_results;                    /* results with a time */
  gboolean has_first;                 /* the first of them is frame 0 */
  GstClockTime first;                 /* its stream time */
  GstClockTime timestamp;             /* its timestamp */
  gboolean goes_back;                 /* a result is earlier than one before it */
  guint64 n_steps, n_double, n_short; /* steps between frames: all, of two ticks of the caps' rate, of less */
} EventClock;

void event_clock_clear (EventClock *clock);

/* Call it for each result of a film, in order. */
void event_clock_take_result (EventClock *clock, const GstStructure *result);

/* Returns the stream time of time code 00:00:00:00 if the film has no time codes. */
GstClockTime event_clock_get_origin (const EventClock *clock);

/* Returns the film's frame that has the frame or field with this index. */
guint64 event_clock_find_frame (const EventClock *clock, guint64 index);

/* Returns the number of the film's frames that have one of the frames or fields from `index` on. */
guint64 event_clock_count_frames (const EventClock *clock, guint64 index, guint64 count);

/* Returns the time code of the film's frame at this stream time, or of this frame or field if the time is
 * GST_CLOCK_TIME_NONE. The end of the first field is within the frame; with `is_end` it is that of the frame. NULL: the frame
 * rate is unknown, or has no time codes. Free with g_free(). */
gchar *event_clock_format (const EventClock *clock, GstClockTime time, guint64 index, gboolean is_end);
gboolean event_clock_is_drop_frame (const EventClock *clock);
