/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "parts/entries.h"

GstCudaHistoCounted *
gst_cuda_histo_entries_add (GstCudaHistoEntries *entries, guint part, GstCudaHistoFrame *frame, GstCudaHistoFrame *operand,
                            const GstCudaHistoCounted *picture)
{
  GstCudaHistoEntry *entry = &entries->entries[entries->count++];

  g_assert (entries->count <= GST_CUDA_HISTO_MAX_PARTS);
  *entry = (GstCudaHistoEntry){ .frame = frame, .operand = operand, .what = *picture };
  entry->what.part = part;
  return &entry->what;
}

void
gst_cuda_histo_entries_clear (GstCudaHistoEntries *entries)
{
  for (guint i = 0; i < entries->count; i++) {
    g_clear_pointer (&entries->entries[i].frame, gst_cuda_histo_frame_unref);
    g_clear_pointer (&entries->entries[i].operand, gst_cuda_histo_frame_unref);
  }
  entries->count = 0;
}
