/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "parts/entries.h"

GstCudaHistoCounted *
gst_cuda_histo_entries_add (GstCudaHistoEntries *entries, guint part, GstCudaHistoFrame *frame, GstCudaHistoFrame *operand,
                            const GstCudaHistoCounted *picture)
{
  const guint i = entries->count++;

  g_assert (i < GST_CUDA_HISTO_MAX_PARTS);
  entries->frames[i] = frame;
  entries->operands[i] = operand;
  entries->what[i] = *picture;
  entries->what[i].part = part;
  return &entries->what[i];
}

static void
gst_cuda_histo_entries_drop (GstCudaHistoFrame **frames, guint count)
{
  for (guint i = 0; i < count; i++)
    g_clear_pointer (&frames[i], gst_cuda_histo_frame_unref);
}

void
gst_cuda_histo_entries_clear (GstCudaHistoEntries *entries)
{
  gst_cuda_histo_entries_drop (entries->frames, entries->count);
  gst_cuda_histo_entries_drop (entries->operands, entries->count);
  entries->count = 0;
}

gboolean
gst_cuda_histo_entries_submit (GstCudaHistoEntries *entries, GstCudaHistoCounter *counter)
{
  const guint count = entries->count;
  gboolean is_added = gst_cuda_histo_counter_add (counter, entries->frames[0], entries->operands[0], &entries->what[0]);

  /* Separately: a GPU counts the other parts in one launch, in the copy of the picture. */
  if (is_added && count > 1)
    is_added
        = gst_cuda_histo_counter_add_parts (counter, count - 1, &entries->frames[1], &entries->operands[1], &entries->what[1]);
  else
    gst_cuda_histo_entries_drop (&entries->frames[1], count - 1);
  gst_cuda_histo_entries_drop (entries->operands, count); /* the counter has taken the frames */
  entries->count = 0;
  return is_added;
}
