/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "reference.h"

uint32_t
histo_reference_derive (const struct histo_matrix *matrix, unsigned depth, unsigned index, const uint32_t rgb[3])
{
  const int32_t *const weights[] = { matrix->y, matrix->cb, matrix->cr };
  const int64_t one = (int64_t)1 << matrix->shift, top = (1 << depth) - 1;
  int64_t sum = one / 2, value;

  for (unsigned i = 0; i < 3; i++)
    sum += (int64_t)weights[index][i] * rgb[i];
  /* Rounds down, also if negative. */
  value = (sum - (sum % one + one) % one) / one;
  if (index > 0)
    value += (int64_t)1 << (depth - 1);
  return (uint32_t)(value < 0 ? 0 : value > top ? top : value);
}

void
histo_reference_fill_derived (const struct histo_frame *frame, const struct histo_matrix *matrix)
{
  for (unsigned c = 0; c < frame->derived_count; c++) {
    const struct histo_component *component = &frame->components[c];
    const struct histo_plane *plane = &frame->planes[component->plane];

    for (uint32_t y = 0; y < plane->height; y++)
      for (uint64_t i = 0; i < component->width; i++) {
        uint8_t *at = (uint8_t *)(uintptr_t)plane->data + y * plane->stride_bytes + i * component->step_bytes;
        uint32_t rgb[3], value;

        for (unsigned k = 0; k < 3; k++)
          rgb[k] = histo_reference_sample (frame, frame->derived_count + k, y, i);
        value = histo_reference_derive (matrix, component->depth, c, rgb);
        if (component->sample_bytes == 1)
          *at = (uint8_t)value;
        else
          memcpy (at, &(uint16_t){ (uint16_t)value }, sizeof (uint16_t));
      }
  }
}
