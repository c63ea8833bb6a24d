/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decode times of packets whose frames have not come yet.
 *
 * AVI has no other times. Then they are also the times of the frames, in ascending order: packets are decoded in another order
 * than they are presented, but at the same pace. All frames are early by the same time, the decoder's delay. Packets that share
 * a time count once: packed B-frames are two packets with one time, and the next packet has a time but no frame. */

#pragma once

#include <gst/gst.h>

/* Limit of stored packets, more than a decoder holds; older ones are dropped. */
#define DECODING_MOST_PACKETS 1000

typedef struct _DecodingDecodeTimes DecodingDecodeTimes;

DecodingDecodeTimes *decoding_decode_times_new (void);
void decoding_decode_times_free (DecodingDecodeTimes *times);

/* Forgets everything, as at a flush. */
void decoding_decode_times_reset (DecodingDecodeTimes *times);

/* Adds a packet with data. `segment`: number of its segment. */
void decoding_decode_times_add (DecodingDecodeTimes *times, const GstBuffer *packet, guint segment);

/* Returns whether the container has no other times: a packet had only a decode time, and no packet has a presentation time that
 * differs from its decode time. */
gboolean decoding_decode_times_are_alone (const DecodingDecodeTimes *times);

/* Returns the first decode time up to this segment that is later than `last`, or the very first if that is GST_CLOCK_TIME_NONE.
 * GST_CLOCK_TIME_NONE: there is none. */
GstClockTime decoding_decode_times_find_next (const DecodingDecodeTimes *times, guint segment, GstClockTime last);

/* Returns whether a packet without a presentation time has this decode time. */
gboolean decoding_decode_times_have (const DecodingDecodeTimes *times, GstClockTime time);

/* Drops the packets of earlier segments, and those of this one up to `until`. */
void decoding_decode_times_forget (DecodingDecodeTimes *times, guint segment, GstClockTime until);
