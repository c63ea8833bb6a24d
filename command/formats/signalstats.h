/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names and number formats of FFmpeg's filter signalstats. */

#pragma once

#include <gst/gst.h>

#define SIGNALSTATS_PREFIX "lavfi.signalstats."

/* The number of keys, and a key in FFmpeg's order: "YMIN". */
guint signalstats_count (void);
const gchar *signalstats_get_key (guint index);

/* Returns whether the result has the key. */
gboolean signalstats_is_in (guint index, const GstStructure *result);

/* Formats the value as FFmpeg does. NULL: the result does not have it. For the differences of the first frame, FFmpeg prints 0;
 * so does this if `is_in_others`. Free with g_free(). */
gchar *signalstats_format (guint index, const GstStructure *result, gboolean is_in_others);

/* FFmpeg's time of a frame: the time in its file, with edit lists. That is the stream time, otherwise the timestamp. In ns, and
 * in seconds as ffprobe prints it (NULL: unknown; free with g_free()). */
GstClockTime signalstats_get_time (const GstStructure *result);
gchar *signalstats_format_time (const GstStructure *result);

/* FFmpeg's name of a GstVideoFormat, or NULL. */
const gchar *signalstats_find_pixel_format (const gchar *format);
