/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The histogram of a block: a table of 32-bit bins for each component in shared memory. Each lane of a warp has its own column,
 * bin `bin * 32 + lane`. The bank is the lane, so an increment by a warp is one wavefront for any data. With less shared
 * memory, several lanes share a column. */

#ifndef HISTO_CUDA_HISTOGRAM_CUH
#define HISTO_CUDA_HISTOGRAM_CUH

#include "../count.h"

extern __shared__ __align__ (16) unsigned int histogram_tables[];

/* Calls __syncthreads. */
template <unsigned THREADS = HISTO_CUDA_THREADS>
static __device__ __forceinline__ void
histogram_clear (unsigned bytes)
{
  for (unsigned i = threadIdx.x; i < bytes / 16; i += THREADS)
    reinterpret_cast<uint4 *> (histogram_tables)[i] = make_uint4 (0, 0, 0, 0);
  __syncthreads ();
}

/* The lane's column of table 0, in bytes from the start of the tables. */
static __device__ __forceinline__ unsigned
histogram_column (unsigned columns)
{
  return threadIdx.x % columns * 4;
}

/* The shared address of the tables. */
static __device__ __forceinline__ unsigned
histogram_address ()
{
  return static_cast<unsigned> (__cvta_generic_to_shared (histogram_tables));
}

/* Adds one to the bin at a shared address. The atomic's result is unused, so nothing waits for it. */
static __device__ __forceinline__ void
histogram_increment_at (unsigned address)
{
  asm volatile ("red.shared.add.u32 [%0], 1;" ::"r"(address) : "memory");
}

/* The same at `offset` bytes from the tables. */
static __device__ __forceinline__ void
histogram_increment (unsigned offset)
{
  histogram_increment_at (histogram_address () + offset);
}

/* Counts the four bytes of a word, each in its own column. A shift and a mask compute the offset of the byte's row. Rows are
 * powers of two in size, so the column's bits are separate and one instruction masks and adds. */
template <unsigned COLUMNS>
static __device__ __forceinline__ void
histogram_count_bytes (unsigned word, unsigned column0, unsigned column1, unsigned column2, unsigned column3)
{
  constexpr unsigned shift = COLUMNS == 32 ? 7 : 5, mask = 0xffu << shift;

  static_assert (COLUMNS == 32 || COLUMNS == 8, "a row is 2^shift bytes");
  histogram_increment ((word << shift & mask) | column0);
  histogram_increment ((word >> (8 - shift) & mask) | column1);
  histogram_increment ((word >> (16 - shift) & mask) | column2);
  histogram_increment ((word >> (24 - shift) & mask) | column3);
}

/* Counts the two samples of a word, each in its own column. A rotation and a mask compute the bin's row: see
 * histo_cuda_pass. */
static __device__ __forceinline__ void
histogram_count_pair (unsigned word, unsigned row_rotation, unsigned row_mask, unsigned column0, unsigned column1)
{
  histogram_increment ((__funnelshift_l (word, word, row_rotation) & row_mask) | column0);
  histogram_increment ((__funnelshift_l (word, word, row_rotation + 16) & row_mask) | column1);
}

/* ---- tables without columns: see HISTO_CUDA_CARRY_TABLE_BYTES -------------------------------------------------------- */

/* The result's bins for a table: see HISTO_CUDA_CARRY_WORDS. 0 bins: the numbers are not needed. */
struct histogram_result {
  unsigned *counts;
  unsigned bins;
};
static __shared__ histogram_result histogram_results[HISTO_CUDA_COMPONENTS];

/* The lowest bit of a bin in its word. */
static __device__ __forceinline__ unsigned
histogram_place (const histo_cuda_pass &pass, unsigned bin)
{
  return bin >> pass.words_log2 << pass.bits_log2;
}

