/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/gather.h"

#include <string.h>

#define CACHE_LINE 64 /* bytes */

/* Contiguous bytes from `data` on. */
typedef struct {
  const guint8 *data;
  gsize size;
  GPtrArray *bytes; /* GstCudaHistoBytes that contain them */
} Run;

struct _GstCudaHistoGather {
  GstCudaHistoPinner *pinner;
  gsize block_size; /* the pinner's */
  /* Gathered bytes are in a block or in a run, never in both. */
  struct histo_block block; /* the block that is being filled; all zeros: none */
  gsize used;               /* bytes in it, less than a block */
  Run *run;                 /* NULL: none */
};

/* Data of a frame. A block outlives the gatherer while its frame is in use. */
typedef struct {
  GstCudaHistoPinner *pinner;
  struct histo_block block;
} FilledBlock;

static void
gst_cuda_histo_gather_give_back (gpointer user_data)
{
  FilledBlock *filled = user_data;

  gst_cuda_histo_pinner_give_back (filled->pinner, &filled->block);
  gst_cuda_histo_pinner_unref (filled->pinner);
  g_free (filled);
}

static void
gst_cuda_histo_gather_free_run (gpointer user_data)
{
  Run *run = user_data;

  g_ptr_array_unref (run->bytes);
  g_free (run);
}

GstCudaHistoGather *
gst_cuda_histo_gather_new (GstCudaHistoPinner *pinner)
{
  GstCudaHistoGather *gather = g_new0 (GstCudaHistoGather, 1);

  gather->pinner = gst_cuda_histo_pinner_ref (pinner);
  gather->block_size = gst_cuda_histo_pinner_get_block_size (pinner);
  return gather;
}

void
gst_cuda_histo_gather_free (GstCudaHistoGather *gather)
{
  if (gather == NULL)
    return;
  g_clear_pointer (&gather->run, gst_cuda_histo_gather_free_run);
  gst_cuda_histo_pinner_give_back (gather->pinner, &gather->block);
  gst_cuda_histo_pinner_unref (gather->pinner);
  g_free (gather);
}

gsize
gst_cuda_histo_gather_get_remaining (GstCudaHistoGather *gather)
{
  if (gather->block.data == NULL && !gst_cuda_histo_pinner_take (gather->pinner, gather->block_size, &gather->block))
    return 0;
  return gather->block_size - gather->used;
}

gboolean
gst_cuda_histo_gather_can_extend (const GstCudaHistoGather *gather, const GstCudaHistoBytes *bytes, gsize offset)
{
  const Run *run = gather->run;

  if (bytes->block == NULL)
    return FALSE;
  if (run == NULL)
    return gather->used == 0;
  return run->data + run->size == bytes->data + offset
         && ((const GstCudaHistoBytes *)g_ptr_array_index (run->bytes, 0))->block == bytes->block;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_extend (GstCudaHistoGather *gather, GstCudaHistoBytes *bytes, gsize offset, gsize size)
{
  Run *run = gather->run;

  g_return_val_if_fail (gst_cuda_histo_gather_can_extend (gather, bytes, offset), NULL);

  if (size == 0)
    return NULL;
  if (run == NULL) {
    gather->run = run = g_new0 (Run, 1);
    run->data = bytes->data + offset;
    run->bytes = g_ptr_array_new_with_free_func (gst_cuda_histo_bytes_unref);
  }
  /* Pieces of one buffer are consecutive. */
  if (run->bytes->len == 0 || g_ptr_array_index (run->bytes, run->bytes->len - 1) != bytes)
    g_ptr_array_add (run->bytes, gst_cuda_histo_bytes_ref (bytes));
  run->size += size;
  return run->size >= gather->block_size ? gst_cuda_histo_gather_take (gather) : NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_end_run (GstCudaHistoGather *gather)
{
  Run *run = gather->run;

  if (run == NULL)
    return NULL;
  if (run->size > GST_CUDA_HISTO_GATHER_LIMIT || gst_cuda_histo_gather_get_remaining (gather) == 0)
    return gst_cuda_histo_gather_take (gather);
  gather->run = NULL;
  gst_cuda_histo_gather_add (gather, run->data, run->size); /* less than a block */
  gst_cuda_histo_gather_free_run (run);
  return NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_add (GstCudaHistoGather *gather, gconstpointer data, gsize size)
{
  gsize remaining = gst_cuda_histo_gather_get_remaining (gather), ahead;

  g_return_val_if_fail (size <= remaining && gather->run == NULL, NULL);

  if (size == 0)
    return NULL;
  memcpy ((guint8 *)gather->block.data + gather->used, data, size);
  gather->used += size;
  /* Prefetches the target of the next piece, which probably has the same size, while upstream fills it. Waiting for the target
   * is most of the cost of copying 4 KiB. (gcc drops this as a function of its own: it sees no effect.) */
  ahead = MIN (MIN (size, GST_CUDA_HISTO_GATHER_COPIED), gather->block_size - gather->used);
  for (gsize i = 0; i < ahead; i += CACHE_LINE)
    __builtin_prefetch ((const guint8 *)gather->block.data + gather->used + i, 1, 2);
  return gather->used == gather->block_size ? gst_cuda_histo_gather_take (gather) : NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_take (GstCudaHistoGather *gather)
{
  FilledBlock *filled;
  Run *run = g_steal_pointer (&gather->run);
  gsize size = gather->used;

  if (run != NULL)
    return gst_cuda_histo_frame_wrap_bytes (run->data, run->size, gst_cuda_histo_gather_free_run, run);
  if (size == 0)
    return NULL;
  filled = g_new (FilledBlock, 1);
  filled->pinner = gst_cuda_histo_pinner_ref (gather->pinner);
  filled->block = gather->block;
  gather->block = (struct histo_block){ 0 };
  gather->used = 0;
  return gst_cuda_histo_frame_wrap_bytes (filled->block.data, size, gst_cuda_histo_gather_give_back, filled);
}

void
gst_cuda_histo_gather_discard (GstCudaHistoGather *gather)
{
  g_clear_pointer (&gather->run, gst_cuda_histo_gather_free_run);
  gather->used = 0;
}
