/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The histogram of a block: one table of 32-bit counters for each component in shared memory, added to with shared atomics, as in
 * Kirk, Hwu and El Hajj, "Programming Massively Parallel Processors", chapter "Parallel histogram" (privatization). */

#ifndef HISTO_CUDA_HISTOGRAM_CUH
#define HISTO_CUDA_HISTOGRAM_CUH

#include "count.h"

struct histogram_block {
  unsigned int bins[HISTO_CUDA_COMPONENTS][HISTO_CUDA_BINS];
};

/* Calls __syncthreads. */
static __device__ void
histogram_clear (histogram_block &block)
{
  for (unsigned i = threadIdx.x; i < HISTO_CUDA_COMPONENTS * HISTO_CUDA_BINS; i += blockDim.x)
    (&block.bins[0][0])[i] = 0;
  __syncthreads ();
}

static __device__ __forceinline__ void
histogram_count (histogram_block &block, unsigned component, unsigned value)
{
  atomicAdd (&block.bins[component][value], 1u);
}

/* Adds the block's counters to the workspace and clears them. Calls __syncthreads, before and after. */
static __device__ void
histogram_flush (histogram_block &block, histo_cuda_workspace *workspace)
{
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < HISTO_CUDA_COMPONENTS * HISTO_CUDA_BINS; i += blockDim.x) {
    unsigned component = i / HISTO_CUDA_BINS, bin = i % HISTO_CUDA_BINS;
    unsigned count = block.bins[component][bin];

    if (count > 0)
      atomicAdd ((unsigned long long *) &workspace->numbers[component].histogram[bin], (unsigned long long) count);
    block.bins[component][bin] = 0;
  }
  __syncthreads ();
}

#endif
