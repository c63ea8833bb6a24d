/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathering: many small byte buffers (filesrc makes 4 KiB ones) become one frame, because a submission costs microseconds.
 * Those in the allocator's memory that lie one behind the other are taken as they are; others are copied into a block. */

#ifndef GST_CUDA_HISTO_GATHER_H
#define GST_CUDA_HISTO_GATHER_H

#include "frame/pinner.h"
#include "input/bytes.h"

G_BEGIN_DECLS

/* Sizes of a piece, in bytes. Up to COPIED a copy is quicker than holding the memory, even where pieces lie together; above
 * LIMIT holding it is quicker, even where the piece lies alone. */
#define GST_CUDA_HISTO_GATHER_COPIED ((gsize)16 * 1024)
#define GST_CUDA_HISTO_GATHER_LIMIT ((gsize)256 * 1024)

/* Blocks are the pinner's, and go back to it, on any thread, when the last reference to their frame goes. The
 * calls below are for one thread at a time. */
typedef struct _GstCudaHistoGather GstCudaHistoGather;

GstCudaHistoGather *gst_cuda_histo_gather_new (GstCudaHistoPinner *pinner); /* keeps a reference */
void gst_cuda_histo_gather_free (GstCudaHistoGather *gather);               /* frames it gave away stay valid. NULL is fine */

/* Bytes that can still be copied until the block is full. 0 where there is no memory for a block. */
gsize gst_cuda_histo_gather_get_remaining (GstCudaHistoGather *gather);

/* Whether bytes can be added as they are to what is gathered. */
gboolean gst_cuda_histo_gather_can_extend (const GstCudaHistoGather *gather, const GstCudaHistoBytes *bytes, gsize offset);

/* Adds bytes [offset, offset + size) as they are. The frame, where it is as long as a block or longer, else NULL. The caller
 * owns the frame, which keeps the bytes. */
GstCudaHistoFrame *gst_cuda_histo_gather_extend (GstCudaHistoGather *gather, GstCudaHistoBytes *bytes, gsize offset,
                                                 gsize size);

/* To be called before bytes that do not follow in memory what was added as it is. If that is little, it is copied, and so is
 * what follows until a block is full or taken: what comes next is likely to lie apart too. Else, or where there is no
 * memory, it is returned as a frame, which the caller owns. NULL: there is no frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_end_run (GstCudaHistoGather *gather);

/* Copies `size` bytes, at most as many as remain. The block, once it is full, else NULL. The caller owns the frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_add (GstCudaHistoGather *gather, gconstpointer data, gsize size);

/* The bytes gathered so far, or NULL where there are none. The caller owns the frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_take (GstCudaHistoGather *gather);

/* Forgets the bytes gathered so far. */
void gst_cuda_histo_gather_discard (GstCudaHistoGather *gather);

G_END_DECLS

#endif
