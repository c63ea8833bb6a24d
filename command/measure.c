/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "align/alignment.h"
#include "common/command.h"
#include "common/interrupt.h"
#include "common/location.h"
#include "output/mark.h"
#include "play/player.h"
#include "common/progress.h"
#include "output/resultfile.h"
#include "output/resultmark.h"
#include "play/sampling.h"
#include "play/sequence.h"
#include "common/settings.h"
#include "align/signature.h"
#include "fields/statistics.h"
#include "common/terminal.h"

#define SUFFIX ".jsonl"
#define TIMEOUT (30 * GST_SECOND)

typedef struct {
  gchar *output, *statistics, *events, *interval, *reference, *reference_offset, *backend, *bins, *fields, *timeout, *framerate;
  guint64 timeout_ns;
  gint framerate_numerator, framerate_denominator; /* 0: not set */
  gchar **assignments;
  gboolean is_bytes, is_quiet, is_forced;
  Sampling sampling;
} MeasureOptions;

typedef struct {
  const MeasureOptions *options;
  const gchar *where, *location; /* location of the input, and of the results */
  gchar *name;
  guint index, count;
  GstElement *histo;
  Player *player;
  gint64 began_us;
  gdouble seconds;                         /* elapsed time */
  guint64 frames, skipped, bytes, results; /* counts so far */
  guint64 damages, damaged, missing;       /* damage events, damaged frames, missing frames */
  guint64 lines, lost;                     /* written to the file, and lost */
  gboolean is_torn;                        /* the file has a part of a lost line */
  gint fd;                                 /* the file, for its last line; -1: none */
  ResultMark mark;                         /* of the file */
  guint64 start, position;                 /* ns, or bytes */
  gchar *backend, *device;
  GstClockTimeDiff offset; /* the detected offset of the reference; 0: none */
} Measurement;

static const gchar description[] = "Examples:\n"
                                   "  cudahisto measure film.mp4                  each frame: film.jsonl\n"
                                   "  cudahisto measure film.mp4 -i 1s            one result per second of film\n"
                                   "  cudahisto measure *.mkv -o results/         several films, one file each\n"
                                   "  cudahisto measure film.mov -s signalstats   statistics of FFmpeg's signalstats\n"
                                   "  cudahisto measure film.mp4 -e black+freeze  also detect black and freezes\n"
                                   "  cudahisto measure new.mp4 -r old.mp4        compare each frame with old.mp4\n"
                                   "  cudahisto measure 'shot.%04d.png' -f 24     image sequence, or a folder of one\n"
                                   "  cudahisto measure film.mp4 --keyframes      only key frames, of a long film\n"
                                   "  cudahisto measure film.mp4 --from=1h        from one hour on\n"
                                   "  cudahisto measure --bytes disk.img          any file, as bytes\n"
                                   "  ffmpeg ... -f matroska - | cudahisto measure - | jq .components.Y.mean\n"
                                   "\n"
                                   "Measures anything GStreamer can decode: files, URIs (https, rtsp, srt), devices\n"
                                   "(/dev/video0), - (stdin). Writes one JSON line per frame to FILM.jsonl in the\n"
                                   "current folder; results of - go to stdout.\n"
                                   "\n"
                                   "measure overwrites a file only if measure wrote it and it is unchanged, or if a\n"
                                   "measurement was killed while it wrote the file. --force overwrites any file\n"
                                   "except an input.\n"
                                   "\n"
                                   "With -r, measure finds the offset of the reference in the first seconds of both\n"
                                   "films, unless you set the offset, or reference-mode with --set.\n"
                                   "\n"
                                   "Ctrl-C stops it. The file keeps all results so far; its last line is the event\n"
                                   "`incomplete`. A second Ctrl-C stops at once. SIGUSR1 closes the file and opens\n"
                                   "it again, for log rotation.\n"
                                   "\n"
                                   "Exit status: 0: every film is complete; 1: a film is damaged, truncated or lacks\n"
                                   "pictures; 2: error.";

/* ---- output files -------------------------------------------------------------------------------------------------- */

/* "film" for "film.mp4"; NULL: there is no name. */
static gchar *
measure_get_stem (const gchar *where)
{
  g_autofree gchar *name = NULL;
  gchar *dot;

  if (sequence_is_location (where))
    return sequence_get_stem (where);
  name = location_get_file_name (where);
  dot = name != NULL ? strrchr (name, '.') : NULL;
  if (dot != NULL && dot != name)
    *dot = '\0';
  return g_steal_pointer (&name);
}

