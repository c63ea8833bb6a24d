/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What FFmpeg's filter signalstats calls the numbers, and how FFmpeg prints them. */

#ifndef CUDAHISTO_SIGNALSTATS_H
#define CUDAHISTO_SIGNALSTATS_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGNALSTATS_PREFIX "lavfi.signalstats."

/* As many keys as there are, in FFmpeg's order; "YMIN". */
guint signalstats_count (void);
const gchar *signalstats_get_key (guint index);

/* Whether the result has it. */
gboolean signalstats_is_in (guint index, const GstStructure *result);

/* The value as FFmpeg prints it. NULL: the result does not have it; but "0" of a difference of the first frame where
 * `is_in_others`, as FFmpeg prints it. Free with g_free(). */
gchar *signalstats_format (guint index, const GstStructure *result, gboolean is_in_others);

/* What FFmpeg calls the time of a frame, in ns: that in its file, with edit lists, which is stream time, else the timestamp.
 * And as ffprobe prints it, in seconds; NULL: it is unknown. Free with g_free(). */
GstClockTime signalstats_get_time (const GstStructure *result);
gchar *signalstats_format_time (const GstStructure *result);

/* What FFmpeg calls a GstVideoFormat, or NULL. */
const gchar *signalstats_find_pixel_format (const gchar *format);

G_END_DECLS

#endif
