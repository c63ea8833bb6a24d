/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/weights.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES ((gsize)1 << 20) /* 65536 lines of 16 characters */

/* Reads `size` bytes, or to the end of the file. Returns the number of bytes, or -1 with errno. */
static gssize
gst_cuda_histo_weights_read_all (gint fd, gchar *data, gsize size)
{
  gsize got = 0;
  gssize part;

  do {
    part = read (fd, data + got, size - got);
    if (part > 0)
      got += (gsize)part;
  } while (got < size && (part > 0 || (part < 0 && errno == EINTR)));
  return part < 0 ? -1 : (gssize)got;
}

/* Reads an open file, as gst_cuda_histo_weights_load() does. The caller owns *reason. */
static gchar *
gst_cuda_histo_weights_load_open (gint fd, gsize most_bytes, gsize *size_bytes, gchar **reason)
{
  struct stat status;
  gchar *contents;
  gssize got;

  if (fd < 0 || fstat (fd, &status) != 0) {
    *reason = g_strdup (g_strerror (errno));
    return NULL;
  }
  if (!S_ISREG (status.st_mode)) {
    *reason = g_strdup ("it is not a regular file");
    return NULL;
  }
  if ((guint64)status.st_size > most_bytes) {
    *reason = g_strdup_printf ("it has more than %" G_GSIZE_FORMAT " MiB", most_bytes >> 20);
    return NULL;
  }
  contents = g_try_malloc0 ((gsize)status.st_size + 1);
  if (contents == NULL) {
    *reason = g_strdup (g_strerror (ENOMEM));
    return NULL;
  }
  got = gst_cuda_histo_weights_read_all (fd, contents, (gsize)status.st_size);
  if (got < 0) {
    *reason = g_strdup (g_strerror (errno));
    g_free (contents);
    return NULL;
  }
  *size_bytes = (gsize)got;
  return contents;
}

gchar *
gst_cuda_histo_weights_load (const gchar *location, gsize most_bytes, gsize *size_bytes, GError **error)
{
  const gint fd = g_open (location, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  g_autofree gchar *reason = NULL;
  gchar *contents = gst_cuda_histo_weights_load_open (fd, most_bytes, size_bytes, &reason);

  if (fd >= 0)
    close (fd);
  if (contents == NULL)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, "Cannot read the weights in \"%s\": %s.", location,
                 reason);
  return contents;
}

/* Reads the integer of a line, and moves *text after the line. */
static gboolean
gst_cuda_histo_weights_parse_line (gchar **text, gint16 *weight)
{
  gchar *end;
  gint64 value;

  while (**text == ' ' || **text == '\t')
    (*text)++;
  value = g_ascii_strtoll (*text, &end, 10); /* strtoll() would skip a blank line and read the next */
  if (end == *text || g_ascii_isspace (**text) || value < G_MININT16 || value > G_MAXINT16)
    return FALSE;
  while (*end == ' ' || *end == '\t' || *end == '\r')
    end++;
  if (*end != '\n' && *end != '\0')
    return FALSE;
  *weight = (gint16)value;
  *text = end + (*end == '\n');
  return TRUE;
}

GArray *
gst_cuda_histo_weights_read (const gchar *location, GError **error)
{
  g_autoptr (GArray) weights = g_array_new (FALSE, FALSE, sizeof (gint16));
  gsize size;
  gchar *text;
  g_autofree gchar *contents = gst_cuda_histo_weights_load (location, MAX_BYTES, &size, error);

  if (contents == NULL)
    return NULL;
  for (text = contents; text < contents + size;) {
    gint16 weight;

    if (!gst_cuda_histo_weights_parse_line (&text, &weight)) {
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                   "Line %u of \"%s\" is not a weight. Write an integer from -32768 to 32767.", weights->len + 1, location);
      return NULL;
    }
    g_array_append_val (weights, weight);
  }
  if (weights->len == 0) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "The file \"%s\" contains no weights.", location);
    return NULL;
  }
  return g_steal_pointer (&weights);
}

GBytes *
gst_cuda_histo_weights_spread (const GArray *weights, guint samples, guint shift, guint phase, guint pixels_each,
                               gboolean is_reversed)
{
  gint16 *spread = g_new0 (gint16, samples);

  for (guint i = 0; i < samples; i++) {
    const guint first = i << shift, pixel = first > phase ? first - phase : 0, at = pixel * pixels_each;

    g_return_val_if_fail (at < weights->len, g_bytes_new_take (spread, samples * sizeof *spread));
    spread[is_reversed ? samples - 1 - i : i] = g_array_index (weights, gint16, at);
  }
  return g_bytes_new_take (spread, samples * sizeof *spread);
}