static gboolean
measure_is_folder (const gchar *output)
{
  return g_str_has_suffix (output, G_DIR_SEPARATOR_S) || g_file_test (output, G_FILE_TEST_IS_DIR);
}

/* Returns the output location of an input; NULL with an error. */
static gchar *
measure_plan_output (const MeasureOptions *options, const gchar *where, gboolean is_only, GError **error)
{
  const gchar *output = options->output;
  g_autofree gchar *stem = NULL, *file = NULL;

  if (output != NULL && !measure_is_folder (output)) {
    if (is_only)
      return g_strdup (output);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "%s %s is not a folder, and the results of several films need one: end its name with / to create it.",
                 "--output", output);
    return NULL;
  }
  if (g_str_equal (where, "-"))
    return output != NULL ? g_build_filename (output, "stdin" SUFFIX, NULL) : g_strdup ("-");
  stem = measure_get_stem (where);
  if (stem == NULL) {
    g_autofree gchar *name = location_name (where);

    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "\"%s\" has no name for the file of results: use --output FILE.", name);
    return NULL;
  }
  file = g_strconcat (stem, SUFFIX, NULL);
  return output != NULL ? g_build_filename (output, file, NULL) : g_steal_pointer (&file);
}

/* Returns an output for each input, all different, and creates the folder. NULL: an error was reported. */
static gchar **
measure_plan_outputs (const MeasureOptions *options, gchar **inputs, guint count)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (g_str_hash, g_str_equal);
  g_auto (GStrv) outputs = g_new0 (gchar *, count + 1);

  for (guint i = 0; i < count; i++) {
    g_autoptr (GError) error = NULL;
    const gchar *before;

    outputs[i] = measure_plan_output (options, inputs[i], count == 1, &error);
    if (outputs[i] == NULL) {
      command_fail ("%s", error->message);
      return NULL;
    }
    before = g_hash_table_lookup (taken, outputs[i]);
    if (before != NULL) {
      g_autofree gchar *first = location_name (before), *second = location_name (inputs[i]);

      command_fail ("the results of \"%s\" and \"%s\" would both be in %s: measure them one by one, with --output.", first,
                    second, outputs[i]);
      return NULL;
    }
    g_hash_table_insert (taken, outputs[i], inputs[i]);
  }
  if (options->output != NULL && measure_is_folder (options->output) && g_mkdir_with_parents (options->output, 0777) != 0) {
    command_fail ("--output: cannot create the folder \"%s\": %s.", options->output, g_strerror (errno));
    return NULL;
  }
  return g_steal_pointer (&outputs);
}

/* ---- the element --------------------------------------------------------------------------------------------------- */

static gboolean
measure_is_auto (const MeasureOptions *options)
{
  return g_strcmp0 (options->reference_offset, "auto") == 0;
}

static gboolean
measure_set_offset (const MeasureOptions *options, GstElement *histo, GError **error)
{
  gint64 offset = 0;

  if (options->reference_offset == NULL)
    return TRUE;
  if (settings_has_assignment (options->assignments, "reference-offset")) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "--reference-offset and --set reference-offset contradict each other: omit one of them.");
    return FALSE;
  }
  if (!measure_is_auto (options) && !settings_parse_offset ("--reference-offset", options->reference_offset, &offset, error))
    return FALSE;
  g_object_set (histo, "reference-offset", offset, NULL);
  return TRUE;
}

static gboolean
measure_check_mode (const MeasureOptions *options, GstElement *histo, GError **error)
{
  GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (histo), "reference-mode");
  const GEnumValue *fixed = g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (property)->enum_class, "fixed");
  gint mode;

  g_object_get (histo, "reference-mode", &mode, NULL);
  if (options->reference_offset == NULL || mode != fixed->value)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "--reference-offset has no effect with --set reference-mode=fixed, which compares all frames with the first one "
               "of the reference: omit one of them.");
  return FALSE;
}