/* Adds one to a bin of the table that begins `table` bytes from the first. Returns the previous value of its word. */
static __device__ __forceinline__ unsigned
histogram_add (const histo_cuda_pass &pass, unsigned table, unsigned bin)
{
  const unsigned address = static_cast<unsigned> (__cvta_generic_to_shared (histogram_tables)) + table
                           + (bin & ((1u << pass.words_log2) - 1)) * 4;
  unsigned before;

  asm volatile ("atom.shared.add.u32 %0, [%1], %2;"
                : "=r"(before)
                : "r"(address), "r"(1u << histogram_place (pass, bin))
                : "memory");
  return before;
}

/* Whether that addition overflowed the bin. */
static __device__ __forceinline__ bool
histogram_has_overflowed (const histo_cuda_pass &pass, unsigned bin, unsigned before)
{
  return (before >> histogram_place (pass, bin) & pass.counter_mask) == pass.counter_mask;
}

/* Adds to a bin of the result: see HISTO_CUDA_CARRY_WORDS. A negative change may borrow from the upper bin until later
 * additions return it. */
static __device__ __forceinline__ void
histogram_change (unsigned *counts, unsigned bin, long long change)
{
  atomicAdd (reinterpret_cast<unsigned long long *> (counts) + bin / 2,
             static_cast<unsigned long long> (change) << (bin % 2 * 32));
}

/* Corrects the result for an overflow, and for the overflows that it caused. Not inlined, because it is rare. */
static __device__ __noinline__ void
histogram_carry (unsigned table, unsigned bin, unsigned before, unsigned words_log2, unsigned bits_log2, unsigned counter_mask)
{
  const histogram_result &result = histogram_results[table >> (words_log2 + 2)];

  before >>= bin >> words_log2 << bits_log2;
  while (bin < result.bins && (before & counter_mask) == counter_mask) {
    histogram_change (result.counts, bin, counter_mask + 1ll);
    bin += 1u << words_log2;
    if (bin >= result.bins)
      break;
    histogram_change (result.counts, bin, -1);
    before >>= 1u << bits_log2;
  }
}

static __device__ __forceinline__ void
histogram_carry_if (const histo_cuda_pass &pass, unsigned table, unsigned bin, unsigned before)
{
  if (histogram_has_overflowed (pass, bin, before))
    histogram_carry (table, bin, before, pass.words_log2, pass.bits_log2, pass.counter_mask);
}

/* Stores the first vectors of the tables in device memory. */
static __device__ __forceinline__ void
histogram_store (uint4 *to, unsigned vectors)
{
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < vectors; i += HISTO_CUDA_THREADS)
    to[i] = reinterpret_cast<const uint4 *> (histogram_tables)[i];
}

/* ---- the count of a bin ---------------------------------------------------------------------------------------------- */

/* The count of bin threadIdx.x / (THREADS / HISTO_CUDA_BINS) of a table of HISTO_CUDA_BINS bins. The threads of a bin each add
 * up a part of its columns: with 32 columns or more, a warp reads all banks at once. */
template <unsigned THREADS = HISTO_CUDA_THREADS>
static __device__ __forceinline__ unsigned
histogram_fold (const unsigned *table, unsigned columns)
{
  constexpr unsigned parts = THREADS / HISTO_CUDA_BINS;

  static_assert (parts <= HISTO_CUDA_NARROW, "no table of so many bins has fewer columns");
  const unsigned *row = table + threadIdx.x / parts * columns;
  unsigned count = 0;

#pragma unroll 8
  for (unsigned i = 0; i < columns / parts; i++)
    count += row[(threadIdx.x + i * parts) % columns];
#pragma unroll
  for (unsigned offset = parts / 2; offset > 0; offset /= 2)
    count += __shfl_xor_sync (0xffffffffu, count, offset);
  return count;
}

/* The sum of all columns of a bin, for a table with more bins. `columns` is a power of two. */
static __device__ __forceinline__ unsigned
histogram_fold_bin (const unsigned *table, unsigned columns, unsigned bin)
{
  unsigned count = 0;

#pragma unroll 4
  for (unsigned i = 0; i < columns; i++)
    count += table[bin * columns + ((threadIdx.x + i) & (columns - 1))];
  return count;
}

#endif
