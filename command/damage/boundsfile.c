/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "damage/boundsfile.h"

#include <string.h>
#include <unistd.h>

gboolean
bounds_get_in (BoundsFile *file, BoundsWindow *window, guint64 at, gpointer bytes, gsize count)
{
  gssize got;

  if (at > file->size || count > file->size - at)
    return FALSE;
  if (file->stream != NULL)
    return bounds_stream_get (file->stream, at, bytes, count);
  if (count > BOUNDS_WINDOW)
    return pread (file->fd, bytes, count, (off_t)at) == (gssize)count;
  if (at < window->at || at + count > window->at + window->length) {
    got = pread (file->fd, window->bytes, sizeof window->bytes, (off_t)at);
    window->at = at;
    window->length = got > 0 ? (gsize)got : 0;
    if (count > window->length)
      return FALSE;
  }
  memcpy (bytes, window->bytes + (at - window->at), count);
  return TRUE;
}

gboolean
bounds_get (BoundsFile *file, guint64 at, gpointer bytes, gsize count)
{
  return bounds_get_in (file, &file->window, at, bytes, count);
}

guint64
bounds_get_big (const guint8 *bytes, guint count)
{
  guint64 value = 0;

  for (guint i = 0; i < count; i++)
    value = value << 8 | bytes[i];
  return value;
}