/* Writes the arrays that the user has requested by their statistics, unless the user has set which arrays are written. */
static void
measure_keep_arrays (const MeasureOptions *options, GstElement *histo)
{
  const guint arrays = STATISTIC_WAVEFORM | STATISTIC_VECTORSCOPE | STATISTIC_ROW_SUMS | STATISTIC_COLUMN_SUMS;
  guint statistics;

  g_object_get (histo, "statistics", &statistics, NULL);
  if ((statistics & arrays) != 0 && !settings_has_assignment (options->assignments, "sidecar-arrays"))
    gst_util_set_object_arg (G_OBJECT (histo), "sidecar-arrays", "all");
}

/* Returns the flag of damage events. */
static guint
measure_get_damaged (GstElement *histo)
{
  GParamSpec *events = g_object_class_find_property (G_OBJECT_GET_CLASS (histo), "events");

  return g_flags_get_value_by_nick (G_PARAM_SPEC_FLAGS (events)->flags_class, "damaged")->value;
}

static void
measure_set_sampling (const MeasureOptions *options, GstElement *histo)
{
  g_autofree gchar *sampling = sampling_describe (&options->sampling);

  g_object_set (histo, "every", options->sampling.step, "input-sampling", sampling, NULL);
}

/* The element has the events that the user has set. With --every, damage is found in all frames. */
static gboolean
measure_check_events (const MeasureOptions *options, GstElement *histo, GError **error)
{
  const guint possible = options->sampling.is_of_keys ? 0 : measure_get_damaged (histo);
  guint events;

  g_object_get (histo, "events", &events, NULL);
  if (!sampling_has_gaps (&options->sampling) || (events & ~possible) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "--events needs every frame, and %s omits frames: set --from and --to to detect events in a part of the film.",
               options->sampling.is_of_keys ? "--keyframes" : "--every");
  return FALSE;
}

static gboolean
measure_apply (const MeasureOptions *options, GstElement *histo, GError **error)
{
  const struct {
    const gchar *option, *property, *text;
  } settings[] = {
    { "--statistics", "statistics", options->statistics },
    { "--events", "events", options->events },
    { "--reference", "reference-location", options->reference },
    { "--backend", "backend", options->backend },
    { "--bins", "bins", options->bins },
    { "--fields", "fields", options->fields },
  };
  guint64 interval;

  /* Do not lose lines: wait for a slow reader. */
  g_object_set (histo, "post-messages", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (histo), "sidecar-slow", "block");
  if (options->is_forced)
    gst_util_set_object_arg (G_OBJECT (histo), "sidecar-mode", "overwrite");
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (settings[i].text != NULL && !settings_set (histo, settings[i].option, settings[i].property, settings[i].text, error))
      return FALSE;
  if (options->statistics == NULL && !options->is_bytes)
    gst_util_set_object_arg (G_OBJECT (histo), "statistics", "basic+hdr");
  if (!measure_set_offset (options, histo, error))
    return FALSE;
  if (options->interval != NULL) {
    if (!settings_parse_time ("--interval", options->interval, &interval, error))
      return FALSE;
    g_object_set (histo, "interval", interval, NULL);
  }
  measure_set_sampling (options, histo);
  for (guint i = 0; options->assignments != NULL && options->assignments[i] != NULL; i++)
    if (!settings_assign (histo, "--set", options->assignments[i], error))
      return FALSE;
  measure_keep_arrays (options, histo);
  return measure_check_mode (options, histo, error) && measure_check_events (options, histo, error);
}

/* Always enables damage events. */
static void
measure_ask_for_damage (GstElement *histo)
{
  guint asked;

  g_object_get (histo, "events", &asked, NULL);
  g_object_set (histo, "events", asked | measure_get_damaged (histo), NULL);
}

/* Returns a floating reference; NULL: an error was reported. */
static GstElement *
measure_make_element (const MeasureOptions *options)
{
  GstElement *histo = gst_element_factory_make ("cudahisto", "cudahisto0");
  g_autoptr (GError) error = NULL;

  if (histo != NULL && measure_apply (options, histo, &error)) {
    if (!options->is_bytes && !options->sampling.is_of_keys)
      measure_ask_for_damage (histo);
    return histo;
  }
  command_fail ("%s", histo != NULL ? error->message : "the element cudahisto cannot be created.");
  if (histo != NULL)
    gst_object_unref (gst_object_ref_sink (histo));
  return NULL;
}

/* Returns a second element that stays idle and keeps the GPU driver open between inputs, since opening takes long. NULL: no GPU
 * is used. */
