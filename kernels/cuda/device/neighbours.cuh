/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compares luma samples with their neighbours and their chroma: outliers, repeats, samples out of range. */

#ifndef HISTO_CUDA_NEIGHBOURS_CUH
#define HISTO_CUDA_NEIGHBOURS_CUH

#include "gamut.cuh"
#include "group.cuh"
#include "reduce.cuh"

#define NEIGHBOUR_ROWS 8 /* rows for a thread at a time, besides four above and two below */
#define NEIGHBOUR_ABOVE 4
#define NEIGHBOUR_BELOW 2

/* Whether a sample is unlike those above and below: see reference/neighbours.c. */
static __device__ __forceinline__ bool
is_unlike (unsigned above, unsigned sample, unsigned below)
{
  return __usad (above, sample, __usad (below, sample, 0)) / 2 > __usad (above, below, 0) + 4;
}

/* The same for a sample anywhere in a row with a row above and one below. */
static __device__ __noinline__ bool
is_unlike_at (const histo_cuda_picture_component &luma, const uint8_t *x, unsigned row, unsigned i)
{
  const uint8_t *at = x + row * luma.stride_bytes;
  const unsigned sample = load_sample (luma, at, i) & 0xff;

  for (unsigned distance = 1; distance <= (row >= 2 && row + 2 < luma.height ? 2 : 1); distance++)
    if (!is_unlike (load_sample (luma, at - distance * luma.stride_bytes, i) & 0xff, sample,
                    load_sample (luma, at + distance * luma.stride_bytes, i) & 0xff))
      return false;
  return true;
}

/* A bit for each of the four samples of rows[2] that is unlike those of rows[1] and rows[3] and, if `is_double`, those of
 * rows[0] and rows[4]. */
template <bool DEEP>
static __device__ __forceinline__ unsigned
find_unlike (const group *rows, bool is_double)
{
  const unsigned sample = group_bytes<DEEP> (rows[2]);
  unsigned unlike = 0;

#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const unsigned value = sample >> (8 * i) & 0xff;
    bool is = is_unlike (group_bytes<DEEP> (rows[1]) >> (8 * i) & 0xff, value, group_bytes<DEEP> (rows[3]) >> (8 * i) & 0xff);

    is = is && (!is_double
                || is_unlike (group_bytes<DEEP> (rows[0]) >> (8 * i) & 0xff, value,
                              group_bytes<DEEP> (rows[4]) >> (8 * i) & 0xff));
    unlike |= is ? 1u << i : 0;
  }
  return unlike;
}

/* The outliers among a row's four samples from `first` on. The neighbours' bits are in other lanes, if any. */
static __device__ __forceinline__ unsigned
count_outliers (const histo_cuda_picture_component &luma, const uint8_t *x, unsigned row, unsigned first, unsigned unlike)
{
  const unsigned lane = threadIdx.x % 32;
  unsigned left = __shfl_up_sync (0xffffffffu, unlike, 1) >> 3, right = __shfl_down_sync (0xffffffffu, unlike, 1) & 1;
  unsigned outliers;

  if (lane == 0)
    left = (unlike & 3) == 3 && first > 0 && is_unlike_at (luma, x, row, first - 1);
  if (lane == 31)
    right = (unlike & 12) == 12 && first + 4 < luma.width && is_unlike_at (luma, x, row, first + 4);
  outliers = unlike & (unlike << 1 | left) & (unlike >> 1 | right << 3);
  if (first == 0)
    outliers &= ~1u;
  if (first + 4 >= luma.width)
    outliers &= (1u << (luma.width - 1 - min (first, luma.width - 1))) - 1;
  return __popc (outliers);
}

template <bool DEEP>
static __device__ __forceinline__ unsigned
add_up_distance (const group &a, const group &b)
{
  unsigned sum = 0;

  if (DEEP) {
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
      sum = __usad (group_value<DEEP> (a, i), group_value<DEEP> (b, i), sum);
  } else {
    sum = __vsadu4 (a.low, b.low);
  }
  return sum;
}

/* A bit for each of the four luma samples from `first` on in `row` whose chroma is out of range. */
static __device__ __forceinline__ unsigned
find_chroma_out_of_range (const histo_cuda_picture &picture, unsigned row, unsigned first)
{
  const uint64_t chroma_row = (row + picture.phase_y) >> picture.shift_y;
  unsigned out = 0, before = ~0u;
  bool is_out = false;

#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const unsigned sample = (first + i + picture.phase_x) >> picture.shift_x;

    if (first + i >= picture.components[0].width)
      break;
    if (sample != before) {
      is_out = false;
#pragma unroll
      for (unsigned c = 1; c < 3; c++) {
        const histo_cuda_picture_component &component = picture.components[c];
        const uint8_t *x = find_component (picture, c) + chroma_row * component.stride_bytes;
        const unsigned value = load_sample (component, x, sample);

        is_out = is_out || value < picture.chroma_min || value > picture.chroma_max;
      }
      before = sample;
    }
    out |= is_out ? 1u << i : 0;
  }
  return out;
}

