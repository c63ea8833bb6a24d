/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/lineevent.h"

#include <gst/video/video.h>

#include "lines/values.h"

#define MOST_FRAMES ((guint64)G_MAXINT64) /* limit for the end of an event */

/* FALSE: one of them is unknown. */
static gboolean
line_event_get_span (const GstStructure *event, const gchar *first, const gchar *last, GstClockTime *start, GstClockTime *end)
{
  *start = values_get_time (event, first);
  *end = values_get_time (event, last);
  return GST_CLOCK_TIME_IS_VALID (*start) && GST_CLOCK_TIME_IS_VALID (*end);
}

/* In reverse playback, an event's end is before its start in stream time, but not in running time. */
static gboolean
line_event_has_order (const GstStructure *event)
{
  GstClockTime start, end;

  if (line_event_get_span (event, "running-time", "end-running-time", &start, &end))
    return start <= end;
  return !line_event_get_span (event, "start", "end", &start, &end) || start <= end;
}

gchar *
line_event_check (const GstStructure *event)
{
  static const gchar *const numbers[] = { "frame", "frames", "missing" };
  guint64 sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    guint64 number = 0;

    values_get_uint64 (event, NULL, numbers[i], &number);
    if (number > MOST_FRAMES - sum)
      return g_strdup_printf ("`%s` is too large", numbers[i]);
    sum += number;
  }
  return line_event_has_order (event) ? NULL : g_strdup ("`end` is before `start`");
}

gchar *
line_format_check (const GstStructure *result)
{
  const gchar *name = values_get_string (result, NULL, "format");
  const GstVideoFormat format = name != NULL ? gst_video_format_from_string (name) : GST_VIDEO_FORMAT_UNKNOWN;
  const GstVideoFormatInfo *info = gst_video_format_get_info (format);
  guint64 depth, expected;

  if (format <= GST_VIDEO_FORMAT_ENCODED || info == NULL || GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info) == 0
      || !values_get_uint64 (result, NULL, "depth", &depth))
    return NULL;
  expected = MAX (8, GST_VIDEO_FORMAT_INFO_DEPTH (info, 0)); /* fewer bits are counted as 8 */
  if (depth == expected)
    return NULL;
  return g_strdup_printf ("`depth` is not %" G_GUINT64_FORMAT ", which is that of `format` %s", expected, name);
}