static GstElement *
measure_hold_gpu (const MeasureOptions *options)
{
  GstElement *histo = measure_make_element (options);
  g_autofree gchar *backend = NULL;

  g_object_set (histo, "reference-location", NULL, NULL);
  gst_object_ref_sink (histo);
  gst_element_set_state (histo, GST_STATE_PAUSED);
  g_object_get (histo, "active-backend", &backend, NULL);
  if (g_strcmp0 (backend, "cuda") == 0)
    return histo;
  gst_element_set_state (histo, GST_STATE_NULL);
  gst_object_unref (histo);
  return NULL;
}

static void
measure_read_stats (Measurement *measurement)
{
  g_autoptr (GstStructure) stats = NULL;
  const gchar *backend, *device;

  g_object_get (measurement->histo, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "frames-reported", &measurement->frames);
  gst_structure_get_uint64 (stats, "frames-skipped", &measurement->skipped);
  gst_structure_get_uint64 (stats, "damages", &measurement->damages);
  gst_structure_get_uint64 (stats, "frames-damaged", &measurement->damaged);
  gst_structure_get_uint64 (stats, "frames-missing", &measurement->missing);
  gst_structure_get_uint64 (stats, "bytes-counted", &measurement->bytes);
  gst_structure_get_uint64 (stats, "results", &measurement->results);
  gst_structure_get_uint64 (stats, "sidecar-lines", &measurement->lines);
  gst_structure_get_uint64 (stats, "sidecar-dropped", &measurement->lost);
  gst_structure_get_boolean (stats, "sidecar-torn", &measurement->is_torn);
  backend = gst_structure_get_string (stats, "backend");
  device = gst_structure_get_string (stats, "device");
  if (backend != NULL) {
    g_free (measurement->backend);
    g_free (measurement->device);
    measurement->backend = g_strdup (backend);
    measurement->device = g_strdup (device);
  }
}

/* ---- messages ------------------------------------------------------------------------------------------------------ */

static void
measure_show_progress (guint64 position, guint64 duration, gpointer data)
{
  Measurement *measurement = data;
  const gboolean is_bytes = measurement->options->is_bytes;
  const PartLimits *part = &measurement->options->sampling.part;
  const guint64 from = GST_CLOCK_TIME_IS_VALID (part->from) ? part->from : 0;
  const guint64 end = MIN (duration, part->to); /* GST_CLOCK_TIME_NONE is the largest */
  g_autofree gchar *line = NULL;
  Progress progress;

  if (GST_CLOCK_TIME_IS_VALID (position))
    measurement->position = position;
  measure_read_stats (measurement);
  mark_follow (measurement->location, &measurement->fd);
  if (measurement->fd >= 0 && measurement->lines > 0)
    result_mark_keep (&measurement->mark, measurement->fd);
  if (measurement->options->is_quiet || !terminal_can_redraw (STDERR_FILENO))
    return;
  progress = (Progress){
    .name = measurement->name,
    .index = measurement->index,
    .count = measurement->count,
    .unit = is_bytes ? "MB" : "frames",
    .done = is_bytes ? (gdouble)measurement->bytes / 1e6 : (gdouble)measurement->frames,
    .position = GST_CLOCK_TIME_IS_VALID (position) && position > from ? (gdouble)(position - from) : 0,
    .length = GST_CLOCK_TIME_IS_VALID (end) && end > from ? (gdouble)(end - from) : 0,
    .elapsed = (gdouble)(g_get_monotonic_time () - measurement->began_us) / 1e6,
  };
  line = progress_describe (&progress, terminal_get_line_width (STDERR_FILENO));
  terminal_draw_line (STDERR_FILENO, line);
}

/* " (every=10)"; NULL: all frames are measured. */
static gchar *
measure_describe_sampling (const Measurement *measurement)
{
  const Sampling *sampling = &measurement->options->sampling;
  g_autofree gchar *part = sampling_describe (sampling);

  if (sampling->step == 1)
    return part != NULL ? g_strdup_printf (" (%s)", part) : NULL;
  return g_strdup_printf (" (every=%u%s%s)", sampling->step, part != NULL ? "+" : "", part != NULL ? part : "");
}

