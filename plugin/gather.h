/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathering: many small byte buffers (filesrc makes 4 KiB ones) are copied into one large block, because a submission costs
 * microseconds and a copy of 4 KiB does not. */

#ifndef GST_CUDA_HISTO_GATHER_H
#define GST_CUDA_HISTO_GATHER_H

#include "framemap.h"
#include "pinner.h"

G_BEGIN_DECLS

/* Bytes of a block. Each block wakes other threads, which costs the streaming thread time: large enough that this does not show
 * beside the copying, small enough that the blocks in use stay in the last cache. */
#define GST_CUDA_HISTO_GATHER_BLOCK (2 * 1024 * 1024)
#define GST_CUDA_HISTO_GATHER_LIMIT (256 * 1024) /* a larger piece is kept where it is: that costs less than a copy */

/* Blocks are the pinner's, and go back to it, on any thread, when the last reference to their frame goes. The calls below are for
 * one thread at a time. */
typedef struct _GstCudaHistoGather GstCudaHistoGather;

GstCudaHistoGather *gst_cuda_histo_gather_new (GstCudaHistoPinner *pinner); /* keeps a reference */
void gst_cuda_histo_gather_free (GstCudaHistoGather *gather);               /* frames it gave away stay valid. NULL is fine */

/* Bytes that can still be added before the block is full. 0 where there is no memory for a block. */
gsize gst_cuda_histo_gather_room (GstCudaHistoGather *gather);

/* Copies `size` bytes, at most the room. The full block, or NULL while there is room. The caller owns the frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_add (GstCudaHistoGather *gather, gconstpointer data, gsize size);

/* The bytes gathered so far, or NULL where there are none. The caller owns the frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_take (GstCudaHistoGather *gather);

/* Forgets the bytes gathered so far. */
void gst_cuda_histo_gather_discard (GstCudaHistoGather *gather);

G_END_DECLS

#endif
