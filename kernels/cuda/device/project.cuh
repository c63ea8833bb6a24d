/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Row and column sums of a warp. Its lanes move down a strip of a frame side by side. */

#ifndef HISTO_CUDA_PROJECT_CUH
#define HISTO_CUDA_PROJECT_CUH

#include "histogram.cuh"
#include "load.cuh"
#include "../project.h"
#include "publish.cuh"
#include "reduce.cuh"

/* c + a.low * b.byte0 + a.high * b.byte1, or bytes 2 and 3: two signed 16-bit weights, two bytes. */
static __device__ __forceinline__ int
project_dot_low (unsigned weights, unsigned bytes, int c)
{
  int d;

  asm ("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(weights), "r"(bytes), "r"(c));
  return d;
}

static __device__ __forceinline__ int
project_dot_high (unsigned weights, unsigned bytes, int c)
{
  int d;

  asm ("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(weights), "r"(bytes), "r"(c));
  return d;
}

/* The data of this block's frame. */
struct project_frame {
  const uint8_t *data;
  unsigned long long *row_sums, *column_sums;
  destination to;
};

static __device__ __forceinline__ project_frame
project_find_frame (const histo_cuda_project &project)
{
  const size_t y = blockIdx.y;

  return {
    reinterpret_cast<const uint8_t *> (project.data[y]),
    reinterpret_cast<unsigned long long *> (project.row_sums) + y * project.height,
    reinterpret_cast<unsigned long long *> (project.column_sums) + y * project.width,
    {
      reinterpret_cast<unsigned long long *> (project.workspace) + y * project.frame_words,
      reinterpret_cast<unsigned long long *> (project.result) + y * project.frame_words,
      project.tag,
      gridDim.x,
    },
  };
}

/* A lane that moves down a strip: it counts 16 bytes of each row of its warp. */
struct project_lane {
  const uint8_t *data;  /* the vector in the warp's next row */
  unsigned first, last; /* of its bytes [first, last) are samples */
  alignas (16) unsigned weights[8]; /* two column weights in each, for the row sums; 0 where there is no sample */
  int sums[16];         /* of the columns */
};

#define PROJECT_WARPS (HISTO_CUDA_PROJECT_THREADS / 32)

/* WHOLE: each lane of the warp has 16 samples or none. */
template <bool WHOLE>
static __device__ __forceinline__ void
project_fetch (uint4 &vector, project_lane &lane, uint64_t stride_bytes)
{
  vector = make_uint4 (0, 0, 0, 0);
  if (!WHOLE) {
    unsigned words[4];

#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
      const unsigned byte = i >= lane.first && i < lane.last ? lane.data[i] : 0;

      words[i / 4] = i % 4 == 0 ? byte : words[i / 4] | byte << (i % 4 * 8);
    }
    vector = make_uint4 (words[0], words[1], words[2], words[3]);
  } else if (lane.last == 16) {
    vector = load_vector (reinterpret_cast<const uint4 *> (lane.data));
  }
  lane.data += stride_bytes;
}

/* Counts a vector. A row of the table has 256 bytes. One permutation combines a byte with the column, which is below 256 and
 * differs for each lane, and for even and odd warps. */
template <bool WHOLE>
static __device__ __forceinline__ void
project_count (const project_lane &lane, const unsigned (&words)[4], unsigned column)
{
  if (WHOLE && lane.last != 16)
    return;
#pragma unroll
  for (unsigned i = 0; i < 16; i++)
    if (WHOLE || (i >= lane.first && i < lane.last))
      histogram_increment (__byte_perm (words[i / 4], column, 0x5504 | i % 4 << 4));
}

/* The sum of a row over the lane's samples. */
template <unsigned WEIGHTS>
static __device__ __forceinline__ int
project_sum_row (const project_lane &lane, const unsigned (&words)[4])
{
  int sum = 0;

#pragma unroll
  for (unsigned k = 0; k < 4; k++) {
    if (WEIGHTS == 0) {
      sum = __dp4a (words[k], 0x01010101u, static_cast<unsigned> (sum));
    } else {
      sum = project_dot_low (lane.weights[2 * k], words[k], sum);
      sum = project_dot_high (lane.weights[2 * k + 1], words[k], sum);
    }
  }
  return sum;
}

/* Counts two rows, or one and zeros, and adds them to the column sums. The halves of row_weights are their weights. */
template <bool WHOLE, unsigned WEIGHTS>
static __device__ __forceinline__ void
project_pair (project_lane &lane, const uint4 (&vectors)[2], unsigned row_weights, bool is_pair, unsigned column,
              int (&row_sums)[2])
{
  const unsigned x[4] = { vectors[0].x, vectors[0].y, vectors[0].z, vectors[0].w };
  const unsigned y[4] = { vectors[1].x, vectors[1].y, vectors[1].z, vectors[1].w };

  project_count<WHOLE> (lane, x, column);
  if (is_pair)
    project_count<WHOLE> (lane, y, column);
  row_sums[0] = project_sum_row<WEIGHTS> (lane, x);
  row_sums[1] = project_sum_row<WEIGHTS> (lane, y);
#pragma unroll
  for (unsigned k = 0; k < 4; k++) {
    const unsigned low = __byte_perm (x[k], y[k], 0x5140), high = __byte_perm (x[k], y[k], 0x7362);

    lane.sums[4 * k] = project_dot_low (row_weights, low, lane.sums[4 * k]);
    lane.sums[4 * k + 1] = project_dot_high (row_weights, low, lane.sums[4 * k + 1]);
    lane.sums[4 * k + 2] = project_dot_low (row_weights, high, lane.sums[4 * k + 2]);
    lane.sums[4 * k + 3] = project_dot_high (row_weights, high, lane.sums[4 * k + 3]);
  }
}

/* Counts rows [row, end) of a warp. Calls __syncthreads once. */
template <bool WHOLE, unsigned WEIGHTS>
static __device__ __forceinline__ void
project_rows (const histo_cuda_project &project, project_lane &lane, unsigned row, unsigned end, unsigned column,
              unsigned long long *row_sums)
{
  const unsigned index = threadIdx.x % 32;
  auto column_weights = reinterpret_cast<const int16_t *> (project.column_weights);
  uint4 ahead[2];

#pragma unroll
  for (unsigned i = 0; i < 2; i++)
    if (row + i < end)
      project_fetch<WHOLE> (ahead[i], lane, project.stride_bytes);
  histogram_clear<HISTO_CUDA_PROJECT_THREADS> (HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_PROJECT_COLUMNS));

  for (; row < end; row += 32) {
    const unsigned rows = min (32u, end - row);
    unsigned weights = 0x00010001; /* of row + 2 * index and the next row */
    /* Of row row + index. With arbitrary weights a warp's sum takes 33 bits, so the lanes' last bits are added separately. */
    int own_sum = 0;
    unsigned own_last_bits = 0;

    if (WEIGHTS > 0 && column_weights != nullptr) {
      weights = 2 * index < rows ? column_weights[row + 2 * index] & 0xffff : 0;
      weights |= 2 * index + 1 < rows ? column_weights[row + 2 * index + 1] << 16 : 0;
    }
    for (unsigned i = 0; i < rows; i += 2) {
      const uint4 now[2] = { ahead[0], i + 1 < rows ? ahead[1] : make_uint4 (0, 0, 0, 0) };
      int sums[2];

      if (row + i + 2 < end)
        project_fetch<WHOLE> (ahead[0], lane, project.stride_bytes);
      if (row + i + 3 < end)
        project_fetch<WHOLE> (ahead[1], lane, project.stride_bytes);
      project_pair<WHOLE, WEIGHTS> (lane, now, WEIGHTS > 0 ? __shfl_sync (0xffffffffu, weights, i / 2) : 0x00010001,
                                    i + 1 < rows, column, sums);
#pragma unroll
      for (unsigned k = 0; k < 2; k++) {
        const int sum = static_cast<int> (reduce_warp_word (WEIGHTS < 2 ? sums[k] : sums[k] >> 1));
        const unsigned last_bits = WEIGHTS < 2 ? 0 : __ballot_sync (0xffffffffu, sums[k] & 1);

        if (index == i + k) {
          own_sum = sum;
          own_last_bits = last_bits;
        }
      }
    }
    if (index < rows)
      atomicAdd (row_sums + row + index,
                 static_cast<unsigned long long> (WEIGHTS < 2 ? own_sum : 2ll * own_sum + __popc (own_last_bits)));
  }
}

template <bool WHOLE>
static __device__ __forceinline__ void
project_weighted_rows (const histo_cuda_project &project, project_lane &lane, unsigned row, unsigned end, unsigned column,
                       unsigned long long *row_sums)
{
  if (project.weight_size == 0)
    project_rows<WHOLE, 0> (project, lane, row, end, column, row_sums);
  else if (project.weight_size == 1)
    project_rows<WHOLE, 1> (project, lane, row, end, column, row_sums);
  else
    project_rows<WHOLE, 2> (project, lane, row, end, column, row_sums);
}

#endif
