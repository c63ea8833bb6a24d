/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "allocator.h"

#include <string.h>

struct _GstCudaHistoAllocator {
  GstAllocator parent;
  GstCudaHistoPinner *pinner;
};

typedef struct {
  GstMemory parent;
  guint8 *data;             /* aligned as was asked for */
  struct histo_block block; /* all zeros in a part of another memory */
} BlockMemory;

G_DEFINE_TYPE (GstCudaHistoAllocator, gst_cuda_histo_allocator, GST_TYPE_ALLOCATOR)

static gpointer
map_memory (GstMemory *memory, gsize size G_GNUC_UNUSED, GstMapFlags flags G_GNUC_UNUSED)
{
  return ((BlockMemory *)memory)->data;
}

static void
unmap_memory (GstMemory *memory G_GNUC_UNUSED)
{
}

/* To ordinary memory: a copy is made to be changed, behind the element. */
static GstMemory *
copy_memory (GstMemory *memory, gssize offset, gssize size)
{
  gsize length = size < 0 ? memory->size - (gsize)offset : (gsize)size;
  GstMemory *copy = gst_allocator_alloc (NULL, length, NULL);
  GstMapInfo map;

  if (copy == NULL || !gst_memory_map (copy, &map, GST_MAP_WRITE)) {
    g_clear_pointer (&copy, gst_memory_unref);
    return NULL;
  }
  memcpy (map.data, ((BlockMemory *)memory)->data + memory->offset + offset, length);
  gst_memory_unmap (copy, &map);
  return copy;
}

static GstMemory *
share_memory (GstMemory *memory, gssize offset, gssize size)
{
  GstMemory *whole = memory->parent != NULL ? memory->parent : memory;
  BlockMemory *part = g_new0 (BlockMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (part), GST_MINI_OBJECT_FLAGS (whole) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
                   memory->allocator, whole, memory->maxsize, memory->align, memory->offset + (gsize)offset,
                   size < 0 ? memory->size - (gsize)offset : (gsize)size);
  part->data = ((BlockMemory *)memory)->data;
  return GST_MEMORY_CAST (part);
}

/* `align` is a mask: one less than a power of two. */
static GstMemory *
allocate (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstCudaHistoAllocator *self = GST_CUDA_HISTO_ALLOCATOR (allocator);
  gsize max_size = params->prefix + size + params->padding;
  BlockMemory *memory = g_new0 (BlockMemory, 1);
  gsize misalignment;

  /* Blocks begin with a page, and nobody has asked for more yet. */
  if (params->align >= 4096)
    max_size += params->align;
  if (max_size < size || !gst_cuda_histo_pinner_take (self->pinner, MAX (max_size, 1), &memory->block)) {
    g_free (memory);
    return NULL;
  }
  memory->data = memory->block.data;
  misalignment = (gsize)memory->data & params->align;
  if (misalignment != 0) {
    memory->data += params->align + 1 - misalignment;
    max_size -= params->align + 1 - misalignment;
  }

  if ((params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED) != 0)
    memset (memory->data, 0, params->prefix);
  if ((params->flags & GST_MEMORY_FLAG_ZERO_PADDED) != 0)
    memset (memory->data + params->prefix + size, 0, params->padding);
  gst_memory_init (GST_MEMORY_CAST (memory), params->flags, allocator, NULL, max_size, params->align, params->prefix, size);
  return GST_MEMORY_CAST (memory);
}

static void
free_memory (GstAllocator *allocator, GstMemory *memory)
{
  gst_cuda_histo_pinner_give_back (GST_CUDA_HISTO_ALLOCATOR (allocator)->pinner, &((BlockMemory *)memory)->block);
  g_free (memory);
}

static void
gst_cuda_histo_allocator_finalize (GObject *object)
{
  gst_cuda_histo_pinner_unref (GST_CUDA_HISTO_ALLOCATOR (object)->pinner);
  G_OBJECT_CLASS (gst_cuda_histo_allocator_parent_class)->finalize (object);
}

static void
gst_cuda_histo_allocator_class_init (GstCudaHistoAllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = allocate;
  GST_ALLOCATOR_CLASS (klass)->free = free_memory;
  G_OBJECT_CLASS (klass)->finalize = gst_cuda_histo_allocator_finalize;
}

static void
gst_cuda_histo_allocator_init (GstCudaHistoAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = GST_CUDA_HISTO_MEMORY_TYPE;
  allocator->mem_map = map_memory;
  allocator->mem_unmap = unmap_memory;
  allocator->mem_copy = copy_memory;
  allocator->mem_share = share_memory;
}

GstAllocator *
gst_cuda_histo_allocator_new (GstCudaHistoPinner *pinner)
{
  GstCudaHistoAllocator *self = g_object_new (GST_TYPE_CUDA_HISTO_ALLOCATOR, NULL);

  self->pinner = gst_cuda_histo_pinner_ref (pinner);
  return GST_ALLOCATOR (gst_object_ref_sink (self));
}

gboolean
gst_cuda_histo_memory_is_block (GstMemory *memory)
{
  return GST_IS_CUDA_HISTO_ALLOCATOR (memory->allocator);
}
