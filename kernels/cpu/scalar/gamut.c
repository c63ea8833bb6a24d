/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gamut.h"

static inline int32_t
smaller (int32_t a, int32_t b)
{
  return a < b ? a : b;
}

static inline int32_t
larger (int32_t a, int32_t b)
{
  return a > b ? a : b;
}

/* The luma values Y for which both HISTO_GAMUT_ONE * Y + `least` and HISTO_GAMUT_ONE * Y + `most` are inside, rounded
 * inwards. */
static inline struct histo_bounds
find_bounds (const struct histo_gamut *gamut, int32_t least, int32_t most)
{
  return (struct histo_bounds){ (gamut->min - least + (HISTO_GAMUT_ONE - 1)) >> HISTO_GAMUT_ONE_LOG2,
                                (gamut->max - most) >> HISTO_GAMUT_ONE_LOG2 };
}

/* Limits bounds to 0 .. `top`. An empty interval gets bounds that exclude all samples. */
static inline struct histo_bounds
clamp (struct histo_bounds bounds, int32_t top)
{
  if (bounds.low > top || bounds.high < 0)
    return (struct histo_bounds){ top, 0 };
  return (struct histo_bounds){ larger (bounds.low, 0), smaller (bounds.high, top) };
}

struct histo_bounds
histo_bound_alone (const struct histo_gamut *gamut, int32_t top)
{
  return clamp (find_bounds (gamut, 0, 0), top);
}

static inline bool
is_beyond (int32_t value, struct histo_bounds bounds)
{
  return value < bounds.low || value > bounds.high;
}

/* The bounds of luma with these samples of Cb and Cr, or of R' with these samples of G' and B'. */
static inline struct histo_bounds
bound_luma (const struct histo_gamut *gamut, int32_t cb, int32_t cr, unsigned depth, int32_t top)
{
  const int32_t middle = 1 << (depth - 1);
  int32_t red, green, blue;

  if (gamut->is_rgb) {
    const struct histo_bounds bounds = histo_bound_alone (gamut, top);

    return is_beyond (cb, bounds) || is_beyond (cr, bounds) ? (struct histo_bounds){ top, 0 } : bounds;
  }
  cb -= middle;
  cr -= middle;
  red = gamut->r_cr * cr;
  green = gamut->g_cb * cb + gamut->g_cr * cr;
  blue = gamut->b_cb * cb;
  return clamp (
      find_bounds (gamut, smaller (smaller (red, green), smaller (blue, 0)), larger (larger (red, green), larger (blue, 0))),
      top);
}

void
histo_bound_bytes_c (const uint8_t *cb, const uint8_t *cr, size_t samples, const struct histo_gamut *gamut, unsigned shift,
                     uint8_t *low, uint8_t *high)
{
  for (size_t i = 0; i < samples << shift; i++) {
    const struct histo_bounds bounds = bound_luma (gamut, cb[i >> shift], cr[i >> shift], 8, UINT8_MAX);

    low[i] = (uint8_t)bounds.low;
    high[i] = (uint8_t)bounds.high;
  }
}

void
histo_bound_words_c (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_gamut *gamut, unsigned depth,
                     unsigned shift, uint16_t *low, uint16_t *high)
{
  for (size_t i = 0; i < samples << shift; i++) {
    const struct histo_bounds bounds = bound_luma (gamut, cb[i >> shift], cr[i >> shift], depth, UINT16_MAX);

    low[i] = (uint16_t)bounds.low;
    high[i] = (uint16_t)bounds.high;
  }
}

uint64_t
histo_beyond_bytes_c (const uint8_t *luma, const uint8_t *low, const uint8_t *high, size_t samples)
{
  uint64_t beyond = 0;

  for (size_t i = 0; i < samples; i++)
    beyond += luma[i] < low[i] || luma[i] > high[i];
  return beyond;
}

uint64_t
histo_beyond_words_c (const uint8_t *luma, const struct histo_format *format, const uint16_t *low, const uint16_t *high,
                      size_t samples)
{
  uint64_t beyond = 0;

  for (size_t i = 0; i < samples; i++) {
    const uint32_t value = histo_load_sample (luma + i * 2, format);

    beyond += value < low[i] || value > high[i];
  }
  return beyond;
}
