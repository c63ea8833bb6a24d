/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "picture.h"
#include "reference.h"

static bool
is_outside (uint32_t sample, uint32_t min, uint32_t max)
{
  return sample < min || sample > max;
}

uint64_t
histo_reference_out_of_range (const struct histo_frame *frame)
{
  const struct histo_component *luma = &frame->components[0];
  const struct histo_chroma *chroma = &frame->chroma;
  const struct histo_range range = histo_find_range (luma->depth);
  uint64_t outside = 0;

  for (uint32_t y = 0; y < frame->planes[luma->plane].height; y++)
    for (uint64_t i = 0; i < luma->width; i++) {
      const uint32_t chroma_y = (y + chroma->phase_y) >> chroma->shift_y;
      const uint64_t chroma_i = (i + chroma->phase_x) >> chroma->shift_x;

      outside += is_outside (histo_reference_sample (frame, 0, y, i), range.luma_min, range.luma_max)
                 || is_outside (histo_reference_sample (frame, 1, chroma_y, chroma_i), range.chroma_min, range.chroma_max)
                 || is_outside (histo_reference_sample (frame, 2, chroma_y, chroma_i), range.chroma_min, range.chroma_max);
    }
  return outside;
}
