/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/eventscenes.h"

#include <string.h>

#include "common/command.h"

#define MOST_EDITS 999 /* CMX 3600 numbers events with three digits */

typedef struct {
  Output *output;
  const EventRun *run;
  const gchar *clip;
} Scenes;

typedef void (*SceneFunction) (const Scenes *scenes, guint number, GstClockTime start, GstClockTime end, guint64 first_frame,
                               guint64 end_frame);

static void
scenes_for_each (const Scenes *scenes, SceneFunction function)
{
  const EventRun *run = scenes->run;
  GstClockTime start = GST_CLOCK_TIME_IS_VALID (run->begin) ? run->begin : 0, end = run->end;
  guint64 frame = 0, end_frame = run->end_frame;
  guint number = 1;

  for (guint i = 0; i < run->events->len; i++) {
    const Event *event = g_ptr_array_index (run->events, i);

    end_frame = MAX (end_frame, event->frame + event->frames);
    if (GST_CLOCK_TIME_IS_VALID (event->start) && (!GST_CLOCK_TIME_IS_VALID (end) || end < event->start))
      end = event->start;
    if (GST_CLOCK_TIME_IS_VALID (event->end) && (!GST_CLOCK_TIME_IS_VALID (end) || end < event->end))
      end = event->end;
    if (!event_is_scene_change (event) || !GST_CLOCK_TIME_IS_VALID (event->start) || event->start <= start)
      continue;
    function (scenes, number++, start, event->start, frame, event->frame);
    start = event->start;
    frame = event->frame;
  }
  if (GST_CLOCK_TIME_IS_VALID (end) && end > start)
    function (scenes, number, start, end, frame, end_frame);
}

static void
scenes_print_chapter (const Scenes *scenes, guint number, GstClockTime start, GstClockTime end,
                      guint64 first_frame G_GNUC_UNUSED, guint64 end_frame G_GNUC_UNUSED)
{
  const GstClockTime origin = event_clock_get_origin (&scenes->run->clock);

  output_print (scenes->output, EVENT_SCENES_CHAPTER "START=%" G_GUINT64_FORMAT "\nEND=%" G_GUINT64_FORMAT "\ntitle=Scene %u\n",
                start - MIN (origin, start), end - MIN (origin, end), number);
}

void
event_scenes_print_chapters (Output *output, const EventRun *run)
{
  const Scenes scenes = { output, run, NULL };

  output_print (output, EVENT_SCENES_CHAPTERS);
  scenes_for_each (&scenes, scenes_print_chapter);
}

static void
scenes_print_edit (const Scenes *scenes, guint number, GstClockTime start, GstClockTime end, guint64 first_frame,
                   guint64 end_frame)
{
  g_autofree gchar *from = event_clock_format (&scenes->run->clock, start, first_frame, FALSE);
  g_autofree gchar *to = event_clock_format (&scenes->run->clock, end, end_frame, FALSE);

  if (number <= MOST_EDITS && from != NULL && to != NULL)
    output_print (scenes->output, "%03u" EVENT_SCENES_EDIT "%s %s %s %s\n* FROM CLIP NAME: %s\n", number, from, to, from, to,
                  scenes->clip);
  else if (number == MOST_EDITS + 1)
    command_warn ("an edit decision list has at most %d events: later scenes are omitted", MOST_EDITS);
}

static const gchar *
event_get_colour (const Event *event)
{
  if (strcmp (event->kind, "black") == 0)
    return "BLACK";
  return strcmp (event->kind, "freeze") == 0 ? "CYAN" : "RED";
}

/* Prints the events other than scene changes as coloured markers. */
static void
scenes_print_locators (const Scenes *scenes)
{
  for (guint i = 0; i < scenes->run->events->len; i++) {
    const Event *event = g_ptr_array_index (scenes->run->events, i);
    g_autofree gchar *timecode = NULL;

    if (event_is_scene_change (event) || (event->frames == 0 && event->cause == NULL))
      continue;
    timecode = event_clock_format (&scenes->run->clock, event->start, event->frame, FALSE);
    if (timecode != NULL)
      output_print (scenes->output, "* LOC: %s %s %s, %" G_GUINT64_FORMAT " frames", timecode, event_get_colour (event),
                    event->kind, event_clock_count_frames (&scenes->run->clock, event->frame, event->frames));
    if (timecode != NULL && event->missing > 0)
      output_print (scenes->output, ", %" G_GUINT64_FORMAT " missing", event->missing);
    if (timecode != NULL)
      output_print (scenes->output, "\n");
  }
}

gboolean
event_scenes_print_edits (Output *output, const EventRun *run, const gchar *clip)
{
  const Scenes scenes = { output, run, clip };
  g_autofree gchar *first = event_clock_format (&run->clock, 0, 0, FALSE);

  if (first == NULL)
    return FALSE;
  output_print (output, "TITLE: %s\nFCM: %s\n\n", clip,
                event_clock_is_drop_frame (&run->clock) ? "DROP FRAME" : "NON-DROP FRAME");
  scenes_for_each (&scenes, scenes_print_edit);
  scenes_print_locators (&scenes);
  return TRUE;
}