struct neighbour_counts {
  unsigned outliers, out_of_range, gamut_errors;
};

/* A bit for each of the four samples outside its bounds. */
template <bool DEEP>
static __device__ __forceinline__ unsigned
find_beyond (const group &now, const gamut_bounds *bounds)
{
  unsigned beyond = 0;

#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const int value = static_cast<int> (group_value<DEEP> (now, i));

    beyond |= value < bounds[i].low || value > bounds[i].high ? 1u << i : 0;
  }
  return beyond;
}

/* Counts rows [begin, end), at most NEIGHBOUR_ROWS. Adds their differences from the fourth rows above to row_distances. All
 * threads of the block call it. */
template <bool DEEP, bool GAMUT>
static __device__ __forceinline__ void
count_neighbours (const histo_cuda_picture &picture, const uint8_t *x, unsigned begin, unsigned end, unsigned *row_distances,
                  neighbour_counts &counts)
{
  const histo_cuda_picture_component &luma = picture.components[0];
  const unsigned groups = (luma.width + 3) / 4, above = picture.statistics & HISTO_STATISTIC_REPEATS ? 4 : 2;
  const bool has_neighbours = picture.statistics & (HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS);

  for (unsigned base = 0; base < groups; base += HISTO_CUDA_PICTURE_THREADS) {
    const unsigned first = (base + threadIdx.x) * 4;
    const bool is_there = first < luma.width;
    group rows[NEIGHBOUR_ABOVE + NEIGHBOUR_ROWS + NEIGHBOUR_BELOW] = {};
    gamut_bounds bounds[4];
    unsigned chroma = 0;

    if (!__any_sync (0xffffffffu, is_there))
      break;
#pragma unroll
    for (unsigned i = 0; i < NEIGHBOUR_ABOVE + NEIGHBOUR_ROWS + NEIGHBOUR_BELOW; i++) {
      const unsigned row = begin + i - NEIGHBOUR_ABOVE; /* wraps around above the first */

      if (is_there && row < luma.height && row < end + NEIGHBOUR_BELOW
          && (has_neighbours ? i >= NEIGHBOUR_ABOVE - above : i >= NEIGHBOUR_ABOVE && row < end))
        rows[i] = load_group<DEEP> (luma, x + row * luma.stride_bytes, first);
    }
#pragma unroll
    for (unsigned i = 0; i < NEIGHBOUR_ROWS; i++) {
      const unsigned row = begin + i;
      const group &now = rows[NEIGHBOUR_ABOVE + i];

      if (row >= end)
        break;
      if (picture.statistics & HISTO_STATISTIC_OUTLIERS && row >= 1 && row + 1 < luma.height) {
        const bool is_double = row >= 2 && row + 2 < luma.height;
        const unsigned unlike = find_unlike<DEEP> (&rows[NEIGHBOUR_ABOVE + i - 2], is_double);

        if (__any_sync (0xffffffffu, unlike))
          counts.outliers += count_outliers (luma, x, row, first, is_there ? unlike : 0);
      }
      if (picture.statistics & HISTO_STATISTIC_REPEATS && row >= NEIGHBOUR_ABOVE) {
        const unsigned distance = reduce_warp_word (add_up_distance<DEEP> (now, rows[i]));

        if (threadIdx.x % 32 == 0)
          atomicAdd (&row_distances[i], distance);
      }
      if (picture.statistics & HISTO_STATISTIC_OUT_OF_RANGE && is_there) {
        unsigned out = 0;

        /* Rows of luma with the same row of chroma share its out-of-range bits. */
        if (i == 0 || ((row + picture.phase_y) & ((1u << picture.shift_y) - 1)) == 0)
          chroma = find_chroma_out_of_range (picture, row, first);
#pragma unroll
        for (unsigned k = 0; k < 4; k++) {
          const unsigned value = group_value<DEEP> (now, k);

          out |= value < picture.luma_min || value > picture.luma_max ? 1u << k : 0;
        }
        if (first + 4 > luma.width)
          out &= (1u << (luma.width - first)) - 1;
        counts.out_of_range += __popc (out | chroma);
      }
      if (GAMUT && is_there) {
        const unsigned there = first + 4 > luma.width ? (1u << (luma.width - first)) - 1 : 15;
        group tested = now;

        if (picture.gamut_component != 0)
          tested = load_group<DEEP> (picture.components[picture.gamut_component],
                                     find_component (picture, picture.gamut_component)
                                         + row * picture.components[picture.gamut_component].stride_bytes,
                                     first);
        if (i == 0 || ((row + picture.phase_y) & ((1u << picture.shift_y) - 1)) == 0)
          bound_group (picture, row, first, bounds);
        counts.gamut_errors += __popc (find_beyond<DEEP> (tested, bounds) & there);
      }
    }
  }
}

#endif
