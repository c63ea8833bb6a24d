/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mark.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"

static gchar *
mark_quote (const gchar *text)
{
  GString *quoted = g_string_new (NULL);

  json_append_text (quoted, text, FALSE);
  return g_string_free (quoted, FALSE);
}

static gchar *
mark_make_line (const gchar *element, guint64 frames, GstClockTime time, const gchar *reason)
{
  g_autofree gchar *start = GST_CLOCK_TIME_IS_VALID (time) ? g_strdup_printf ("%" G_GUINT64_FORMAT, time) : g_strdup ("null");
  g_autofree gchar *quoted_element = mark_quote (element);
  g_autofree gchar *quoted_reason = mark_quote (reason);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree gchar *date = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S.%fZ");

  return g_strdup_printf ("{\"cudahisto\":1,\"event\":\"incomplete\",\"start\":%s,\"end\":null,\"running-time\":null,"
                          "\"end-running-time\":null,\"duration\":null,\"utc-time\":\"%s\",\"frame\":%" G_GUINT64_FORMAT
                          ",\"frames\":0,\"reason\":%s,\"element\":%s}\n",
                          start, date, frames, quoted_reason, quoted_element);
}

static gboolean
mark_write (int fd, const gchar *line)
{
  gsize left = strlen (line);

  while (left > 0) {
    const gssize written = write (fd, line, left);

    if (written < 0 && errno != EINTR)
      return FALSE;
    if (written > 0) {
      line += written;
      left -= (gsize)written;
    }
  }
  return TRUE;
}

gboolean
mark_incomplete (const gchar *location, const gchar *element, guint64 frames, GstClockTime time, const gchar *reason)
{
  g_autofree gchar *line = mark_make_line (element, frames, time, reason);
  gboolean is_written;
  int fd;

  if (g_str_equal (location, "-"))
    return mark_write (STDOUT_FILENO, line);
  fd = open (location, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC); /* a FIFO without a reader is left alone */
  if (fd < 0)
    return FALSE;
  is_written = mark_write (fd, line);
  return close (fd) == 0 && is_written;
}
