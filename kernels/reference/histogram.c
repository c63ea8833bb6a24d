/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

void
histo_reference_histogram (const struct histo_frame *frame, unsigned index, uint64_t *histogram)
{
  const struct histo_component *component = &frame->components[index];
  const struct histo_plane *plane = &frame->planes[component->plane];

  for (uint32_t y = 0; y < plane->height; y++)
    for (uint64_t i = 0; i < component->width; i++) {
      const uint8_t *row = (const uint8_t *)plane->data + y * plane->stride_bytes;

      histogram[row[component->offset_bytes + i * component->step_bytes]]++;
    }
}
