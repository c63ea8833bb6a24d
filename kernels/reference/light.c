/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

static int64_t
larger (int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* The largest of R', G' and B' of a luma sample with its chroma, in codes times 1 << HISTO_LIGHT_ONE_LOG2. */
static int64_t
find_largest (const struct histo_light *light, const uint32_t samples[3], unsigned depth)
{
  const int64_t middle = (int64_t)1 << (depth - 1), cb = samples[1] - middle, cr = samples[2] - middle;
  const int64_t red = light->r_cr * cr, green = light->g_cb * cb + light->g_cr * cr, blue = light->b_cb * cb;

  if (light->is_rgb)
    return light->luma * larger (samples[0], larger (samples[1], samples[2])) + light->offset;
  return (int64_t)light->luma * samples[0] + light->offset + larger (red, larger (green, blue));
}

static uint32_t
find_code (int64_t largest)
{
  if (largest < 0)
    return 0;
  largest >>= HISTO_LIGHT_ONE_LOG2;
  return largest < HISTO_LIGHT_CODES ? (uint32_t)largest : HISTO_LIGHT_CODES - 1;
}

void
histo_reference_light (const struct histo_frame *frame, uint64_t *codes)
{
  const unsigned first = frame->light.is_rgb ? frame->derived_count : 0;
  const struct histo_component *luma = &frame->components[first];
  const struct histo_chroma *chroma = &frame->chroma;

  for (uint32_t y = 0; y < frame->planes[luma->plane].height; y++)
    for (uint64_t i = 0; i < luma->width; i++) {
      const uint32_t chroma_y = (y + chroma->phase_y) >> chroma->shift_y;
      const uint64_t chroma_i = (i + chroma->phase_x) >> chroma->shift_x;
      const uint32_t samples[] = {
        histo_reference_sample (frame, first, y, i),
        histo_reference_sample (frame, first + 1, chroma_y, chroma_i),
        histo_reference_sample (frame, first + 2, chroma_y, chroma_i),
      };

      codes[find_code (find_largest (&frame->light, samples, luma->depth))]++;
    }
}
