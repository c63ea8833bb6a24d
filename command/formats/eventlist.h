/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The events of a file, each once, grouped by the runs that wrote them. A service that restarts appends a run. */

#pragma once

#include "formats/eventclock.h"
#include "lines/event.h"
#include "lines/sampled.h"

typedef struct {
  GPtrArray *events; /* Event, in order of start */
  gchar *input;      /* name of the measured input; NULL: unknown */
  gchar *utc_time;   /* UTC time of the first line; NULL: unknown */
  Sampled sampled;
  GstClockTime begin, end; /* of the results, in stream time; NONE: unknown */
  guint64 end_frame;       /* index of the frame after the last result */
  EventClock clock;
} EventRun;

typedef struct _EventList EventList;

EventList *event_list_new (void);
void event_list_free (EventList *list);

/* Take a line of the file. */
void event_list_take_result (EventList *list, const GstStructure *result);
void event_list_take_event (EventList *list, const GstStructure *event);

/* Call event_list_finish() after the last line. The list owns the runs and has at least one. */
void event_list_finish (EventList *list);
guint event_list_count_runs (const EventList *list);
const EventRun *event_list_get_run (const EventList *list, guint index);
