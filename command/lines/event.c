/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/event.h"

#include <math.h>
#include <string.h>

#include "common/terminal.h"
#include "lines/values.h"

Event *
event_new (const GstStructure *line)
{
  Event *event = g_new0 (Event, 1);

  event->element = g_strdup ("");
  event->value = event->threshold = NAN;
  event_take (event, line);
  return event;
}

void
event_free (gpointer data)
{
  Event *event = data;

  g_free (event->kind);
  g_free (event->element);
  g_free (event->ended_by);
  g_free (event->reason);
  g_free (event->cause);
  g_free (event->utc_time);
  g_free (event);
}

static void
event_take_text (gchar **text, const GstStructure *line, const gchar *member)
{
  const gchar *value = values_get_string (line, NULL, member);

  if (value == NULL)
    return;
  g_free (*text);
  *text = terminal_clean (value);
}

void
event_take (Event *event, const GstStructure *line)
{
  event_take_text (&event->kind, line, "event");
  event_take_text (&event->element, line, "element");
  event_take_text (&event->ended_by, line, "ended-by");
  event_take_text (&event->reason, line, "reason");
  event_take_text (&event->cause, line, "cause");
  event_take_text (&event->utc_time, line, "utc-time");
  event->start = values_get_time (line, "start");
  event->end = values_get_time (line, "end");
  event->duration = values_get_time (line, "duration");
  values_get_uint64 (line, NULL, "frame", &event->frame);
  event->has_frames |= values_get_uint64 (line, NULL, "frames", &event->frames);
  event->has_missing |= values_get_uint64 (line, NULL, "missing", &event->missing);
  values_get_double (line, NULL, "value", &event->value);
  values_get_double (line, NULL, "threshold", &event->threshold);
}

gchar *
event_make_key (const Event *event)
{
  return g_strdup_printf ("%s\n%" G_GUINT64_FORMAT "\n%s\n%s", event->kind, event->frame, event->element,
                          event->utc_time != NULL ? event->utc_time : "");
}

gboolean
event_is_scene_change (const Event *event)
{
  return strcmp (event->kind, "scene-change") == 0;
}
