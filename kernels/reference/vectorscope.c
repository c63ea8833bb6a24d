/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

void
histo_reference_vectorscope (const struct histo_frame *frame, uint64_t *vectorscope)
{
  const struct histo_component *component = &frame->components[1];
  const unsigned shift = component->depth - 8;

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t x = 0; x < component->width; x++) {
      const uint32_t cb = histo_reference_sample (frame, 1, y, x) >> shift,
                     cr = histo_reference_sample (frame, 2, y, x) >> shift;

      vectorscope[256 * cr + cb]++;
    }
}
