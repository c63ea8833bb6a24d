/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_derive_count...`: luma and chroma of R', G' and B', counted together with R', G' and B'. A frame is read
 * once. */

#include "derive.cuh"
#include "group.cuh"
#include "load.cuh"
#include "publish.cuh"
#include "reduce.cuh"

/* Four adjacent pixels, as they are in memory. words[i]: those of pixel i or, if each source has its own rows, of source i. */
template <bool DEEP> struct quad {
  static constexpr unsigned in_flight = DEEP ? 1 : 2; /* of a thread; two of deep samples leave too few registers */
  unsigned words[4][DEEP ? 2 : 1];
  unsigned row, group;
  bool has_words; /* otherwise nothing was loaded */
};

/* A thread's totals of deep samples. */
struct deep_totals {
  unsigned sum; /* of at most HISTO_CUDA_DERIVE_MAX_SAMPLES samples */
  unsigned long long squares;
};

/* The block's totals of deep samples. */
static __shared__ unsigned long long derive_totals[HISTO_CUDA_COUNTED][2];

/* Where a thread counts: first DERIVED derived components, then up to four sources. */
template <bool DEEP, unsigned DERIVED> struct counters {
  static constexpr unsigned tables = DERIVED + HISTO_CUDA_COMPONENTS;
  unsigned columns[tables]; /* the shared address of its column in the first row of each table */
  unsigned row_bytes;
  unsigned bin_shift;         /* right, from a deep sample to its bin */
  deep_totals totals[tables]; /* not used for bytes */
};

static __device__ __forceinline__ unsigned
count_table_bins (const histo_cuda_derive_count &count, bool is_deep)
{
  return is_deep ? 1u << count.bins_log2 : HISTO_CUDA_BINS;
}

/* ---- loading ---------------------------------------------------------------------------------------------------------- */

/* Loads the words of interleaved pixels at `at`. */
static __device__ __forceinline__ void
load_quad (const histo_cuda_derive &derive, const uint8_t *at, quad<false> &quad)
{
  if (derive.pixel_bytes == 4) {
    const uint4 loaded = load_vector (reinterpret_cast<const uint4 *> (at));

    quad.words[0][0] = loaded.x;
    quad.words[1][0] = loaded.y;
    quad.words[2][0] = loaded.z;
    quad.words[3][0] = loaded.w;
    return;
  }
  auto loaded = reinterpret_cast<const unsigned *> (at);
  const unsigned word0 = loaded[0], word1 = loaded[1], word2 = loaded[2];

  quad.words[0][0] = word0;
  quad.words[1][0] = __funnelshift_r (word0, word1, 24);
  quad.words[2][0] = __funnelshift_r (word1, word2, 16);
  quad.words[3][0] = word2 >> 8;
}

static __device__ __forceinline__ void
load_quad (const histo_cuda_derive &, const uint8_t *at, quad<true> &quad)
{
#pragma unroll
  for (unsigned i = 0; i < 4; i += 2) {
    const uint4 loaded = load_vector (reinterpret_cast<const uint4 *> (at) + i / 2);

    quad.words[i][0] = loaded.x;
    quad.words[i][1] = loaded.y;
    quad.words[i + 1][0] = loaded.z;
    quad.words[i + 1][1] = loaded.w;
  }
}

/* Loads the words of sources that each have their own rows. */
template <bool DEEP>
static __device__ __forceinline__ void
load_quad_of_planes (const histo_cuda_derive_count &count, quad<DEEP> &quad)
{
#pragma unroll
  for (unsigned c = 0; c < HISTO_CUDA_COMPONENTS; c++) {
    if (c >= count.source_count)
      break;
    const histo_cuda_picture_component &source = c < 3 ? count.derive.sources[c] : count.other;
    const uint64_t row = source.data + quad.row * source.stride_bytes;

    if constexpr (DEEP) {
      const uint2 loaded = reinterpret_cast<const uint2 *> (row)[quad.group];

      quad.words[c][0] = loaded.x;
      quad.words[c][1] = loaded.y;
    } else {
      quad.words[c][0] = reinterpret_cast<const unsigned *> (row)[quad.group];
    }
  }
}

/* Takes the samples of source `c` from the words of pixels, or from its own. All sources have the layout of the first. */
template <bool DEEP, bool INTERLEAVED>
static __device__ __forceinline__ void
take_source (const histo_cuda_derive_count &count, const quad<DEEP> &quad, unsigned c,
             unsigned (&values)[HISTO_CUDA_DERIVE_SAMPLES])
{
  const histo_cuda_picture_component &layout = count.derive.sources[0];
  const unsigned selector = c < 3 ? count.derive.selectors[c] : count.other_selector;

#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_DERIVE_SAMPLES; i++) {
    if constexpr (INTERLEAVED && DEEP) {
      values[i] = __byte_perm (quad.words[i][0], quad.words[i][1], selector) >> layout.shift & layout.mask;
    } else if constexpr (INTERLEAVED) {
      values[i] = __byte_perm (quad.words[i][0], 0, selector);
    } else if constexpr (DEEP) {
      const unsigned pair = __byte_perm (quad.words[c][i / 2], 0, layout.big_endian ? 0x2301 : 0x3210) >> layout.shift
                            & (layout.mask | layout.mask << 16);

      values[i] = i % 2 == 0 ? pair & 0xffff : pair >> 16;
    } else {
      values[i] = quad.words[c][0] >> (i * 8) & 0xff;
    }
  }
}

/* ---- counting --------------------------------------------------------------------------------------------------------- */

template <bool DEEP, unsigned DERIVED>
static __device__ __forceinline__ void
count_values (counters<DEEP, DERIVED> &counters, unsigned table, const unsigned (&values)[HISTO_CUDA_DERIVE_SAMPLES])
{
#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_DERIVE_SAMPLES; i++) {
    const unsigned bin = DEEP ? values[i] >> counters.bin_shift : values[i];

    histogram_increment_at (counters.columns[table] + bin * counters.row_bytes);
    if (DEEP) {
      counters.totals[table].sum += values[i];
      counters.totals[table].squares += static_cast<unsigned long long> (values[i]) * values[i];
    }
  }
}

/* Derives component `d`, counts it, and stores it if it has a plane. */
template <bool DEEP, unsigned DERIVED>
static __device__ __forceinline__ void
count_derived (const histo_cuda_derive &derive, counters<DEEP, DERIVED> &counters, const quad<DEEP> &quad, unsigned d,
               const unsigned (&rgb)[HISTO_CUDA_COMPONENTS][HISTO_CUDA_DERIVE_SAMPLES])
{
  const histo_cuda_derived &derived = derive.derived[d];
  unsigned values[HISTO_CUDA_DERIVE_SAMPLES], words[2] = { 0, 0 };

#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_DERIVE_SAMPLES; i++) {
    values[i] = d == 0 ? derive_luma<DEEP> (derive, rgb[0][i], rgb[1][i], rgb[2][i])
                       : derive_sample<DEEP> (derive, derived, rgb[0][i], rgb[1][i], rgb[2][i]);
    words[DEEP ? i / 2 : 0] |= values[i] << (DEEP ? i % 2 * 16 : i * 8);
  }
  count_values (counters, d, values);
  if (derived.data == 0)
    return;
  const uint64_t row = derived.data + quad.row * derive.stride_bytes;

  if (DEEP)
    reinterpret_cast<uint2 *> (row)[quad.group] = make_uint2 (words[0], words[1]);
  else
    reinterpret_cast<unsigned *> (row)[quad.group] = words[0];
}

/* Derives and counts a quad whose words are loaded. */
template <bool DEEP, unsigned DERIVED, bool INTERLEAVED>
static __device__ __forceinline__ void
count_quad (const histo_cuda_derive_count &count, counters<DEEP, DERIVED> &counters, const quad<DEEP> &quad)
{
  unsigned values[HISTO_CUDA_COMPONENTS][HISTO_CUDA_DERIVE_SAMPLES];

#pragma unroll
  for (unsigned c = 0; c < HISTO_CUDA_COMPONENTS; c++)
    if (c < 3 || count.source_count > 3) {
      take_source<DEEP, INTERLEAVED> (count, quad, c, values[c]);
      count_values (counters, DERIVED + c, values[c]);
    }
#pragma unroll
  for (unsigned d = 0; d < DERIVED; d++)
    count_derived (count.derive, counters, quad, d, values);
}

/* Counts a sample in table `table` of the frame's. */
template <bool DEEP>
static __device__ __forceinline__ void
count_single (const histo_cuda_derive_count &count, unsigned table, unsigned value)
{
  const unsigned lanes = 1u << count.columns_log2, bins = count_table_bins (count, DEEP);
  const unsigned bin = DEEP ? value >> count.bin_shift : value;

  histogram_increment (histogram_column (lanes) + table * HISTO_CUDA_TABLE_BYTES (bins, lanes) + bin * lanes * 4);
  if (DEEP) {
    atomicAdd (&derive_totals[table][0], value);
    atomicAdd (&derive_totals[table][1], static_cast<unsigned long long> (value) * value);
  }
}

/* Derives and counts a quad sample by sample, also at the end of a row. Not inlined, because it is rare. */
template <bool DEEP>
static __device__ __noinline__ void
count_samples (const histo_cuda_derive_count &count, unsigned row, unsigned group)
{
  const histo_cuda_derive &derive = count.derive;
  const unsigned first = group * HISTO_CUDA_DERIVE_SAMPLES, last = min (first + HISTO_CUDA_DERIVE_SAMPLES, derive.width);

  for (unsigned i = first; i < last; i++) {
    unsigned values[HISTO_CUDA_COMPONENTS];

#pragma unroll
    for (unsigned c = 0; c < HISTO_CUDA_COMPONENTS; c++) {
      if (c >= count.source_count)
        break;
      const histo_cuda_picture_component &source = c < 3 ? derive.sources[c] : count.other;

      values[c] = load_sample (source, reinterpret_cast<const uint8_t *> (source.data) + row * source.stride_bytes, i);
      count_single<DEEP> (count, derive.count + c, values[c]);
    }
    for (unsigned d = 0; d < derive.count; d++) {
      const histo_cuda_derived &derived = derive.derived[d];
      const unsigned value = derive_sample<DEEP> (derive, derived, values[0], values[1], values[2]);
      const uint64_t plane_row = derived.data + row * derive.stride_bytes;

      count_single<DEEP> (count, d, value);
      if (derived.data != 0 && DEEP)
        reinterpret_cast<uint16_t *> (plane_row)[i] = static_cast<uint16_t> (value);
      else if (derived.data != 0)
        reinterpret_cast<uint8_t *> (plane_row)[i] = static_cast<uint8_t> (value);
    }
  }
}

/* Adds a thread's totals of deep samples to those of the block. Not inlined, to have its code once. */
static __device__ __noinline__ void
add_totals (const deep_totals *totals, unsigned tables)
{
  for (unsigned table = 0; table < tables; table++) {
    const unsigned long long sum = reduce_warp (totals[table].sum), squares = reduce_warp (totals[table].squares);

    if (threadIdx.x % 32 == 0) {
      atomicAdd (&derive_totals[table][0], sum);
      atomicAdd (&derive_totals[table][1], squares);
    }
  }
}

/* Counts the block's share of the frame. */
template <bool DEEP, unsigned DERIVED, bool INTERLEAVED>
static __device__ __forceinline__ void
count_share (const histo_cuda_derive_count &count)
{
  const histo_cuda_derive &derive = count.derive;
  const unsigned lanes = 1u << count.columns_log2, bins = count_table_bins (count, DEEP);
  const unsigned table_bytes = HISTO_CUDA_TABLE_BYTES (bins, lanes);
  const unsigned quad_bytes = derive.pixel_bytes * HISTO_CUDA_DERIVE_SAMPLES;
  const unsigned groups = derive.row_groups * derive.height, step = gridDim.x * HISTO_CUDA_THREADS;
  const unsigned step_rows = step / derive.row_groups, step_groups = step % derive.row_groups;
  unsigned next = blockIdx.x * HISTO_CUDA_THREADS + threadIdx.x;
  unsigned row = next / derive.row_groups, group = next % derive.row_groups;
  auto at = reinterpret_cast<const uint8_t *> (derive.pixels) + row * derive.sources[0].stride_bytes
            + static_cast<uint64_t> (group) * quad_bytes;
  const uint64_t step_bytes = step_rows * derive.sources[0].stride_bytes + static_cast<uint64_t> (step_groups) * quad_bytes;
  const uint64_t wrap_bytes = derive.sources[0].stride_bytes - static_cast<uint64_t> (derive.row_groups) * quad_bytes;
  quad<DEEP> quads[quad<DEEP>::in_flight];
  counters<DEEP, DERIVED> counters = {};

  counters.row_bytes = lanes * 4;
  counters.bin_shift = count.bin_shift;
#pragma unroll
  for (unsigned table = 0; table < counters.tables; table++)
    counters.columns[table] = histogram_address () + histogram_column (lanes) + table * table_bytes;

  auto fetch = [&] (quad<DEEP> &quad) {
    quad.row = row;
    quad.group = group;
    quad.has_words = next < groups && group - count.first_group < count.loaded_groups;
    if (quad.has_words && INTERLEAVED)
      load_quad (derive, at, quad);
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
  for (unsigned i = 0; i < quad<DEEP>::in_flight; i++)
    fetch (quads[i]);
  histogram_clear ((DERIVED + count.source_count) * table_bytes); /* while the loads are in flight */
  /* Not unrolled: the loop has to stay in the instruction cache. */
#pragma unroll 1
  for (unsigned done = blockIdx.x * HISTO_CUDA_THREADS + threadIdx.x; done < groups; done += step) {
    const quad<DEEP> now = quads[0];

#pragma unroll
    for (unsigned i = 1; i < quad<DEEP>::in_flight; i++)
      quads[i - 1] = quads[i];
    fetch (quads[quad<DEEP>::in_flight - 1]);
    if (now.has_words)
      count_quad<DEEP, DERIVED, INTERLEAVED> (count, counters, now);
    else
      count_samples<DEEP> (count, now.row, now.group);
  }
  if (DEEP) {
    deep_totals totals[counters.tables]; /* a copy, so that the others stay in registers */

    for (unsigned table = 0; table < counters.tables; table++)
      totals[table] = counters.totals[table];
    add_totals (totals, DERIVED + count.source_count);
  }
}

template <bool DEEP, unsigned DERIVED>
static __device__ __forceinline__ void
count_share (const histo_cuda_derive_count &count)
{
  if (count.derive.pixel_bytes > 0)
    count_share<DEEP, DERIVED, true> (count);
  else
    count_share<DEEP, DERIVED, false> (count);
}

/* ---- the block's numbers ---------------------------------------------------------------------------------------------- */

/* Publishes the block's totals of deep samples, a word for a thread: see HISTO_CUDA_TOTALS. */
static __device__ __forceinline__ void
publish_deep_totals (const histo_cuda_derive_count &count, const destination &to)
{
  constexpr unsigned words = HISTO_CUDA_TOTALS - HISTO_CUDA_SUM;
  const unsigned table = threadIdx.x / words, word = threadIdx.x % words;

  if (table >= count.derive.count + count.source_count)
    return;
  const unsigned long long value = derive_totals[table][word / 2];

  publish (to, count.first_words[table] + (1u << count.bins_log2) + HISTO_CUDA_SUM + word,
           word % 2 == 0 ? value & ((1u << HISTO_CUDA_LOW_BITS) - 1) : value >> HISTO_CUDA_LOW_BITS);
}

template <bool DEEP>
static __device__ __forceinline__ void
derive_and_count (const histo_cuda_derive_count &count)
{
  const unsigned lanes = 1u << count.columns_log2, bins = count_table_bins (count, DEEP);
  const destination to = { reinterpret_cast<unsigned long long *> (count.workspace),
                           reinterpret_cast<unsigned long long *> (count.result), count.tag, gridDim.x };

  if (DEEP && threadIdx.x < 2 * HISTO_CUDA_COUNTED)
    derive_totals[threadIdx.x / 2][threadIdx.x % 2] = 0;
  if (count.derive.count == 1)
    count_share<DEEP, 1> (count);
  else
    count_share<DEEP, HISTO_MAX_DERIVED> (count);
  __syncthreads ();
  publish_words (to, (count.derive.count + count.source_count) * bins, [&] (unsigned i, unsigned &word) {
    word = DEEP ? count.first_words[i >> count.bins_log2] + (i & (bins - 1)) : count.first_words[i / bins] + i % bins;
    return histogram_fold_bin (histogram_tables, lanes, i);
  });
  if (DEEP)
    publish_deep_totals (count, to);
}

extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1)
histo_derive_count (const __grid_constant__ histo_cuda_derive_count count)
{
  derive_and_count<false> (count);
}

extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1)
histo_derive_count_deep (const __grid_constant__ histo_cuda_derive_count count)
{
  derive_and_count<true> (count);
}
