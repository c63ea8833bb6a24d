/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Timestamps of decoded frames that do not advance.
 *
 * GStreamer's decoders never let time go back: a frame with an earlier timestamp gets the previous timestamp again. There are
 * two causes.
 *
 * - The container gives each packet its presentation time, and the decoder outputs a frame with that of another packet, as
 *   libav's do if a packet changes nothing. The frame gets the time of the packet that it was made of.
 * - The container lacks presentation times. If it has only decode times, as AVI, the frames get those (decoding/decodetimes.h).
 *   Otherwise, as in MPEG program streams with B-frames, times follow from frame numbers if the frame rate is constant, and
 *   stay unchanged if it is not. This holds until the next seek or segment. A time that skips frames is also wrong unless a
 *   packet confirms it: the decoder has guessed it. If times go on after the end of the segment, a segment without an end is
 *   pushed.
 *
 * In the second case the decoder posts an element message "cudahisto-times", once for each stream. Its fields are "is-derived"
 * (gboolean), "is-by-packets" (gboolean: from decode times), "frame" (guint64: the first such frame, counted from the start or
 * the last seek), and "framerate" (fraction). Each frame from there on has a GstReferenceTimestampMeta with the original time.
 * Its caps are DECODING_TIMES_DERIVED or DECODING_TIMES_UNRELIABLE. */

#pragma once

#include <gst/gst.h>

#define DECODING_TIMES_MESSAGE "cudahisto-times"
#define DECODING_TIMES_DERIVED "timestamp/x-before-derivation"
#define DECODING_TIMES_UNRELIABLE "timestamp/x-unreliable"

/* Explains such a message, as the end of a sentence about the film: "does not say when ...". Free with g_free(). */
gchar *decoding_times_explain (const GstStructure *message);

/* Watches the element's frames if it is a video decoder. */
void decoding_times_watch (GstElement *element);
