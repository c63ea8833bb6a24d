/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `cudahisto watch`: shows the numbers of a film or camera during playback. */

#include <stdio.h>
#include <unistd.h>

#include "common/command.h"
#include "common/interrupt.h"
#include "common/live.h"
#include "common/location.h"
#include "play/player.h"
#include "common/settings.h"
#include "common/terminal.h"

typedef struct {
  gchar *interval, *events, *component, *backend;
  gchar **assignments;
  gboolean is_fast;
} WatchOptions;

typedef struct {
  const WatchOptions *options;
  Player *player;
  gboolean is_terminal, has_colours, has_header;
  guint64 results;
  CommandStatus status;
} Watch;

static const gchar description[] = "Examples:\n"
                                   "  cudahisto watch /dev/video0                a camera, one line that is updated\n"
                                   "  cudahisto watch rtsp://camera/1 -i 1s      one result per second\n"
                                   "  cudahisto watch film.mp4 -e black+freeze   a film as it plays, and its events\n"
                                   "  cudahisto watch film.mp4 --fast | grep ... as fast as it can be decoded\n"
                                   "\n"
                                   "Shows the time; mean, minimum, maximum, 10th, 50th and 90th percentile; and the\n"
                                   "histogram. They are those of luma, or of --component. Minimum and maximum are\n"
                                   "red outside the limited range (luma: 16 to 235). If stdout is not a terminal,\n"
                                   "each result is a new line.";

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

/* Flushes each line to a pipe. If the reader is gone, the watch ends. */
static void
watch_print (Watch *watch, const gchar *line)
{
  if (!interrupt_await_output (STDOUT_FILENO))
    return;
  terminal_clear_line (STDOUT_FILENO);
  g_print ("%s\n", line);
  if (ferror (stdout))
    player_interrupt (watch->player);
}

static void
watch_show_result (Watch *watch, const GstCudaHistoResult *result)
{
  const guint width = watch->is_terminal ? terminal_get_line_width (STDOUT_FILENO) : terminal_get_width (STDOUT_FILENO) - 1;
  g_autofree gchar *line = NULL;
  LiveNumbers numbers;

  if (!live_read (&numbers, result, watch->options->component)) {
    g_autoptr (GString) names = g_string_new (NULL);
    const GstCudaHistoComponent *component;

    for (guint i = 0; (component = gst_cuda_histo_result_get_component (result, i)) != NULL; i++)
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", component->name);
    watch->status = command_fail ("--component: there is no \"%s\". Frames of %s have %s.", watch->options->component,
                                  result->format, names->str);
    player_interrupt (watch->player);
    return;
  }
  watch->results++;
  if (!watch->has_header) {
    g_autofree gchar *header = live_format_header (&numbers, width);

    watch_print (watch, header);
    watch->has_header = TRUE;
  }
  line = live_format (&numbers, width, watch->has_colours);
  if (!watch->is_terminal)
    watch_print (watch, line);
  else if (interrupt_await_output (STDOUT_FILENO))
    terminal_draw_line (STDOUT_FILENO, line);
}

static void
watch_take_message (GstMessage *message, gpointer data)
{
  Watch *watch = data;
  GstCudaHistoResult *result = gst_cuda_histo_result_from_message (message);
  GstCudaHistoEvent *event = result == NULL ? gst_cuda_histo_event_from_message (message) : NULL;

  if (watch->status == COMMAND_OK && result != NULL) {
    watch_show_result (watch, result);
  } else if (event != NULL) {
    g_autofree gchar *line = live_format_event (event);

    watch_print (watch, line);
  }
  g_clear_pointer (&result, gst_cuda_histo_result_unref);
  g_clear_pointer (&event, gst_cuda_histo_event_unref);
}

/* ---- playback ------------------------------------------------------------------------------------------------------ */

