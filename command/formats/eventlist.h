/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The events of a file, each once, by the runs that wrote it: a service that starts again appends to what is there. */

#ifndef CUDAHISTO_EVENT_LIST_H
#define CUDAHISTO_EVENT_LIST_H

#include "formats/eventclock.h"

G_BEGIN_DECLS

typedef struct {
  gchar *kind, *ended_by, *element; /* ended_by: NULL where it has no end */
  gchar *reason;                    /* of the mark of a file that is not complete, or NULL */
  gchar *cause;                     /* of damage, or NULL */
  guint64 missing;                  /* frames, of damage */
  gchar *utc_time;                  /* when it began, as a time of day; NULL: unknown */
  GstClockTime start, end, duration;
  guint64 frame, frames;
  gdouble value, threshold;
} Event;

typedef struct {
  GPtrArray *events;       /* Event, by their beginnings */
  gchar *input;            /* what was measured; NULL: unknown */
  gchar *utc_time;         /* of its first line, as a time of day; NULL: unknown */
  GstClockTime begin, end; /* of the results, in stream time; NONE: unknown */
  guint64 end_frame;       /* how many frames there are results of */
  EventClock clock;
} EventRun;

typedef struct _EventList EventList;

EventList *event_list_new (void);
void event_list_free (EventList *list);

/* A line of the file. */
void event_list_take_result (EventList *list, const GstStructure *result);
void event_list_take_event (EventList *list, const GstStructure *event);

/* After the last line. The runs are the list's; there is one at least. */
void event_list_finish (EventList *list);
guint event_list_count_runs (const EventList *list);
const EventRun *event_list_get_run (const EventList *list, guint index);

gboolean event_is_scene_change (const Event *event);

G_END_DECLS

#endif
