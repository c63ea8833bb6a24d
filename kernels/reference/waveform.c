/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

void
histo_reference_waveform (const struct histo_frame *frame, unsigned index, uint32_t columns, uint64_t *waveform)
{
  const struct histo_component *component = &frame->components[index];

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t x = 0; x < component->width; x++)
      waveform[x * columns / component->width * HISTO_BINS
               + (histo_reference_sample (frame, index, y, x) >> (component->depth - 8))]++;
}
