/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_derive...`: luma and chroma of R', G' and B', written to device memory for other kernels, or counted
 * together with R', G' and B'. */

#include "../derive.h"
#include "group.cuh"
#include "load.cuh"
#include "publish.cuh"

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

/* ---- deriving and counting ------------------------------------------------------------------------------------------- */

#define QUADS_IN_FLIGHT 2 /* of a thread */

/* Four adjacent pixels, as they are in memory: a pixel in each word, or a source's four samples. */
struct quad {
  unsigned words[4];
  unsigned row, group;
  bool has_words; /* otherwise nothing was loaded */
};

/* Loads the words of interleaved pixels at `at`. */
static __device__ __forceinline__ void
load_quad (const histo_cuda_derive &derive, const uint8_t *at, unsigned (&words)[4])
{
  if (derive.pixel_bytes == 4) {
    const uint4 loaded = load_vector (reinterpret_cast<const uint4 *> (at));

    words[0] = loaded.x;
    words[1] = loaded.y;
    words[2] = loaded.z;
    words[3] = loaded.w;
    return;
  }
  auto loaded = reinterpret_cast<const unsigned *> (at);
  const unsigned word0 = loaded[0], word1 = loaded[1], word2 = loaded[2];

  words[0] = word0;
  words[1] = __funnelshift_r (word0, word1, 24);
  words[2] = __funnelshift_r (word1, word2, 16);
  words[3] = word2 >> 8;
}

/* Loads the words of sources that each have their own rows. */
static __device__ __forceinline__ void
load_quad_of_planes (const histo_cuda_derive_count &count, quad &quad)
{
#pragma unroll
  for (unsigned c = 0; c < HISTO_CUDA_COMPONENTS; c++) {
    if (c >= count.source_count)
      break;
    const histo_cuda_picture_component &source = c < 3 ? count.derive.sources[c] : count.other;
    const uint64_t row = source.data + quad.row * source.stride_bytes;

    quad.words[c] = *reinterpret_cast<const unsigned *> (row + quad.group * HISTO_CUDA_DERIVE_SAMPLES);
  }
}

/* The tables of a thread: the shared address of its column in the first row of each. */
struct columns {
  unsigned first[HISTO_CUDA_COUNTED];
  unsigned row_bytes;
};

static __device__ __forceinline__ void
count_sample (const columns &columns, unsigned index, unsigned value)
{
  histogram_increment_at (columns.first[index] + value * columns.row_bytes);
}

/* derive_sample for luma, which needs no limits: its weights are not negative, and their sum is 1. */
static __device__ __forceinline__ unsigned
derive_luma (const histo_cuda_derive &derive, unsigned red, unsigned green, unsigned blue)
{
  const histo_cuda_derived &luma = derive.derived[0];

  return (static_cast<unsigned> (luma.offset) + luma.weights[0] * red + luma.weights[1] * green + luma.weights[2] * blue)
         >> derive.shift;
}

/* Takes the samples of source `c` from its words, or from those of pixels, and counts them. */
template <bool INTERLEAVED>
static __device__ __forceinline__ void
count_source (const columns &columns, const quad &quad, unsigned c, unsigned selector,
              unsigned (&values)[HISTO_CUDA_DERIVE_SAMPLES])
{
#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_DERIVE_SAMPLES; i++) {
    values[i] = INTERLEAVED ? __byte_perm (quad.words[i], 0, selector) : quad.words[c] >> (i * 8) & 0xff;
    count_sample (columns, HISTO_MAX_DERIVED + c, values[i]);
  }
}

/* Derives component `d`, counts it, and stores it if it has a plane. */
static __device__ __forceinline__ void
count_derived (const histo_cuda_derive &derive, const columns &columns, const quad &quad, unsigned d,
               const unsigned (&rgb)[3][HISTO_CUDA_DERIVE_SAMPLES])
{
  const histo_cuda_derived &derived = derive.derived[d];
  unsigned word = 0;

#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_DERIVE_SAMPLES; i++) {
    const unsigned value = d == 0 ? derive_luma (derive, rgb[0][i], rgb[1][i], rgb[2][i])
                                  : derive_sample<false> (derive, derived, rgb[0][i], rgb[1][i], rgb[2][i]);

    count_sample (columns, d, value);
    word |= value << (i * 8);
  }
  if (derived.data != 0)
    *reinterpret_cast<unsigned *> (derived.data + quad.row * derive.stride_bytes + quad.group * HISTO_CUDA_DERIVE_SAMPLES)
        = word;
}

/* Derives and counts a quad whose words are loaded. */
template <bool INTERLEAVED>
static __device__ __forceinline__ void
count_quad (const histo_cuda_derive_count &count, const columns &columns, const quad &quad)
{
  const histo_cuda_derive &derive = count.derive;
  unsigned rgb[3][HISTO_CUDA_DERIVE_SAMPLES], others[HISTO_CUDA_DERIVE_SAMPLES];

#pragma unroll
  for (unsigned c = 0; c < 3; c++)
    count_source<INTERLEAVED> (columns, quad, c, derive.selectors[c], rgb[c]);
  if (count.source_count > 3)
    count_source<INTERLEAVED> (columns, quad, 3, count.other_selector, others);
  count_derived (derive, columns, quad, 0, rgb);
  if (derive.count == 1)
    return;
#pragma unroll
  for (unsigned d = 1; d < HISTO_MAX_DERIVED; d++)
    count_derived (derive, columns, quad, d, rgb);
}

/* Derives and counts a quad sample by sample, also at the end of a row. Not inlined, because it is rare. */
static __device__ __noinline__ void
count_samples (const histo_cuda_derive_count &count, unsigned lanes, unsigned row, unsigned group)
{
  const histo_cuda_derive &derive = count.derive;
  const unsigned table_bytes = HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, lanes);
  const unsigned first = group * HISTO_CUDA_DERIVE_SAMPLES, last = min (first + HISTO_CUDA_DERIVE_SAMPLES, derive.width);

  for (unsigned i = first; i < last; i++) {
    unsigned values[HISTO_CUDA_COMPONENTS];

#pragma unroll
    for (unsigned c = 0; c < HISTO_CUDA_COMPONENTS; c++) {
      if (c >= count.source_count)
        break;
      const histo_cuda_picture_component &source = c < 3 ? derive.sources[c] : count.other;

      values[c] = *reinterpret_cast<const uint8_t *> (source.data + row * source.stride_bytes + i * source.step_bytes);
      histogram_increment (histogram_column (lanes) + (derive.count + c) * table_bytes + values[c] * lanes * 4);
    }
    for (unsigned d = 0; d < derive.count; d++) {
      const histo_cuda_derived &derived = derive.derived[d];
      const unsigned value = derive_sample<false> (derive, derived, values[0], values[1], values[2]);

      histogram_increment (histogram_column (lanes) + d * table_bytes + value * lanes * 4);
      if (derived.data != 0)
        *reinterpret_cast<uint8_t *> (derived.data + row * derive.stride_bytes + i) = static_cast<uint8_t> (value);
    }
  }
}

/* Counts the block's share of the frame. `columns.first` of components that the frame does not have is not used. */
template <bool INTERLEAVED>
static __device__ __forceinline__ void
count_share (const histo_cuda_derive_count &count, const columns &columns, unsigned lanes)
{
  const histo_cuda_derive &derive = count.derive;
  const unsigned components = derive.count + count.source_count, quad_bytes = derive.pixel_bytes * HISTO_CUDA_DERIVE_SAMPLES;
  const unsigned groups = derive.row_groups * derive.height, step = gridDim.x * HISTO_CUDA_THREADS;
  const unsigned step_rows = step / derive.row_groups, step_groups = step % derive.row_groups;
  unsigned next = blockIdx.x * HISTO_CUDA_THREADS + threadIdx.x;
  unsigned row = next / derive.row_groups, group = next % derive.row_groups;
  auto at = reinterpret_cast<const uint8_t *> (derive.pixels) + row * derive.sources[0].stride_bytes
            + static_cast<uint64_t> (group) * quad_bytes;
  const uint64_t step_bytes = step_rows * derive.sources[0].stride_bytes + static_cast<uint64_t> (step_groups) * quad_bytes;
  const uint64_t wrap_bytes = derive.sources[0].stride_bytes - static_cast<uint64_t> (derive.row_groups) * quad_bytes;
  quad quads[QUADS_IN_FLIGHT];

  auto fetch = [&] (quad &quad) {
    quad.row = row;
    quad.group = group;
    quad.has_words = next < groups && group - count.first_group < count.loaded_groups;
    if (quad.has_words && INTERLEAVED)
      load_quad (derive, at, quad.words);
    else if (quad.has_words)
      load_quad_of_planes (count, quad);
    next += step;
    row += step_rows;
    group += step_groups;
    at += step_bytes;
    if (group >= derive.row_groups) {
      group -= derive.row_groups;
      row++;
      at += wrap_bytes;
    }
  };

#pragma unroll
  for (unsigned i = 0; i < QUADS_IN_FLIGHT; i++)
    fetch (quads[i]);
  histogram_clear (components * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, lanes)); /* while the loads are in flight */
  /* Not unrolled: the loop has to stay in the instruction cache. */
#pragma unroll 1
  for (unsigned done = blockIdx.x * HISTO_CUDA_THREADS + threadIdx.x; done < groups; done += step) {
    const quad now = quads[0];

#pragma unroll
    for (unsigned i = 1; i < QUADS_IN_FLIGHT; i++)
      quads[i - 1] = quads[i];
    fetch (quads[QUADS_IN_FLIGHT - 1]);
    if (now.has_words)
      count_quad<INTERLEAVED> (count, columns, now);
    else
      count_samples (count, lanes, now.row, now.group);
  }
}

/* Reads a frame once. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1)
histo_derive_count (const __grid_constant__ histo_cuda_derive_count count)
{
  const histo_cuda_derive &derive = count.derive;
  const unsigned lanes = 1u << count.columns_log2;
  const destination to = { reinterpret_cast<unsigned long long *> (count.workspace),
                           reinterpret_cast<unsigned long long *> (count.result), count.tag, gridDim.x };
  columns columns;

  columns.row_bytes = lanes * 4;
#pragma unroll
  for (unsigned c = 0; c < HISTO_CUDA_COUNTED; c++) {
    const unsigned index = c < HISTO_MAX_DERIVED ? c : derive.count + c - HISTO_MAX_DERIVED;

    columns.first[c]
        = histogram_address () + histogram_column (lanes) + index * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, lanes);
  }
  if (derive.pixel_bytes > 0)
    count_share<true> (count, columns, lanes);
  else
    count_share<false> (count, columns, lanes);
  __syncthreads ();
  publish_words (to, (derive.count + count.source_count) * HISTO_CUDA_BINS, [&] (unsigned i, unsigned &word) {
    word = count.first_words[i / HISTO_CUDA_BINS] + i % HISTO_CUDA_BINS;
    return histogram_fold_bin (histogram_tables, lanes, i);
  });
}
