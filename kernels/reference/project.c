/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

void
histo_reference_project (const struct histo_frame *frame, unsigned index, const struct histo_weights *weights,
                         int64_t *row_sums, int64_t *column_sums)
{
  const struct histo_component *component = &frame->components[index];

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t i = 0; i < component->width; i++) {
      const int64_t x = histo_reference_sample (frame, index, y, i);

      row_sums[y] += x * (weights->row ? weights->row[i] : 1);
      column_sums[i] += x * (weights->column ? weights->column[y] : 1);
    }
}
