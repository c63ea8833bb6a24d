/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* MP4 and QuickTime films that GStreamer 1.22's qtdemux ends too early.
 *
 * - If an edit list skips the beginning, qtdemux compares media times with the film's duration, and stops at the first later
 *   key frame, or at once. In a stream, even if the edit list only skips the delay of reordered frames. If the tracks have at
 *   most one edit each, qtdemux gets a longer duration.
 * - In fragmented films, qtdemux cuts off frames of a fragment, or of the film. It gets edits and segments without an end. */

#pragma once

#include <gst/gst.h>

#define DECODING_EDITS_LEAST (GST_SECOND / 5) /* rounding and reordered frames skip less */

/* Watches the demuxers that are added to the pipeline from now on. */
void decoding_edits_watch (GstElement *pipeline);

/* Returns the time by which the duration that qtdemux reports is too long, in ns. Any thread may call it. */
GstClockTime decoding_edits_get_excess (GstElement *pipeline);

/* Returns whether the film that qtdemux reads is fragmented. Any thread may call it. */
gboolean decoding_edits_has_fragments (GstElement *demuxer);
