/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_derive` and `histo_derive_deep`: luma and chroma of R', G' and B', written to device memory for other
 * kernels. */

#include "derive.cuh"
#include "group.cuh"

/* Four adjacent samples of R', G' and B'. */
struct pixels {
  unsigned values[3][HISTO_CUDA_DERIVE_SAMPLES];
};

/* Loads interleaved pixels in words. The first and last pixels of a row are not loaded here, because words there may have bytes
 * outside the row. Returns false if nothing was loaded. */
template <bool DEEP>
static __device__ __forceinline__ bool
load_pixels (const histo_cuda_derive &derive, unsigned row, unsigned first, pixels &rgb)
{
  const uint64_t at = derive.pixels + row * derive.sources[0].stride_bytes + first * derive.pixel_bytes;
  unsigned low[4], high[4] = {};

  if (first == 0 || first + 4 >= derive.width)
    return false;
  if (DEEP) {
    if (derive.pixel_bytes != 8 || at % 16 != 0)
      return false;
#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
      const uint4 words = reinterpret_cast<const uint4 *> (at)[i];

      low[2 * i] = words.x;
      high[2 * i] = words.y;
      low[2 * i + 1] = words.z;
      high[2 * i + 1] = words.w;
    }
  } else if (derive.pixel_bytes == 4 && at % 16 == 0) {
    const uint4 words = *reinterpret_cast<const uint4 *> (at);

    low[0] = words.x;
    low[1] = words.y;
    low[2] = words.z;
    low[3] = words.w;
  } else if (derive.pixel_bytes == 3 && at % 4 == 0) {
    auto words = reinterpret_cast<const unsigned *> (at);
    const unsigned word0 = words[0], word1 = words[1], word2 = words[2];

    low[0] = word0;
    low[1] = __funnelshift_r (word0, word1, 24);
    low[2] = __funnelshift_r (word1, word2, 16);
    low[3] = word2 >> 8;
  } else {
    return false;
  }
#pragma unroll
  for (unsigned c = 0; c < 3; c++)
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
      const unsigned value = __byte_perm (low[i], high[i], derive.selectors[c]);

      rgb.values[c][i] = DEEP ? (value & 0xffff) >> derive.sources[0].shift & derive.sources[0].mask : value;
    }
  return true;
}

template <bool DEEP>
static __device__ __forceinline__ void
derive_group (const histo_cuda_derive &derive)
{
  const uint64_t thread = static_cast<uint64_t> (blockIdx.x) * HISTO_CUDA_DERIVE_THREADS + threadIdx.x;
  const bool is_small = thread >> 32 == 0; /* a 32-bit division takes fewer instructions */
  const unsigned row
      = is_small ? static_cast<unsigned> (thread) / derive.row_groups : static_cast<unsigned> (thread / derive.row_groups);
  const unsigned first
      = static_cast<unsigned> (thread - static_cast<uint64_t> (row) * derive.row_groups) * HISTO_CUDA_DERIVE_SAMPLES;
  pixels rgb;

  if (row >= derive.height)
    return;
  if (!load_pixels<DEEP> (derive, row, first, rgb)) {
#pragma unroll
    for (unsigned c = 0; c < 3; c++) {
      const histo_cuda_picture_component &source = derive.sources[c];
      const group group
          = load_group<DEEP> (source, reinterpret_cast<const uint8_t *> (source.data) + row * source.stride_bytes, first);

#pragma unroll
      for (unsigned i = 0; i < HISTO_CUDA_DERIVE_SAMPLES; i++)
        rgb.values[c][i] = group_value<DEEP> (group, i);
    }
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
      const unsigned value = derive_sample<DEEP> (derive, derived, rgb.values[0][i], rgb.values[1][i], rgb.values[2][i]);

      words[DEEP ? i / 2 : 0] |= value << (DEEP ? i % 2 * 16 : i * 8);
    }
    if (DEEP)
      *reinterpret_cast<uint2 *> (at + first * 2) = make_uint2 (words[0], words[1]);
    else
      *reinterpret_cast<unsigned *> (at + first) = words[0];
  }
}

/* A thread derives four adjacent pixels. The limit is device memory, or loads of single samples if neither load_pixels nor
 * load_group can load words. */
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
