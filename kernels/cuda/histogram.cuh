/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The histogram of a block: a table of 32-bit counters for each component in shared memory, in which every lane of a warp has a
 * column of its own, counter `bin * 32 + lane`. The bank is the lane, so that an increment by a warp is one wavefront whatever
 * the data. Where a device has less shared memory than that takes, four lanes share one of 8 columns. */

#ifndef HISTO_CUDA_HISTOGRAM_CUH
#define HISTO_CUDA_HISTOGRAM_CUH

#include "count.h"

static_assert (HISTO_CUDA_THREADS == 4 * HISTO_CUDA_BINS, "a quarter of a bin for each thread");

extern __shared__ __align__ (16) unsigned int histogram_tables[];

/* Calls __syncthreads. */
template <unsigned COLUMNS>
static __device__ __forceinline__ void
histogram_clear (unsigned tables)
{
  for (unsigned i = threadIdx.x; i < tables * (HISTO_CUDA_TABLE_BYTES (COLUMNS) / 16); i += HISTO_CUDA_THREADS)
    reinterpret_cast<uint4 *> (histogram_tables)[i] = make_uint4 (0, 0, 0, 0);
  __syncthreads ();
}

/* The lane's column of table 0, as an address in shared memory; table t is t * HISTO_CUDA_TABLE_BYTES (COLUMNS) further on. */
template <unsigned COLUMNS>
static __device__ __forceinline__ unsigned
histogram_column ()
{
  return static_cast<unsigned> (__cvta_generic_to_shared (histogram_tables)) + threadIdx.x % COLUMNS * 4;
}

/* Adds one to the counter at `column + offset`. Without a result the atomic need not come back. */
static __device__ __forceinline__ void
histogram_increment (unsigned address)
{
  asm volatile ("red.shared.add.u32 [%0], 1;" ::"r"(address) : "memory");
}

template <unsigned COLUMNS>
static __device__ __forceinline__ void
histogram_count_byte (unsigned column, unsigned value)
{
  histogram_increment (column + value * (COLUMNS * 4));
}

/* The four bytes of a word, each in its own table. A shift and a mask make the byte's row. */
template <unsigned COLUMNS>
static __device__ __forceinline__ void
histogram_count_word (unsigned word, unsigned column0, unsigned column1, unsigned column2, unsigned column3)
{
  constexpr unsigned shift = COLUMNS == 32 ? 7 : 5, mask = 0xffu << shift;

  static_assert (COLUMNS == 32 || COLUMNS == 8, "a row is 2^shift bytes");
  histogram_increment (column0 + (word << shift & mask));
  histogram_increment (column1 + (word >> (8 - shift) & mask));
  histogram_increment (column2 + (word >> (16 - shift) & mask));
  histogram_increment (column3 + (word >> (24 - shift) & mask));
}

/* A quarter of the counters of each bin, added up. */
struct histogram_quarters {
  unsigned quarter[4][HISTO_CUDA_BINS];
};

/* Adds up the columns of a table: thread i has a quarter of bin i % 256, so that neighbouring threads end with neighbouring bins. They
 * begin at different columns, so that a warp reads all banks at once. histogram_count_of_bin has the sums after __syncthreads. */
template <unsigned COLUMNS>
static __device__ __forceinline__ void
histogram_fold (histogram_quarters &quarters, unsigned table)
{
  const unsigned bin = threadIdx.x % HISTO_CUDA_BINS, quarter = threadIdx.x / HISTO_CUDA_BINS;
  const unsigned *row = histogram_tables + table * (HISTO_CUDA_TABLE_BYTES (COLUMNS) / 4) + bin * COLUMNS;
  unsigned count = 0;

#pragma unroll
  for (unsigned i = 0; i < COLUMNS / 4; i++)
    count += row[(threadIdx.x + quarter * (COLUMNS / 4) + i) % COLUMNS];
  quarters.quarter[quarter][bin] = count;
}

static __device__ __forceinline__ unsigned
histogram_count_of_bin (const histogram_quarters &quarters, unsigned bin)
{
  return quarters.quarter[0][bin] + quarters.quarter[1][bin] + quarters.quarter[2][bin] + quarters.quarter[3][bin];
}

#endif