static gchar *
measure_describe_amount (const Measurement *measurement)
{
  const gdouble seconds = MAX (measurement->seconds, 1e-6);
  guint64 promised = measurement->frames + measurement->skipped + measurement->missing;
  g_autofree gchar *film = NULL, *damaged = NULL, *of = NULL, *sampling = NULL;

  if (measurement->options->is_bytes)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " bytes in %.2f s (%.0f MB/s)", measurement->bytes, seconds,
                            (gdouble)measurement->bytes / 1e6 / seconds);
  if (GST_CLOCK_TIME_IS_VALID (measurement->start) && measurement->position > measurement->start)
    film = g_strdup_printf (", %.2f s of film,", (gdouble)(measurement->position - measurement->start) / (gdouble)GST_SECOND);
  sampling = measure_describe_sampling (measurement);
  if (sampling != NULL)
    promised = measurement->frames;
  else if (measurement->missing > 0)
    of = g_strdup_printf (" of %" G_GUINT64_FORMAT, promised);
  if (measurement->damaged > 0)
    damaged = g_strdup_printf (", %" G_GUINT64_FORMAT " damaged%s", measurement->damaged, film != NULL ? "" : ",");
  return g_strdup_printf ("%" G_GUINT64_FORMAT "%s %s%s%s%s in %.2f s (%.0f frames/s)", measurement->frames,
                          of != NULL ? of : "", promised == 1 ? "frame" : "frames", sampling != NULL ? sampling : "",
                          damaged != NULL ? damaged : "", film != NULL ? film : "", seconds,
                          (gdouble)measurement->frames / seconds);
}

static void
measure_print_summary (const Measurement *measurement)
{
  g_autofree gchar *amount = measure_describe_amount (measurement);
  g_autofree gchar *location = location_name (measurement->location);

  terminal_clear_line (STDERR_FILENO);
  if (measurement->options->is_quiet)
    return;
  g_printerr ("%s: %s\n  %" G_GUINT64_FORMAT " %s in %s; counted by %s (%s)\n", measurement->name, amount, measurement->results,
              measurement->results == 1 ? "result" : "results",
              g_str_equal (measurement->location, "-") ? "standard output" : location, measurement->backend,
              measurement->device);
  if (measurement->offset != 0) {
    g_autofree gchar *reference = location_name (measurement->options->reference);

    g_printerr ("  compared with %s: %.3f s of the %s is 0 s of the %s (--reference-offset=%" G_GINT64_FORMAT "ns)\n",
                reference, (gdouble)ABS (measurement->offset) / GST_SECOND, measurement->offset > 0 ? "film" : "reference",
                measurement->offset > 0 ? "reference" : "film", measurement->offset);
  }
}

/* ---- one input, all inputs ----------------------------------------------------------------------------------------- */

static CommandStatus
measure_conclude (Measurement *measurement, PlayerEnd end, const GError *error)
{
  const gboolean is_bytes = measurement->options->is_bytes;
  const GstClockTime time = is_bytes ? GST_CLOCK_TIME_NONE : measurement->position;
  g_autofree gchar *reason = NULL;

  if (end == PLAYER_EOS && measurement->lines > 0 && !result_file_check (measurement->location, measurement->fd))
    return COMMAND_ERROR;
  if (end == PLAYER_EOS && measurement->frames > 0) {
    measure_print_summary (measurement);
    return measurement->damages > 0 || player_is_cut (measurement->player) || player_has_gaps (measurement->player)
               ? COMMAND_FINDING
               : COMMAND_OK;
  }
  terminal_clear_line (STDERR_FILENO);
  if (end == PLAYER_EOS) {
    g_autofree gchar *part = sampling_describe (&measurement->options->sampling);

    return command_fail ("\"%s\" has no frames%s%s.", measurement->name, part != NULL ? " in the part " : "",
                         part != NULL ? part : "");
  }
  reason = end == PLAYER_ERROR ? g_strdup (error->message) : g_strdup_printf ("ended by %s", interrupt_get_name ());
  if (end == PLAYER_ERROR)
    command_fail ("%s%s", error->message, result_file_is_refused (error) ? " --force overwrites it." : "");
  if (measurement->lines > 0 || measurement->is_torn) {
    const gint fd = g_str_equal (measurement->location, "-") ? STDOUT_FILENO : measurement->fd;
    const gboolean is_marked = mark_incomplete (fd, GST_OBJECT_NAME (measurement->histo), measurement->frames, time, reason,
                                                measurement->lost, measurement->is_torn);
    g_autofree gchar *amount = measure_describe_amount (measurement);

    if (!is_marked && end == PLAYER_ERROR && fd == STDOUT_FILENO)
      return COMMAND_ERROR; /* the reader is gone, which is the error */
    return command_fail ("\"%s\" was measured in part, %s; %s", measurement->name, amount,
                         is_marked ? "the last line of the results says so."
                                   : "no line of the results says so, since it could not be written.");
  }
  return end == PLAYER_ERROR ? COMMAND_ERROR : command_fail ("\"%s\" was not measured.", measurement->name);
}

