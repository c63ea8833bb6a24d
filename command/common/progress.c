/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/progress.h"

#include "common/terminal.h"

#define MOST_BAR 30
#define LEAST_BAR 8
#define LEAST_NAME 8
#define SETTLED 0.5 /* seconds before the speed is shown */

gchar *
progress_format_seconds (gdouble seconds)
{
  const guint64 whole = (guint64)(CLAMP (seconds, 0, 1e9) + 0.5);

  if (whole < 3600)
    return g_strdup_printf ("%" G_GUINT64_FORMAT ":%02u", whole / 60, (guint)(whole % 60));
  return g_strdup_printf ("%" G_GUINT64_FORMAT ":%02u:%02u", whole / 3600, (guint)(whole / 60 % 60), (guint)(whole % 60));
}

static gchar *
progress_describe_speed (const Progress *progress)
{
  const gdouble speed = progress->done / progress->elapsed;

  if (progress->elapsed < SETTLED || progress->done <= 0)
    return g_strdup ("");
  return g_strdup_printf (speed < 10 ? "  %.1f %s/s" : "  %.0f %s/s", speed, progress->unit);
}

/* "45 %" and the time left; without a length, the amount done and the time so far. */
static void
progress_describe_state (const Progress *progress, gdouble fraction, gchar **state, gchar **time)
{
  g_autofree gchar *seconds = NULL;

  if (progress->length <= 0) {
    seconds = progress_format_seconds (progress->elapsed);
    *state = g_strdup_printf ("%.0f %s", progress->done, progress->unit);
    *time = g_strdup_printf ("  %s", seconds);
    return;
  }
  *state = g_strdup_printf ("%3d %%", (gint)(100 * fraction));
  if (progress->elapsed < SETTLED || fraction <= 0) {
    *time = g_strdup ("");
    return;
  }
  seconds = progress_format_seconds (progress->elapsed * (1 - fraction) / fraction);
  *time = g_strdup_printf ("  %s left", seconds);
}

gchar *
progress_describe (const Progress *progress, guint width)
{
  const gdouble fraction = progress->length > 0 ? CLAMP (progress->position / progress->length, 0, 1) : 0;
  g_autofree gchar *speed = progress_describe_speed (progress);
  g_autofree gchar *state = NULL, *time = NULL, *count = NULL, *name = NULL, *bar = NULL;
  g_autoptr (GString) line = g_string_new (NULL);
  guint used, bar_width = 0, name_width = 0;

  progress_describe_state (progress, fraction, &state, &time);
  count = progress->count > 1 ? g_strdup_printf ("%u/%u  ", progress->index + 1, progress->count) : g_strdup ("");
  used = terminal_measure (count) + terminal_measure (state) + terminal_measure (time);
  if (used + terminal_measure (speed) <= width)
    used += terminal_measure (speed);
  else
    speed[0] = '\0';
  if (progress->length > 0 && used + LEAST_BAR + 4 <= width) {
    bar_width = MIN (width - used - 4, MOST_BAR);
    used += bar_width + 4;
  }
  if (used + LEAST_NAME + 2 <= width)
    name_width = width - used - 2;
  g_string_append (line, count);
  if (name_width > 0) {
    name = terminal_cut (progress->name, name_width);
    g_string_append_printf (line, "%s  ", name);
  }
  if (bar_width > 0) {
    bar = terminal_draw_bar (fraction, bar_width);
    g_string_append_printf (line, "[%s]  ", bar);
  }
  g_string_append_printf (line, "%s%s%s", state, speed, time);
  name = (g_free (name), terminal_cut (line->str, width));
  return g_steal_pointer (&name);
}
