/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sampling of a video stream or its frames: chroma subsampling and bit depth. */

#pragma once

#include <gst/gst.h>

typedef struct {
  gint chroma_x, chroma_y; /* luma samples per chroma sample, horizontal and vertical; 0: unknown, or no chroma */
  guint depth;             /* bits; 0: unknown */
} DecodingSampling;

/* Of a packet, from its caps and, for JPEG, its header. */
DecodingSampling decoding_sampling_of_packet (const GstCaps *caps, GstBuffer *packet);

/* Of decoded frames. RGB counts as 4:4:4. */
DecodingSampling decoding_sampling_of_frames (const GstCaps *caps);

/* Returns whether `frames` has lower resolution or depth than `stream`. */
gboolean decoding_sampling_is_coarser (const DecodingSampling *frames, const DecodingSampling *stream);

/* "4:2:2, 8 bits". Free with g_free(). */
gchar *decoding_sampling_describe (const DecodingSampling *sampling);
