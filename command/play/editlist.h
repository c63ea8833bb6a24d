/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Edit lists of MP4 and QuickTime films that GStreamer and FFmpeg treat differently.
 *
 * - GStreamer's qtdemux ends a film too early. If an edit list skips the beginning, qtdemux compares media times with the
 *   film's duration, and stops at the first later key frame, or at once. decoding/edits.h prevents it for most films. In a
 *   stream, qtdemux also ends video whose sound skips more than two seconds more.
 * - An edit may begin within a frame, as `ffmpeg -ss ... -c copy` makes it. GStreamer shows the remaining part of that frame,
 *   and FFmpeg drops it. */

#pragma once

#include <gst/gst.h>

typedef struct _EditList EditList;

/* Watches the demuxers that are added to the pipeline from now on. Stop the pipeline before freeing this. */
EditList *edit_list_new (GstElement *pipeline);
void edit_list_free (EditList *list);

/* After the end: returns whether video ended before its edit did, which qtdemux may have caused. Sets `end` (end of the last
 * frame) and `length` (where it should be), stream times of the film in ns. */
gboolean edit_list_is_short (EditList *list, GstClockTime *end, GstClockTime *length);

/* Returns the number of packets that the edit list of a fragmented film skips. FFmpeg shows them. */
guint edit_list_get_skipped (EditList *list);

/* Returns whether the film is a fragmented MP4, once it has begun. */
gboolean edit_list_is_fragmented (EditList *list);

/* If the first edit begins within a frame, returns the duration of the remaining part, in ns; otherwise 0. */
GstClockTime edit_list_get_remainder (EditList *list);
