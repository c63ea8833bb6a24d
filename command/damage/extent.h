/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The extent of a film's streams in time, from the buffers that pass on pads. Any thread may call these functions. */

#pragma once

#include <gst/gst.h>

typedef struct _Extent Extent;

/* Stop the watched pads before freeing it. */
Extent *extent_new (void);
void extent_free (Extent *extent);

/* Watch a pad of the measured video, or of another stream of the film. */
void extent_watch_video (Extent *extent, GstPad *pad);
void extent_watch_other (Extent *extent, GstPad *pad);

/* Stream times in ns: start of the first frame of the video, end of its last frame so far, latest end of any stream.
 * GST_CLOCK_TIME_NONE: there is none, or its segment is not in time format. */
GstClockTime extent_get_video_start (Extent *extent);
GstClockTime extent_get_video_end (Extent *extent);
GstClockTime extent_get_end (Extent *extent);

/* Returns the latest end of any stream as a timestamp. Timestamps need not start with stream time. */
GstClockTime extent_get_timestamps_end (Extent *extent);

/* Returns the number of video frames so far. */
guint64 extent_get_video_frames (Extent *extent);

/* Returns the end of the video after its first `frames` frames; GST_CLOCK_TIME_NONE also if thousands of frames have come
 * since. */
GstClockTime extent_get_video_end_of (Extent *extent, guint64 frames);
