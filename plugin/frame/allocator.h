/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The allocator: a pinner's blocks as GstMemory, system memory to all who map it, which a GPU takes without a copy by the
 * processor. Memories that are small beside a block are cut from one, one behind the other, so that what a source fills in turn
 * lies together, and is counted together. A memory holds its block, the allocator and the pinner for as long as anybody holds
 * it. */

#ifndef GST_CUDA_HISTO_ALLOCATOR_H
#define GST_CUDA_HISTO_ALLOCATOR_H

#include <gst/gst.h>

#include "frame/pinner.h"

G_BEGIN_DECLS

#define GST_CUDA_HISTO_MEMORY_TYPE "CudaHistoMemory"

#define GST_TYPE_CUDA_HISTO_ALLOCATOR (gst_cuda_histo_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHistoAllocator, gst_cuda_histo_allocator, GST, CUDA_HISTO_ALLOCATOR, GstAllocator)

/* Keeps a reference to `pinner`. Memory of at most `max_ordinary` bytes is the default allocator's. Free with
 * gst_object_unref(). */
GstAllocator *gst_cuda_histo_allocator_new (GstCudaHistoPinner *pinner, gsize max_ordinary);

/* Whether the memory, or what it is a part of, is the allocator's. */
gboolean gst_cuda_histo_memory_is_ours (GstMemory *memory);

/* For memory of this allocator: its first byte, which may be read while the memory is locked for reading; and what
 * identifies its block. Adjacent bytes of one block can be counted together. */
const guint8 *gst_cuda_histo_memory_get_data (GstMemory *memory);
gconstpointer gst_cuda_histo_memory_get_block (GstMemory *memory);

G_END_DECLS

#endif
