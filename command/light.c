/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto light`: shows the light of an HDR film; for PQ, writes it for mastering tools. */

#include <cudahisto/histo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/command.h"
#include "formats/dovi.h"
#include "formats/eventlist.h"
#include "formats/hdr10plus.h"
#include "formats/madvr.h"
#include "lines/reader.h"
#include "output/output.h"

#define MAX_NITS 10000

typedef struct _LightCommand LightCommand;

typedef struct {
  const gchar *name;
  gboolean needs_light, needs_display;
  gboolean is_for_mastering; /* needs light_film_is_for_mastering() */
  void (*write) (LightCommand *light);
  guint version; /* of the format, if there are several */
} Format;

struct _LightCommand {
  const Format *format;
  DoviSettings dovi;
  guint run; /* the selected run; 0: the only one */
  Reader *reader;
  Output *output;
  EventList *list;
  const EventRun *selected;
  LightFilm *film;
  gboolean is_partial; /* the film is damaged or was not measured to its end */
};

/* ---- formats ---------------------------------------------------------------------------------------------------------- */

static gdouble
light_convert_code (guint code)
{
  return (gdouble)histo_find_nits (code) / HISTO_NIT;
}

static void
light_print_peaks (LightCommand *light)
{
  const LightFilm *film = light->film;
  const LightFrame *brightest = light_film_get_frame (film, film->brightest);

  output_print (light->output, "MaxCLL   %9.4f nits  frame %" G_GUINT64_FORMAT " (99.99th percentile: %.4f)\n",
                light_convert_code (brightest->light.max), film->first_number + film->brightest,
                light_convert_code (brightest->percentiles[LIGHT_PERCENTILE_99_99]));
  output_print (light->output, "MaxFALL  %9.4f nits  frame %" G_GUINT64_FORMAT "\n",
                light_get_mean (&light_film_get_frame (film, film->highest)->light) / HISTO_NIT,
                film->first_number + film->highest);
}

static void
light_print_scenes (LightCommand *light)
{
  const LightFilm *film = light->film;

  output_print (light->output, "\nfrom frame  frames  min PQ  mean PQ  max PQ  mean nits  max nits  active picture\n");
  for (guint i = 0; i < film->scenes->len; i++) {
    const LightScene *scene = light_film_get_scene (film, i);

    output_print (light->output, "%10" G_GUINT64_FORMAT "  %6u  %6u  %7" G_GUINT64_FORMAT "  %6u  %9.4f  %8.3f  ",
                  film->first_number + scene->first, scene->end - scene->first, scene->light.min,
                  light_get_code (&scene->light), scene->light.max, light_get_mean (&scene->light) / HISTO_NIT,
                  light_convert_code (scene->light.max));
    if (scene->active[2] == 0)
      output_print (light->output, "whole\n");
    else
      output_print (light->output, "%ux%u at %u,%u\n", scene->active[2], scene->active[3], scene->active[0], scene->active[1]);
  }
}

static void
light_write_text (LightCommand *light)
{
  if (!light_film_is_for_mastering (light->film))
    output_print (light->output, "Light    %s, %s\n", g_str_equal (light->film->transfer, "pq") ? "PQ" : "HLG at 1000 nits",
                  light->film->source);
  light_print_peaks (light);
  light_print_scenes (light);
}

static void
light_write_dovi (LightCommand *light)
{
  dovi_write (light->output, light->film, &light->dovi);
}

static void
light_write_hdr10plus (LightCommand *light)
{
  hdr10plus_write (light->output, light->film);
}

static void
light_write_madvr (LightCommand *light)
{
  madvr_write (light->output, light->film, light->format->version);
}

static void
light_write_scenes (LightCommand *light)
{
  for (guint i = 0; i < light->film->scenes->len; i++)
    output_print (light->output, "%u\n", light_film_get_scene (light->film, i)->first);
}

static const Format formats[] = {
  { .name = "text", .needs_light = TRUE, .write = light_write_text },
  { .name = "dovi", .needs_light = TRUE, .needs_display = TRUE, .is_for_mastering = TRUE, .write = light_write_dovi },
  { .name = "hdr10plus", .needs_light = TRUE, .is_for_mastering = TRUE, .write = light_write_hdr10plus },
  { .name = "madvr5", .needs_light = TRUE, .is_for_mastering = TRUE, .write = light_write_madvr, .version = 5 },
  { .name = "madvr6", .needs_light = TRUE, .is_for_mastering = TRUE, .write = light_write_madvr, .version = 6 },
  { .name = "scenes", .write = light_write_scenes },
};

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

/* Adds a line to the list of events. Returns whether it is a result of the selected run. Frees the line if not. */
static gboolean
light_take_line (const LightCommand *light, EventList *list, LinesKind kind, GstStructure *line)
{
  if (kind == LINES_EVENT)
    event_list_take_event (list, line);
  else
    event_list_take_result (list, line);
  return kind == LINES_RESULT && event_list_count_runs (list) == MAX (light->run, 1);
}

/* FALSE: an error was reported. */
static gboolean
light_read_frames (LightCommand *light, const gchar *name)
{
  gboolean is_good = TRUE;
  GstStructure *line;
  LinesKind kind;

  while (is_good && (kind = reader_next (light->reader, &line)) != LINES_END) {
    if (light_take_line (light, light->list, kind, line))
      is_good = light_film_add_frame (light->film, line, name);
    gst_structure_free (line);
  }
  event_list_finish (light->list);
  return is_good;
}

/* FALSE: an error was reported. */
static gboolean
light_select_run (LightCommand *light, const gchar *name)
{
  const guint n_runs = event_list_count_runs (light->list);

  if (light->run > n_runs)
    command_fail ("--run=%u does not exist: %s has %u run%s", light->run, name, n_runs, n_runs == 1 ? "" : "s");
  else if (light->run == 0 && n_runs > 1)
    command_fail ("%s has %u runs: choose one, --run=1 to --run=%u", name, n_runs, n_runs);
  else if (light->film->frames->len == 0)
    command_fail ("%s has no results", name);
  else
    light->selected = event_list_get_run (light->list, MAX (light->run, 1) - 1);
  return light->selected != NULL;
}

/* FALSE: the format needs all frames, and an error was reported. */
static gboolean
light_check_sampling (const LightCommand *light, const gchar *name)
{
  const gchar *sampling = light->selected->sampled.text;

  if (sampling == NULL)
    return TRUE;
  if (light->format->write != light_write_text) {
    command_fail ("%s does not have all frames of the film (%s), which --format=%s needs: measure the whole film", name,
                  sampling, light->format->name);
    return FALSE;
  }
  command_warn ("%s does not have all frames of the film (%s): the largest light of others may be larger", name, sampling);
  return TRUE;
}

static void
light_warn (LightCommand *light, const gchar *name)
{
  for (guint i = 0; i < light->selected->events->len; i++) {
    const Event *event = g_ptr_array_index (light->selected->events, i);

    light->is_partial |= strcmp (event->kind, "incomplete") == 0 || strcmp (event->kind, "damaged") == 0;
  }
  if (light->is_partial)
    command_warn ("%s is of a damaged film, or of a part of a film: frame numbers may differ from those of the film", name);
  if (light->film->scenes->len == 1)
    command_warn ("%s has no scene changes: the film is one scene, or was measured without --events=scene-change", name);
  if (light->format->needs_light && !light->film->has_active && light->film->active != LIGHT_ACTIVE_NONE)
    command_warn ("%s has no active picture: black bars are counted. Measure with --statistics=hdr, or set "
                  "--active-picture=none",
                  name);
}

/* Reads the light of the frames that the first reading found. FALSE: an error was reported. */
static gboolean
light_read_light (LightCommand *light, const gchar *name)
{
  EventList *list = event_list_new ();
  gboolean is_good = TRUE;
  GstStructure *line;
  LinesKind kind;

  reader_rewind (light->reader);
  while (is_good && light->film->n_measured < light->film->frames->len
         && (kind = reader_next (light->reader, &line)) != LINES_END) {
    if (light_take_line (light, list, kind, line))
      is_good = light_film_measure_frame (light->film, line, name);
    gst_structure_free (line);
  }
  event_list_free (list);
  if (is_good && light->film->n_measured < light->film->frames->len) {
    command_fail ("%s was changed while it was read: read a copy, or stop the program that changes it", name);
    return FALSE;
  }
  return is_good;
}

static CommandStatus
light_write (LightCommand *light, const gchar *path)
{
  CommandStatus status;
  const gchar *name;

  light->reader = reader_open (path);
  if (light->reader == NULL || !reader_keep (light->reader))
    return COMMAND_ERROR;
  name = lines_get_name (reader_get_lines (light->reader));
  if (!light_read_frames (light, name))
    return COMMAND_ERROR;
  status = reader_finish (light->reader);
  light->is_partial = reader_warn_of_end (light->reader);
  if (status != COMMAND_OK || !light_select_run (light, name))
    return COMMAND_ERROR;
  if (!light_check_sampling (light, name))
    return COMMAND_ERROR;
  light_film_divide (light->film, light->selected->events);
  light_warn (light, name);
  if (light->format->needs_light && !light_read_light (light, name))
    return COMMAND_ERROR;
  if (light->format->is_for_mastering && !light_film_is_for_mastering (light->film))
    return command_fail ("%s has light of %s, %s: a file for mastering tools needs PQ video, measured with "
                         "light-source=max-rgb. --format=text prints any light",
                         name, g_str_equal (light->film->transfer, "pq") ? "PQ" : "HLG", light->film->source);
  light->format->write (light);
  return output_close (g_steal_pointer (&light->output), light->is_partial ? COMMAND_FINDING : COMMAND_OK);
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

/* NULL: there is no such format, and an error was reported. */
static const Format *
light_find_format (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (name == NULL || strcmp (name, formats[i].name) == 0)
      return &formats[i];
  command_fail ("light: --format=%s is not one of text, dovi, hdr10plus, madvr5, madvr6 and scenes", name);
  return NULL;
}

/* FALSE: an error was reported. */
static gboolean
light_parse_active (const gchar *name, LightActive *active)
{
  static const gchar *const names[] = { "film", "scene", "none" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (name == NULL || strcmp (name, names[i]) == 0) {
      *active = (LightActive)i;
      return TRUE;
    }
  }
  command_fail ("light: --active-picture=%s is not one of film, scene and none", name);
  return FALSE;
}

/* "1000,0.0001" in nits, or the string of x265 and FFmpeg, which ends with "L(10000000,1)". FALSE: it is neither, and an error
 * was reported. */
static gboolean
light_parse_display (const gchar *text, DoviSettings *settings)
{
  const gchar *luminance = text != NULL ? strstr (text, "L(") : NULL;
  const gdouble unit = luminance != NULL ? HISTO_NIT : 1;
  const gchar *comma;
  gdouble max, min;
  gchar *end;

  if (text == NULL)
    return TRUE;
  max = g_ascii_strtod (luminance != NULL ? luminance + 2 : text, &end) / unit;
  comma = end;
  min = *comma == ',' ? g_ascii_strtod (comma + 1, &end) / unit : -1;
  if (end == comma + 1 || strcmp (end, luminance != NULL ? ")" : "") != 0 || !(max >= 1 && max <= MAX_NITS)
      || !(min >= 0 && min < max)) {
    command_fail ("light: --mastering-display=%s: set the largest and smallest luminance in nits, such as 1000,0.0001", text);
    return FALSE;
  }
  settings->max = (guint)(max + 0.5);
  settings->min = (guint)(min * HISTO_NIT + 0.5);
  return TRUE;
}

static const gchar description[] = "Prints MaxCLL, MaxFALL and the light of each scene, or writes files of PQ video\n"
                                   "for mastering tools. Reads the results of all frames of an HDR film, measured\n"
                                   "with scene changes.\n"
                                   "\n"
                                   "A non-empty file is overwritten only if `cudahisto light` wrote it and it is\n"
                                   "unchanged, or with --force.\n"
                                   "\n"
                                   "  cudahisto measure film.mkv -e scene-change\n"
                                   "  cudahisto light film.jsonl\n"
                                   "  cudahisto light film.jsonl -f dovi --mastering-display=1000,0.0001 -o d.json\n"
                                   "  cudahisto light film.jsonl -f hdr10plus -o film.json\n"
                                   "  cudahisto light film.jsonl -f scenes -o scenes.txt";

typedef struct {
  gchar *format, *display, *active, *out_path;
  gboolean is_by_frame;
  gint run;
  OutputPolicy policy;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->format);
  g_free (options->display);
  g_free (options->active);
  g_free (options->out_path);
}

/* FALSE: an error was reported. */
static gboolean
light_take_options (LightCommand *light, const Options *options, LightActive *active)
{
  light->format = light_find_format (options->format);
  light->run = (guint)options->run;
  light->dovi.has_frames = options->is_by_frame;
  if (light->format == NULL || !light_parse_active (options->active, active)
      || !light_parse_display (options->display, &light->dovi))
    return FALSE;
  if (options->run < 0)
    command_fail ("light: --run=%d: must be 1 or more", options->run);
  else if (light->format->needs_display && options->display == NULL)
    command_fail ("light: --format=%s needs the luminance of the mastering display: add --mastering-display=1000,0.0001, for "
                  "example",
                  light->format->name);
  else
    return TRUE;
  return FALSE;
}

static CommandStatus
light_convert (const Options *options, const gchar *path)
{
  LightCommand light = { 0 };
  LightActive active = LIGHT_ACTIVE_FILM;
  CommandStatus status;

  if (!light_take_options (&light, options, &active))
    return COMMAND_ERROR;
  command_init_structures ();
  light.list = event_list_new ();
  light.film = light_film_new (active, light.format->write == light_write_madvr);
  light.output = output_open (options->out_path, (const gchar *const[]){ path, NULL }, &options->policy);
  status = light.output != NULL ? light_write (&light, path) : COMMAND_ERROR;
  output_abandon (light.output);
  reader_close (light.reader);
  light_film_free (light.film);
  event_list_free (light.list);
  return status;
}

static CommandStatus
light_run (int argc, char **argv)
{
  Options options = { .policy = { .kind = "light" } };
  const GOptionEntry entries[] = {
    { "format", 'f', 0, G_OPTION_ARG_STRING, &options.format, "text, dovi, hdr10plus, madvr5, madvr6, scenes", "FORMAT" },
    { "mastering-display", 0, 0, G_OPTION_ARG_STRING, &options.display, "Nits of the mastering display, for dovi", "MAX,MIN" },
    { "by-frame", 0, 0, G_OPTION_ARG_NONE, &options.is_by_frame, "Write the light of each frame, for dovi", NULL },
    { "active-picture", 0, 0, G_OPTION_ARG_STRING, &options.active, "Omit black bars: film (default), scene, none", "PART" },
    { "run", 0, 0, G_OPTION_ARG_INT, &options.run, "Use one run of a file with several, from 1", "NUMBER" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.out_path, "Output file (default: stdout)", "FILE" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options.policy.is_forced, "Overwrite any file, except an input", NULL },
    G_OPTION_ENTRY_NULL,
  };
  CommandStatus status;
  const gchar *path;

  if (command_parse (&command_light, entries, description, &argc, &argv, &status)) {
    path = reader_get_path (&command_light, argc, argv);
    status = path != NULL ? light_convert (&options, path) : COMMAND_ERROR;
  }
  options_clear (&options);
  return status;
}

const Command command_light = {
  .name = "light",
  .usage = "[FILE|-]",
  .summary = "Show the light of HDR; for PQ, write it for mastering tools",
  .run = light_run,
};
