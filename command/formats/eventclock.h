/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The time codes of a film, by the results of its frames.
 *
 * They are the film's own if results have one. Otherwise the film's first frame has 00:00:00:00. Its stream time need not be 0:
 * FFmpeg has MPEG-TS begin at 0.7 s or more. If the first frame has no result, or if one has an earlier time, stream time 0 has
 * 00:00:00:00. */

#ifndef CUDAHISTO_EVENTCLOCK_H
#define CUDAHISTO_EVENTCLOCK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* All zeros: there was no result yet. */
typedef struct {
  gint rate_n, rate_d;    /* frames a second, by the caps; rate_n 0: unknown */
  gchar *timecode;        /* of frame `timecode_frame`, or NULL */
  guint64 timecode_frame; /* the first result that has one */
  GstClockTime timecode_time;
  guint64 next_frame;                 /* behind the last result */
  GstClockTime last;                  /* stream time of the last result with a time, or 0 */
  guint64 last_frames;                /* of that result */
  guint n_results;                    /* with a time */
  gboolean has_first;                 /* the first of them is of frame 0 */
  GstClockTime first;                 /* its stream time */
  GstClockTime timestamp;             /* its timestamp */
  gboolean goes_back;                 /* a result is earlier */
  guint64 n_steps, n_double, n_short; /* from a frame to the next one; of two ticks of the caps' rate; of less */
} EventClock;

void event_clock_clear (EventClock *clock);

/* Takes the results of a film in their order. */
void event_clock_take_result (EventClock *clock, const GstStructure *result);

/* The stream time of time code 00:00:00:00, if the film has no time codes. */
GstClockTime event_clock_get_origin (const EventClock *clock);

/* The time code of this stream time, or of this frame if the time is GST_CLOCK_TIME_NONE. NULL: the frame rate is unknown, or
 * one that time codes do not count. Free with g_free(). */
gchar *event_clock_format (const EventClock *clock, GstClockTime time, guint64 frame);
gboolean event_clock_is_drop_frame (const EventClock *clock);

G_END_DECLS

#endif
