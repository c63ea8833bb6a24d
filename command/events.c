/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto events`: lists events as text, JSON, an edit decision list, or chapters. */

#include <math.h>
#include <string.h>

#include "common/command.h"
#include "formats/eventlist.h"
#include "formats/eventscenes.h"
#include "lines/values.h"
#include "lines/json.h"
#include "output/output.h"
#include "lines/reader.h"
#include "common/terminal.h"

#define HEADER "event         begins        ends          time code    frames\n"
#define NO_EVENTS "no events: none was found, or events were not enabled"
#define RUN "run "
#define WIDTH 80
#define INDENT 14

typedef enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_EDL, FORMAT_FFMETADATA } Format;

typedef struct {
  Format format;
  guint run; /* the selected run; 0: all */
  gchar *clip;
  gboolean has_clip; /* set by the user */
  Reader *reader;
  Output *output;
  EventList *list;
} Events;

static CommandStatus
events_read (Events *events)
{
  GstStructure *structure;
  LinesKind kind;

  while ((kind = reader_next (events->reader, &structure)) != LINES_END) {
    if (kind == LINES_EVENT)
      event_list_take_event (events->list, structure);
    else
      event_list_take_result (events->list, structure);
    gst_structure_free (structure);
  }
  event_list_finish (events->list);
  reader_warn_of_end (events->reader);
  return reader_finish (events->reader);
}

/* Returns whether the run is selected; `index` is from 0. */
static gboolean
events_is_wanted (const Events *events, guint index)
{
  return events->run == 0 || events->run == index + 1;
}

static guint
events_count (const Events *events)
{
  guint count = 0;

  for (guint i = 0; i < event_list_count_runs (events->list); i++)
    if (events_is_wanted (events, i))
      count += event_list_get_run (events->list, i)->events->len;
  return count;
}

/* ---- text and JSON ---------------------------------------------------------------------------------------------------- */

/* 01:02:03.456 */
static gchar *
events_format_time (GstClockTime time)
{
  const guint64 ms = time / GST_MSECOND + (time % GST_MSECOND >= GST_MSECOND / 2);

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return g_strdup ("?");
  return g_strdup_printf ("%02" G_GUINT64_FORMAT ":%02u:%02u.%03u", ms / 3600000, (guint)(ms / 60000 % 60),
                          (guint)(ms / 1000 % 60), (guint)(ms % 1000));
}

/* Returns where to break a row that is too wide: at the last remark in brackets if that fits, otherwise at the last space up to
 * `limit`. NULL: there is no space. */
static const gchar *
events_find_break (const gchar *row, const gchar *limit)
{
  for (const gchar *space = limit; space > row; space--)
    if (space[0] == ' ' && space[1] == '(' && g_utf8_strlen (space + 1, -1) <= WIDTH - INDENT)
      return space;
  for (const gchar *space = limit; space > row; space--)
    if (*space == ' ')
      return space;
  return strchr (limit, ' ');
}

/* Continues a wide row in the column of the starts. */
static void
events_print_wrapped (Events *events, const gchar *row)
{
  guint indent = 0;

  while (indent + (gsize)g_utf8_strlen (row, -1) > WIDTH) {
    const gchar *space = events_find_break (row, g_utf8_offset_to_pointer (row, WIDTH - indent)), *end;

    if (space == NULL)
      break;
    for (end = space; end > row && end[-1] == ' '; end--)
      ;
    output_print (events->output, "%*s%.*s\n", (int)indent, "", (int)(end - row), row);
    row = space + strspn (space, " ");
    indent = INDENT;
  }
  output_print (events->output, "%*s%s\n", (int)indent, "", row);
}

static void
events_print_row (Events *events, const EventRun *run, const Event *event)
{
  g_autoptr (GString) row = g_string_new (NULL);
  g_autofree gchar *start = events_format_time (event->start), *end = events_format_time (event->end);
  g_autofree gchar *timecode = event_clock_format (&run->clock, event->start, event->frame, FALSE);
  const guint64 frame = event_clock_find_frame (&run->clock, event->frame);
  const guint64 frames = event_clock_count_frames (&run->clock, event->frame, event->frames);
  const gboolean is_over = event->ended_by != NULL;

  g_string_append_printf (row, "%-12s  %-12s  %-12s  %-11s  %" G_GUINT64_FORMAT, event->kind, start,
                          event_is_scene_change (event) || event->reason != NULL ? ""
                          : is_over                                              ? end
                                                                                 : "lasts",
                          timecode != NULL ? timecode : "?", frame);
  if (frames > 1)
    g_string_append_printf (row, "-%" G_GUINT64_FORMAT, frame + frames - 1);
  if (is_over && strcmp (event->ended_by, "complete") != 0)
    g_string_append_printf (row, " (%s)", strcmp (event->ended_by, "eos") == 0 ? "to last frame" : event->ended_by);
  if (event->missing > 0)
    g_string_append_printf (row, " (%" G_GUINT64_FORMAT " missing, %s)", event->missing, event->cause);
  else if (event->cause != NULL)
    g_string_append_printf (row, " (%s)", event->cause);
  if (event->reason != NULL)
    g_string_append_printf (row, " (%s)", event->reason);
  events_print_wrapped (events, row->str);
}

/* Prints the heading of a run; `index` is from 0. */
static void
events_print_run (Events *events, const EventRun *run, guint index)
{
  g_autoptr (GString) heading = g_string_new (NULL);

  g_string_printf (heading, RUN "%u", index + 1);
  if (run->input != NULL)
    g_string_append_printf (heading, ": %s", run->input);
  if (run->utc_time != NULL)
    g_string_append_printf (heading, ", from %s", run->utc_time);
  if (index > 0 && events->run == 0)
    output_print (events->output, "\n");
  events_print_wrapped (events, heading->str);
}

static void
events_print_text (Events *events)
{
  const guint n_runs = event_list_count_runs (events->list);

  for (guint i = 0; i < n_runs; i++) {
    const EventRun *run = event_list_get_run (events->list, i);

    if (!events_is_wanted (events, i))
      continue;
    if (n_runs > 1)
      events_print_run (events, run, i);
    if (run->sampled.text != NULL)
      output_print (events->output, "measured only: %s\n", run->sampled.text);
    if (run->events->len > 0)
      output_print (events->output, HEADER);
    else
      output_print (events->output, NO_EVENTS "\n(events=black+freeze+scene-change+clipped)\n");
    for (guint j = 0; j < run->events->len; j++)
      events_print_row (events, run, g_ptr_array_index (run->events, j));
  }
}

/* Appends a member with a string, or null. */
static void
events_print_json_text (Events *events, const gchar *name, const gchar *text)
{
  g_autoptr (GString) quoted = g_string_new (NULL);

  json_append_text (quoted, text, FALSE);
  output_print (events->output, ",\"%s\":%s", name, quoted->str);
}

static void
events_print_json_time (Events *events, const gchar *name, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    output_print (events->output, ",\"%s\":%" G_GUINT64_FORMAT, name, time);
  else
    output_print (events->output, ",\"%s\":null", name);
}

/* 0 for a missing number. */
static gchar *
events_format_number (gdouble number)
{
  return values_format_double (isnan (number) ? 0 : number);
}

static void
events_print_json_event (Events *events, guint run_number, guint number, const Event *event)
{
  const EventRun *run = event_list_get_run (events->list, run_number - 1);
  g_autofree gchar *start = event_clock_format (&run->clock, event->start, event->frame, FALSE);
  g_autofree gchar *end
      = event->ended_by != NULL ? event_clock_format (&run->clock, event->end, event->frame + event->frames, TRUE) : NULL;
  g_autofree gchar *value = events_format_number (event->value), *threshold = events_format_number (event->threshold);

  output_print (events->output, "%s\n{\"number\":%u", number > 1 ? "," : "", number);
  events_print_json_text (events, "event", event->kind);
  output_print (events->output, ",\"run\":%u", run_number);
  events_print_json_time (events, "start", event->start);
  events_print_json_time (events, "end", event->end);
  events_print_json_time (events, "duration", event->duration);
  events_print_json_text (events, "start-timecode", start);
  events_print_json_text (events, "end-timecode", end);
  events_print_json_text (events, "utc-time", event->utc_time);
  output_print (events->output, ",\"value\":%s,\"threshold\":%s", value, threshold);
  events_print_json_text (events, "ended-by", event->ended_by);
  output_print (events->output, ",\"frame\":%" G_GUINT64_FORMAT ",\"frames\":%" G_GUINT64_FORMAT,
                event_clock_find_frame (&run->clock, event->frame),
                event_clock_count_frames (&run->clock, event->frame, event->frames));
  if (event->cause != NULL) {
    output_print (events->output, ",\"missing\":%" G_GUINT64_FORMAT, event->missing);
    events_print_json_text (events, "cause", event->cause);
  }
  if (event->reason != NULL)
    events_print_json_text (events, "reason", event->reason);
  events_print_json_text (events, "element", event->element);
  if (run->input != NULL)
    events_print_json_text (events, "input", run->input);
  if (run->sampled.text != NULL)
    events_print_json_text (events, "sampling", run->sampled.text);
  output_print (events->output, "}");
}

static void
events_print_json (Events *events)
{
  guint number = 0;

  output_print (events->output, "[");
  for (guint i = 0; i < event_list_count_runs (events->list); i++) {
    const EventRun *run = event_list_get_run (events->list, i);

    for (guint j = 0; j < run->events->len && events_is_wanted (events, i); j++)
      events_print_json_event (events, i + 1, ++number, g_ptr_array_index (run->events, j));
  }
  output_print (events->output, "\n]\n");
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

/* FALSE: the selected run does not exist, or a run must be selected; an error was reported. */
static gboolean
events_check_run (const Events *events, const gchar *name)
{
  const guint n_runs = event_list_count_runs (events->list);

  if (events->run > n_runs) {
    command_fail ("--run=%u does not exist: %s has %u run%s", events->run, name, n_runs, n_runs == 1 ? "" : "s");
    return FALSE;
  }
  if (events->run == 0 && n_runs > 1 && (events->format == FORMAT_EDL || events->format == FORMAT_FFMETADATA)) {
    command_fail ("%s has %u runs, each with its own times: choose one for this format, --run=1 to --run=%u", name, n_runs,
                  n_runs);
    return FALSE;
  }
  return TRUE;
}

/* Damage does not need each frame. */
static gboolean
events_has_only_damage (const EventRun *run)
{
  for (guint i = 0; i < run->events->len; i++)
    if (strcmp (((const Event *)g_ptr_array_index (run->events, i))->kind, "damaged") != 0)
      return FALSE;
  return run->events->len > 0;
}

/* FALSE: a selected run lacks frames that its events need, and an error was reported. */
static gboolean
events_check_gaps (const Events *events, const gchar *name)
{
  const gboolean has_scenes = events->format == FORMAT_EDL || events->format == FORMAT_FFMETADATA;

  for (guint i = 0; i < event_list_count_runs (events->list); i++) {
    const EventRun *run = event_list_get_run (events->list, i);

    if (!events_is_wanted (events, i) || !sampled_has_gaps (&run->sampled) || (events_has_only_damage (run) && !has_scenes))
      continue;
    command_fail ("%s does not have all frames (%s), which events need: measure without --every and --keyframes", name,
                  run->sampled.text);
    return FALSE;
  }
  return TRUE;
}

/* FALSE: this format cannot represent it, and an error was reported. */
static gboolean
events_print (Events *events, const gchar *name)
{
  const EventRun *run = event_list_get_run (events->list, MAX (events->run, 1) - 1);

  switch (events->format) {
  case FORMAT_TEXT:
    events_print_text (events);
    break;
  case FORMAT_JSON:
    events_print_json (events);
    break;
  case FORMAT_FFMETADATA:
    event_scenes_print_chapters (events->output, run);
    break;
  case FORMAT_EDL:
    if (!event_scenes_print_edits (events->output, run, run->input != NULL && !events->has_clip ? run->input : events->clip)) {
      command_fail ("%s has no frame rate that supports time codes: an edit decision list needs one", name);
      return FALSE;
    }
    break;
  }
  return TRUE;
}

static CommandStatus
events_write (Events *events, const gchar *path)
{
  CommandStatus status;
  const gchar *name;

  events->reader = reader_open (path);
  if (events->reader == NULL)
    return COMMAND_ERROR;
  status = events_read (events);
  if (status == COMMAND_ERROR && reader_count_good (events->reader) == 0)
    return status;
  name = lines_get_name (reader_get_lines (events->reader));
  if (!events_check_run (events, name) || !events_check_gaps (events, name))
    return COMMAND_ERROR;
  if (!events_print (events, name))
    return COMMAND_ERROR;
  if (status == COMMAND_OK && events_count (events) > 0)
    status = COMMAND_FINDING;
  return output_close (g_steal_pointer (&events->output), status);
}

/* Returns a name without line breaks. */
static gchar *
events_name_clip (const gchar *path, const gchar *clip)
{
  g_autofree gchar *name = clip != NULL ? g_strdup (clip) : g_filename_display_basename (path);

  return terminal_clean (name);
}

/* FALSE: there is no such format. */
static gboolean
events_parse_format (const gchar *name, Format *format)
{
  static const gchar *const names[] = { "text", "json", "edl", "ffmetadata" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (name == NULL || strcmp (name, names[i]) == 0) {
      *format = (Format)i;
      return TRUE;
    }
  }
  return FALSE;
}

static const gchar description[] = "Lists each event once, with start and end, in stream time and as a time code.\n"
                                   "Without time codes in the results, the first frame has 00:00:00:00.\n"
                                   "\n"
                                   "A non-empty file is overwritten only if `cudahisto events` wrote it and it is\n"
                                   "unchanged, or with --force.\n"
                                   "\n"
                                   "  cudahisto events film.jsonl\n"
                                   "  cudahisto events --format=json film.jsonl | jq '.[].event'\n"
                                   "  cudahisto events --format=edl film.jsonl -o film.edl       for an editor\n"
                                   "  cudahisto events --format=ffmetadata film.jsonl -o film.txt\n"
                                   "  ffmpeg -i film.mp4 -i film.txt -map 0 -map_chapters 1 -c copy chapters.mp4\n"
                                   "\n"
                                   "Exit status: 0: no events; 1: events found; 2: error.";

static CommandStatus
events_run (int argc, char **argv)
{
  OutputPolicy policy = { .kind = "events" };
  g_autofree gchar *out_path = NULL, *format = NULL, *clip = NULL;
  gint run = 0;
  const GOptionEntry entries[] = {
    { "format", 'f', 0, G_OPTION_ARG_STRING, &format, "text, json, edl (CMX 3600), ffmetadata (chapters)", "FORMAT" },
    { "clip", 0, 0, G_OPTION_ARG_STRING, &clip, "The film's name in an edit decision list", "NAME" },
    { "run", 0, 0, G_OPTION_ARG_INT, &run, "List one run of a file with appended runs, from 1", "NUMBER" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out_path, "Output file (default: stdout)", "FILE" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &policy.is_forced, "Overwrite any file, except an input", NULL },
    G_OPTION_ENTRY_NULL,
  };
  Events events = { 0 };
  CommandStatus status;
  const gchar *path;

  if (!command_parse (&command_events, entries, description, &argc, &argv, &status))
    return status;
  path = reader_get_path (&command_events, argc, argv);
  if (path == NULL) {
    status = COMMAND_ERROR;
  } else if (!events_parse_format (format, &events.format)) {
    status = command_fail ("events: --format=%s is not one of text, json, edl and ffmetadata", format);
  } else if (run < 0) {
    status = command_fail ("events: --run=%d: must be 1 or more", run);
  } else {
    command_init_structures ();
    events.run = (guint)run;
    events.list = event_list_new ();
    events.clip = events_name_clip (path, clip);
    events.has_clip = clip != NULL;
    events.output = output_open (out_path, (const gchar *const[]){ path, NULL }, &policy);
    status = events.output != NULL ? events_write (&events, path) : COMMAND_ERROR;
    output_abandon (events.output);
    reader_close (events.reader);
    event_list_free (events.list);
    g_free (events.clip);
  }
  return status;
}

const Command command_events = {
  .name = "events",
  .usage = "[FILE|-]",
  .summary = "List events: black, freezes, scene changes, clipping",
  .run = events_run,
};
