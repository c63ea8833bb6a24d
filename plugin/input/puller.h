/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The puller: the thread of a sink pad that pulls, as a demuxer's does, and all that a source does when it pushes: events,
 * seeks, queries, the end and errors. It has a source read into blocks, and hands these to the pad's chain function, so
 * that the element sees a stream as any other.
 *
 * Why: a source that pushes has its say in how large a buffer is (filesrc: 4 KiB), and its memory is ordinary. Small buffers
 * cost a pipeline more than counting them does, and have to be copied together. A block is counted where it was read into. */

#ifndef GST_CUDA_HISTO_PULLER_H
#define GST_CUDA_HISTO_PULLER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Bytes that are asked for at a time. Measured: each block costs the thread some 15 us besides
 * the reading, and the caches lose what they held. */
#define GST_CUDA_HISTO_PULL_BYTES ((gsize)8 * 1024 * 1024)

typedef struct _GstCudaHistoPuller GstCudaHistoPuller;

/* Whether `sinkpad` can pull from what it is linked to, and gets the same bytes as when that pushes. It has to be a source
 * itself, since an element in between would see each buffer; to be seekable, and not slow; and to know no caps, since a buffer
 * of raw video is a frame. Its user must not have asked for a number of buffers, or for times or caps of his own; with
 * `respects_blocksize`, nor for a block size. */
gboolean gst_cuda_histo_puller_can_pull (GstPad *sinkpad, gboolean respects_blocksize);

/* Whether a fakesink that reports nothing of its buffers is linked to `srcpad`: then their sizes show nowhere, and nobody
 * writes to them. */
gboolean gst_cuda_histo_puller_is_before_fakesink (GstPad *srcpad);

/* Of an element with these pads, which outlive it. `report` is called on the thread before it says that a segment is done:
 * what came so far is to be reported first. */
GstCudaHistoPuller *gst_cuda_histo_puller_new (GstElement *element, GstPad *sinkpad, GstPad *srcpad,
                                               void (*report) (GstElement *element));
void gst_cuda_histo_puller_free (GstCudaHistoPuller *puller); /* stopped. NULL is fine */

/* Begins at the first byte, with blocks of `allocator`. FALSE where there is no thread. */
gboolean gst_cuda_histo_puller_start (GstCudaHistoPuller *puller, GstAllocator *allocator);

/* Ends the thread. Nothing upstream or downstream may be blocking it. */
void gst_cuda_histo_puller_stop (GstCudaHistoPuller *puller);

/* Goes elsewhere, for a SEEK event in bytes with a positive rate. Any thread. FALSE where that cannot be. */
gboolean gst_cuda_histo_puller_seek (GstCudaHistoPuller *puller, GstEvent *event);

/* Goes on after a flush that somebody else sent, at its FLUSH_STOP. With the stream lock. */
void gst_cuda_histo_puller_flushed (GstCudaHistoPuller *puller);

/* Answers what a source would know: POSITION, SEEKING and SEGMENT. Any thread. FALSE: upstream may know. */
gboolean gst_cuda_histo_puller_query (GstCudaHistoPuller *puller, GstQuery *query);

G_END_DECLS

#endif
