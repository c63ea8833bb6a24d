/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/allocator.h"

#include <string.h>

#define ALIGNMENT 16 /* of any memory, as in the C library */

/* A block and its number of users. */
typedef struct {
  gatomicrefcount ref_count;
  GstCudaHistoPinner *pinner;
  struct histo_block block;
} Slab;

typedef struct {
  GstMemory parent;
  guint8 *data; /* aligned as required */
  Slab *slab;   /* borrowed if the memory shares another memory, which holds it */
} SlabMemory;

struct _GstCudaHistoAllocator {
  GstAllocator parent;
  GstCudaHistoPinner *pinner;
  gsize block_size; /* the pinner's */
  GstAllocator *ordinary;
  gsize max_ordinary; /* bytes; memory up to this size comes from the default allocator */
  GMutex mutex;
  /* Under the mutex: the block from which memories up to half its size are cut, or NULL, and its used bytes. */
  Slab *slab;
  gsize used;
};

static const gchar memory_type[] = GST_CUDA_HISTO_MEMORY_TYPE;

G_DEFINE_TYPE (GstCudaHistoAllocator, gst_cuda_histo_allocator, GST_TYPE_ALLOCATOR)

/* NULL if there is no memory. */
static Slab *
gst_cuda_histo_allocator_slab_new (GstCudaHistoPinner *pinner, gsize size)
{
  Slab *slab = g_new0 (Slab, 1);

  if (!gst_cuda_histo_pinner_take (pinner, size, &slab->block)) {
    g_free (slab);
    return NULL;
  }
  g_atomic_ref_count_init (&slab->ref_count);
  slab->pinner = gst_cuda_histo_pinner_ref (pinner);
  return slab;
}

static void
gst_cuda_histo_allocator_slab_unref (Slab *slab)
{
  if (!g_atomic_ref_count_dec (&slab->ref_count))
    return;
  gst_cuda_histo_pinner_give_back (slab->pinner, &slab->block);
  gst_cuda_histo_pinner_unref (slab->pinner);
  g_free (slab);
}

/* ---- functions of GstMemory ---------------------------------------------------------------------------------------- */

static gpointer
gst_cuda_histo_allocator_map_memory (GstMemory *memory, gsize size G_GNUC_UNUSED, GstMapFlags flags G_GNUC_UNUSED)
{
  return ((SlabMemory *)memory)->data;
}

static void
gst_cuda_histo_allocator_unmap_memory (GstMemory *memory G_GNUC_UNUSED)
{
}

/* Copies into ordinary memory: an element that copies usually writes to the copy. */
static GstMemory *
gst_cuda_histo_allocator_copy_memory (GstMemory *memory, gssize offset, gssize size)
{
  gsize length = size < 0 ? memory->size - (gsize)offset : (gsize)size;
  GstMemory *copy = gst_allocator_alloc (GST_CUDA_HISTO_ALLOCATOR (memory->allocator)->ordinary, length, NULL);
  GstMapInfo map;

  if (copy == NULL || !gst_memory_map (copy, &map, GST_MAP_WRITE)) {
    g_clear_pointer (&copy, gst_memory_unref);
    return NULL;
  }
  memcpy (map.data, ((SlabMemory *)memory)->data + memory->offset + offset, length);
  gst_memory_unmap (copy, &map);
  return copy;
}

static GstMemory *
gst_cuda_histo_allocator_share_memory (GstMemory *memory, gssize offset, gssize size)
{
  GstMemory *whole = memory->parent != NULL ? memory->parent : memory;
  SlabMemory *part = g_new0 (SlabMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (part), GST_MINI_OBJECT_FLAGS (whole) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
                   memory->allocator, whole, memory->maxsize, memory->align, memory->offset + (gsize)offset,
                   size < 0 ? memory->size - (gsize)offset : (gsize)size);
  part->data = ((SlabMemory *)memory)->data;
  part->slab = ((SlabMemory *)memory)->slab;
  return GST_MEMORY_CAST (part);
}

/* ---- allocation ------------------------------------------------------------------------------------------------------ */

static guint8 *
gst_cuda_histo_allocator_align_up (guint8 *data, gsize mask)
{
  return data + ((mask + 1 - ((gsize)data & mask)) & mask);
}

/* Returns `size` bytes of *slab at an address that is a multiple of `mask` + 1. The caller owns a reference to *slab. NULL if
 * there is no memory. */
static guint8 *
gst_cuda_histo_allocator_cut (GstCudaHistoAllocator *self, gsize size, gsize mask, Slab **slab)
{
  guint8 *data, *end;

  g_mutex_lock (&self->mutex);
  for (;;) {
    if (self->slab == NULL) {
      self->slab = gst_cuda_histo_allocator_slab_new (self->pinner, self->block_size);
      self->used = 0;
    }
    *slab = self->slab;
    if (*slab == NULL) {
      g_mutex_unlock (&self->mutex);
      return NULL;
    }
    end = (guint8 *)(*slab)->block.data + (*slab)->block.size_bytes;
    data = gst_cuda_histo_allocator_align_up ((guint8 *)(*slab)->block.data + self->used, mask);
    if (data <= end && size <= (gsize)(end - data))
      break;
    g_clear_pointer (&self->slab, gst_cuda_histo_allocator_slab_unref);
  }
  self->used = (gsize)(data + size - (guint8 *)(*slab)->block.data);
  g_atomic_ref_count_inc (&(*slab)->ref_count);
  g_mutex_unlock (&self->mutex);
  return data;
}

