/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Positions: where in the stream a buffer lies, and when. */

#ifndef GST_CUDA_HISTO_POSITION_H
#define GST_CUDA_HISTO_POSITION_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Where the frame, or the piece of a byte stream, that is being added lies. */
typedef struct {
  guint64 frame;  /* index of its buffer */
  guint64 offset; /* bytes: position of the piece's first byte in the stream; 0 for video */
  /* Of the whole buffer, for each of its pieces. GST_CLOCK_TIME_NONE where unknown. */
  GstClockTime timestamp, stream_time, running_time, duration;
  GstClockTime running_duration; /* `duration` of running time: at twice the rate, half of it */
  GstClockTime arrival;          /* when it came, by a clock that never goes back; 0: the window has not needed it */
} GstCudaHistoPosition;

/* The times of buffer number `frame` in `segment`, as `level` gives them. `offset` and `arrival` are 0: the owner sets them. */
void gst_cuda_histo_position_init (GstCudaHistoPosition *position, const GstSegment *segment, GstBuffer *buffer, guint64 frame);

/* Whether a timestamp means the same time in both segments. They may begin and stop elsewhere; but one in bytes, if it is
 * another, has to begin at `next_offset`, where the next buffer was due. */
gboolean gst_cuda_histo_position_segments_agree (const GstSegment *left, const GstSegment *right, guint64 next_offset);

G_END_DECLS

#endif
