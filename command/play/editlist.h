/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Edit lists of MP4 and QuickTime films, where GStreamer and FFmpeg differ.
 *
 * - GStreamer's qtdemux ends a film too early. If an edit list leaves out the beginning, qtdemux compares times of the media
 *   with the length of the film, and stops at the first key frame behind it, or at once.
 * - An edit may begin within a frame, as `ffmpeg -ss ... -c copy` makes it. GStreamer shows the rest of that frame, and FFmpeg
 *   drops it. */

#ifndef CUDAHISTO_EDITLIST_H
#define CUDAHISTO_EDITLIST_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _EditList EditList;

/* Watches the demuxers that the pipeline gets from now on. The pipeline must have stopped before it is freed. */
EditList *edit_list_new (GstElement *pipeline);
void edit_list_free (EditList *list);

/* After the end: whether video ended before its edit did, so that qtdemux may be the cause. `end` and `length` are stream times
 * of the film, in ns: of the last frame's end, and where it should be. */
gboolean edit_list_is_short (EditList *list, GstClockTime *end, GstClockTime *length);

/* How much of a frame, in ns, is left in which the first edit begins; 0: it begins with a frame. */
GstClockTime edit_list_get_rest (EditList *list);

G_END_DECLS

#endif
