/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From where to where the streams of a film reach, by the buffers that pass on pads. Any thread may ask. */

#ifndef CUDAHISTO_EXTENT_H
#define CUDAHISTO_EXTENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Extent Extent;

/* The pads that are watched must have come to rest before it is freed. */
Extent *extent_new (void);
void extent_free (Extent *extent);

/* Buffers on this pad belong to the video that is measured, or to another stream of the film. */
void extent_watch_video (Extent *extent, GstPad *pad);
void extent_watch_other (Extent *extent, GstPad *pad);

/* Stream time in ns: of the first frame of the video; the end of its last one so far; the latest end in any stream.
 * GST_CLOCK_TIME_NONE: there is none, or its segment is not one of times. */
GstClockTime extent_get_video_start (Extent *extent);
GstClockTime extent_get_video_end (Extent *extent);
GstClockTime extent_get_end (Extent *extent);

/* The latest end in any stream, as a timestamp, which need not count from where stream time begins. */
GstClockTime extent_get_timestamps_end (Extent *extent);

/* Frames of the video so far. */
guint64 extent_get_video_frames (Extent *extent);

/* The end of the video as it was behind its first `frames` frames. GST_CLOCK_TIME_NONE, too, where thousands came since. */
GstClockTime extent_get_video_end_of (Extent *extent, guint64 frames);

G_END_DECLS

#endif
