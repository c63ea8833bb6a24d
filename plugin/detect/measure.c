/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "detect/measure.h"

#include <math.h>

guint
gst_cuda_histo_measure_black_limit (gdouble level, guint depth, gboolean is_full)
{
  const guint step = 1u << (depth - 8);

  if (is_full)
    return (guint)(level * ((1u << depth) - 1));
  return (guint)(16 * step + level * (235 - 16) * step);
}

guint64
gst_cuda_histo_measure_black (const struct histo_component_stats *luma, guint limit)
{
  guint64 count = 0;

  for (guint value = 0; value < luma->bins && value <= limit; value++)
    count += luma->histogram[value];
  return count;
}

void
gst_cuda_histo_difference_add (GstCudaHistoDifference *difference, const struct histo_stats *stats, guint n_components)
{
  for (guint c = 0; c < MIN (n_components, stats->component_count); c++) {
    const struct histo_component_stats *component = &stats->components[c];

    difference->sum += component->absolute_difference;
    difference->count += component->difference_count;
    difference->depth = component->depth;
    difference->is_incomplete |= component->difference_count != component->count;
  }
}

gboolean
gst_cuda_histo_difference_is_known (const GstCudaHistoDifference *difference)
{
  return difference->count > 0 && !difference->is_incomplete;
}

gdouble
gst_cuda_histo_difference_get_mean (const GstCudaHistoDifference *difference)
{
  return (gdouble)difference->sum / (gdouble)difference->count / (gdouble)(G_GUINT64_CONSTANT (1) << difference->depth);
}

gdouble
gst_cuda_histo_difference_get_score (const GstCudaHistoDifference *difference, gdouble *previous_mean)
{
  /* The order of operations decides the last bits: keep FFmpeg's. */
  const gdouble mean
      = (gdouble)difference->sum * 100. / (gdouble)difference->count / (gdouble)(G_GUINT64_CONSTANT (1) << difference->depth);
  const gdouble change = fabs (mean - *previous_mean);

  *previous_mean = mean;
  return (gfloat)CLAMP (MIN (mean, change), 0., 100.); /* FFmpeg computes in single precision */
}
