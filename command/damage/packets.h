/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The packets in a decoder: which of its frames are damaged, and which are missing. Independent of pads and locks. */

#pragma once

#include <gst/gst.h>

typedef struct _Packets Packets;

/* Number of reports so far. */
typedef struct {
  gint decoder, demuxer;
} PacketsErrors;

typedef struct {
  gboolean is_damaged;
  guint64 missing;    /* frames before this one */
  GstClockTime start; /* expected timestamp of the first missing frame; GST_CLOCK_TIME_NONE: none is missing */
  GstClockTime end;   /* end of the missing frames at the end of the film; GST_CLOCK_TIME_NONE: unknown */
  gchar cause[32];    /* "decoder+undecoded"; "": no damage */
} PacketsVerdict;

/* What the container guarantees about its packets. */
typedef enum {
  PACKETS_FRAMED = 1 << 0,   /* each is a frame or a field, and the first one begins the film */
  PACKETS_CONSTANT = 1 << 1, /* frames always follow each other at the frame rate */
  PACKETS_TIMED = 1 << 2     /* after a warning of the demuxer, a gap in the timestamps means missing frames */
} PacketsTraits;

Packets *packets_new (PacketsTraits traits);
void packets_free (Packets *packets);

/* Frames per second; n = 0: variable, or unknown. */
void packets_set_rate (Packets *packets, gint n, gint d);

/* A packet leaves the demuxer. */
void packets_promise (Packets *packets, GstBuffer *packet, PacketsErrors errors);

/* A packet enters the decoder (`is_blank`: it has zeros where its codec has none), or a frame leaves it. */
void packets_add (Packets *packets, GstBuffer *packet, gboolean is_blank, PacketsErrors errors);
PacketsVerdict packets_take_frame (Packets *packets, GstBuffer *frame, PacketsErrors errors);

/* Call it at the end: returns the frames missing after the last one. */
PacketsVerdict packets_finish (Packets *packets, PacketsErrors errors);

/* Numbers so far: packets that left the demuxer or, if it was not seen, entered the decoder (a parser may make more of them);
 * frames; missing frames without a packet. */
guint64 packets_count (const Packets *packets);
guint64 packets_count_frames (const Packets *packets);
guint64 packets_count_lost (const Packets *packets);

/* Returns whether the demuxer has reported something since the last packet. */
gboolean packets_is_warned (const Packets *packets, PacketsErrors errors);

/* The usual distance of two frames in ns (0: unknown), and the expected timestamp of the next frame (or
 * GST_CLOCK_TIME_NONE). */
GstClockTime packets_get_step (const Packets *packets);
GstClockTime packets_get_end (const Packets *packets);

/* End of the last frame, from its duration or the frame rate, or of the last packet that left the demuxer, the later one.
 * GST_CLOCK_TIME_NONE: unknown. */
GstClockTime packets_get_stream_end (const Packets *packets);

/* Estimates the number of frames in `time` ns after the last one. If the number so far, `frames`, is nearly that of the frame
 * rate, assumes this rate, and also adds the frames that are missing so far. Otherwise assumes their average rate. Returns 0 if
 * the number is unknown, as after a single frame. */
guint64 packets_estimate (const Packets *packets, guint64 frames, GstClockTime time);
