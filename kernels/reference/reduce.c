/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

uint64_t
histo_reference_sum (const struct histo_frame *frame, unsigned index)
{
  const struct histo_component *component = &frame->components[index];
  uint64_t sum = 0;

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t i = 0; i < component->width; i++)
      sum += histo_reference_sample (frame, index, y, i);
  return sum;
}

uint64_t
histo_reference_sum_of_squares (const struct histo_frame *frame, unsigned index)
{
  const struct histo_component *component = &frame->components[index];
  uint64_t sum = 0;

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t i = 0; i < component->width; i++)
      sum += (uint64_t)histo_reference_sample (frame, index, y, i) * histo_reference_sample (frame, index, y, i);
  return sum;
}

uint64_t
histo_reference_dot (const struct histo_frame *frame, unsigned index)
{
  const struct histo_component *component = &frame->components[index];
  uint64_t sum = 0;

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t i = 0; i < component->width; i++)
      sum += (uint64_t)histo_reference_sample (frame, index, y, i) * histo_reference_sample (frame->operand, index, y, i);
  return sum;
}
