/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Launches of unlike frames: finds the frame of a block, and its parameter. */

#ifndef HISTO_CUDA_UNLIKE_CUH
#define HISTO_CUDA_UNLIKE_CUH

#include "../count.h"

/* The frame of this block: the last one that begins at or before it. All threads call it. */
static __device__ __forceinline__ unsigned
find_frame (const histo_cuda_unlike &unlike)
{
  const bool begins = threadIdx.x < unlike.frame_count && unlike.first_block[threadIdx.x] <= blockIdx.x;

  return __syncthreads_count (begins) - 1;
}

/* Reads the needed part of a frame's parameter. All threads read a part at the same time, since it comes over the bus. Calls
 * __syncthreads. */
template <typename parameter>
static __device__ __forceinline__ void
load_parameter (const histo_cuda_unlike &unlike, unsigned frame, parameter &to)
{
  static_assert (sizeof to % sizeof (uint4) == 0, "it is read in vectors");
  auto from = reinterpret_cast<const uint4 *> (unlike.parameters + static_cast<uint64_t> (frame) * unlike.stride_bytes);

  for (unsigned i = threadIdx.x; i < unlike.size_bytes / sizeof (uint4); i += blockDim.x)
    reinterpret_cast<uint4 *> (&to)[i] = from[i];
  __syncthreads ();
}

#endif
