/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/detected.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define DEFAULT_MINIMUM (2 * GST_SECOND) /* of the element's black-min-duration and freeze-min-duration */
#define LONGEST_MINIMUM 1e9              /* s */

const gchar *const detected_kinds[DETECTED_KINDS + 1] = { "black", "freeze", "scene-change", "clipped", "damaged", NULL };

/* Returns the index of a kind; DETECTED_KINDS: there is no such kind. */
static guint
detected_find_kind (const gchar *kind)
{
  guint i = 0;

  while (i < DETECTED_KINDS && !g_str_equal (detected_kinds[i], kind))
    i++;
  return i;
}

static GstClockTime
detected_get_default (const gchar *kind)
{
  return g_str_equal (kind, "black") || g_str_equal (kind, "freeze") ? DEFAULT_MINIMUM : 0;
}

static gboolean
detected_parse_minimum (const gchar *item, const gchar *text, GstClockTime *minimum, GError **error)
{
  gchar *end;
  const gdouble seconds = g_ascii_strtod (text, &end);

  if (end == text || *end != '\0' || !(seconds >= 0 && seconds <= LONGEST_MINIMUM)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "`%s` has no minimum duration in seconds, such as black:0.5",
                 item);
    return FALSE;
  }
  *minimum = (GstClockTime)llround (seconds * GST_SECOND);
  return TRUE;
}

static gboolean
detected_parse_item (Detected *detected, const gchar *item, GError **error)
{
  const gchar *colon = strchr (item, ':');
  g_autofree gchar *kind = colon != NULL ? g_strndup (item, (gsize)(colon - item)) : g_strdup (item);
  GstClockTime minimum = detected_get_default (kind);

  if (detected_find_kind (kind) == DETECTED_KINDS) {
    g_autofree gchar *list = g_strjoinv (", ", (gchar **)detected_kinds);

    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "unknown event `%s`. Use some of %s, joined by +", kind, list);
    return FALSE;
  }
  if (colon != NULL && !detected_parse_minimum (item, colon + 1, &minimum, error))
    return FALSE;
  detected_add (detected, kind, minimum);
  return TRUE;
}

gboolean
detected_parse (Detected *detected, const gchar *list, GError **error)
{
  g_auto (GStrv) items = g_strsplit (list, "+", -1);

  *detected = (Detected){ 0 };
  if (*list == '\0')
    return detected_parse_item (detected, list, error);
  for (guint i = 0; items[i] != NULL; i++)
    if (!detected_parse_item (detected, items[i], error))
      return FALSE;
  return TRUE;
}

void
detected_add (Detected *detected, const gchar *kind, GstClockTime minimum)
{
  const guint i = detected_find_kind (kind);

  g_return_if_fail (i < DETECTED_KINDS);
  detected->has_kind[i] = TRUE;
  detected->minima[i] = minimum;
}

gboolean
detected_find (const Detected *detected, const gchar *kind, GstClockTime *minimum)
{
  const guint i = detected_find_kind (kind);

  if (i == DETECTED_KINDS || !detected->has_kind[i])
    return FALSE;
  *minimum = detected->minima[i];
  return TRUE;
}
