/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Luma outside the gamut: see ../cpu/gamut.h. */

#ifndef HISTO_CUDA_GAMUT_CUH
#define HISTO_CUDA_GAMUT_CUH

#include "group.cuh"

/* The smallest and the largest luma inside the gamut; low is above high if there is none. */
struct gamut_bounds {
  int low, high;
};

/* The values Y for which both 1.0 * Y + `least` and 1.0 * Y + `most` are inside, rounded inwards. */
static __device__ __forceinline__ gamut_bounds
find_gamut_bounds (const histo_cuda_picture &picture, int least, int most)
{
  constexpr int round_up = (1 << HISTO_CUDA_GAMUT_LOG2) - 1;

  return { (picture.gamut_min + round_up - least) >> HISTO_CUDA_GAMUT_LOG2,
           (picture.gamut_max - most) >> HISTO_CUDA_GAMUT_LOG2 };
}

/* The bounds for the chroma parts of R', G' and B'; that of Y' is 0. */
static __device__ __forceinline__ gamut_bounds
bound_parts (const histo_cuda_picture &picture, int red, int green, int blue)
{
  return find_gamut_bounds (picture, min (min (red, green), min (blue, 0)), max (max (red, green), max (blue, 0)));
}

/* The bounds for samples of Cb and Cr, or of R' with these samples of G' and B'. */
static __device__ __forceinline__ gamut_bounds
bound_luma (const histo_cuda_picture &picture, int cb, int cr, int middle)
{
  if (picture.gamut_is_rgb) {
    const gamut_bounds bounds = find_gamut_bounds (picture, 0, 0);
    const bool is_out = cb < bounds.low || cb > bounds.high || cr < bounds.low || cr > bounds.high;

    return is_out ? gamut_bounds{ 1, 0 } : bounds;
  }
  cb -= middle;
  cr -= middle;
  return bound_parts (picture, (picture.gamut_red >> 16) * cr,
                      static_cast<short> (picture.gamut_green) * cb + (picture.gamut_green >> 16) * cr,
                      static_cast<short> (picture.gamut_blue) * cb);
}

/* The bounds of the four luma samples from `first` on in `row`. */
static __device__ __forceinline__ void
bound_group (const histo_cuda_picture &picture, unsigned row, unsigned first, gamut_bounds *bounds)
{
  const unsigned index = picture.gamut_component;
  const histo_cuda_picture_component &cb = picture.components[index + 1], &cr = picture.components[index + 2];
  const uint64_t chroma_row = (row + picture.phase_y) >> picture.shift_y;
  const uint8_t *cb_row = find_component (picture, index + 1) + chroma_row * cb.stride_bytes;
  const uint8_t *cr_row = find_component (picture, index + 2) + chroma_row * cr.stride_bytes;
  const int middle = 1 << (cb.depth - 1);
  unsigned before = ~0u;

#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const unsigned sample = (first + i + picture.phase_x) >> picture.shift_x;

    if (first + i >= picture.components[0].width)
      break;
    bounds[i] = i > 0 && sample == before ? bounds[i - 1]
                                          : bound_luma (picture, load_sample (cb, cb_row, sample),
                                                        load_sample (cr, cr_row, sample), middle);
    before = sample;
  }
}

/* Bounds of four luma samples, as bytes. */
struct gamut_bytes {
  unsigned low, high;
};

/* The bounds for a pair of chroma samples, half `half` of `pairs`, minus 128. An empty interval becomes 255 and 0. */
template <unsigned HALF>
static __device__ __forceinline__ gamut_bounds
bound_pair (const histo_cuda_picture &picture, int pairs)
{
  gamut_bounds bounds;

  if (HALF == 0)
    bounds = bound_parts (picture, __dp2a_lo (picture.gamut_red, pairs, 0), __dp2a_lo (picture.gamut_green, pairs, 0),
                          __dp2a_lo (picture.gamut_blue, pairs, 0));
  else
    bounds = bound_parts (picture, __dp2a_hi (picture.gamut_red, pairs, 0), __dp2a_hi (picture.gamut_green, pairs, 0),
                          __dp2a_hi (picture.gamut_blue, pairs, 0));
  if (bounds.low > 255 || bounds.high < 0)
    return { 255, 0 };
  return { max (bounds.low, 0), min (bounds.high, 255) };
}

/* The bounds of four luma samples in a row. They belong to two pairs of bytes, Cb first, two samples to each. */
static __device__ __forceinline__ gamut_bytes
bound_pairs (const histo_cuda_picture &picture, unsigned pairs)
{
  const int centred = static_cast<int> (pairs ^ 0x80808080u);
  const gamut_bounds left = bound_pair<0> (picture, centred), right = bound_pair<1> (picture, centred);

  return { __byte_perm (left.low, right.low, 0x4400), __byte_perm (left.high, right.high, 0x4400) };
}

#endif
