/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/follow.h"

#include <stdio.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/live.h"
#include "common/terminal.h"

#define PAUSE_MS 50 /* polling interval, short enough for people */

typedef struct {
  Reader *reader;
  const gchar *path, *component;
  GMainLoop *loop;
  gboolean is_terminal, has_colours, has_header;
  guint64 passed_over;
  gchar *line; /* the last result's line, for a terminal */
  gboolean is_drawn;
  CommandStatus status;
} Follow;

static void
follow_print (const gchar *line)
{
  if (!interrupt_await_output (STDOUT_FILENO))
    return;
  terminal_clear_line (STDOUT_FILENO);
  g_print ("%s\n", line);
}

/* Handles a result without the component. If the first result has other components, the name is wrong. */
static void
follow_pass_over (Follow *follow, const GstCudaHistoResult *result)
{
  const Lines *lines = reader_get_lines (follow->reader);

  if (result->components != NULL && !follow->has_header) {
    follow->status = command_fail ("no result has a component \"%s\"", follow->component);
    g_main_loop_quit (follow->loop);
  } else if (follow->passed_over++ == 0) {
    if (result->components != NULL)
      command_warn ("%s: line %" G_GUINT64_FORMAT " has no component \"%s\": this and similar lines are skipped",
                    lines_get_name (lines), lines_get_number (lines), follow->component);
    else
      command_warn ("%s: line %" G_GUINT64_FORMAT " has no known component with a `count`: this and similar lines are skipped",
                    lines_get_name (lines), lines_get_number (lines));
  }
}

static void
follow_take_result (Follow *follow, const GstCudaHistoResult *result)
{
  const guint width = follow->is_terminal ? terminal_get_line_width (STDOUT_FILENO) : terminal_get_width (STDOUT_FILENO) - 1;
  LiveNumbers numbers;

  if (!live_read (&numbers, result, follow->component)) {
    follow_pass_over (follow, result);
    return;
  }
  if (!follow->has_header) {
    g_autofree gchar *header = live_format_header (&numbers, width);

    follow_print (header);
    follow->has_header = TRUE;
  }
  g_free (follow->line);
  follow->line = live_format (&numbers, width, follow->has_colours);
  follow->is_drawn = FALSE;
  if (!follow->is_terminal)
    follow_print (follow->line);
}

static void
follow_take_line (Follow *follow, LinesKind kind, const GstStructure *structure)
{
  GstCudaHistoResult *result = kind == LINES_RESULT ? gst_cuda_histo_result_from_structure (structure) : NULL;
  GstCudaHistoEvent *event = kind == LINES_EVENT ? gst_cuda_histo_event_from_structure (structure) : NULL;

  if (result != NULL) {
    follow_take_result (follow, result);
  } else if (event != NULL) {
    g_autofree gchar *line = live_format_event (event);

    follow_print (line);
    follow->is_drawn = FALSE;
  }
  g_clear_pointer (&result, gst_cuda_histo_result_unref);
  g_clear_pointer (&event, gst_cuda_histo_event_unref);
}

/* Reads new lines. */
static void
follow_read (Follow *follow)
{
  GstStructure *structure;
  LinesKind kind;

  while (follow->status == COMMAND_OK && interrupt_get () == 0 && ferror (stdout) == 0
         && (kind = reader_next (follow->reader, &structure)) != LINES_END) {
    follow_take_line (follow, kind, structure);
    gst_structure_free (structure);
  }
}

/* GSourceFunc. */
static gboolean
follow_look (gpointer data)
{
  Follow *follow = data;
  /* Checked before reading, so that the old file is read to its end. */
  const gboolean was_replaced = lines_was_replaced (reader_get_lines (follow->reader));

  follow_read (follow);
  if (follow->is_terminal && follow->line != NULL && !follow->is_drawn && interrupt_await_output (STDOUT_FILENO)) {
    terminal_draw_line (STDOUT_FILENO, follow->line);
    follow->is_drawn = TRUE;
  }
  if (fflush (stdout) != 0 || ferror (stdout) != 0 || reader_is_over (follow->reader))
    g_main_loop_quit (follow->loop);
  else if (was_replaced && reader_reopen (follow->reader, follow->path))
    command_warn ("%s was replaced or truncated: reading it from its start",
                  lines_get_name (reader_get_lines (follow->reader)));
  return G_SOURCE_CONTINUE;
}

static void
follow_interrupt (gpointer loop)
{
  g_main_loop_quit (loop);
}

CommandStatus
follow_file (Reader *reader, const gchar *path, const gchar *component)
{
  Follow follow = { .reader = reader,
                    .path = path,
                    .component = component,
                    .is_terminal = terminal_can_redraw (STDOUT_FILENO),
                    .has_colours = terminal_has_colours (STDOUT_FILENO) };
  CommandStatus status;
  guint source;

  lines_skip_to_last (reader_get_lines (reader));
  lines_wait_no_more (reader_get_lines (reader));
  follow.loop = g_main_loop_new (NULL, FALSE);
  interrupt_catch (follow_interrupt, follow.loop);
  source = g_timeout_add (PAUSE_MS, follow_look, &follow);
  g_main_loop_run (follow.loop);
  g_source_remove (source);
  interrupt_catch (NULL, NULL);
  g_main_loop_unref (follow.loop);
  if (interrupt_await_output (STDOUT_FILENO))
    terminal_end_line (STDOUT_FILENO);
  g_free (follow.line);
  status = reader_finish (reader);
  return follow.status != COMMAND_OK ? follow.status : status;
}
