/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gather.h"

#include <string.h>

struct _GstCudaHistoGather {
  GstCudaHistoPinner *pinner;
  struct histo_block block; /* the one that is being filled; all zeros: none yet */
  gsize used;               /* bytes in it, less than a block */
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
  gst_cuda_histo_pinner_give_back (gather->pinner, &gather->block);
  gst_cuda_histo_pinner_unref (gather->pinner);
  g_free (gather);
}

gsize
gst_cuda_histo_gather_room (GstCudaHistoGather *gather)
{
  if (gather->block.data == NULL && !gst_cuda_histo_pinner_take (gather->pinner, GST_CUDA_HISTO_GATHER_BLOCK, &gather->block))
    return 0;
  return GST_CUDA_HISTO_GATHER_BLOCK - gather->used;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_add (GstCudaHistoGather *gather, gconstpointer data, gsize size)
{
  gsize room = gst_cuda_histo_gather_room (gather);

  g_return_val_if_fail (size <= room, NULL);

  if (size == 0)
    return NULL;
  memcpy ((guint8 *)gather->block.data + gather->used, data, size);
  gather->used += size;
  return gather->used == GST_CUDA_HISTO_GATHER_BLOCK ? gst_cuda_histo_gather_take (gather) : NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_gather_take (GstCudaHistoGather *gather)
{
  Loan *loan;
  gsize size = gather->used;

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
  gather->used = 0;
}
