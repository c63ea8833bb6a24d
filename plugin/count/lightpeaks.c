/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/lightpeaks.h"

#include <string.h>

void
gst_cuda_histo_light_peaks_add (GstCudaHistoLightPeaks *peaks, const GstCudaHistoCounted *counted)
{
  struct histo_light_summary summary;

  if (!histo_summarize_light (counted->stats->picture, &summary))
    return;
  peaks->is_known = TRUE;
  peaks->max_cll = MAX (peaks->max_cll, summary.max_nits);
  peaks->max_fall = MAX (peaks->max_fall, summary.average_nits);
  peaks->max_cll_99_99 = MAX (peaks->max_cll_99_99, summary.percentile_99_99);
  peaks->max_fall_99_99 = MAX (peaks->max_fall_99_99, summary.limited_average_nits);
}

void
gst_cuda_histo_light_peaks_take (GstCudaHistoLightPeaks *peaks, GstCudaHistoLightPeaks *taken)
{
  const gsize size = GST_CUDA_HISTO_MAX_PARTS * sizeof *peaks;

  if (taken != NULL)
    memcpy (taken, peaks, size);
  memset (peaks, 0, size);
}
