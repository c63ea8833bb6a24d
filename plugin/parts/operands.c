/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "parts/operands.h"

void
gst_cuda_histo_operands_forget (GstCudaHistoOperands *operands)
{
  for (guint i = 0; i < G_N_ELEMENTS (operands->previous); i++)
    g_clear_pointer (&operands->previous[i], gst_cuda_histo_frame_unref);
  for (guint i = 0; i < G_N_ELEMENTS (operands->freeze_starts); i++)
    g_clear_pointer (&operands->freeze_starts[i], gst_cuda_histo_frame_unref);
}

GstCudaHistoFrame *
gst_cuda_histo_operands_follow_freeze (GstCudaHistoOperands *operands, GstCudaHistoFrame *previous, guint index,
                                       gboolean is_like_start)
{
  GstCudaHistoFrame **start = &operands->freeze_starts[index];

  if (*start != NULL && is_like_start)
    return gst_cuda_histo_frame_ref (*start);
  g_clear_pointer (start, gst_cuda_histo_frame_unref);
  if (previous != NULL)
    *start = gst_cuda_histo_frame_ref (previous);
  return NULL;
}

GstCudaHistoFrame *
gst_cuda_histo_operands_copy (GstCudaHistoFrame *frame, GstCudaHistoPinner *pinner)
{
  GstCudaHistoFrame *copy;

  if (frame->frame.memory == HISTO_MEMORY_DEVICE)
    return frame;
  copy = gst_cuda_histo_frame_copy (frame, pinner);
  if (copy == NULL)
    return frame;
  gst_cuda_histo_frame_unref (frame);
  return copy;
}
