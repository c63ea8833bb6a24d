/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "parts/regions.h"

/* Returns a region of the frame as a separate frame. NULL: it lies outside. */
static GstCudaHistoFrame *
gst_cuda_histo_region_set_cut_out (const GstCudaHistoRegionSet *set, GstCudaHistoFrame *frame, GstCudaHistoFrame *operand,
                                   const GstCudaHistoRegion *asked, GstCudaHistoFrame **previous)
{
  GstCudaHistoRegion region = *asked;
  GstCudaHistoFrame *part;

  *previous = NULL;
  if (set->is_field
      && !gst_cuda_histo_region_find_in_field (&region, frame->frame.planes[frame->frame.components[0].plane].height))
    return NULL;
  part = gst_cuda_histo_frame_cut_out (frame, &region);
  /* Scopes are for whole pictures only. */
  part->frame.statistics &= ~(guint32)(HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE);
  if (set->has_weights)
    part->frame.statistics &= ~(guint32)HISTO_STATISTIC_PROJECTION;
  if (operand != NULL && gst_cuda_histo_regions_have (set->previous_regions, asked))
    *previous = gst_cuda_histo_frame_cut_out (operand, &region);
  if (*previous != NULL && !gst_cuda_histo_frame_matches (part, *previous)) /* it begins at another sample of chroma */
    g_clear_pointer (previous, gst_cuda_histo_frame_unref);
  return part;
}

void
gst_cuda_histo_region_set_add (const GstCudaHistoRegionSet *set, GstCudaHistoFrame *frame, GstCudaHistoFrame *operand,
                               const GstCudaHistoCounted *picture, GstCudaHistoEntries *entries)
{
  for (guint i = 0; i < set->regions->count; i++) {
    GstCudaHistoFrame *previous;
    GstCudaHistoFrame *part = gst_cuda_histo_region_set_cut_out (set, frame, operand, &set->regions->regions[i], &previous);

    if (part != NULL)
      gst_cuda_histo_entries_add (entries, GST_CUDA_HISTO_PART_REGION + i, part, previous, picture);
  }
}
