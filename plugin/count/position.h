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
  gboolean is_damaged;           /* video: the frame is */
  guint64 missing;               /* video: frames before it that did not come */
  GstClockTime arrival;          /* when it came, by a clock that never goes back; 0: the window has not needed it */
} GstCudaHistoPosition;

/* The times of buffer number `frame` in `segment`, as `level` gives them. `offset` and `arrival` are 0: the owner sets them. */
void gst_cuda_histo_position_init (GstCudaHistoPosition *position, const GstSegment *segment, GstBuffer *buffer, guint64 frame);

/* Whether segment `next` continues the timeline of `segment`, in which the last buffer was at `latest`. It does so
 * - if a timestamp has the same running time and stream time in both. They may begin and stop elsewhere; but one in bytes, if
 *   it is another, has to begin at `next_offset`, where the next buffer was due;
 * - if both times of a timestamp are later in `next`, by the same distance of half a second at most. matroskademux begins its
 *   first segment at the first frame, and sends another one that begins earlier as soon as it meets an earlier sample of sound;
 * - if `next` begins where that buffer ended, or up to half a second later, in both times, as the edits of an edit list do. */
gboolean gst_cuda_histo_position_segment_continues (const GstSegment *segment, const GstSegment *next,
                                                    const GstCudaHistoPosition *latest, guint64 next_offset);

G_END_DECLS

#endif
