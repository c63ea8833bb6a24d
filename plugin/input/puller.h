/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The puller: the thread of a sink pad in pull mode, like a demuxer's. It does what a source does in push mode: events, seeks,
 * queries, EOS and errors. It reads the source into blocks and passes them to the pad's chain function, so that the element
 * sees an ordinary stream.
 *
 * Reason: a source in push mode chooses the buffer size (filesrc: 4 KiB) and pageable memory. Small buffers cost the pipeline
 * more than counting them, and have to be copied into blocks. In pull mode the element counts a block where it was read. */

#pragma once

#include <gst/gst.h>

/* Bytes per read. Measured: each block costs the thread about 15 us besides reading, and evicts the caches. */
#define GST_CUDA_HISTO_PULL_BYTES ((gsize)8 * 1024 * 1024)

typedef struct _GstCudaHistoPuller GstCudaHistoPuller;

/* Whether `sinkpad` can pull from its peer and get the same bytes as in push mode. The peer has to be a source itself, since an
 * element in between would see each buffer. It has to be seekable, not slow, and without caps: each buffer of raw video is a
 * frame. The user must not have set a number of buffers, timestamps, caps or a block size on it. */
gboolean gst_cuda_histo_puller_can_pull (GstPad *sinkpad);

/* Whether `srcpad` is linked to a fakesink that does not report its buffers: then buffer sizes are not visible, and no element
 * writes to the buffers. */
gboolean gst_cuda_histo_puller_is_before_fakesink (GstPad *srcpad);

/* Makes the puller of an element with these pads, which outlive it. The thread calls `report` before it sends SEGMENT_DONE: the
 * element reports the open window first. */
GstCudaHistoPuller *gst_cuda_histo_puller_new (GstElement *element, GstPad *sinkpad, GstPad *srcpad,
                                               void (*report) (GstElement *element));
void gst_cuda_histo_puller_free (GstCudaHistoPuller *puller); /* it is stopped. NULL is allowed */

/* Begins at the first byte, with blocks of `allocator`. FALSE if no thread can be started. */
gboolean gst_cuda_histo_puller_start (GstCudaHistoPuller *puller, GstAllocator *allocator);

/* Ends the thread. Upstream and downstream must not be blocking it. */
void gst_cuda_histo_puller_stop (GstCudaHistoPuller *puller);

/* Handles a SEEK event in bytes with a positive rate. Any thread. FALSE if the seek is impossible. */
gboolean gst_cuda_histo_puller_seek (GstCudaHistoPuller *puller, GstEvent *event);

/* Resumes at the FLUSH_STOP of a flush that another element sent. With the stream lock. */
void gst_cuda_histo_puller_flushed (GstCudaHistoPuller *puller);

/* Answers a source's queries: POSITION, SEEKING and SEGMENT. Any thread. FALSE: upstream may answer. */
gboolean gst_cuda_histo_puller_query (GstCudaHistoPuller *puller, GstQuery *query);
