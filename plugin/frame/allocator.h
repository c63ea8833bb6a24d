/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The allocator: blocks of a pinner as GstMemory. Elements map it as system memory, and a GPU reads it without a copy by the
 * CPU. Small memories are cut from one block, one after the other: consecutive buffers of a source are contiguous, and are
 * counted together. A memory keeps its block, the allocator and the pinner. */

#pragma once

#include <gst/gst.h>

#include "frame/pinner.h"

G_BEGIN_DECLS

#define GST_CUDA_HISTO_MEMORY_TYPE "CudaHistoMemory"

#define GST_TYPE_CUDA_HISTO_ALLOCATOR (gst_cuda_histo_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHistoAllocator, gst_cuda_histo_allocator, GST, CUDA_HISTO_ALLOCATOR, GstAllocator)

/* Keeps a reference to `pinner`. Memory up to `max_ordinary` bytes comes from the default allocator. Free with
 * gst_object_unref(). */
GstAllocator *gst_cuda_histo_allocator_new (GstCudaHistoPinner *pinner, gsize max_ordinary);

/* Whether the memory, or its parent, is from such an allocator. */
gboolean gst_cuda_histo_memory_is_ours (GstMemory *memory);

/* For memory of this allocator: its first byte, readable while the memory is locked for reading, and the identity of its block.
 * Contiguous bytes of one block can be counted together. */
const guint8 *gst_cuda_histo_memory_get_data (GstMemory *memory);
gconstpointer gst_cuda_histo_memory_get_block (GstMemory *memory);

G_END_DECLS
