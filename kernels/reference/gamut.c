/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reference.h"

static bool
is_outside (const struct histo_gamut *gamut, int64_t value)
{
  return value < gamut->min || value > gamut->max;
}

/* Tests components 0, 1 and 2 as R', G' and B'. */
static bool
rgb_is_outside (const struct histo_gamut *gamut, const uint32_t samples[3])
{
  return is_outside (gamut, (int64_t)samples[0] * HISTO_GAMUT_ONE) || is_outside (gamut, (int64_t)samples[1] * HISTO_GAMUT_ONE)
         || is_outside (gamut, (int64_t)samples[2] * HISTO_GAMUT_ONE);
}

/* Tests luma, and R', G' and B' computed from luma and chroma. */
static bool
yuv_is_outside (const struct histo_gamut *gamut, const uint32_t samples[3], unsigned depth)
{
  const int64_t middle = (int64_t)1 << (depth - 1), cb = samples[1] - middle, cr = samples[2] - middle;
  const int64_t y = (int64_t)samples[0] * HISTO_GAMUT_ONE;
  const int64_t red = y + gamut->r_cr * cr, green = y + gamut->g_cb * cb + gamut->g_cr * cr, blue = y + gamut->b_cb * cb;

  return is_outside (gamut, y) || is_outside (gamut, red) || is_outside (gamut, green) || is_outside (gamut, blue);
}

uint64_t
histo_reference_gamut_errors (const struct histo_frame *frame)
{
  const unsigned first = frame->gamut.is_rgb ? frame->derived_count : 0;
  const struct histo_component *luma = &frame->components[first];
  const struct histo_gamut *gamut = &frame->gamut;
  uint64_t outside = 0;

  for (uint32_t y = 0; y < frame->planes[luma->plane].height; y++)
    for (uint64_t i = 0; i < luma->width; i++) {
      uint32_t samples[3];

      histo_reference_colour (frame, first, y, i, samples);
      outside += gamut->is_rgb ? rgb_is_outside (gamut, samples) : yuv_is_outside (gamut, samples, luma->depth);
    }
  return outside;
}
