/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

void
histo_reference_difference (const struct histo_frame *frame, unsigned index, uint64_t *absolute, uint64_t *squared)
{
  const struct histo_component *component = &frame->components[index];

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t i = 0; i < component->width; i++) {
      const int64_t x = histo_reference_sample (frame, index, y, i);
      const int64_t difference = x - (int64_t)histo_reference_sample (frame->operand, index, y, i);

      *absolute += (uint64_t)(difference < 0 ? -difference : difference);
      *squared += (uint64_t)(difference * difference);
    }
}