static void
measure_interrupt (gpointer data)
{
  player_interrupt (data);
}

/* Returns whether playback waits for the reader of a full pipe. */
static gboolean
measure_is_held_up (gpointer data)
{
  const Measurement *measurement = data;
  struct pollfd place = { .fd = g_str_equal (measurement->location, "-") ? STDOUT_FILENO : measurement->fd, .events = POLLOUT };

  return place.fd >= 0 && poll (&place, 1, 0) == 0;
}

/* For log rotation: closes the renamed file and opens a new one. */
static gboolean
measure_reopen (gpointer data)
{
  const Measurement *measurement = *(Measurement **)data;
  gboolean is_open = TRUE;

  if (measurement != NULL)
    g_signal_emit_by_name (measurement->histo, "reopen-sidecar", &is_open);
  if (!is_open)
    command_warn ("\"%s\" could not be reopened.", measurement->location);
  return G_SOURCE_CONTINUE;
}

/* Sets the input's name in the lines, which `report` and `csv` use, unless the user has set one. */
static void
measure_set_input_name (GstElement *histo, const gchar *where)
{
  g_autofree gchar *file = location_get_file_name (where), *name = file != NULL ? g_filename_display_name (file) : NULL;
  g_autofree gchar *set = NULL;

  g_object_get (histo, "input-name", &set, NULL);
  if (set == NULL)
    g_object_set (histo, "input-name", name, NULL);
}

/* Returns whether the user has set how to compare. */
static gboolean
measure_sets_offset (const MeasureOptions *options)
{
  if (options->reference_offset != NULL)
    return !measure_is_auto (options);
  return settings_has_assignment (options->assignments, "reference-offset")
         || settings_has_assignment (options->assignments, "reference-mode");
}

static gboolean
measure_find_offset (Measurement *measurement, gboolean *moves)
{
  const MeasureOptions *options = measurement->options;
  g_autoptr (GArray) film = NULL, reference = NULL;

  return (reference = signature_read (options->reference, ALIGNMENT_FRAMES, ALIGNMENT_SPAN, options->timeout_ns)) != NULL
         && (film = signature_read (measurement->where, ALIGNMENT_FRAMES, ALIGNMENT_SPAN, options->timeout_ns)) != NULL
         && alignment_find (film, reference, &measurement->offset, moves);
}

static void
measure_align (Measurement *measurement, GstElement *histo)
{
  const MeasureOptions *options = measurement->options;
  gboolean moves = FALSE;

  if (options->reference == NULL || options->is_bytes || measure_sets_offset (options))
    return;
  if (measure_find_offset (measurement, &moves)) {
    g_object_set (histo, "reference-offset", measurement->offset, NULL);
  } else if ((moves || measure_is_auto (options)) && interrupt_get () == 0) {
    g_autofree gchar *name = location_name (measurement->where);

    command_warn ("\"%s\": found no unique offset of the reference. Frames with the same stream time are compared. If they "
                  "do not correspond, set --reference-offset to a time, such as 40ms.",
                  name);
  }
}

