/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decode times of packets, of which no frame has come.
 *
 * AVI has no other times. Then they are also the times of the frames, in ascending order: packets are decoded in an order other
 * than that of presentation, but at the same pace. All frames are earlier than the film says by the same time, the decoder's
 * delay. Packets that share a time count once: of packed B-frames, two have a time, and a packet without a frame the next. */

#ifndef CUDAHISTO_DECODING_DECODETIMES_H
#define CUDAHISTO_DECODING_DECODETIMES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Packets whose times are kept, more than a decoder holds; older ones are dropped. */
#define DECODING_MOST_PACKETS 1000

typedef struct _DecodingDecodeTimes DecodingDecodeTimes;

DecodingDecodeTimes *decoding_decode_times_new (void);
void decoding_decode_times_free (DecodingDecodeTimes *times);

/* Forgets everything, as at a flush. */
void decoding_decode_times_reset (DecodingDecodeTimes *times);

/* A packet with data, of the segment of this number. */
void decoding_decode_times_add (DecodingDecodeTimes *times, const GstBuffer *packet, guint segment);

/* Whether the container has no other times: a packet had only a decode time, and no packet's presentation time differs from
 * it. */
gboolean decoding_decode_times_are_alone (const DecodingDecodeTimes *times);

/* The first decode time up to this segment that is later than `last`, or the very first if that is GST_CLOCK_TIME_NONE;
 * GST_CLOCK_TIME_NONE: there is none. */
GstClockTime decoding_decode_times_find_next (const DecodingDecodeTimes *times, guint segment, GstClockTime last);

/* Whether a packet without a presentation time has this decode time. */
gboolean decoding_decode_times_have (const DecodingDecodeTimes *times, GstClockTime time);

/* Forgets the packets of segments before this one, and those of this one up to `until`. */
void decoding_decode_times_forget (DecodingDecodeTimes *times, guint segment, GstClockTime until);

G_END_DECLS

#endif
