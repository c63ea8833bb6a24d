/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gather.h"

#include <string.h>

#include "allocator.h"

/* Memories whose bytes lie one behind the other, from `data` on. */
typedef struct {
  const guint8 *data;
  gsize size;
  guint count, room;
  GstMemory **memories; /* locked for reading */
} Run;

struct _GstCudaHistoGather {
  GstCudaHistoPinner *pinner;
  /* Bytes are gathered here or there, not both. */
  struct histo_block block; /* the one that is being filled; all zeros: none yet */
  gsize used;               /* bytes in it, less than a block */
  Run *run;                 /* NULL: none yet */
};

/* What a frame holds: a block outlives the gatherer while its frame is in use. */
typedef struct {
  GstCudaHistoPinner *pinner;
  struct histo_block block;
} Loan;

static void
return_loan (gpointer user_data)
{
  Loan *loan = user_data;

  gst_cuda_histo_pinner_give_back (loan->pinner, &loan->block);
  gst_cuda_histo_pinner_unref (loan->pinner);
  g_free (loan);
}

static void
free_run (gpointer user_data)
{
  Run *run = user_data;

  for (guint i = 0; i < run->count; i++) {
    gst_memory_unlock (run->memories[i], GST_LOCK_FLAG_READ);
    gst_memory_unref (run->memories[i]);
  }
  g_free (run->memories);
  g_free (run);
}

GstCudaHistoGather *
gst_cuda_histo_gather_new (GstCudaHistoPinner *pinner)
{
  GstCudaHistoGather *gather = g_new0 (GstCudaHistoGather, 1);

  gather->pinner = gst_cuda_histo_pinner_ref (pinner);
  return gather;
}

void
gst_cuda_histo_gather_free (GstCudaHistoGather *gather)
{
  if (gather == NULL)
    return;
  g_clear_pointer (&gather->run, free_run);
  gst_cuda_histo_pinner_give_back (gather->pinner, &gather->block);
  gst_cuda_histo_pinner_unref (gather->pinner);
  g_free (gather);
}

gsize
gst_cuda_histo_gather_room (GstCudaHistoGather *gather)
{
  if (gather->block.data == NULL && !gst_cuda_histo_pinner_take (gather->pinner, GST_CUDA_HISTO_BLOCK, &gather->block))
    return 0;
  return GST_CUDA_HISTO_BLOCK - gather->used;
}

gboolean
gst_cuda_histo_gather_can_copy (const GstCudaHistoGather *gather)
{
  return gather->run == NULL;
}

gboolean
gst_cuda_histo_gather_can_extend (const GstCudaHistoGather *gather, GstMemory *memory, gconstpointer data)
{
  const Run *run = gather->run;

  if (run == NULL)
    return gather->used == 0;
  return run->data + run->size == data
         && gst_cuda_histo_memory_get_block (run->memories[0]) == gst_cuda_histo_memory_get_block (memory);
}

GstCudaHistoFrame *
gst_cuda_histo_gather_extend (GstCudaHistoGather *gather, GstMemory *memory, gconstpointer data, gsize size)
{
  Run *run = gather->run;

  g_return_val_if_fail (gst_cuda_histo_gather_can_extend (gather, memory, data), NULL);

  /* The caller reads it: the lock cannot fail. */
  if (size == 0 || !gst_memory_lock (memory, GST_LOCK_FLAG_READ))
    return NULL;
  if (run == NULL) {
    gather->run = run = g_new0 (Run, 1);
    run->data = data;
  }
  if (run->count == run->room) {
    run->room = run->room == 0 ? 16 : 2 * run->room;
    run->memories = g_renew (GstMemory *, run->memories, run->room);
  }
  run->memories[run->count++] = gst_memory_ref (memory);
  run->size += size;
  return run->size >= GST_CUDA_HISTO_BLOCK ? gst_cuda_histo_gather_take (gather) : NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_add (GstCudaHistoGather *gather, gconstpointer data, gsize size)
{
  gsize room = gst_cuda_histo_gather_room (gather);

  g_return_val_if_fail (size <= room && gather->run == NULL, NULL);

  if (size == 0)
    return NULL;
  memcpy ((guint8 *)gather->block.data + gather->used, data, size);
  gather->used += size;
  return gather->used == GST_CUDA_HISTO_BLOCK ? gst_cuda_histo_gather_take (gather) : NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_take (GstCudaHistoGather *gather)
{
  Loan *loan;
  Run *run = g_steal_pointer (&gather->run);
  gsize size = gather->used;

  if (run != NULL)
    return gst_cuda_histo_frame_wrap_bytes (run->data, run->size, free_run, run);
  if (size == 0)
    return NULL;
  loan = g_new (Loan, 1);
  loan->pinner = gst_cuda_histo_pinner_ref (gather->pinner);
  loan->block = gather->block;
  gather->block = (struct histo_block){ 0 };
  gather->used = 0;
  return gst_cuda_histo_frame_wrap_bytes (loan->block.data, size, return_loan, loan);
}

void
gst_cuda_histo_gather_discard (GstCudaHistoGather *gather)
{
  g_clear_pointer (&gather->run, free_run);
  gather->used = 0;
}