/* `params->align` is a mask: a power of two, less one. */
static GstMemory *
gst_cuda_histo_allocator_allocate (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstCudaHistoAllocator *self = GST_CUDA_HISTO_ALLOCATOR (allocator);
  gsize mask = params->align | (ALIGNMENT - 1);
  gsize max_size = params->prefix + size + params->padding;
  Slab *slab;
  guint8 *data;
  SlabMemory *memory;

  if (max_size < size || max_size > G_MAXSIZE / 2 || mask > G_MAXSIZE / 4)
    return NULL;
  if (max_size <= self->max_ordinary)
    return gst_allocator_alloc (self->ordinary, size, params);
  if (max_size <= self->block_size / 2 && mask < self->block_size / 4) {
    data = gst_cuda_histo_allocator_cut (self, max_size, mask, &slab);
  } else {
    slab = gst_cuda_histo_allocator_slab_new (self->pinner,
                                              mask < 4096 ? max_size : max_size + mask); /* blocks are page-aligned */
    data = slab != NULL ? gst_cuda_histo_allocator_align_up (slab->block.data, mask) : NULL;
  }
  if (data == NULL)
    return NULL;

  memory = g_new (SlabMemory, 1);
  memory->data = data;
  memory->slab = slab;
  if ((params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED) != 0)
    memset (data, 0, params->prefix);
  if ((params->flags & GST_MEMORY_FLAG_ZERO_PADDED) != 0)
    memset (data + params->prefix + size, 0, params->padding);
  gst_memory_init (GST_MEMORY_CAST (memory), params->flags, allocator, NULL, max_size, params->align, params->prefix, size);
  return GST_MEMORY_CAST (memory);
}

static void
gst_cuda_histo_allocator_free_memory (GstAllocator *allocator G_GNUC_UNUSED, GstMemory *memory)
{
  if (memory->parent == NULL)
    gst_cuda_histo_allocator_slab_unref (((SlabMemory *)memory)->slab);
  g_free (memory);
}

/* ---- the class ------------------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_allocator_finalize (GObject *object)
{
  GstCudaHistoAllocator *self = GST_CUDA_HISTO_ALLOCATOR (object);

  g_clear_pointer (&self->slab, gst_cuda_histo_allocator_slab_unref);
  gst_cuda_histo_pinner_unref (self->pinner);
  gst_object_unref (self->ordinary);
  g_mutex_clear (&self->mutex);
  G_OBJECT_CLASS (gst_cuda_histo_allocator_parent_class)->finalize (object);
}

static void
gst_cuda_histo_allocator_class_init (GstCudaHistoAllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = gst_cuda_histo_allocator_allocate;
  GST_ALLOCATOR_CLASS (klass)->free = gst_cuda_histo_allocator_free_memory;
  G_OBJECT_CLASS (klass)->finalize = gst_cuda_histo_allocator_finalize;
}

static void
gst_cuda_histo_allocator_init (GstCudaHistoAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  g_mutex_init (&self->mutex);
  self->ordinary = gst_allocator_find (GST_ALLOCATOR_SYSMEM);
  allocator->mem_type = memory_type;
  allocator->mem_map = gst_cuda_histo_allocator_map_memory;
  allocator->mem_unmap = gst_cuda_histo_allocator_unmap_memory;
  allocator->mem_copy = gst_cuda_histo_allocator_copy_memory;
  allocator->mem_share = gst_cuda_histo_allocator_share_memory;
}

GstAllocator *
gst_cuda_histo_allocator_new (GstCudaHistoPinner *pinner, gsize max_ordinary)
{
  GstCudaHistoAllocator *self = g_object_new (GST_TYPE_CUDA_HISTO_ALLOCATOR, NULL);

  self->pinner = gst_cuda_histo_pinner_ref (pinner);
  self->block_size = gst_cuda_histo_pinner_get_block_size (pinner);
  self->max_ordinary = max_ordinary;
  return GST_ALLOCATOR (gst_object_ref_sink (self));
}

gboolean
gst_cuda_histo_memory_is_ours (GstMemory *memory)
{
  return memory->allocator->mem_type == memory_type;
}

const guint8 *
gst_cuda_histo_memory_get_data (GstMemory *memory)
{
  return ((SlabMemory *)memory)->data + memory->offset;
}

gconstpointer
gst_cuda_histo_memory_get_block (GstMemory *memory)
{
  return ((SlabMemory *)memory)->slab;
}