static CommandStatus
measure_one (Measurement *measurement, Measurement **current)
{
  const PlayerOptions player_options = {
    .is_bytes = measurement->options->is_bytes,
    .timeout = measurement->options->timeout_ns,
    .end_timeout = measurement->options->timeout_ns > 0 ? measurement->options->timeout_ns : TIMEOUT,
    .is_of_keys = measurement->options->sampling.is_of_keys,
    .part = measurement->options->sampling.is_part ? &measurement->options->sampling.part : NULL,
    .framerate_numerator = measurement->options->framerate_numerator,
    .framerate_denominator = measurement->options->framerate_denominator,
    .is_held_up = measure_is_held_up,
    .progress = measure_show_progress,
    .data = measurement,
  };
  g_autoptr (GError) error = NULL;
  GstElement *histo;
  GstClockTime reached;
  CommandStatus status;
  PlayerEnd end;

  histo = measure_make_element (measurement->options);
  if ((measurement->options->is_forced || g_str_equal (measurement->location, "-"))
      && !result_file_check_inputs (measurement->location, measurement->where, histo, &error)) {
    gst_object_unref (gst_object_ref_sink (histo));
    return command_fail ("%s", error->message);
  }
  if (!result_mark_begin (&measurement->mark, measurement->location, histo, &error)) {
    gst_object_unref (gst_object_ref_sink (histo));
    return command_fail ("%s", error->message);
  }
  measure_set_input_name (histo, measurement->where);
  measure_align (measurement, histo);
  g_object_set (histo, "sidecar-location", measurement->location, NULL);
  measurement->player = player_new (measurement->where, histo, &player_options, &error);
  if (measurement->player == NULL) {
    result_mark_end (&measurement->mark, measurement->location, -1, FALSE);
    return interrupt_get () != 0 ? COMMAND_ERROR : command_fail ("%s", error->message);
  }
  measurement->name = location_name (measurement->where);
  measurement->histo = histo;
  measurement->began_us = g_get_monotonic_time ();
  *current = measurement;
  interrupt_catch (measure_interrupt, measurement->player);
  if (interrupt_get () != 0)
    player_interrupt (measurement->player);
  end = player_run (measurement->player, &error);
  if (end == PLAYER_ERROR && interrupt_get () != 0) /* the signal is the reason */
    end = PLAYER_INTERRUPTED;
  interrupt_catch (NULL, NULL);
  *current = NULL;
  measurement->seconds = (gdouble)(g_get_monotonic_time () - measurement->began_us) / 1e6;
  measurement->start = player_get_start (measurement->player);
  measure_read_stats (measurement);
  reached = player_get_end (measurement->player, measurement->frames + measurement->skipped);
  if (GST_CLOCK_TIME_IS_VALID (reached)) /* frames arrived during the stop */
    measurement->position = reached;
  status = measure_conclude (measurement, end, error);
  player_free (measurement->player);
  result_mark_end (&measurement->mark, measurement->location, measurement->fd, measurement->lines > 0);
  if (measurement->fd >= 0)
    close (measurement->fd);
  g_free (measurement->name);
  g_free (measurement->backend);
  g_free (measurement->device);
  return status;
}

static CommandStatus
measure_all (const MeasureOptions *options, gchar **inputs, guint count)
{
  g_auto (GStrv) outputs = measure_plan_outputs (options, inputs, count);
  GstElement *histo, *holder = NULL;
  CommandStatus status = COMMAND_OK;
  static Measurement *current = NULL;

  if (outputs == NULL || !command_init_plugins () || (histo = measure_make_element (options)) == NULL)
    return COMMAND_ERROR;
  gst_object_unref (gst_object_ref_sink (histo)); /* the options are valid */
  interrupt_catch (NULL, NULL);
  if (count > 1)
    holder = measure_hold_gpu (options);
  g_unix_signal_add (SIGUSR1, measure_reopen, &current); /* never removed: without it the signal would end the process */
  for (guint i = 0; i < count && interrupt_get () == 0; i++) {
    Measurement measurement
        = { .options = options, .where = inputs[i], .location = outputs[i], .index = i, .count = count, .fd = -1 };

    const CommandStatus ended = measure_one (&measurement, &current);

    status = MAX (status, ended);
  }
  if (holder != NULL) {
    gst_element_set_state (holder, GST_STATE_NULL);
    gst_object_unref (holder);
  }
  return status;
}

/* Returns whether one of the statistics, which + joins, is `help`. */
static gboolean
measure_is_help (const gchar *statistics)
{
  g_auto (GStrv) words = g_strsplit (statistics != NULL ? statistics : "", "+", -1);

  return g_strv_contains ((const gchar *const *)words, "help");
}

/* Prints a line for each statistic and set. */
static CommandStatus
measure_list_statistics (void)
{
  for (const StatisticDescription *one = statistic_descriptions; one->nick != NULL; one++)
    g_print ("%-16s %s\n", one->nick, one->blurb);
  return command_finish_output (COMMAND_OK);
}

