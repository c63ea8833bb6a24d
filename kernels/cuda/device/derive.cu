/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_derive...`: luma and chroma of R', G' and B', which the other kernels then count. They are written to
 * device memory, and mostly stay in the second-level cache. */

#include "../derive.h"
#include "group.cuh"

/* A derived sample. The sums of bytes fit into 32 bits. */
template <bool DEEP>
static __device__ __forceinline__ unsigned
derive_sample (const histo_cuda_derive &derive, const histo_cuda_derived &derived, unsigned red, unsigned green, unsigned blue)
{
  if (DEEP) {
    const long long sum = derived.offset + static_cast<long long> (derived.weights[0]) * static_cast<int> (red)
                          + static_cast<long long> (derived.weights[1]) * static_cast<int> (green)
                          + static_cast<long long> (derived.weights[2]) * static_cast<int> (blue);

    return min (max (static_cast<int> (sum >> derive.shift), 0), derive.top);
  }
  const int sum = static_cast<int> (derived.offset) + derived.weights[0] * static_cast<int> (red)
                  + derived.weights[1] * static_cast<int> (green) + derived.weights[2] * static_cast<int> (blue);

  return min (max (sum >> derive.shift, 0), derive.top);
}

template <bool DEEP>
static __device__ __forceinline__ void
derive_group (const histo_cuda_derive &derive)
{
  const uint64_t thread = static_cast<uint64_t> (blockIdx.x) * HISTO_CUDA_DERIVE_THREADS + threadIdx.x;
  const unsigned row = static_cast<unsigned> (thread / derive.row_groups);
  const unsigned first = static_cast<unsigned> (thread % derive.row_groups) * HISTO_CUDA_DERIVE_SAMPLES;
  group rgb[3];

  if (row >= derive.height)
    return;
#pragma unroll
  for (unsigned c = 0; c < 3; c++) {
    const histo_cuda_picture_component &source = derive.sources[c];

    rgb[c] = load_group<DEEP> (source, reinterpret_cast<const uint8_t *> (source.data) + row * source.stride_bytes, first);
  }
#pragma unroll
  for (unsigned d = 0; d < HISTO_MAX_DERIVED; d++) {
    if (d >= derive.count)
      break;
    const histo_cuda_derived &derived = derive.derived[d];
    auto at = reinterpret_cast<uint8_t *> (derived.data) + row * derive.stride_bytes;
    unsigned words[2] = { 0, 0 };

#pragma unroll
    for (unsigned i = 0; i < HISTO_CUDA_DERIVE_SAMPLES; i++) {
      const unsigned value = derive_sample<DEEP> (derive, derived, group_value<DEEP> (rgb[0], i),
                                                  group_value<DEEP> (rgb[1], i), group_value<DEEP> (rgb[2], i));

      words[DEEP ? i / 2 : 0] |= value << (DEEP ? i % 2 * 16 : i * 8);
    }
    if (DEEP)
      *reinterpret_cast<uint2 *> (at + first * 2) = make_uint2 (words[0], words[1]);
    else
      *reinterpret_cast<unsigned *> (at + first) = words[0];
  }
}

/* A thread derives four adjacent pixels. The limit is device memory or, for packed samples, the loads of single bytes. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_DERIVE_THREADS)
histo_derive (const __grid_constant__ histo_cuda_derive derive)
{
  derive_group<false> (derive);
}

extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_DERIVE_THREADS)
histo_derive_deep (const __grid_constant__ histo_cuda_derive derive)
{
  derive_group<true> (derive);
}
