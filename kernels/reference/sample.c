/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

uint32_t
histo_reference_sample (const struct histo_frame *frame, unsigned index, uint32_t y, uint64_t i)
{
  const struct histo_component *component = &frame->components[index];
  const struct histo_plane *plane = &frame->planes[component->plane];
  const uint8_t *row = (const uint8_t *)plane->data + y * plane->stride_bytes;
  const uint8_t *bytes = row + component->offset_bytes + i * component->step_bytes;
  uint32_t word;

  if (component->sample_bytes == 1)
    return bytes[0];
  word = component->big_endian ? bytes[0] << 8 | bytes[1] : bytes[1] << 8 | bytes[0];
  return (word >> component->shift) & ((1u << component->depth) - 1);
}

void
histo_reference_colour (const struct histo_frame *frame, unsigned first, uint32_t y, uint64_t i, uint32_t samples[3])
{
  const struct histo_chroma *chroma = &frame->chroma;
  const uint32_t chroma_y = (y + chroma->phase_y) >> chroma->shift_y;
  const uint64_t chroma_i = (i + chroma->phase_x) >> chroma->shift_x;

  samples[0] = histo_reference_sample (frame, first, y, i);
  samples[1] = histo_reference_sample (frame, first + 1, chroma_y, chroma_i);
  samples[2] = histo_reference_sample (frame, first + 2, chroma_y, chroma_i);
}