static CommandStatus
measure_run (int argc, char **argv)
{
  MeasureOptions options = { .timeout_ns = TIMEOUT };
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "File or folder; FOLDER/ is created; -: stdout",
      "FILE|FOLDER" },
    { "interval", 'i', 0, G_OPTION_ARG_STRING, &options.interval, "Duration of each result: 1s, 500ms", "TIME" },
    { "statistics", 's', 0, G_OPTION_ARG_STRING, &options.statistics, "Statistics, joined by + (help: list them)", "LIST" },
    { "events", 'e', 0, G_OPTION_ARG_STRING, &options.events, "Detect black+freeze+scene-change+clipped", "LIST" },
    { "reference", 'r', 0, G_OPTION_ARG_FILENAME, &options.reference, "Compare each frame with this film", "FILE|URI" },
    { "reference-offset", 0, 0, G_OPTION_ARG_STRING, &options.reference_offset, "Offset of the reference: 40ms; auto (default)",
      "TIME" },
    { "backend", 'b', 0, G_OPTION_ARG_STRING, &options.backend, "Backend: auto, cuda, cpu, reference", "NAME" },
    { "bins", 0, 0, G_OPTION_ARG_STRING, &options.bins, "Bins in reported histograms: 256 or native", "NUMBER" },
    { "fields", 0, 0, G_OPTION_ARG_STRING, &options.fields, "Fields of interlaced frames: together or apart", "HOW" },
    { "framerate", 'f', 0, G_OPTION_ARG_STRING, &options.framerate, "Frame rate of an image sequence (default: 25)", "RATE" },
    { "from", 0, 0, G_OPTION_ARG_STRING, &options.sampling.from, "Measure from this time of the film on: 90s, 1min", "TIME" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &options.sampling.to, "Stop before this time of the film", "TIME" },
    { "head", 0, 0, G_OPTION_ARG_STRING, &options.sampling.head, "Stop after N frames, or a time: 100, 10s", "N|TIME" },
    { "keyframes", 0, 0, G_OPTION_ARG_NONE, &options.sampling.is_of_keys, "Decode and measure only key frames", NULL },
    { "every", 0, 0, G_OPTION_ARG_STRING, &options.sampling.every, "Measure one frame of N", "N" },
    { "timeout", 't', 0, G_OPTION_ARG_STRING, &options.timeout, "Fail after TIME without data (30s; 0: never)", "TIME" },
    { "bytes", 0, 0, G_OPTION_ARG_NONE, &options.is_bytes, "Measure bytes, without decoding", NULL },
    { "set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.assignments, "Set a property of the element", "NAME=VALUE" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options.is_forced, "Overwrite any file, except an input", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.is_quiet, "No progress, no summary", NULL },
    G_OPTION_ENTRY_NULL,
  };
  CommandStatus status;

  signal (SIGUSR1, SIG_IGN); /* until there is a file to reopen */
  if (!command_parse (&command_measure, entries, description, &argc, &argv, &status))
    return status;
  if (measure_is_help (options.statistics))
    status = measure_list_statistics ();
  else if (options.timeout != NULL && !settings_parse_time ("--timeout", options.timeout, &options.timeout_ns, &error))
    status = command_fail ("%s", error->message);
  else if (options.framerate != NULL
           && !settings_parse_rate ("--framerate", options.framerate, &options.framerate_numerator,
                                    &options.framerate_denominator, &error))
    status = command_fail ("%s", error->message);
  else if (options.reference_offset != NULL && options.reference == NULL)
    status = command_fail ("--reference-offset needs a reference: set --reference.");
  else if (!sampling_parse (&options.sampling, &error))
    status = command_fail ("%s", error->message);
  else if (options.is_bytes && (options.sampling.is_part || options.sampling.step > 1))
    status = command_fail ("--every, --keyframes, --from, --to and --head select frames: omit them, or --bytes.");
  else if (argc < 2)
    status = command_fail ("measure: name a film, or - for standard input. `cudahisto measure --help` has examples.");
  else
    status = measure_all (&options, argv + 1, (guint)argc - 1);
  g_free (options.output);
  g_free (options.statistics);
  g_free (options.events);
  g_free (options.interval);
  g_free (options.reference);
  g_free (options.reference_offset);
  g_free (options.backend);
  g_free (options.bins);
  g_free (options.fields);
  g_free (options.timeout);
  g_free (options.framerate);
  g_strfreev (options.assignments);
  sampling_clear (&options.sampling);
  return status;
}

const Command command_measure = {
  .name = "measure",
  .usage = "FILE|FOLDER|URI|-...",
  .summary = "Measure films, cameras or bytes, each into its own file",
  .run = measure_run,
};
