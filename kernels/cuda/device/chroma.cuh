/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hue and saturation: see ../hue.h and reference/chroma.c. */

#ifndef HISTO_CUDA_CHROMA_CUH
#define HISTO_CUDA_CHROMA_CUH

#include "../../hue.h"
#include "group.cuh"
#include "histogram.cuh"
#include "publish.cuh"

static __device__ const int2 hue_directions[HISTO_HUES] = { HISTO_HUE_DIRECTIONS };

static __device__ __forceinline__ unsigned
find_saturation (int cb, int cr)
{
  const unsigned square = static_cast<unsigned> (cb * cb) + static_cast<unsigned> (cr * cr);
  float estimate;
  unsigned root;

  /* The result is off by at most one; above 2^24 a float does not hold all bits of the square. */
  asm ("sqrt.approx.f32 %0, %1;" : "=f"(estimate) : "f"(static_cast<float> (square)));
  root = static_cast<unsigned> (estimate);
  if (root * root > square)
    root--;
  else if ((root + 1) * (root + 1) <= square)
    root++;
  return root;
}

/* As histo_find_hue in ../picture.c: the estimate minus half a degree is in the correct hue or in the previous one. */
static __device__ __forceinline__ unsigned
find_hue (int cb, int cr)
{
  const float y = fabsf (static_cast<float> (cb)), x = fabsf (static_cast<float> (cr));
  const float ratio = __fdividef (fminf (x, y), fmaxf (x, y)), square = ratio * ratio;
  float angle = ratio * (57.2957795f + square * (-18.667f + square * (8.92f - 2.55f * square)));

  if (cb == 0 && cr == 0)
    return HISTO_HUES / 2;
  if (y > x)
    angle = 90.0f - angle;
  if (cr < 0)
    angle = 180.0f - angle;
  angle = (cb < 0 ? -angle : angle) + 179.5f;

  const int before = static_cast<int> (floorf (angle)); /* -1 .. 359 */
  const int hue = before + 1 == HISTO_HUES ? 0 : before + 1;
  const int2 direction = __ldg (&hue_directions[hue]);

  if (static_cast<long long> (cb) * direction.y >= static_cast<long long> (cr) * direction.x)
    return hue;
  return before < 0 ? HISTO_HUES - 1 : before;
}

/* Counts a saturation without a table: lanes with the same saturation add together. */
static __device__ __forceinline__ void
count_in_result (unsigned long long *words, unsigned saturation)
{
  const unsigned active = __activemask ();
  int same;

  __match_all_sync (active, saturation, &same);
  if (!same)
    atomicAdd (words + saturation, 1ull << 16);
  else if (threadIdx.x % 32 == __ffs (active) - 1)
    atomicAdd (words + saturation, static_cast<unsigned long long> (__popc (active)) << 16);
}

/* Counts rows [begin, end) of Cb and Cr. The tables with columns are the hues, then the saturations. `words`: the result's
 * words of the saturations if these have no table. */
static __device__ __forceinline__ void
count_chroma (const histo_cuda_picture &picture, unsigned begin, unsigned end, unsigned long long *words)
{
  const histo_cuda_picture_component &cb = picture.components[1], &cr = picture.components[2];
  const unsigned count = begin < end ? (end - begin) * cb.width : 0;
  const int middle = 1 << (cb.depth - 1);
  const unsigned column = threadIdx.x & ((1u << picture.columns_log2) - 1);
  const uint8_t *cb_rows = find_component (picture, 1), *cr_rows = find_component (picture, 2);
  const bool has_table = picture.saturation_count <= HISTO_CUDA_PICTURE_SATURATIONS;

#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += HISTO_CUDA_PICTURE_THREADS) {
    const unsigned row = begin + i / cb.width, sample = i % cb.width;
    const int u = static_cast<int> (load_sample (cb, cb_rows + row * cb.stride_bytes, sample)) - middle;
    const int v = static_cast<int> (load_sample (cr, cr_rows + row * cr.stride_bytes, sample)) - middle;

    if (picture.statistics & HISTO_STATISTIC_HUE)
      histogram_increment ((find_hue (u, v) << picture.columns_log2 | column) * 4);
    if (picture.statistics & HISTO_STATISTIC_SATURATION) {
      const unsigned saturation = find_saturation (u, v);

      if (has_table)
        histogram_increment (((HISTO_HUES + saturation) << picture.columns_log2 | column) * 4);
      else
        count_in_result (words, saturation);
    }
  }
}

#endif