static GstElement *
watch_make_element (const WatchOptions *options)
{
  GstElement *histo = gst_object_ref_sink (gst_element_factory_make ("cudahisto", "cudahisto0"));
  g_autoptr (GError) error = NULL;
  gboolean is_set = TRUE;
  guint64 interval;

  gst_util_set_object_arg (G_OBJECT (histo), "message-arrays", "packed");
  if (options->events != NULL)
    is_set = settings_set (histo, "--events", "events", options->events, &error);
  if (is_set && options->backend != NULL)
    is_set = settings_set (histo, "--backend", "backend", options->backend, &error);
  if (is_set && options->interval != NULL
      && (is_set = settings_parse_time ("--interval", options->interval, &interval, &error)))
    g_object_set (histo, "interval", interval, NULL);
  for (guint i = 0; is_set && options->assignments != NULL && options->assignments[i] != NULL; i++)
    is_set = settings_assign (histo, "--set", options->assignments[i], &error);
  if (is_set)
    return histo;
  command_fail ("%s", error->message);
  gst_object_unref (histo);
  return NULL;
}

static void
watch_interrupt (gpointer data)
{
  player_interrupt (data);
}

static CommandStatus
watch_play (const WatchOptions *options, const gchar *where)
{
  Watch watch = { .options = options,
                  .is_terminal = terminal_can_redraw (STDOUT_FILENO),
                  .has_colours = terminal_has_colours (STDOUT_FILENO) };
  const PlayerOptions player_options = { .is_live = !options->is_fast, .message = watch_take_message, .data = &watch };
  g_autoptr (GError) error = NULL;
  GstElement *histo;
  PlayerEnd end;

  if (!command_init_plugins () || (histo = watch_make_element (options)) == NULL)
    return COMMAND_ERROR;
  interrupt_catch (NULL, NULL);
  watch.player = player_new (where, histo, &player_options, &error);
  gst_object_unref (histo);
  if (watch.player == NULL)
    return interrupt_get () != 0 ? COMMAND_ERROR : command_fail ("%s", error->message);
  interrupt_catch (watch_interrupt, watch.player);
  end = player_run (watch.player, &error);
  interrupt_catch (NULL, NULL);
  player_free (watch.player);
  if (interrupt_await_output (STDOUT_FILENO))
    terminal_end_line (STDOUT_FILENO);
  if (end == PLAYER_ERROR && interrupt_get () == 0)
    return command_fail ("%s", error->message);
  if (end == PLAYER_EOS && watch.results == 0) {
    g_autofree gchar *name = location_name (where);

    return command_fail ("\"%s\" has no frames.", name);
  }
  return watch.status;
}

static CommandStatus
watch_run (int argc, char **argv)
{
  WatchOptions options = { .interval = NULL };
  const GOptionEntry entries[] = {
    { "interval", 'i', 0, G_OPTION_ARG_STRING, &options.interval, "Duration of each result: 1s, 500ms", "TIME" },
    { "component", 'c', 0, G_OPTION_ARG_STRING, &options.component, "Component: Y, U, V, R, G, B, A, GRAY, luma", "NAME" },
    { "events", 'e', 0, G_OPTION_ARG_STRING, &options.events, "Report black+freeze+scene-change+clipped", "LIST" },
    { "fast", 'f', 0, G_OPTION_ARG_NONE, &options.is_fast, "Run at decoding speed instead of playback speed", NULL },
    { "backend", 'b', 0, G_OPTION_ARG_STRING, &options.backend, "Backend: auto, cuda, cpu, reference", "NAME" },
    { "set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.assignments, "Set a property of the element", "NAME=VALUE" },
    G_OPTION_ENTRY_NULL,
  };
  CommandStatus status;

  if (!command_parse (&command_watch, entries, description, &argc, &argv, &status))
    return status;
  if (argc != 2)
    status = command_fail ("watch: name one film, URI or device. `cudahisto watch --help` has examples.");
  else
    status = watch_play (&options, argv[1]);
  g_free (options.interval);
  g_free (options.component);
  g_free (options.events);
  g_free (options.backend);
  g_strfreev (options.assignments);
  return status;
}

const Command command_watch = {
  .name = "watch",
  .usage = "FILE|URI|DEVICE|-",
  .summary = "Watch a film or camera in one line that is updated",
  .run = watch_run,
};
