/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdlib.h>

#include "picture.h"
#include "reference.h"

#define OUTLIER_THRESHOLD 4

/* For deeper samples the lowest 8 bits, as FFmpeg's signalstats does. */
static int
outlier_sample (const struct histo_frame *frame, int64_t y, int64_t i)
{
  return histo_reference_sample (frame, 0, (uint32_t)y, (uint64_t)i) & 0xff;
}

/* Whether the sample and its two neighbours differ from the samples `distance` rows above and below by more
 * than these differ from each other. */
static bool
is_unlike (const struct histo_frame *frame, int64_t y, int64_t i, int64_t distance)
{
  for (int64_t k = i - 1; k <= i + 1; k++) {
    const int above = outlier_sample (frame, y - distance, k), below = outlier_sample (frame, y + distance, k);
    const int sample = outlier_sample (frame, y, k);

    if ((abs (above - sample) + abs (below - sample)) / 2 - abs (below - above) <= OUTLIER_THRESHOLD)
      return false;
  }
  return true;
}

uint64_t
histo_reference_outliers (const struct histo_frame *frame)
{
  const struct histo_component *luma = &frame->components[0];
  const int64_t height = frame->planes[luma->plane].height, width = (int64_t)luma->width;
  uint64_t outliers = 0;

  for (int64_t y = 1; y < height - 1; y++)
    for (int64_t i = 1; i < width - 1; i++)
      outliers += is_unlike (frame, y, i, 1) && (y < 2 || y >= height - 2 || is_unlike (frame, y, i, 2));
  return outliers;
}

uint64_t
histo_reference_repeats (const struct histo_frame *frame)
{
  const struct histo_component *luma = &frame->components[0];
  uint64_t repeats = 0;

  for (uint32_t y = HISTO_REPEAT_DISTANCE; y < frame->planes[luma->plane].height; y++) {
    uint64_t difference = 0;

    for (uint64_t i = 0; i < luma->width; i++) {
      const int64_t x = histo_reference_sample (frame, 0, y, i);

      difference += (uint64_t)llabs (x - (int64_t)histo_reference_sample (frame, 0, y - HISTO_REPEAT_DISTANCE, i));
    }
    if (difference < luma->width)
      repeats += luma->width;
  }
  return repeats;
}
