/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_move` and `histo_add_tables`: see move.h. The limit is the bus, and for many tables the second-level cache
 * that they are in. */

#include "../move.h"

extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_MOVE_THREADS) histo_move (const __grid_constant__ histo_cuda_move move)
{
  const unsigned i = blockIdx.x * HISTO_CUDA_MOVE_THREADS + threadIdx.x;
  auto from = reinterpret_cast<uint4 *> (move.from), to = reinterpret_cast<uint4 *> (move.to);

  if (i >= move.vectors)
    return;
  to[i] = from[i];
  from[i] = make_uint4 (0, 0, 0, 0);
}

/* Adds the bins at `shift` in the words of a vector. */
static __device__ __forceinline__ void
add_bins (uint4 &sum, const uint4 &words, unsigned shift, unsigned mask)
{
  sum.x += words.x >> shift & mask;
  sum.y += words.y >> shift & mask;
  sum.z += words.z >> shift & mask;
  sum.w += words.w >> shift & mask;
}

/* Two adjacent bins as a 64-bit number: see HISTO_CUDA_CARRY_WORDS. */
static __device__ __forceinline__ unsigned long long
join_bins (unsigned low, unsigned high)
{
  return static_cast<unsigned long long> (high) << 32 | low;
}

static __device__ __forceinline__ void
move_word (const histo_cuda_add_tables &add, unsigned word)
{
  auto from = reinterpret_cast<unsigned long long *> (add.from), to = reinterpret_cast<unsigned long long *> (add.to);

  to[word] = from[word];
  from[word] = 0;
}

extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_ADD_THREADS)
histo_add_tables (const __grid_constant__ histo_cuda_add_tables add)
{
  __shared__ uint4 sums[2][HISTO_CUDA_ADD_PARTS][HISTO_CUDA_ADD_VECTORS];
  const unsigned column = threadIdx.x % HISTO_CUDA_ADD_VECTORS, part = threadIdx.x / HISTO_CUDA_ADD_VECTORS;
  unsigned c = 0;

  if (blockIdx.x >= add.other_block) {
    const unsigned i = (blockIdx.x - add.other_block) * HISTO_CUDA_ADD_THREADS + threadIdx.x;

    if (i < add.other_words)
      move_word (add, add.other_word + i);
    return;
  }
  while (c + 1 < add.component_count && blockIdx.x >= add.components[c + 1].first_block)
    c++;
  const histo_cuda_tables &tables = add.components[c];
  const unsigned words = 1u << tables.words_log2, vectors = words / 4, bits = 1u << tables.bits_log2;
  const unsigned blocks = (vectors + HISTO_CUDA_ADD_VECTORS - 1) / HISTO_CUDA_ADD_VECTORS;
  const unsigned block = blockIdx.x - tables.first_block, first_position = block / blocks * 2;
  const unsigned vector = block % blocks * HISTO_CUDA_ADD_VECTORS + column;
  const unsigned mask = 0xffffffffu >> (32 - bits), shift = first_position * bits;
  uint4 low = make_uint4 (0, 0, 0, 0), high = low;

  if (block == 0 && threadIdx.x < HISTO_CUDA_TOTALS)
    move_word (add, tables.first_word + HISTO_CUDA_CARRY_WORDS (tables.bins) - HISTO_CUDA_TOTALS + threadIdx.x);
  if (vector < vectors) {
#pragma unroll 8
    for (unsigned i = part; i < tables.block_count; i += HISTO_CUDA_ADD_PARTS) {
      const uint4 loaded = __ldcg (reinterpret_cast<const uint4 *> (tables.first + i * add.block_bytes) + vector);

      add_bins (low, loaded, shift, mask);
      add_bins (high, loaded, (shift + bits) % 32, mask); /* with one position, not used */
    }
  }
  sums[0][part][column] = low;
  sums[1][part][column] = high;
  __syncthreads ();
  const unsigned bin = (first_position + part) * words + vector * 4;

  if (part >= 2 || vector >= vectors || bin >= tables.bins)
    return;
  uint4 *from = reinterpret_cast<uint4 *> (add.from) + (tables.first_word * 2 + bin) / 4;
  const uint4 corrections = *from;
  unsigned long long first = join_bins (corrections.x, corrections.y), second = join_bins (corrections.z, corrections.w);

#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_ADD_PARTS; i++) {
    const uint4 sum = sums[part][i][column];

    first += join_bins (sum.x, sum.y);
    second += join_bins (sum.z, sum.w);
  }
  *from = make_uint4 (0, 0, 0, 0);
  reinterpret_cast<uint4 *> (add.to)[(tables.first_word * 2 + bin) / 4]
      = make_uint4 (static_cast<unsigned> (first), static_cast<unsigned> (first >> 32), static_cast<unsigned> (second),
                    static_cast<unsigned> (second >> 32));
}
