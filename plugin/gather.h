/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathering: many small byte buffers (filesrc makes 4 KiB ones) become one frame, because a submission costs microseconds. Those in
 * the allocator's memory that lie one behind the other are taken as they are; others are copied into a block. */

#ifndef GST_CUDA_HISTO_GATHER_H
#define GST_CUDA_HISTO_GATHER_H

#include "framemap.h"
#include "pinner.h"

G_BEGIN_DECLS

#define GST_CUDA_HISTO_GATHER_LIMIT (256 * 1024) /* a larger piece is kept where it is: that costs less than a copy */

/* Blocks are the pinner's, and go back to it, on any thread, when the last reference to their frame goes. The calls below are for
 * one thread at a time. */
typedef struct _GstCudaHistoGather GstCudaHistoGather;

GstCudaHistoGather *gst_cuda_histo_gather_new (GstCudaHistoPinner *pinner); /* keeps a reference */
void gst_cuda_histo_gather_free (GstCudaHistoGather *gather);               /* frames it gave away stay valid. NULL is fine */

/* Bytes that can still be copied before the block is full. 0 where there is no memory for a block. */
gsize gst_cuda_histo_gather_room (GstCudaHistoGather *gather);

/* Whether bytes can be added, by a copy, or as they are, without that what is gathered is taken before. */
gboolean gst_cuda_histo_gather_can_copy (const GstCudaHistoGather *gather);
gboolean gst_cuda_histo_gather_can_extend (const GstCudaHistoGather *gather, GstMemory *memory, gconstpointer data);

/* Adds `size` bytes at `data`, which are the memory's, one of the allocator's; it is kept, and locked for reading, until the frame goes.
 * The frame, where it is as long as a block or longer, else NULL. The caller owns the frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_extend (GstCudaHistoGather *gather, GstMemory *memory, gconstpointer data, gsize size);

/* Copies `size` bytes, at most the room. The full block, or NULL while there is room. The caller owns the frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_add (GstCudaHistoGather *gather, gconstpointer data, gsize size);

/* The bytes gathered so far, or NULL where there are none. The caller owns the frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_take (GstCudaHistoGather *gather);

/* Forgets the bytes gathered so far. */
void gst_cuda_histo_gather_discard (GstCudaHistoGather *gather);

G_END_DECLS

#endif
