/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

void
histo_reference_histogram (const struct histo_frame *frame, unsigned index, uint64_t *histogram)
{
  const struct histo_component *component = &frame->components[index];

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t i = 0; i < component->width; i++) {
      const uint32_t x = histo_reference_sample (frame, index, y, i);

      histogram[component->bins == HISTO_BINS ? x >> (component->depth - 8) : x]++;
    }
}
