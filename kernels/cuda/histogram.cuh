/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The histogram of a block: a table of 32-bit counters for each component in shared memory, in which every lane of a warp has a
 * column of its own, counter `bin * 32 + lane`. The bank is the lane, so that an increment by a warp is one wavefront whatever
 * the data. */

#ifndef HISTO_CUDA_HISTOGRAM_CUH
#define HISTO_CUDA_HISTOGRAM_CUH

#include "count.h"

#define TABLE_WORDS (HISTO_CUDA_TABLE_BYTES / 4)

extern __shared__ __align__ (16) unsigned int histogram_tables[];

/* Calls __syncthreads. */
static __device__ __forceinline__ void
histogram_clear (unsigned tables)
{
  for (unsigned i = threadIdx.x; i < tables * (TABLE_WORDS / 4); i += HISTO_CUDA_THREADS)
    reinterpret_cast<uint4 *> (histogram_tables)[i] = make_uint4 (0, 0, 0, 0);
  __syncthreads ();
}

/* The lane's column of table 0, as an address in shared memory; table t is HISTO_CUDA_TABLE_BYTES * t further on. */
static __device__ __forceinline__ unsigned
histogram_column ()
{
  return static_cast<unsigned> (__cvta_generic_to_shared (histogram_tables)) + threadIdx.x % 32 * 4;
}

/* Adds one to the counter at `column + offset`. Without a result the atomic need not come back. */
static __device__ __forceinline__ void
histogram_increment (unsigned address)
{
  asm volatile ("red.shared.add.u32 [%0], 1;" ::"r"(address) : "memory");
}

static __device__ __forceinline__ void
histogram_count_byte (unsigned column, unsigned value)
{
  histogram_increment (column + value * 128);
}

/* The four bytes of a word, each in its own table. A shift and a mask make 128 times the byte. */
static __device__ __forceinline__ void
histogram_count_word (unsigned word, unsigned column0, unsigned column1, unsigned column2, unsigned column3)
{
  histogram_increment (column0 + (word << 7 & 0x7f80));
  histogram_increment (column1 + (word >> 1 & 0x7f80));
  histogram_increment (column2 + (word >> 9 & 0x7f80));
  histogram_increment (column3 + (word >> 17 & 0x7f80));
}

/* The sum of the 32 counters of bin threadIdx.x / 4 of a table, in each of the four threads. They begin at different columns, so
 * that a warp reads all banks at once. */
static __device__ __forceinline__ unsigned
histogram_fold (unsigned table)
{
  const unsigned bin = threadIdx.x / 4, quarter = threadIdx.x % 4;
  const unsigned *row = histogram_tables + table * TABLE_WORDS + bin * 32;
  unsigned count = 0;

#pragma unroll
  for (unsigned i = 0; i < 8; i++)
    count += row[(i * 4 + bin * 4 + quarter) % 32];
  count += __shfl_xor_sync (0xffffffffu, count, 1);
  count += __shfl_xor_sync (0xffffffffu, count, 2);
  return count;
}

#endif
