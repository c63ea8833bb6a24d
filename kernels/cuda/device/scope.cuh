/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The samples and the bins of kernels with the parameter struct histo_cuda_scope. */

#ifndef HISTO_CUDA_SCOPE_CUH
#define HISTO_CUDA_SCOPE_CUH

#include "group.cuh"
#include "histogram.cuh"
#include "../scope.h"

/* The first sample of a component in this block's frame. */
static __device__ __forceinline__ const uint8_t *
find_samples (const histo_cuda_scope &scope, const histo_cuda_picture_component &component)
{
  const uint64_t frame = blockIdx.y;
  auto addresses = reinterpret_cast<const uint64_t *> (scope.addresses);
  uint64_t first = component.data + frame * scope.pitch_bytes;

  if (addresses != nullptr)
    first = addresses[static_cast<uint64_t> (component.pass) * scope.frame_count + frame] + component.offset_bytes;
  return reinterpret_cast<const uint8_t *> (first);
}

static __device__ __forceinline__ unsigned *
find_counters (const histo_cuda_scope &scope, unsigned first)
{
  return reinterpret_cast<unsigned *> (scope.counters) + static_cast<uint64_t> (blockIdx.y) * scope.frame_counters + first;
}

#endif
