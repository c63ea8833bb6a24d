/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels for waveforms and vectorscopes: the upper 8 bits of samples, by column and by pair. */

#include "scope.cuh"

/* ---- waveforms ------------------------------------------------------------------------------------------------------- */

/* The columns of the waveform with samples in a strip, and the number of tables of each. */
struct waveform_strip {
  unsigned first_sample, first_column, columns, copies_log2;
};

static __device__ __forceinline__ unsigned
find_column (const histo_cuda_waveform &waveform, unsigned sample)
{
  return sample * waveform.columns / waveform.samples.width; /* the product is below 2^30 */
}

static __device__ __forceinline__ waveform_strip
find_strip (const histo_cuda_waveform &waveform, unsigned strip)
{
  const unsigned first = strip * HISTO_CUDA_WAVEFORM_STRIP;
  const unsigned last = min (first + HISTO_CUDA_WAVEFORM_STRIP, waveform.samples.width) - 1;
  const unsigned first_column = find_column (waveform, first);
  const unsigned columns = find_column (waveform, last) - first_column + 1;

  return { first, first_column, columns, static_cast<unsigned> (31 - __clz (HISTO_CUDA_WAVEFORM_TABLES / columns)) };
}

/* A thread counts four adjacent samples of each 32nd row: their tables stay the same. */
template <bool DEEP>
static __device__ __forceinline__ void
count_strip (const histo_cuda_waveform &waveform, const waveform_strip &strip, const uint8_t *rows, unsigned begin,
             unsigned end, unsigned *tables)
{
  constexpr unsigned across = HISTO_CUDA_WAVEFORM_STRIP / 4;
  const histo_cuda_picture_component &component = waveform.samples;
  const unsigned first = strip.first_sample + threadIdx.x % across * 4, shift = component.depth - 8;
  /* Threads of a warp with the same columns, those of other rows first, use different tables as far as possible. */
  const unsigned copy = (threadIdx.x / across % 4 | threadIdx.x % across * 4) & ((1u << strip.copies_log2) - 1);
  unsigned *table[4];

  if (first >= component.width)
    return;
#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const unsigned column = find_column (waveform, min (first + i, component.width - 1)) - strip.first_column;

    table[i] = tables + (column << strip.copies_log2 | copy) * HISTO_CUDA_WAVEFORM_TABLE_WORDS;
  }
#pragma unroll 4
  for (unsigned row = begin + threadIdx.x / across; row < end; row += HISTO_CUDA_WAVEFORM_THREADS / across) {
    const group group = load_group<DEEP> (component, rows + row * component.stride_bytes, first);

#pragma unroll
    for (unsigned i = 0; i < 4; i++)
      if (first + i < component.width)
        atomicAdd (table[i] + (group_value<DEEP> (group, i) >> shift), 1u);
  }
}

/* Waveforms of all components. A block counts a strip of 32 samples of each row of a slice of one component. The bins are in
 * shared memory, 32 tables. The limits are the increments, one a sample, and adding up the tables. */
extern "C" __global__ void
__launch_bounds__ (HISTO_CUDA_WAVEFORM_THREADS) histo_waveform (const __grid_constant__ histo_cuda_scope scope)
{
  __shared__ unsigned tables[HISTO_CUDA_WAVEFORM_TABLES * HISTO_CUDA_WAVEFORM_TABLE_WORDS];
  unsigned c = 0;

  while (c + 1 < scope.component_count && blockIdx.x >= scope.components[c + 1].first_block)
    c++;
  const histo_cuda_waveform &waveform = scope.components[c];
  const unsigned block = blockIdx.x - waveform.first_block, slice = block / waveform.strips;
  const waveform_strip strip = find_strip (waveform, block % waveform.strips);
  const unsigned begin = slice * waveform.samples.band_rows;
  const unsigned end = min (waveform.samples.height, begin + waveform.samples.band_rows);
  const uint8_t *rows = find_samples (scope, waveform.samples);
  unsigned *counters = find_counters (scope, waveform.first_counter + strip.first_column * HISTO_CUDA_BINS);

  for (unsigned i = threadIdx.x; i < (strip.columns << strip.copies_log2) * HISTO_CUDA_WAVEFORM_TABLE_WORDS;
       i += HISTO_CUDA_WAVEFORM_THREADS)
    tables[i] = 0;
  __syncthreads ();
  if (waveform.samples.sample_bytes == 1)
    count_strip<false> (waveform, strip, rows, begin, end, tables);
  else
    count_strip<true> (waveform, strip, rows, begin, end, tables);
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < strip.columns * HISTO_CUDA_BINS; i += HISTO_CUDA_WAVEFORM_THREADS) {
    const unsigned *table = tables + (i / HISTO_CUDA_BINS << strip.copies_log2) * HISTO_CUDA_WAVEFORM_TABLE_WORDS;
    unsigned count = 0;

    for (unsigned copy = 0; copy < 1u << strip.copies_log2; copy++)
      count += table[copy * HISTO_CUDA_WAVEFORM_TABLE_WORDS + i % HISTO_CUDA_BINS];
    if (count > 0) /* most are 0 */
      atomicAdd (counters + i, count);
  }
}

