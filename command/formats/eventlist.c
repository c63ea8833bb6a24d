/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/eventlist.h"

#include <string.h>

#include "lines/values.h"
#include "lines/runs.h"
#include "common/terminal.h"

struct _EventList {
  GPtrArray *runs;    /* EventRun */
  GHashTable *open;   /* "black 17 cudahisto0" and a UTC time: an open Event of the last run */
  GPtrArray *waiting; /* Event: new since the last result; may belong to the next run */
  RunsEnd end;
  gboolean is_run_over; /* the next line belongs to another run */
};

/* ---- runs ------------------------------------------------------------------------------------------------------------- */

static void
event_run_free (gpointer data)
{
  EventRun *run = data;

  g_ptr_array_unref (run->events);
  g_free (run->input);
  g_free (run->utc_time);
  event_clock_clear (&run->clock);
  sampled_clear (&run->sampled);
  g_free (run);
}

static EventRun *
event_list_get_last_run (const EventList *list)
{
  return g_ptr_array_index (list->runs, list->runs->len - 1);
}

static void
event_list_begin_run (EventList *list)
{
  EventRun *run = g_new0 (EventRun, 1);

  run->events = g_ptr_array_new_with_free_func (event_free);
  run->begin = run->end = GST_CLOCK_TIME_NONE;
  g_ptr_array_add (list->runs, run);
  g_hash_table_remove_all (list->open);
  list->is_run_over = FALSE;
}

EventList *
event_list_new (void)
{
  EventList *list = g_new0 (EventList, 1);

  list->runs = g_ptr_array_new_with_free_func (event_run_free);
  list->open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  list->waiting = g_ptr_array_new ();
  event_list_begin_run (list);
  return list;
}

void
event_list_free (EventList *list)
{
  if (list == NULL)
    return;
  g_hash_table_unref (list->open);
  g_ptr_array_unref (list->waiting);
  g_ptr_array_unref (list->runs);
  g_free (list);
}

guint
event_list_count_runs (const EventList *list)
{
  return list->runs->len;
}

const EventRun *
event_list_get_run (const EventList *list, guint index)
{
  return g_ptr_array_index (list->runs, index);
}

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

/* Begins a run if a line has another input than the last run. */
static void
event_list_take_input (EventList *list, const GstStructure *line)
{
  const gchar *input = values_get_string (line, NULL, "input");
  g_autofree gchar *name = input != NULL ? terminal_clean (input) : NULL;
  EventRun *run = event_list_get_last_run (list);

  if (run->input != NULL && g_strcmp0 (run->input, name) != 0 && name != NULL) {
    event_list_begin_run (list);
    g_ptr_array_set_size (list->waiting, 0);
    list->end = (RunsEnd){ 0 };
    run = event_list_get_last_run (list);
  }
  if (run->input == NULL)
    run->input = g_steal_pointer (&name);
}

void
event_list_take_event (EventList *list, const GstStructure *line)
{
  Event *event, *begun;
  gchar *key;

  if (list->is_run_over)
    event_list_begin_run (list);
  event_list_take_input (list, line);
  event = event_new (line);
  key = event_make_key (event);
  begun = g_hash_table_lookup (list->open, key);
  if (begun != NULL) {
    event_free (event);
    event = begun;
    event_take (event, line);
  } else {
    g_ptr_array_add (event_list_get_last_run (list)->events, event);
    g_ptr_array_add (list->waiting, event);
  }
  if (event->ended_by != NULL) {
    g_hash_table_remove (list->open, key);
    g_free (key);
  } else {
    g_hash_table_insert (list->open, key, event);
  }
  list->is_run_over = strcmp (event->kind, "incomplete") == 0;
}

/* Begins a run, and moves to it the new events that began at `utc_time` or later. */
static void
event_list_begin_run_of_result (EventList *list, const gchar *utc_time)
{
  GPtrArray *earlier = event_list_get_last_run (list)->events;
  EventRun *run;

  event_list_begin_run (list);
  run = event_list_get_last_run (list);
  for (guint i = 0; i < list->waiting->len; i++) {
    Event *event = g_ptr_array_index (list->waiting, i);
    guint index;

    if (utc_time == NULL || event->utc_time == NULL || strcmp (event->utc_time, utc_time) < 0
        || !g_ptr_array_find (earlier, event, &index))
      continue;
    g_ptr_array_add (run->events, g_ptr_array_steal_index (earlier, index));
    if (event->ended_by == NULL)
      g_hash_table_insert (list->open, event_make_key (event), event);
  }
}

void
event_list_take_result (EventList *list, const GstStructure *result)
{
  const GstClockTime time = values_get_time (result, "stream-time");
  const GstClockTime duration = values_get_time (result, "duration");
  const gchar *utc_time = values_get_string (result, NULL, "utc-time");
  guint64 frame = 0, frames = 0;
  gboolean is_anew;
  EventRun *run;

  if (!list->is_run_over)
    event_list_take_input (list, result);
  is_anew = runs_take_result (&list->end, result);
  if (list->is_run_over)
    event_list_begin_run (list);
  else if (is_anew && event_list_get_last_run (list)->end_frame > 0) /* otherwise the run began with an event */
    event_list_begin_run_of_result (list, utc_time);
  event_list_take_input (list, result);
  g_ptr_array_set_size (list->waiting, 0);
  run = event_list_get_last_run (list);
  values_get_uint64 (result, NULL, "frame", &frame);
  values_get_uint64 (result, NULL, "frames", &frames);
  run->end_frame = MAX (run->end_frame, frame + frames);
  if (run->utc_time == NULL)
    run->utc_time = utc_time != NULL ? terminal_clean (utc_time) : NULL;
  event_clock_take_result (&run->clock, result);
  sampled_take (&run->sampled, result);
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (run->begin) || time < run->begin)
    run->begin = time;
  if (!GST_CLOCK_TIME_IS_VALID (run->end) || time > run->end)
    run->end = time;
  if (GST_CLOCK_TIME_IS_VALID (duration) && duration < G_MAXUINT64 / 2 && time < G_MAXUINT64 / 2)
    run->end = MAX (run->end, time + duration);
}

static gint
event_compare (gconstpointer a, gconstpointer b)
{
  const Event *one = *(const Event *const *)a, *other = *(const Event *const *)b;

  if (one->start != other->start)
    return one->start < other->start ? -1 : 1;
  if (one->frame != other->frame)
    return one->frame < other->frame ? -1 : 1;
  return strcmp (one->kind, other->kind);
}

void
event_list_finish (EventList *list)
{
  for (guint i = 0; i < list->runs->len; i++) {
    EventRun *run = g_ptr_array_index (list->runs, i);

    if (run->utc_time == NULL && run->events->len > 0)
      run->utc_time = g_strdup (((const Event *)g_ptr_array_index (run->events, 0))->utc_time);
    g_ptr_array_sort (run->events, event_compare);
  }
}
