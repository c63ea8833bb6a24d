/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/distances.h"

#include <string.h>

static gboolean
gst_cuda_histo_distances_has_operand (const struct histo_stats *stats)
{
  for (guint c = 0; c < stats->component_count; c++) {
    if (stats->components[c].difference_count > 0)
      return TRUE;
  }
  return FALSE;
}

/* Returns half the sum of the absolute differences of bins. Both histograms have the same total, so that one exceeds the other
 * by that number of samples. */
static guint64
gst_cuda_histo_distances_count_moved (const struct histo_component_stats *a, const struct histo_component_stats *b)
{
  guint64 sum = 0;

  for (guint i = 0; i < a->bins; i++)
    sum += a->histogram[i] > b->histogram[i] ? a->histogram[i] - b->histogram[i] : b->histogram[i] - a->histogram[i];
  return sum / 2;
}

static void
gst_cuda_histo_distances_add_pair (GstCudaHistoDistance *totals, const struct histo_stats *a, const struct histo_stats *b)
{
  if (a->component_count != b->component_count) /* there was no memory for the copy */
    return;
  for (guint c = 0; c < a->component_count; c++) {
    const struct histo_component_stats *x = &a->components[c], *y = &b->components[c];

    if (x->bins != y->bins || x->count != y->count)
      continue;
    totals[c].moved += gst_cuda_histo_distances_count_moved (x, y);
    totals[c].count += x->count;
  }
}

void
gst_cuda_histo_distances_add (GstCudaHistoDistances *distances, const GstCudaHistoCounted *counted)
{
  struct histo_stats *latest = &distances->latest[counted->picture % GST_CUDA_HISTO_MAX_PICTURES];

  if (counted->part == GST_CUDA_HISTO_PART_REFERENCE)
    gst_cuda_histo_distances_add_pair (distances->reference, latest, counted->stats);
  if (counted->part != GST_CUDA_HISTO_PART_PICTURE)
    return;
  if (gst_cuda_histo_distances_has_operand (counted->stats))
    gst_cuda_histo_distances_add_pair (distances->previous, latest, counted->stats);
  histo_stats_reset (latest);
  if (histo_stats_add (latest, counted->stats) != HISTO_OK)
    histo_stats_clear (latest);
}

void
gst_cuda_histo_distances_take (GstCudaHistoDistances *distances, GstCudaHistoDistance *previous,
                               GstCudaHistoDistance *reference)
{
  memcpy (previous, distances->previous, sizeof distances->previous);
  memcpy (reference, distances->reference, sizeof distances->reference);
  memset (distances->previous, 0, sizeof distances->previous);
  memset (distances->reference, 0, sizeof distances->reference);
}

void
gst_cuda_histo_distances_clear (GstCudaHistoDistances *distances)
{
  for (guint i = 0; i < G_N_ELEMENTS (distances->latest); i++)
    histo_stats_clear (&distances->latest[i]);
  *distances = (GstCudaHistoDistances){ 0 };
}
