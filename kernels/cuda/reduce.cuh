/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sum, sum of squares and dot product of a block: each thread adds up in registers, a warp by shuffles, the warps of a block by a
 * tree in shared memory (M. Harris, "Optimizing Parallel Reduction in CUDA"; warp shuffles as in J. Luitjens, "Faster Parallel
 * Reductions on Kepler"). */

#ifndef HISTO_CUDA_REDUCE_CUH
#define HISTO_CUDA_REDUCE_CUH

#include "count.h"

#define REDUCE_WARPS (HISTO_CUDA_THREADS / 32)

struct reduce_block {
  unsigned long long warps[REDUCE_WARPS];
};

/* What a thread has added up, one entry for each component. */
struct reduce_thread {
  unsigned long long sum[HISTO_CUDA_COMPONENTS];
  unsigned long long sum_of_squares[HISTO_CUDA_COMPONENTS];
  unsigned long long dot[HISTO_CUDA_COMPONENTS];
};

/* The loops over all components keep the arrays in registers, which have no run-time index. */
static __device__ __forceinline__ void
reduce_count (reduce_thread &thread, unsigned component, unsigned x, unsigned y)
{
#pragma unroll
  for (unsigned c = 0; c < HISTO_CUDA_COMPONENTS; c++) {
    unsigned take = c == component;

    thread.sum[c] += take * x;
    thread.sum_of_squares[c] += take * x * x;
    thread.dot[c] += take * x * y;
  }
}

/* The sum over the block's threads, valid in thread 0. All threads call it. Calls __syncthreads, before and after. */
static __device__ unsigned long long
reduce_sum (reduce_block &block, unsigned long long value)
{
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync (0xffffffffu, value, offset);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    block.warps[threadIdx.x / 32] = value;
  __syncthreads ();
  for (unsigned stride = REDUCE_WARPS / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      block.warps[threadIdx.x] += block.warps[threadIdx.x + stride];
    __syncthreads ();
  }
  return block.warps[0];
}

/* Adds what the block's threads hold to the workspace. */
static __device__ void
reduce_flush (reduce_block &block, const reduce_thread &thread, unsigned component_count, histo_cuda_workspace *workspace)
{
#pragma unroll
  for (unsigned c = 0; c < HISTO_CUDA_COMPONENTS; c++) {
    if (c >= component_count)
      break;
    unsigned long long sum = reduce_sum (block, thread.sum[c]);
    unsigned long long sum_of_squares = reduce_sum (block, thread.sum_of_squares[c]);
    unsigned long long dot = reduce_sum (block, thread.dot[c]);

    if (threadIdx.x == 0) {
      atomicAdd ((unsigned long long *) &workspace->numbers[c].sum, sum);
      atomicAdd ((unsigned long long *) &workspace->numbers[c].sum_of_squares, sum_of_squares);
      atomicAdd ((unsigned long long *) &workspace->numbers[c].dot, dot);
    }
  }
}

#endif
