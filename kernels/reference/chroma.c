/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hue.h"
#include "reference.h"

uint32_t
histo_reference_find_saturation (int32_t cb, int32_t cr)
{
  const int64_t square = (int64_t)cb * cb + (int64_t)cr * cr;
  int64_t root = 0;

  for (int64_t bit = 1 << 15; bit > 0; bit /= 2)
    if ((root + bit) * (root + bit) <= square)
      root += bit;
  return (uint32_t)root;
}

uint32_t
histo_reference_find_hue (int32_t cb, int32_t cr)
{
  static const int32_t directions[HISTO_HUES][2] = { HISTO_HUE_DIRECTIONS };
  uint32_t hue = 0;

  if (cb == 0 && cr == 0)
    return HISTO_HUES / 2;
  for (uint32_t h = 0; h < HISTO_HUES; h++) {
    const int32_t *first = directions[h], *next = directions[(h + 1) % HISTO_HUES];

    if ((int64_t)cb * first[1] - (int64_t)cr * first[0] >= 0 && (int64_t)cb * next[1] - (int64_t)cr * next[0] < 0)
      hue = h;
  }
  return hue;
}

/* Adds the number that `find` returns for each chroma sample to a histogram. */
static void
count_chroma (const struct histo_frame *frame, uint32_t (*find) (int32_t cb, int32_t cr), uint64_t *histogram)
{
  const struct histo_component *component = &frame->components[1];
  const int32_t middle = 1 << (component->depth - 1);

  for (uint32_t y = 0; y < frame->planes[component->plane].height; y++)
    for (uint64_t i = 0; i < component->width; i++)
      histogram[find ((int32_t)histo_reference_sample (frame, 1, y, i) - middle,
                      (int32_t)histo_reference_sample (frame, 2, y, i) - middle)]++;
}

void
histo_reference_saturation (const struct histo_frame *frame, uint64_t *saturation)
{
  count_chroma (frame, histo_reference_find_saturation, saturation);
}

void
histo_reference_hue (const struct histo_frame *frame, uint64_t *hue)
{
  count_chroma (frame, histo_reference_find_hue, hue);
}
