/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/weights.h"

/* Reads the integer that a line is, and moves *text behind the line. */
static gboolean
gst_cuda_histo_weights_parse_line (gchar **text, gint16 *weight)
{
  gchar *end;
  const gint64 value = g_ascii_strtoll (*text, &end, 10);

  if (end == *text || value < G_MININT16 || value > G_MAXINT16)
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
  g_autoptr (GError) reason = NULL;
  g_autofree gchar *contents = NULL;
  gsize size;
  gchar *text;

  if (!g_file_get_contents (location, &contents, &size, &reason)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, "The weights in \"%s\" cannot be read: %s.", location,
                 reason->message);
    return NULL;
  }
  for (text = contents; text < contents + size;) {
    gint16 weight;

    if (*text == '\n' || !gst_cuda_histo_weights_parse_line (&text, &weight)) {
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                   "Line %u of \"%s\" is not a weight: an integer from -32768 to 32767.", weights->len + 1, location);
      return NULL;
    }
    g_array_append_val (weights, weight);
  }
  if (weights->len == 0) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "There are no weights in \"%s\".", location);
    return NULL;
  }
  return g_steal_pointer (&weights);
}

GBytes *
gst_cuda_histo_weights_spread (const GArray *weights, guint samples, guint shift, guint phase, guint pixels_each,
                               gboolean is_reversed, guint *n_needed)
{
  gint16 *spread = g_new (gint16, samples);

  *n_needed = 0;
  for (guint i = 0; i < samples; i++) {
    const guint first = i << shift, pixel = first > phase ? first - phase : 0, at = pixel * pixels_each;

    *n_needed = at + 1;
    if (at < weights->len)
      spread[is_reversed ? samples - 1 - i : i] = g_array_index (weights, gint16, at);
  }
  if (*n_needed <= weights->len)
    return g_bytes_new_take (spread, samples * sizeof *spread);
  g_free (spread);
  return NULL;
}
