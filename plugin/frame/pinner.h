/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pinner: a histo_pinner that several share, and that outlives the engine and the element while anybody has a block of it.
 * A few blocks that come back are kept for the next who asks: pinning, and page faults, cost more than copying. */

#ifndef GST_CUDA_HISTO_PINNER_H
#define GST_CUDA_HISTO_PINNER_H

#include <cudahisto/histo.h>
#include <glib.h>

G_BEGIN_DECLS

/* Sizes of the blocks that small buffers are gathered in. The cost of a block, above all that of waking threads, must not
 * show beside the copying. For a GPU, of 1, 2, 4 and 8 MiB 2 were the fastest. Where the CPU counts the block that is filled
 * and those that are counted should all stay in caches. */
#define GST_CUDA_HISTO_GPU_BLOCK ((gsize)2 * 1024 * 1024)
#define GST_CUDA_HISTO_CPU_BLOCK ((gsize)512 * 1024)

/* How many idle blocks are kept: those that came back last. */
#define GST_CUDA_HISTO_PINNER_IDLE 16

/* The most bytes that are pinned at any time. Somebody may keep all blocks that he gets, and the system cannot swap pinned
 * memory. */
#define GST_CUDA_HISTO_PINNER_LIMIT ((gsize)1 << 30)

/* Reference counted. Any thread may use it. */
typedef struct _GstCudaHistoPinner GstCudaHistoPinner;

/* Takes `pinner`; NULL: all memory is ordinary. `block_size`: what small buffers are to be gathered in. */
GstCudaHistoPinner *gst_cuda_histo_pinner_new (struct histo_pinner *pinner, gsize block_size);

/* Takes the CUDA context in which `pinner` works, and calls `release_context` with it after the last block is freed. To be
 * called before anybody else has the pinner. */
void gst_cuda_histo_pinner_hold_context (GstCudaHistoPinner *pinner, gpointer context, GDestroyNotify release_context);

GstCudaHistoPinner *gst_cuda_histo_pinner_ref (GstCudaHistoPinner *pinner);
void gst_cuda_histo_pinner_unref (GstCudaHistoPinner *pinner); /* after the blocks were given back */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoPinner, gst_cuda_histo_pinner_unref)

gsize gst_cuda_histo_pinner_get_block_size (const GstCudaHistoPinner *pinner);

/* Keeps no idle blocks from now on: nobody will ask for more than a few. Whoever still has blocks may keep them. */
void gst_cuda_histo_pinner_retire (GstCudaHistoPinner *pinner);

/* A block of `size` bytes, with whatever is in it. FALSE, and all zeros, where there is no memory. */
gboolean gst_cuda_histo_pinner_take (GstCudaHistoPinner *pinner, gsize size, struct histo_block *block);

/* Gives a block back and makes it all zeros. */
void gst_cuda_histo_pinner_give_back (GstCudaHistoPinner *pinner, struct histo_block *block);

G_END_DECLS

#endif
