/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* An event of a file, which two lines describe: its start, and its end. */

#pragma once

#include <gst/gst.h>

/* Texts have no control characters. */
typedef struct {
  gchar *kind;
  gchar *element;  /* "": unknown */
  gchar *ended_by; /* NULL: it has no end */
  gchar *reason;   /* of the "incomplete" event of an unfinished file, or NULL */
  gchar *cause;    /* of damage, or NULL */
  gchar *utc_time; /* UTC time of its start; NULL: unknown */
  GstClockTime start, end, duration;
  guint64 frame, frames, missing; /* `missing`: of damage. 0: unknown */
  gboolean has_frames, has_missing;
  gdouble value, threshold;   /* NaN: it has none */
  gdouble result, result_end; /* for a report: index of the first result in it, and of the one after the last */
} Event;

/* Creates an event from a line. Free it with event_free(). */
Event *event_new (const GstStructure *line);
void event_free (gpointer event);

/* Takes the numbers and texts of its other line. */
void event_take (Event *event, const GstStructure *line);

/* Returns a key that both lines of an event have, and no other event of the run. Free with g_free(). */
gchar *event_make_key (const Event *event);

gboolean event_is_scene_change (const Event *event);