/* ---- vectorscopes ---------------------------------------------------------------------------------------------------- */

/* Corrects the bins for one that overflowed in shared memory, and for the overflows that it caused. `before`: the previous
 * value of its word, from its own bits on. Not inlined, because it is rare. */
static __device__ __noinline__ void
carry_pair (unsigned *counters, unsigned pair, unsigned before, unsigned words, unsigned bits)
{
  const unsigned most = (1u << bits) - 1;

  do {
    atomicAdd (counters + pair, most + 1);
    pair += words;
    if (pair >= HISTO_CUDA_VECTORSCOPE_PAIRS)
      break;
    atomicAdd (counters + pair, ~0u); /* one less */
    before >>= bits;
  } while ((before & most) == most);
}

/* Adds `count`, at most 4, to a pair's bin. */
static __device__ __forceinline__ void
count_pairs (unsigned *counters, unsigned pair, unsigned count, unsigned bits_log2)
{
  const unsigned words = HISTO_CUDA_VECTORSCOPE_WORDS (bits_log2), bits = 1u << bits_log2;
  const unsigned place = pair / words << bits_log2;
  const unsigned before = atomicAdd (histogram_tables + pair % words, count << place) >> place;

  if (((before & ((1u << bits) - 1)) + count) >> bits != 0)
    carry_pair (counters, pair, before, words, bits);
}

/* A warp counts a row, a thread four samples of it at a time. */
template <bool DEEP, unsigned BITS_LOG2>
static __device__ __forceinline__ void
count_chroma_rows (const histo_cuda_scope &scope, unsigned *counters)
{
  const histo_cuda_picture_component &cb = scope.components[1].samples, &cr = scope.components[2].samples;
  const uint8_t *cb_rows = find_samples (scope, cb), *cr_rows = find_samples (scope, cr);
  const unsigned begin = blockIdx.x * scope.chroma_rows, end = min (cb.height, begin + scope.chroma_rows);
  const unsigned shift = cb.depth - 8;

  for (unsigned row = begin + threadIdx.x / 32; row < end; row += HISTO_CUDA_VECTORSCOPE_THREADS / 32) {
    const uint8_t *cb_row = cb_rows + row * cb.stride_bytes, *cr_row = cr_rows + row * cr.stride_bytes;

    for (unsigned first = threadIdx.x % 32 * 4; first < cb.width; first += 32 * 4) {
      const group u = load_group<DEEP> (cb, cb_row, first), v = load_group<DEEP> (cr, cr_row, first);
      unsigned pair = 0, count = 0;

      /* Equal neighbours are added together. */
#pragma unroll
      for (unsigned i = 0; i < 4; i++) {
        const unsigned next = (group_value<DEEP> (v, i) >> shift) * 256 + (group_value<DEEP> (u, i) >> shift);

        if (first + i >= cb.width)
          break;
        if (count > 0 && next != pair) {
          count_pairs (counters, pair, count, BITS_LOG2);
          count = 0;
        }
        pair = next;
        count++;
      }
      count_pairs (counters, pair, count, BITS_LOG2);
    }
  }
}

template <unsigned BITS_LOG2>
static __device__ __forceinline__ void
count_vectorscope (const histo_cuda_scope &scope)
{
  constexpr unsigned words = HISTO_CUDA_VECTORSCOPE_WORDS (BITS_LOG2), bits = 1u << BITS_LOG2;
  unsigned *counters = find_counters (scope, scope.first_pair);

  histogram_clear<HISTO_CUDA_VECTORSCOPE_THREADS> (words * 4);
  if (scope.components[1].samples.sample_bytes == 1)
    count_chroma_rows<false, BITS_LOG2> (scope, counters);
  else
    count_chroma_rows<true, BITS_LOG2> (scope, counters);
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < words; i += HISTO_CUDA_VECTORSCOPE_THREADS) {
    const unsigned word = histogram_tables[i];

    if (word == 0) /* most are 0 */
      continue;
#pragma unroll
    for (unsigned place = 0; place < 32; place += bits) {
      const unsigned count = word >> place & ((1u << bits) - 1);

      if (count > 0)
        atomicAdd (counters + place / bits * words + i, count);
    }
  }
}

/* The vectorscope of a picture. A block counts a slice of the rows of chroma. The bins are in shared memory, 8 or 4 bits wide,
 * and carry. The limit is the increments, one for each pair of samples that differs from the previous one. */
extern "C" __global__ void
__launch_bounds__ (HISTO_CUDA_VECTORSCOPE_THREADS) histo_vectorscope (const __grid_constant__ histo_cuda_scope scope)
{
  if (scope.bits_log2 == 3)
    count_vectorscope<3> (scope);
  else
    count_vectorscope<2> (scope);
}
