/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pinner: a shared histo_pinner, which outlives the engine and the element as long as one of its blocks is in use. It keeps
 * a few returned blocks for reuse: pinning and page faults cost more than copying. */

#pragma once

#include <cudahisto/histo.h>
#include <glib.h>

G_BEGIN_DECLS

/* Sizes of the blocks in which small buffers are gathered. The cost of a block, mostly that of waking threads, has to be small
 * beside the copying. For a GPU, 2 MiB was the fastest of 1, 2, 4 and 8 MiB. For the CPU, the block that is being filled and
 * those that are being counted have to stay in caches. */
#define GST_CUDA_HISTO_GPU_BLOCK ((gsize)2 * 1024 * 1024)
#define GST_CUDA_HISTO_CPU_BLOCK ((gsize)512 * 1024)

/* Limit of idle blocks: the last returned ones. */
#define GST_CUDA_HISTO_PINNER_IDLE 16

/* Limit of pinned bytes. An application may keep all its blocks, and the system cannot swap pinned memory. */
#define GST_CUDA_HISTO_PINNER_LIMIT ((gsize)1 << 30)

/* Reference counted. Any thread may use it. */
typedef struct _GstCudaHistoPinner GstCudaHistoPinner;

/* Takes `pinner`; NULL: all memory is ordinary. `block_size`: size of gathering blocks. */
GstCudaHistoPinner *gst_cuda_histo_pinner_new (struct histo_pinner *pinner, gsize block_size);

/* Takes the CUDA context of `pinner`, and calls `release_context` with it after the last block is freed. Call it before the
 * pinner is shared. */
void gst_cuda_histo_pinner_hold_context (GstCudaHistoPinner *pinner, gpointer context, GDestroyNotify release_context);

GstCudaHistoPinner *gst_cuda_histo_pinner_ref (GstCudaHistoPinner *pinner);
void gst_cuda_histo_pinner_unref (GstCudaHistoPinner *pinner); /* after the blocks were returned */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoPinner, gst_cuda_histo_pinner_unref)

gsize gst_cuda_histo_pinner_get_block_size (const GstCudaHistoPinner *pinner);

/* Stops keeping idle blocks. Blocks in use stay valid. */
void gst_cuda_histo_pinner_retire (GstCudaHistoPinner *pinner);

/* Returns a block of `size` bytes, not initialised. FALSE, and all zeros, if there is no memory. */
gboolean gst_cuda_histo_pinner_take (GstCudaHistoPinner *pinner, gsize size, struct histo_block *block);

/* Returns a block to the pinner and sets it to zeros. */
void gst_cuda_histo_pinner_give_back (GstCudaHistoPinner *pinner, struct histo_block *block);

G_END_DECLS
