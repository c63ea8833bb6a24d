/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/sampling.h"

#include <gio/gio.h>

#include "common/settings.h"

/* A number is one of frames; a time has a unit. */
static gboolean
sampling_parse_head (Sampling *sampling, GError **error)
{
  guint64 frames;
  gint64 length;

  if (g_ascii_string_to_unsigned (sampling->head, 10, 1, G_MAXINT64, &frames, NULL)) {
    sampling->part.frames = frames - 1 > G_MAXINT64 / sampling->step ? 0 : (frames - 1) * sampling->step + 1;
    return TRUE;
  }
  if (settings_parse_offset ("--head", sampling->head, &length, NULL) && length > 0) {
    sampling->part.length = (GstClockTime)length;
    return TRUE;
  }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "--head: \"%s\" is neither a number of frames nor a time with a unit. Use 100, 10s or 1min, for example.",
               sampling->head);
  return FALSE;
}

static gboolean
sampling_parse_step (Sampling *sampling, GError **error)
{
  guint64 step = 1;

  if (sampling->every != NULL && !g_ascii_string_to_unsigned (sampling->every, 10, 1, G_MAXUINT, &step, NULL)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "--every: \"%s\" is not a whole number from 1 to %u.",
                 sampling->every, G_MAXUINT);
    return FALSE;
  }
  sampling->step = (guint)step;
  return TRUE;
}

gboolean
sampling_parse (Sampling *sampling, GError **error)
{
  PartLimits *part = &sampling->part;

  *part = (PartLimits){ GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, 0, sampling->is_of_keys };
  sampling->is_part = sampling->is_of_keys || sampling->from != NULL || sampling->to != NULL || sampling->head != NULL;
  if (!sampling_parse_step (sampling, error) || (sampling->head != NULL && !sampling_parse_head (sampling, error))
      || (sampling->from != NULL && !settings_parse_time ("--from", sampling->from, &part->from, error))
      || (sampling->to != NULL && !settings_parse_time ("--to", sampling->to, &part->to, error)))
    return FALSE;
  if (sampling->to == NULL || part->to > (sampling->from != NULL ? part->from : 0))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "--to=%s is not after %s%s: there are no frames in between.",
               sampling->to, sampling->from != NULL ? "--from=" : "the beginning",
               sampling->from != NULL ? sampling->from : "");
  return FALSE;
}

gboolean
sampling_has_gaps (const Sampling *sampling)
{
  return sampling->step > 1 || sampling->is_of_keys;
}

/* "1.5s" */
static void
sampling_append_time (GString *text, const gchar *name, GstClockTime time)
{
  g_autofree gchar *fraction = g_strdup_printf (".%09u", (guint)(time % GST_SECOND));
  gsize length = 10;

  while (length > 1 && fraction[length - 1] == '0')
    length--;
  fraction[length > 1 ? length : 0] = '\0';
  g_string_append_printf (text, "+%s=%" G_GUINT64_FORMAT "%ss", name, time / GST_SECOND, fraction);
}

gchar *
sampling_describe (const Sampling *sampling)
{
  GString *text = g_string_new (sampling->is_of_keys ? "+keyframes" : NULL);

  if (sampling->from != NULL)
    sampling_append_time (text, "from", sampling->part.from);
  if (sampling->to != NULL)
    sampling_append_time (text, "to", sampling->part.to);
  if (GST_CLOCK_TIME_IS_VALID (sampling->part.length))
    sampling_append_time (text, "head", sampling->part.length);
  else if (sampling->head != NULL)
    g_string_append_printf (text, "+head=%s", sampling->head);
  g_string_erase (text, 0, MIN (1, text->len));
  return g_string_free (text, text->len == 0);
}

void
sampling_clear (Sampling *sampling)
{
  g_free (sampling->every);
  g_free (sampling->from);
  g_free (sampling->to);
  g_free (sampling->head);
}
