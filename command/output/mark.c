/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "output/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines/json.h"

#define PATIENCE (2 * G_USEC_PER_SEC)

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

/* Returns whether the process has the file open other than as `fd`. */
static gboolean
mark_is_in_use (const struct stat *file, gint fd)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  gboolean is_in_use = folder == NULL; /* unknown: assume that it is the named file */
  const gchar *name;
  struct stat other;

  while (!is_in_use && (name = g_dir_read_name (folder)) != NULL) {
    const gint number = (gint)g_ascii_strtoll (name, NULL, 10);

    is_in_use = number != fd && fstat (number, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
  }
  return is_in_use;
}

void
mark_follow (const gchar *location, gint *fd)
{
  struct stat now, held, opened;
  gint other;

  if (g_str_equal (location, "-") || stat (location, &now) != 0)
    return;
  if (*fd >= 0 && fstat (*fd, &held) == 0 && held.st_dev == now.st_dev && held.st_ino == now.st_ino)
    return;
  if (!mark_is_in_use (&now, *fd))
    return;
  other = open (location, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* does not wait for a FIFO's reader */
  if (other < 0)
    return;
  if (fstat (other, &opened) != 0 || opened.st_dev != now.st_dev || opened.st_ino != now.st_ino) {
    close (other);
    return;
  }
  if (*fd >= 0)
    close (*fd);
  *fd = other;
}

/* Waits for a pipe as long as the element does. */
static gboolean
mark_write (gint fd, const gchar *line)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE;
  gsize left = strlen (line);

  while (left > 0) {
    const gint64 remaining = end - g_get_monotonic_time (), wait = MAX (0, remaining);
    struct pollfd place = { .fd = fd, .events = POLLOUT };
    gssize written;

    if (poll (&place, 1, (gint)(wait / 1000)) == 0)
      return FALSE;
    written = write (fd, line, MIN (left, PIPE_BUF)); /* a blocking pipe accepts that many bytes at once */
    if (written < 0 && errno != EINTR && (errno != EAGAIN || wait == 0))
      return FALSE;
    if (written > 0) {
      line += written;
      left -= (gsize)written;
    }
  }
  return TRUE;
}

static gchar *
mark_describe (const gchar *reason, guint64 lost)
{
  if (lost == 0)
    return g_strdup (reason);
  return g_strdup_printf ("%s; the last %" G_GUINT64_FORMAT " %s not written", reason, lost,
                          lost == 1 ? "line was" : "lines were");
}

gboolean
mark_incomplete (gint fd, const gchar *element, guint64 frames, GstClockTime time, const gchar *reason, guint64 lost,
                 gboolean is_torn)
{
  g_autofree gchar *words = mark_describe (reason, lost), *line = mark_make_line (element, frames, time, words);

  return fd >= 0 && (!is_torn || mark_write (fd, "\n")) && mark_write (fd, line);
}
