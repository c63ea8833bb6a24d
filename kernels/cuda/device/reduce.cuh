/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums over the threads of a warp and of a block, by shuffles. They add dot products, and the sums and sums of squares of
 * 2-byte samples, which do not follow from the histogram. */

#ifndef HISTO_CUDA_REDUCE_CUH
#define HISTO_CUDA_REDUCE_CUH

#include "../count.h"

#define REDUCE_WARPS (HISTO_CUDA_THREADS / 32)

struct reduce_block {
  unsigned long long warps[REDUCE_WARPS];
};

static __device__ __forceinline__ unsigned long long
reduce_warp (unsigned long long value)
{
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (0xffffffffu, value, offset);
  return value;
}

/* The same for words, with the instruction of newer GPUs. */
static __device__ __forceinline__ unsigned
reduce_warp_word (unsigned value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (0xffffffffu, value);
#else
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (0xffffffffu, value, offset);
  return value;
#endif
}

/* Returns the sum over the threads of the block, in thread 0. All threads call it. Calls __syncthreads. */
static __device__ __forceinline__ unsigned long long
reduce_sum (reduce_block &block, unsigned long long value)
{
  value = reduce_warp (value);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    block.warps[threadIdx.x / 32] = value;
  __syncthreads ();
  return threadIdx.x < 32 ? reduce_warp (block.warps[threadIdx.x]) : 0;
}

#endif
