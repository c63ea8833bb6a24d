/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto events`: what was detected, as text, JSON, an edit decision list, or chapters. */

#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "fields.h"
#include "json.h"
#include "output.h"
#include "reader.h"
#include "terminal.h"

/* What begins what is written. */
#define HEADER "event         begins        ends          time code    frames\n"
#define NO_EVENTS "no events: none was found, or none was asked for"
#define FFMETADATA ";FFMETADATA1\n"
#define EDIT "  AX       V     C        "
#define FIRST_EDIT "001" EDIT

#define MOST_EDITS 999 /* of a CMX 3600 list, which numbers them with three digits */

typedef enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_EDL, FORMAT_FFMETADATA } Format;

typedef struct {
  gchar *kind, *ended_by, *element; /* ended_by: NULL where it has no end */
  gchar *reason;                    /* of the mark of a file that is not complete, or NULL */
  GstClockTime start, end, duration;
  guint64 frame, frames;
  gdouble value, threshold;
} Event;

typedef struct {
  Format format;
  Reader *reader;
  Output *output;
  GPtrArray *events;
  GHashTable *open; /* "black 17 cudahisto0": one of them that has begun */

  gboolean has_rate;
  gint rate_n, rate_d;
  GstClockTime begin, end; /* of the results, in stream time */
  guint64 end_frame;
  gchar *clip;     /* what an edit decision list calls the film */
  gchar *timecode; /* of frame `timecode_frame`, or NULL */
  guint64 timecode_frame;
} Events;

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

static void
events_free_event (gpointer data)
{
  Event *event = data;

  g_free (event->kind);
  g_free (event->ended_by);
  g_free (event->element);
  g_free (event->reason);
  g_free (event);
}

/* A line of one that has begun, and one when it ends, are of the same: they have the same first frame. */
static void
events_take_event (Events *events, const GstStructure *structure)
{
  const gchar *element = fields_get_string (structure, NULL, "element");
  const gchar *kind = fields_get_string (structure, NULL, "event");
  const gchar *ended_by = fields_get_string (structure, NULL, "ended-by");
  guint64 frame = 0;
  gchar *key;
  Event *event;

  fields_get_uint64 (structure, NULL, "frame", &frame);
  key = g_strdup_printf ("%s %" G_GUINT64_FORMAT " %s", kind, frame, element != NULL ? element : "");
  event = g_hash_table_lookup (events->open, key);
  if (event == NULL) {
    event = g_new0 (Event, 1);
    event->kind = terminal_clean (kind);
    event->element = g_strdup (element != NULL ? element : "");
    event->frame = frame;
    g_ptr_array_add (events->events, event);
  }
  event->start = fields_get_time (structure, "start");
  event->end = fields_get_time (structure, "end");
  event->duration = fields_get_time (structure, "duration");
  fields_get_uint64 (structure, NULL, "frames", &event->frames);
  fields_get_double (structure, NULL, "value", &event->value);
  fields_get_double (structure, NULL, "threshold", &event->threshold);
  if (fields_get_string (structure, NULL, "reason") != NULL) {
    g_free (event->reason);
    event->reason = terminal_clean (fields_get_string (structure, NULL, "reason"));
  }
  if (ended_by != NULL) {
    g_free (event->ended_by);
    event->ended_by = terminal_clean (ended_by);
    g_hash_table_remove (events->open, key);
    g_free (key);
  } else {
    g_hash_table_insert (events->open, key, event);
  }
}

static void
events_take_result (Events *events, const GstStructure *result)
{
  const GstClockTime time = fields_get_time (result, "stream-time");
  const GstClockTime duration = fields_get_time (result, "duration");
  const gchar *timecode = fields_get_string (result, NULL, "timecode");
  guint64 frame = 0, frames = 0;

  fields_get_uint64 (result, NULL, "frame", &frame);
  fields_get_uint64 (result, NULL, "frames", &frames);
  events->end_frame = MAX (events->end_frame, frame + frames);
  if (!events->has_rate)
    events->has_rate = gst_structure_get_fraction (result, "framerate", &events->rate_n, &events->rate_d) && events->rate_n > 0;
  if (events->timecode == NULL && timecode != NULL) {
    events->timecode = g_strdup (timecode);
    events->timecode_frame = frame;
  }
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (events->begin) || time < events->begin)
    events->begin = time;
  if (!GST_CLOCK_TIME_IS_VALID (events->end) || time > events->end)
    events->end = time;
  if (GST_CLOCK_TIME_IS_VALID (duration) && duration < G_MAXUINT64 / 2 && time < G_MAXUINT64 / 2)
    events->end = MAX (events->end, time + duration);
}

static gint
events_compare (gconstpointer a, gconstpointer b)
{
  const Event *one = *(const Event *const *)a, *other = *(const Event *const *)b;

  if (one->start != other->start)
    return one->start < other->start ? -1 : 1;
  if (one->frame != other->frame)
    return one->frame < other->frame ? -1 : 1;
  return strcmp (one->kind, other->kind);
}

static CommandStatus
events_read (Events *events)
{
  GstStructure *structure;
  LinesKind kind;

  while ((kind = reader_next (events->reader, &structure)) != LINES_END) {
    if (kind == LINES_EVENT)
      events_take_event (events, structure);
    else
      events_take_result (events, structure);
    gst_structure_free (structure);
  }
  g_ptr_array_sort (events->events, events_compare);
  reader_warn_of_end (events->reader);
  return reader_finish (events->reader);
}

/* ---- times ------------------------------------------------------------------------------------------------------------ */

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

/* How many frames of the film's rate lie before the time, and the index of the frame where that is unknown. */
static guint64
events_count_frames (const Events *events, GstClockTime time, guint64 frame)
{
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return frame;
  return gst_util_uint64_scale_round (time, (guint64)events->rate_n, (guint64)events->rate_d * GST_SECOND);
}

static gboolean
events_is_drop_frame (const Events *events)
{
  if (events->timecode != NULL)
    return strchr (events->timecode, ';') != NULL;
  return events->rate_d == 1001 && (events->rate_n == 30000 || events->rate_n == 60000);
}

/* The time code that so many frames after the first one have; the film's own where the results have one. NULL: GStreamer has
 * none for this frame rate. */
static gchar *
events_format_timecode (const Events *events, guint64 frames)
{
  const GstVideoTimeCodeFlags flags
      = events_is_drop_frame (events) ? GST_VIDEO_TIME_CODE_FLAGS_DROP_FRAME : GST_VIDEO_TIME_CODE_FLAGS_NONE;
  guint first[4] = { 0 };
  GstVideoTimeCode *timecode;
  gchar *text = NULL;

  if (!events->has_rate)
    return NULL;
  if (events->timecode != NULL)
    sscanf (events->timecode, "%2u:%2u:%2u%*1[:;]%2u", &first[0], &first[1], &first[2], &first[3]);
  timecode = gst_video_time_code_new ((guint)events->rate_n, (guint)events->rate_d, NULL, flags, first[0], first[1], first[2],
                                      first[3], 0);
  if (gst_video_time_code_is_valid (timecode)) {
    gst_video_time_code_add_frames (timecode, (gint64)frames - (gint64)(events->timecode != NULL ? events->timecode_frame : 0));
    text = gst_video_time_code_to_string (timecode);
  }
  gst_video_time_code_free (timecode);
  return text;
}

static gchar *
events_format_timecode_of (const Events *events, GstClockTime time, guint64 frame)
{
  return events->has_rate ? events_format_timecode (events, events_count_frames (events, time, frame)) : NULL;
}

static gboolean
events_is_cut (const Event *event)
{
  return strcmp (event->kind, "scene-change") == 0;
}

/* ---- text and JSON ---------------------------------------------------------------------------------------------------- */

static void
events_print_text (Events *events)
{
  output_print (events->output, HEADER);
  for (guint i = 0; i < events->events->len; i++) {
    const Event *event = events->events->pdata[i];
    gchar *start = events_format_time (event->start), *end = events_format_time (event->end);
    gchar *timecode = events_format_timecode_of (events, event->start, event->frame);
    const gboolean is_over = event->ended_by != NULL;

    output_print (events->output, "%-12s  %-12s  %-12s  %-11s  %" G_GUINT64_FORMAT, event->kind, start,
                  events_is_cut (event) || event->reason != NULL ? ""
                  : is_over                                      ? end
                                                                 : "lasts",
                  timecode != NULL ? timecode : "?", event->frame);
    if (event->frames > 1)
      output_print (events->output, "-%" G_GUINT64_FORMAT, event->frame + event->frames - 1);
    if (is_over && strcmp (event->ended_by, "complete") != 0)
      output_print (events->output, " (%s)", strcmp (event->ended_by, "eos") == 0 ? "to last frame" : event->ended_by);
    if (event->reason != NULL)
      output_print (events->output, " (%s)", event->reason);
    output_print (events->output, "\n");
    g_free (timecode);
    g_free (end);
    g_free (start);
  }
}

/* A member that is a text; NULL: null. */
static void
events_print_json_text (Events *events, const gchar *name, const gchar *text)
{
  GString *quoted = g_string_new (NULL);

  json_append_text (quoted, text, FALSE);
  output_print (events->output, ",\"%s\":%s", name, quoted->str);
  g_string_free (quoted, TRUE);
}

static void
events_print_json_time (Events *events, const gchar *name, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    output_print (events->output, ",\"%s\":%" G_GUINT64_FORMAT, name, time);
  else
    output_print (events->output, ",\"%s\":null", name);
}

static void
events_print_json (Events *events)
{
  output_print (events->output, "[");
  for (guint i = 0; i < events->events->len; i++) {
    const Event *event = events->events->pdata[i];
    gchar *start = events_format_timecode_of (events, event->start, event->frame);
    gchar *end = event->ended_by != NULL ? events_format_timecode_of (events, event->end, event->frame + event->frames) : NULL;
    gchar *value = fields_format_double (event->value), *threshold = fields_format_double (event->threshold);

    output_print (events->output, "%s\n{\"number\":%u", i > 0 ? "," : "", i + 1);
    events_print_json_text (events, "event", event->kind);
    events_print_json_time (events, "start", event->start);
    events_print_json_time (events, "end", event->end);
    events_print_json_time (events, "duration", event->duration);
    events_print_json_text (events, "start-timecode", start);
    events_print_json_text (events, "end-timecode", end);
    output_print (events->output, ",\"value\":%s,\"threshold\":%s", value, threshold);
    events_print_json_text (events, "ended-by", event->ended_by);
    output_print (events->output, ",\"frame\":%" G_GUINT64_FORMAT ",\"frames\":%" G_GUINT64_FORMAT, event->frame,
                  event->frames);
    if (event->reason != NULL)
      events_print_json_text (events, "reason", event->reason);
    events_print_json_text (events, "element", event->element);
    output_print (events->output, "}");
    g_free (threshold);
    g_free (value);
    g_free (end);
    g_free (start);
  }
  output_print (events->output, "\n]\n");
}

/* ---- scenes ----------------------------------------------------------------------------------------------------------- */

/* What lies between two cuts, or a cut and an end of the film. */
typedef void (*EventsSceneFunction) (Events *events, guint number, GstClockTime start, GstClockTime end, guint64 first_frame,
                                     guint64 end_frame);

static void
events_for_each_scene (Events *events, EventsSceneFunction function)
{
  GstClockTime start = GST_CLOCK_TIME_IS_VALID (events->begin) ? events->begin : 0, end = events->end;
  guint64 frame = 0, end_frame = events->end_frame;
  guint number = 1;

  for (guint i = 0; i < events->events->len; i++) {
    const Event *event = events->events->pdata[i];

    end_frame = MAX (end_frame, event->frame + event->frames);
    if (GST_CLOCK_TIME_IS_VALID (event->start) && (!GST_CLOCK_TIME_IS_VALID (end) || end < event->start))
      end = event->start;
    if (GST_CLOCK_TIME_IS_VALID (event->end) && (!GST_CLOCK_TIME_IS_VALID (end) || end < event->end))
      end = event->end;
    if (!events_is_cut (event) || !GST_CLOCK_TIME_IS_VALID (event->start) || event->start <= start)
      continue;
    function (events, number++, start, event->start, frame, event->frame);
    start = event->start;
    frame = event->frame;
  }
  if (GST_CLOCK_TIME_IS_VALID (end) && end > start)
    function (events, number, start, end, frame, end_frame);
}

static void
events_print_chapter (Events *events, guint number, GstClockTime start, GstClockTime end, guint64 first_frame,
                      guint64 end_frame)
{
  (void)first_frame;
  (void)end_frame;
  output_print (events->output,
                "\n[CHAPTER]\nTIMEBASE=1/1000000000\nSTART=%" G_GUINT64_FORMAT "\nEND=%" G_GUINT64_FORMAT "\ntitle=Scene %u\n",
                start, end, number);
}

static void
events_print_edit (Events *events, guint number, GstClockTime start, GstClockTime end, guint64 first_frame, guint64 end_frame)
{
  gchar *from = events_format_timecode_of (events, start, first_frame);
  gchar *to = events_format_timecode_of (events, end, end_frame);

  if (number <= MOST_EDITS && from != NULL && to != NULL)
    output_print (events->output, "%03u" EDIT "%s %s %s %s\n* FROM CLIP NAME: %s\n", number, from, to, from, to, events->clip);
  else if (number == MOST_EDITS + 1)
    command_warn ("an edit decision list has %d events at most: scenes after that are left out", MOST_EDITS);
  g_free (to);
  g_free (from);
}

/* What is no cut, as a marker of a colour. */
static void
events_print_locators (Events *events)
{
  for (guint i = 0; i < events->events->len; i++) {
    const Event *event = events->events->pdata[i];
    gchar *timecode
        = events_is_cut (event) || event->frames == 0 ? NULL : events_format_timecode_of (events, event->start, event->frame);

    if (timecode != NULL)
      output_print (events->output, "* LOC: %s %s %s, %" G_GUINT64_FORMAT " frames\n", timecode,
                    strcmp (event->kind, "black") == 0    ? "BLACK"
                    : strcmp (event->kind, "freeze") == 0 ? "CYAN"
                                                          : "RED",
                    event->kind, event->frames);
    g_free (timecode);
  }
}

/* FALSE: there is no time code for this film, which has been said. */
static gboolean
events_print_edl (Events *events)
{
  gchar *first = events_format_timecode (events, 0);

  if (first == NULL) {
    command_fail ("%s has no frame rate that a time code can count: an edit decision list needs one",
                  lines_get_name (reader_get_lines (events->reader)));
    return FALSE;
  }
  g_free (first);
  output_print (events->output, "TITLE: %s\nFCM: %s\n\n", events->clip,
                events_is_drop_frame (events) ? "DROP FRAME" : "NON-DROP FRAME");
  events_for_each_scene (events, events_print_edit);
  events_print_locators (events);
  return TRUE;
}

/* ---- what was written before ------------------------------------------------------------------------------------------- */

static gboolean
events_is_one (const gchar *begin, gsize length)
{
  static const gchar chapters[] = FFMETADATA, first_chapter[] = "\n[CHAPTER]\nTIMEBASE=1/1000000000\n";
  const gchar *lines = strstr (begin, "\nFCM: ");

  (void)length;
  if (g_str_has_prefix (begin, HEADER) || g_str_has_prefix (begin, NO_EVENTS) || strcmp (begin, "[\n]\n") == 0
      || g_str_has_prefix (begin, "[\n{\"number\":1,\"event\":"))
    return TRUE;
  if (g_str_has_prefix (begin, chapters))
    return begin[strlen (chapters)] == '\0' || g_str_has_prefix (begin + strlen (chapters), first_chapter);
  if (!g_str_has_prefix (begin, "TITLE: ") || lines == NULL || lines != strchr (begin, '\n'))
    return FALSE;
  lines = strstr (lines, "\n\n");
  return lines != NULL
         && (lines[2] == '\0' || g_str_has_prefix (lines + 2, "* LOC: ") || g_str_has_prefix (lines + 2, FIRST_EDIT));
}

static const OutputKind events_kind = { "list of events of cudahisto", events_is_one };

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static CommandStatus
events_write (Events *events, const gchar *path, const gchar *out_path)
{
  const gchar *const inputs[] = { path, NULL };
  CommandStatus status;

  if (!output_check (out_path, inputs, &events_kind))
    return COMMAND_ERROR;
  events->reader = reader_open (path);
  if (events->reader == NULL)
    return COMMAND_ERROR;
  status = events_read (events);
  if (status == COMMAND_ERROR && reader_count_good (events->reader) == 0)
    return status;
  events->output = output_open (out_path, inputs, &events_kind);
  if (events->output == NULL)
    return COMMAND_ERROR;
  if (events->events->len == 0 && events->format == FORMAT_TEXT)
    output_print (events->output, NO_EVENTS " (events=black+freeze+scene-change+clipped)\n");
  else if (events->format == FORMAT_TEXT)
    events_print_text (events);
  else if (events->format == FORMAT_JSON)
    events_print_json (events);
  else if (events->format == FORMAT_EDL && !events_print_edl (events)) {
    output_abandon (events->output);
    return COMMAND_ERROR;
  } else if (events->format == FORMAT_FFMETADATA) {
    output_print (events->output, FFMETADATA);
    events_for_each_scene (events, events_print_chapter);
  }
  if (status == COMMAND_OK && events->events->len > 0)
    status = COMMAND_FINDING;
  return output_close (events->output, status);
}

/* A name that is one line. */
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

static const gchar description[] = "Lists the events in a file, black, freeze, scene-change and clipped, each once:\n"
                                   "when it begins and ends, in stream time and as a time code. The time code is the\n"
                                   "film's own where the results have it, else it begins at 00:00:00:00.\n\n"
                                   "  cudahisto events film.jsonl\n"
                                   "  cudahisto events --format=json film.jsonl | jq '.[].event'\n"
                                   "  cudahisto events --format=edl film.jsonl -o film.edl       for an editor\n"
                                   "  cudahisto events --format=ffmetadata film.jsonl -o film.txt\n"
                                   "  ffmpeg -i film.mp4 -i film.txt -map 0 -map_chapters 1 -c copy chapters.mp4\n\n"
                                   "Exit status: 0, there are none; 1, there are; 2, an error.";

static CommandStatus
events_run (int argc, char **argv)
{
  gchar *out_path = NULL, *format = NULL, *clip = NULL;
  const GOptionEntry entries[] = {
    { "format", 'f', 0, G_OPTION_ARG_STRING, &format, "text, json, edl (CMX 3600), ffmetadata (chapters)", "FORMAT" },
    { "clip", 0, 0, G_OPTION_ARG_STRING, &clip, "The film's name in an edit decision list (the file's)", "NAME" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out_path, "Where to (default: standard output)", "FILE" },
    G_OPTION_ENTRY_NULL,
  };
  Events events = { .begin = GST_CLOCK_TIME_NONE, .end = GST_CLOCK_TIME_NONE };
  CommandStatus status;
  const gchar *path;

  if (!command_parse (&command_events, entries, description, &argc, &argv, &status))
    return status;
  path = reader_get_path (&command_events, argc, argv);
  if (path == NULL) {
    status = COMMAND_ERROR;
  } else if (!events_parse_format (format, &events.format)) {
    status = command_fail ("events: --format=%s is not one of text, json, edl and ffmetadata", format);
  } else {
    command_init_structures ();
    events.events = g_ptr_array_new_with_free_func (events_free_event);
    events.open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    events.clip = events_name_clip (path, clip);
    status = events_write (&events, path, out_path);
    reader_close (events.reader);
    g_hash_table_unref (events.open);
    g_ptr_array_unref (events.events);
    g_free (events.timecode);
    g_free (events.clip);
  }
  g_free (clip);
  g_free (format);
  g_free (out_path);
  return status;
}

const Command command_events = {
  .name = "events",
  .usage = "[FILE|-]",
  .summary = "List what was detected: black, freezes, cuts, clipping",
  .run = events_run,
};
