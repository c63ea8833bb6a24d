/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathering: combines small byte buffers (filesrc makes 4 KiB ones) into one frame, because each submission costs microseconds.
 * Contiguous buffers in the allocator's memory are used in place. Others are copied into a block. */

#pragma once

#include "frame/pinner.h"
#include "input/bytes.h"

/* Sizes of a piece, in bytes. Up to COPIED, copying is faster than holding the memory, even if pieces are contiguous. Above
 * LIMIT, holding is faster, even for a single piece. */
#define GST_CUDA_HISTO_GATHER_COPIED ((gsize)16 * 1024)
#define GST_CUDA_HISTO_GATHER_LIMIT ((gsize)256 * 1024)

/* Blocks belong to the pinner and return to it, on any thread, with the last reference to their frame. Call the functions below
 * from one thread at a time. */
typedef struct _GstCudaHistoGather GstCudaHistoGather;

GstCudaHistoGather *gst_cuda_histo_gather_new (GstCudaHistoPinner *pinner); /* keeps a reference */
void gst_cuda_histo_gather_free (GstCudaHistoGather *gather);               /* its frames stay valid. NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoGather, gst_cuda_histo_gather_free)

/* Returns the number of bytes that still fit into the block. 0 if no memory is available for a block. */
gsize gst_cuda_histo_gather_get_remaining (GstCudaHistoGather *gather);

/* Whether bytes can extend the gathered ones in place. */
gboolean gst_cuda_histo_gather_can_extend (const GstCudaHistoGather *gather, const GstCudaHistoBytes *bytes, gsize offset);

/* Adds bytes [offset, offset + size) in place. Returns the gathered bytes as a frame once they fill a block, otherwise NULL.
 * The caller owns the frame, which keeps the bytes. */
GstCudaHistoFrame *gst_cuda_histo_gather_extend (GstCudaHistoGather *gather, GstCudaHistoBytes *bytes, gsize offset,
                                                 gsize size);

/* Call this before adding bytes that do not continue a run in memory. Copies a short run into a block, and then all bytes until
 * the block is full or taken, since later bytes are probably not contiguous either. Returns a long run, or one that could not
 * be copied, as a frame, which the caller owns. NULL: no frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_end_run (GstCudaHistoGather *gather);

/* Copies `size` bytes, at most the remaining ones. Returns the block as a frame once it is full, otherwise NULL. The caller
 * owns the frame. */
GstCudaHistoFrame *gst_cuda_histo_gather_add (GstCudaHistoGather *gather, gconstpointer data, gsize size);

/* Returns the gathered bytes as a frame, which the caller owns, or NULL if there are none. */
GstCudaHistoFrame *gst_cuda_histo_gather_take (GstCudaHistoGather *gather);

/* Discards the gathered bytes. */
void gst_cuda_histo_gather_discard (GstCudaHistoGather *gather);
