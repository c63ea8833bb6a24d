/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The packets in a decoder, and which of the frames that it hands out are damaged, or missing before one. Knows no pad and no
 * lock. */

#ifndef CUDAHISTO_PACKETS_H
#define CUDAHISTO_PACKETS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Packets Packets;

/* How many were reported so far. */
typedef struct {
  gint decoder, demuxer;
} PacketsErrors;

typedef struct {
  gboolean is_damaged;
  guint64 missing;    /* frames before this one */
  GstClockTime start; /* the timestamp that the first of them should have; GST_CLOCK_TIME_NONE: none is missing */
  GstClockTime end;   /* where the missing ones end, at the end of the film; GST_CLOCK_TIME_NONE: it is not known */
  gchar cause[32];    /* "decoder+undecoded"; "": nothing is wrong */
} PacketsVerdict;

/* What the container says of its packets. */
typedef enum {
  PACKETS_FRAMED = 1 << 0,   /* each is a frame, or a field, and the first one begins the film */
  PACKETS_CONSTANT = 1 << 1, /* frames follow each other at the frame rate, always */
  PACKETS_TIMED = 1 << 2     /* where the demuxer has warned, a hole in the timestamps is one */
} PacketsTraits;

Packets *packets_new (PacketsTraits traits);
void packets_free (Packets *packets);

/* Frames a second; n = 0: they vary, or are unknown. */
void packets_set_rate (Packets *packets, gint n, gint d);

/* A packet leaves the demuxer. */
void packets_promise (Packets *packets, GstBuffer *packet, PacketsErrors errors);

/* A packet goes into the decoder, `is_blank` if it has zeros where its codec has none; and a frame comes out. */
void packets_add (Packets *packets, GstBuffer *packet, gboolean is_blank, PacketsErrors errors);
PacketsVerdict packets_take_frame (Packets *packets, GstBuffer *frame, PacketsErrors errors);

/* No more frames come: those missing behind the last one. */
PacketsVerdict packets_finish (Packets *packets, PacketsErrors errors);

/* So far: packets that left the demuxer, or, if it was not seen, entered the decoder, of which a parser may make more; frames;
 * and the missing frames that had no packet. */
guint64 packets_count (const Packets *packets);
guint64 packets_count_frames (const Packets *packets);
guint64 packets_count_lost (const Packets *packets);

/* Whether the demuxer has reported something since the last packet. */
gboolean packets_is_warned (const Packets *packets, PacketsErrors errors);

/* The usual distance of two frames in ns, 0: unknown; and the timestamp of the frame that would come next, or
 * GST_CLOCK_TIME_NONE. */
GstClockTime packets_get_step (const Packets *packets);
GstClockTime packets_get_end (const Packets *packets);

/* Where the last frame ends by its duration or the frame rate; GST_CLOCK_TIME_NONE: there is no frame. */
GstClockTime packets_get_frame_end (const Packets *packets);

/* Estimates the number of frames in `time` ns after the last one. If the `frames` so far nearly fill the frame rate, it assumes
 * that rate and adds the frames that they lack; otherwise it assumes their average rate. */
guint64 packets_estimate (const Packets *packets, guint64 frames, GstClockTime time);

G_END_DECLS

#endif
