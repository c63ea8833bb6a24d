/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ladder: from the textbook's first version to the engine's kernel, one technique per rung. Every rung is
 * checked against a plain loop on the CPU and timed in the same run as its peers (CUB, NPP) and its limit.
 * docs/internals/kernels.md teaches from it.
 *
 *   ninja -C build tests/bench/ladder
 *   build/tests/bench/ladder --json ladder.jsonl
 *   tests/bench/draw_ladder.py ladder.jsonl --svg docs/internals/ladder.svg --page docs/internals/kernels.md
 *
 * Without NPP its lines are missing. --bytes N: the bytes that are counted, at least 64 MiB (1 GiB). --only-engine: only the
 * sections with the engine's kernels.
 *
 * A time is the median of at least 3 and at most 201 calls (as many as fit in 0.4 s) after two to warm up, from a CUDA event
 * before the call to one after it. The call is all that the right answer takes on the GPU, clearing the result included where
 * it must be cleared; the result stays in device memory unless the name says otherwise. Inputs are larger than the L2 cache, or
 * rotate through memory that is. */

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#ifndef HAVE_NPP
#if __has_include(<nppi_statistics_functions.h>)
#define HAVE_NPP 1
#else
#define HAVE_NPP 0
#endif
#endif
#if HAVE_NPP
#include <nppi_statistics_functions.h>
#endif

#include "count.h"
#include "project.h"
namespace engine {
#include "kernels.cu"
}

typedef unsigned long long u64;

#define CHECK(call) check_cuda ((call), #call, __LINE__)
#define FULL_WARP 0xffffffffu
#define BINS 256

static void
check_cuda (cudaError_t error, const char *call, int line)
{
  if (error == cudaSuccess)
    return;
  fprintf (stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString (error));
  exit (1);
}

/* ==== the rungs: histogram ========================================================================================== */

/* One block counts a share of the bytes, a byte a thread at a time, all blocks into the same counters.
 * The bins live in device memory (in L2).
 * Bound by atomics on the same few addresses, which L2 does one after another: the worse, the fewer values occur. */
static __global__ void
histogram_global (const uint8_t *data, size_t length, unsigned *bins)
{
  const size_t step = static_cast<size_t> (gridDim.x) * blockDim.x;

  for (size_t i = static_cast<size_t> (blockIdx.x) * blockDim.x + threadIdx.x; i < length; i += step)
    atomicAdd (&bins[data[i]], 1u);
}

/* One block counts a share of the bytes, a byte a thread at a time, then adds its counters to the result.
 * The bins live in shared memory, one table a block of 256 threads, and at the end in device memory.
 * Bound by byte loads, each a whole round trip, of which too few are in flight. */
static __global__ void
histogram_shared (const uint8_t *data, size_t length, unsigned *bins)
{
  __shared__ unsigned table[BINS];
  const size_t step = static_cast<size_t> (gridDim.x) * blockDim.x;

  table[threadIdx.x] = 0;
  __syncthreads ();
  for (size_t i = static_cast<size_t> (blockIdx.x) * blockDim.x + threadIdx.x; i < length; i += step)
    atomicAdd (&table[data[i]], 1u);
  __syncthreads ();
  atomicAdd (&bins[threadIdx.x], table[threadIdx.x]);
}

static __device__ __forceinline__ void
count_word (unsigned *table, unsigned word)
{
  atomicAdd (&table[word & 255], 1u);
  atomicAdd (&table[word >> 8 & 255], 1u);
  atomicAdd (&table[word >> 16 & 255], 1u);
  atomicAdd (&table[word >> 24], 1u);
}

/* One block counts a share of the bytes, sixteen a thread at a time; the warps do not meet until the end.
 * The bins live in shared memory, one table a warp.
 * Bound by bank conflicts: lanes whose values differ but are equal modulo 32 wait for each other (3.2 turns on random data, 8
 * at worst). */
template <int THREADS>
static __global__ void
__launch_bounds__ (THREADS) histogram_warps (const uint4 *data, size_t vectors, unsigned *bins)
{
  __shared__ unsigned tables[THREADS / 32 * BINS];
  unsigned *table = &tables[threadIdx.x / 32 * BINS];
  const size_t step = static_cast<size_t> (gridDim.x) * THREADS;

  for (unsigned i = threadIdx.x; i < THREADS / 32 * BINS; i += THREADS)
    tables[i] = 0;
  __syncthreads ();
  for (size_t i = static_cast<size_t> (blockIdx.x) * THREADS + threadIdx.x; i < vectors; i += step) {
    const uint4 vector = __ldcs (data + i);

    count_word (table, vector.x);
    count_word (table, vector.y);
    count_word (table, vector.z);
    count_word (table, vector.w);
  }
  __syncthreads ();
  for (unsigned bin = threadIdx.x; bin < BINS; bin += THREADS) {
    unsigned count = 0;

    for (unsigned warp = 0; warp < THREADS / 32; warp++)
      count += tables[warp * BINS + bin];
    if (count > 0)
      atomicAdd (&bins[bin], count);
  }
}

static __device__ __forceinline__ void
count_word_in_lane (unsigned *column, unsigned word)
{
  atomicAdd (&column[(word & 255) * 32], 1u);
  atomicAdd (&column[(word >> 8 & 255) * 32], 1u);
  atomicAdd (&column[(word >> 16 & 255) * 32], 1u);
  atomicAdd (&column[(word >> 24) * 32], 1u);
}

/* Every step-th vector from `first` on into a table with a column for each lane, which is cleared while the first loads are in
 * flight. All 1024 threads call it; calls __syncthreads. */
static __device__ __forceinline__ void
count_in_lanes (unsigned *table, const uint4 *data, size_t vectors, size_t first, size_t step)
{
  constexpr unsigned depth = 2;
  unsigned *column = table + threadIdx.x % 32;
  uint4 ahead[depth];

#pragma unroll
  for (unsigned k = 0; k < depth; k++)
    if (first + k * step < vectors)
      ahead[k] = __ldcs (data + first + k * step);
  for (unsigned i = threadIdx.x; i < BINS * 32 / 4; i += 1024)
    reinterpret_cast<uint4 *> (table)[i] = make_uint4 (0, 0, 0, 0);
  __syncthreads ();
  for (size_t i = first; i < vectors; i += depth * step) {
#pragma unroll
    for (unsigned k = 0; k < depth; k++) {
      const uint4 vector = ahead[k];

      if (i + (k + depth) * step < vectors)
        ahead[k] = __ldcs (data + i + (k + depth) * step);
      if (i + k * step < vectors) {
        count_word_in_lane (column, vector.x);
        count_word_in_lane (column, vector.y);
        count_word_in_lane (column, vector.z);
        count_word_in_lane (column, vector.w);
      }
    }
  }
  __syncthreads ();
}

template <typename T>
static __device__ __forceinline__ T
add_up_warp (T value)
{
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (FULL_WARP, value, offset);
  return value;
}

/* The sum of the 32 counters of each bin; thread t < 256 gets that of bin t, so that a warp's next access to device memory
 * is 32 neighbours. Lanes begin at different columns: another bank each. All 1024 threads call it; calls __syncthreads. */
static __device__ __forceinline__ unsigned
fold_lanes (const unsigned *table)
{
  __shared__ unsigned quarters[4][BINS];
  const unsigned bin = threadIdx.x % BINS, quarter = threadIdx.x / BINS;
  unsigned count = 0;

#pragma unroll
  for (unsigned i = 0; i < 8; i++)
    count += table[bin * 32 + (threadIdx.x + quarter * 8 + i) % 32];
  quarters[quarter][bin] = count;
  __syncthreads ();
  return quarters[0][bin] + quarters[1][bin] + quarters[2][bin] + quarters[3][bin];
}

/* Adds a block's count to a word that counts the arrivals in its high 16 bits. The last of `blocks` gets the total
 * and leaves a zero. */
static __device__ __forceinline__ bool
arrive (u64 *word, unsigned count, unsigned blocks, unsigned *total)
{
  const u64 before = atomicAdd (word, (1ull << 48) + count);

  if (before >> 48 != blocks - 1)
    return false;
  *word = 0;
  *total = static_cast<unsigned> (before + count);
  return true;
}

/* One block of 1024 threads counts a share of the bytes, sixteen a thread at a time, with loads always in flight.
 * The bins live in shared memory, a column of counters for each lane, counter bin * 32 + lane: the bank is the lane.
 * Bound by device memory: a warp's increment is one turn, whatever the values. */
static __global__ void __launch_bounds__ (1024, 2) histogram_lanes (const uint4 *data, size_t vectors, unsigned *bins)
{
  __shared__ __align__ (16) unsigned table[BINS * 32];

  count_in_lanes (table, data, vectors, static_cast<size_t> (blockIdx.x) * 1024 + threadIdx.x,
                  static_cast<size_t> (gridDim.x) * 1024);
  const unsigned count = fold_lanes (table);
  if (threadIdx.x < BINS && count > 0)
    atomicAdd (&bins[threadIdx.x], count);
}

/* One block of 1024 threads counts a share of a frame; the last block to add to a bin writes the total, and clears for the next
 * frame.
 * The bins live in shared memory, 32 copies (a table a warp, or a column a lane), and then in device memory; the totals in host
 * memory.
 * Bound by latency: launch, load, fold, add, and the way to the host. */
template <bool BY_LANE>
static __global__ void __launch_bounds__ (1024)
    histogram_one_launch (const uint4 *data, unsigned vectors, u64 *workspace, volatile unsigned *host_bins)
{
  __shared__ __align__ (16) unsigned tables[BINS * 32];
  unsigned count = 0, total;

  if (BY_LANE) {
    count_in_lanes (tables, data, vectors, blockIdx.x * 1024 + threadIdx.x, gridDim.x * 1024);
    count = fold_lanes (tables);
  } else {
    __shared__ unsigned quarters[4][BINS];
    unsigned *table = tables + threadIdx.x / 32 * BINS;
    unsigned i = blockIdx.x * 1024 + threadIdx.x;
    uint4 ahead = i < vectors ? __ldcs (data + i) : make_uint4 (0, 0, 0, 0);

    for (unsigned k = threadIdx.x; k < BINS * 32 / 4; k += 1024)
      reinterpret_cast<uint4 *> (tables)[k] = make_uint4 (0, 0, 0, 0);
    __syncthreads ();
    while (i < vectors) {
      const uint4 vector = ahead;

      i += gridDim.x * 1024;
      if (i < vectors)
        ahead = __ldcs (data + i);
      count_word (table, vector.x);
      count_word (table, vector.y);
      count_word (table, vector.z);
      count_word (table, vector.w);
    }
    __syncthreads ();
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
      count += tables[(threadIdx.x / BINS * 8 + k) * BINS + threadIdx.x % BINS];
    quarters[threadIdx.x / BINS][threadIdx.x % BINS] = count;
    __syncthreads ();
    count = quarters[0][threadIdx.x % BINS] + quarters[1][threadIdx.x % BINS] + quarters[2][threadIdx.x % BINS]
            + quarters[3][threadIdx.x % BINS];
  }
  if (threadIdx.x < BINS && arrive (&workspace[threadIdx.x], count, gridDim.x, &total))
    host_bins[threadIdx.x] = total;
}

struct batch_frame {
  const uint4 *data;
  unsigned vectors;
};

/* One block counts a share of one frame, blockIdx.y; the last block of a frame to add to a bin writes the total.
 * The bins live in shared memory, a column for each lane; then in a word for each bin: count, and in the high 16 bits the
 * arrivals.
 * Bound by device memory when there are enough frames, then by clearing and folding 32 KiB a block. */
static __global__ void __launch_bounds__ (1024, 2)
    histogram_batch (const batch_frame *frames, u64 *workspace, unsigned *results)
{
  __shared__ __align__ (16) unsigned table[BINS * 32];
  const batch_frame frame = frames[blockIdx.y];

  count_in_lanes (table, frame.data, frame.vectors, blockIdx.x * 1024 + threadIdx.x, gridDim.x * 1024);
  const unsigned count = fold_lanes (table), at = blockIdx.y * BINS + threadIdx.x % BINS;
  unsigned total;

  if (threadIdx.x < BINS && arrive (&workspace[at], count, gridDim.x, &total))
    results[at] = total;
}

/* One block of 64 threads counts one small buffer, and no other block does: device memory needs no atomics and no clearing.
 * The bins live in shared memory, one table a warp.
 * Bound by latency: load, count, fold and store of each buffer follow each other; many blocks on an SM hide it. */
static __global__ void __launch_bounds__ (64) histogram_small (const batch_frame *frames, unsigned *results)
{
  __shared__ unsigned tables[2][BINS];
  const batch_frame frame = frames[blockIdx.x];
  unsigned *table = tables[threadIdx.x / 32];

  for (unsigned i = threadIdx.x; i < 2 * BINS; i += 64)
    tables[0][i] = 0;
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < frame.vectors; i += 4 * 64) {
    uint4 vectors[4];

#pragma unroll
    for (unsigned k = 0; k < 4; k++)
      if (i + k * 64 < frame.vectors)
        vectors[k] = __ldcs (frame.data + i + k * 64);
#pragma unroll
    for (unsigned k = 0; k < 4; k++)
      if (i + k * 64 < frame.vectors) {
        count_word (table, vectors[k].x);
        count_word (table, vectors[k].y);
        count_word (table, vectors[k].z);
        count_word (table, vectors[k].w);
      }
  }
  __syncthreads ();
  for (unsigned bin = threadIdx.x; bin < BINS; bin += 64)
    results[blockIdx.x * BINS + bin] = tables[0][bin] + tables[1][bin];
}

/* ==== the rungs: sum and dot product of bytes ======================================================================= */

enum operation {
  SUM, /* of x */
  DOT, /* of x and y */
};

/* A thread's share, byte after byte, as the textbook does. */
template <operation OPERATION>
static __device__ __forceinline__ u64
add_up_bytes (const uint8_t *x, const uint8_t *y, size_t length)
{
  const size_t step = static_cast<size_t> (gridDim.x) * blockDim.x;
  u64 partial = 0;

  for (size_t i = static_cast<size_t> (blockIdx.x) * blockDim.x + threadIdx.x; i < length; i += step)
    partial += OPERATION == DOT ? x[i] * y[i] : x[i];
  return partial;
}

/* One block of 256 threads adds up its share; thread 0 then adds 256 partial sums while the others wait.
 * The partial sums live in shared memory.
 * Bound by byte loads; on small inputs by 256 additions in a row. */
template <operation OPERATION>
static __global__ void
reduce_one_thread (const uint8_t *x, const uint8_t *y, size_t length, u64 *result)
{
  __shared__ u64 partials[256];

  partials[threadIdx.x] = add_up_bytes<OPERATION> (x, y, length);
  __syncthreads ();
  if (threadIdx.x == 0) {
    u64 total = 0;

    for (unsigned i = 0; i < 256; i++)
      total += partials[i];
    atomicAdd (result, total);
  }
}

/* One block of 256 threads adds up its share; half of the threads add the other half's partial sums, then a quarter, ...
 * The partial sums live in shared memory.
 * Bound by byte loads; on small inputs by eight rounds with a barrier each. */
template <operation OPERATION>
static __global__ void
reduce_tree (const uint8_t *x, const uint8_t *y, size_t length, u64 *result)
{
  __shared__ u64 partials[256];

  partials[threadIdx.x] = add_up_bytes<OPERATION> (x, y, length);
  __syncthreads ();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partials[threadIdx.x] += partials[threadIdx.x + half];
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    atomicAdd (result, partials[0]);
}

/* One block adds up its share; the tree is unrolled, and the last warp needs no barrier of the block.
 * The partial sums live in shared memory. The template parameter is their number.
 * Bound by byte loads; on small inputs by three barriers and five steps in one warp. */
template <operation OPERATION, unsigned THREADS>
static __global__ void
__launch_bounds__ (THREADS) reduce_unrolled (const uint8_t *x, const uint8_t *y, size_t length, u64 *result)
{
  __shared__ u64 partials[THREADS];
  u64 partial = add_up_bytes<OPERATION> (x, y, length);

  partials[threadIdx.x] = partial;
  __syncthreads ();
#pragma unroll
  for (unsigned half = THREADS / 2; half >= 32; half /= 2) {
    if (threadIdx.x < half)
      partials[threadIdx.x] = partial += partials[threadIdx.x + half];
    __syncthreads ();
  }
  if (threadIdx.x >= 32)
    return;
#pragma unroll
  for (unsigned half = 16; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partials[threadIdx.x] = partial += partials[threadIdx.x + half];
    __syncwarp ();
  }
  if (threadIdx.x == 0)
    atomicAdd (result, partial);
}

extern __shared__ u64 dynamic_partials[];

/* One block of any power of two of threads adds up its share; the tree again.
 * The partial sums live in shared memory whose size the launch gives: one kernel for each block size, nothing to compile again.
 * Bound by byte loads; on small inputs by ten rounds with a barrier each for 1024 threads. */
template <operation OPERATION>
static __global__ void
reduce_dynamic (const uint8_t *x, const uint8_t *y, size_t length, u64 *result)
{
  dynamic_partials[threadIdx.x] = add_up_bytes<OPERATION> (x, y, length);
  __syncthreads ();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      dynamic_partials[threadIdx.x] += dynamic_partials[threadIdx.x + half];
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    atomicAdd (result, dynamic_partials[0]);
}

/* The sum over a block of THREADS threads, in all lanes of warp 0. Calls __syncthreads. */
template <unsigned THREADS>
static __device__ __forceinline__ u64
add_up_block (u64 value)
{
  __shared__ u64 warps[THREADS / 32];

  value = add_up_warp (value);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = value;
  __syncthreads ();
  return threadIdx.x < 32 ? add_up_warp (threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0) : 0;
}

/* One block of 256 threads adds up its share; lanes hand each other their partial sums, then the eight warps.
 * The partial sums live in registers, one a warp in shared memory.
 * Bound by byte loads; on small inputs by one barrier and two times five shuffles. */
template <operation OPERATION>
static __global__ void __launch_bounds__ (256) reduce_shuffles (const uint8_t *x, const uint8_t *y, size_t length, u64 *result)
{
  const u64 total = add_up_block<256> (add_up_bytes<OPERATION> (x, y, length));

  if (threadIdx.x == 0)
    atomicAdd (result, total);
}

template <operation OPERATION>
static __device__ __forceinline__ unsigned
add_up_vector (const uint4 &x, const uint4 &y, unsigned sum)
{
  const unsigned ones = 0x01010101u;

  sum = __dp4a (x.x, OPERATION == DOT ? y.x : ones, sum);
  sum = __dp4a (x.y, OPERATION == DOT ? y.y : ones, sum);
  sum = __dp4a (x.z, OPERATION == DOT ? y.z : ones, sum);
  return __dp4a (x.w, OPERATION == DOT ? y.w : ones, sum);
}

/* One block of 1024 threads adds up its share, sixteen bytes a load, several loads in flight; dp4a multiplies and adds four
 * bytes.
 * The partial sums live in registers.
 * Bound by device memory. */
template <operation OPERATION>
static __global__ void __launch_bounds__ (1024, 2) reduce_dp4a (const uint4 *x, const uint4 *y, size_t vectors, u64 *result)
{
  constexpr unsigned depth = OPERATION == DOT ? 2 : 4;
  const size_t step = static_cast<size_t> (gridDim.x) * 1024;
  u64 partial = 0;
  size_t i = static_cast<size_t> (blockIdx.x) * 1024 + threadIdx.x;

  for (; i + (depth - 1) * step < vectors; i += depth * step) {
    uint4 a[depth], b[depth];
    unsigned sum = 0;

#pragma unroll
    for (unsigned k = 0; k < depth; k++) {
      a[k] = __ldcs (x + i + k * step);
      b[k] = OPERATION == DOT ? __ldcs (y + i + k * step) : a[k];
    }
#pragma unroll
    for (unsigned k = 0; k < depth; k++)
      sum = add_up_vector<OPERATION> (a[k], b[k], sum);
    partial += sum;
  }
  for (; i < vectors; i += step)
    partial += add_up_vector<OPERATION> (x[i], OPERATION == DOT ? y[i] : x[i], 0);
  partial = add_up_block<1024> (partial);
  if (threadIdx.x == 0)
    atomicAdd (result, partial);
}

/* One block adds up a share and its squares, sixteen bytes a load, four loads in flight, with either kind of load: the read
 * ceiling.
 * The partial sums live in registers.
 * Bound by device memory: no kernel that reads every byte is faster. */
template <unsigned THREADS, unsigned BLOCKS, bool AS_THE_ENGINE>
static __global__ void
__launch_bounds__ (THREADS, BLOCKS) read_all (const uint4 *data, size_t vectors, u64 *results)
{
  constexpr unsigned depth = 4;
  const size_t step = static_cast<size_t> (gridDim.x) * THREADS;
  u64 sum = 0, squares = 0;
  size_t i = static_cast<size_t> (blockIdx.x) * THREADS + threadIdx.x;

  for (; i + (depth - 1) * step < vectors; i += depth * step) {
    unsigned part = 0, part_squares = 0;
    uint4 a[depth];

#pragma unroll
    for (unsigned k = 0; k < depth; k++)
      a[k] = AS_THE_ENGINE ? engine::load_vector (data + i + k * step) : __ldcs (data + i + k * step);
#pragma unroll
    for (unsigned k = 0; k < depth; k++) {
      part = add_up_vector<SUM> (a[k], a[k], part);
      part_squares = add_up_vector<DOT> (a[k], a[k], part_squares);
    }
    sum += part;
    squares += part_squares;
  }
  for (; i < vectors; i += step) {
    sum += add_up_vector<SUM> (data[i], data[i], 0);
    squares += add_up_vector<DOT> (data[i], data[i], 0);
  }
  sum = add_up_block<THREADS> (sum);
  __syncthreads ();
  squares = add_up_block<THREADS> (squares);
  if (threadIdx.x == 0) {
    atomicAdd (&results[0], sum);
    atomicAdd (&results[1], squares);
  }
}

static __global__ void
do_nothing ()
{
}

/* ==== the rungs: dot product of floats ============================================================================== */

/* Each has: multiply (x, y), which adds a product, and merge (other). All rounding is spelled out by intrinsics: the compiler
 * may not contract or reorder them. */

/* The obvious code. The compiler makes a fused multiply-add of it. */
struct naive_dot {
  float sum = 0;

  __device__ void
  multiply (float x, float y)
  {
    sum += x * y;
  }
  __device__ void
  merge (const naive_dot &other)
  {
    sum += other.sum;
  }
  __device__ naive_dot
  shuffle (unsigned offset) const
  {
    naive_dot other;

    other.sum = __shfl_down_sync (FULL_WARP, sum, offset);
    return other;
  }
  __device__ double
  total () const
  {
    return sum;
  }
};

/* The rounding error of an addition is subtracted from the next summand. That of a product is lost. */
struct kahan_dot {
  float sum = 0, excess = 0;

  __device__ void
  add (float value)
  {
    const float mended = __fsub_rn (value, excess), next = __fadd_rn (sum, mended);

    excess = __fsub_rn (__fsub_rn (next, sum), mended);
    sum = next;
  }
  __device__ void
  multiply (float x, float y)
  {
    add (__fmul_rn (x, y));
  }
  __device__ void
  merge (const kahan_dot &other)
  {
    add (other.sum);
    add (-other.excess);
  }
  __device__ kahan_dot
  shuffle (unsigned offset) const
  {
    kahan_dot other;

    other.sum = __shfl_down_sync (FULL_WARP, sum, offset);
    other.excess = __shfl_down_sync (FULL_WARP, excess, offset);
    return other;
  }
  __device__ double
  total () const
  {
    return static_cast<double> (sum) - excess;
  }
};

/* Dot2 of Ogita, Rump and Oishi: the exact error of each product (two-product, by a fused multiply-add) and of each addition
 * (two-sum) is added up beside the sum: as if computed with twice the digits, then rounded. */
struct compensated_dot {
  float sum = 0, rest = 0;

  __device__ void
  add (float value, float error)
  {
    const float next = __fadd_rn (sum, value), virtually = __fsub_rn (next, sum);
    const float lost = __fadd_rn (__fsub_rn (sum, __fsub_rn (next, virtually)), __fsub_rn (value, virtually));

    sum = next;
    rest = __fadd_rn (rest, __fadd_rn (lost, error));
  }
  __device__ void
  multiply (float x, float y)
  {
    const float product = __fmul_rn (x, y);

    add (product, __fmaf_rn (x, y, -product));
  }
  __device__ void
  merge (const compensated_dot &other)
  {
    add (other.sum, other.rest);
  }
  __device__ compensated_dot
  shuffle (unsigned offset) const
  {
    compensated_dot other;

    other.sum = __shfl_down_sync (FULL_WARP, sum, offset);
    other.rest = __shfl_down_sync (FULL_WARP, rest, offset);
    return other;
  }
  __device__ double
  total () const
  {
    return static_cast<double> (sum) + rest;
  }
};

template <typename DOT_TYPE>
static __device__ __forceinline__ DOT_TYPE
merge_warp (DOT_TYPE dot)
{
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    dot.merge (dot.shuffle (offset));
  return dot;
}

/* The merged value of a block of 1024 threads, in thread 0. Calls __syncthreads. */
template <typename DOT_TYPE>
static __device__ __forceinline__ DOT_TYPE
merge_block (DOT_TYPE dot, DOT_TYPE *warps)
{
  dot = merge_warp (dot);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = dot;
  __syncthreads ();
  return threadIdx.x < 32 ? merge_warp (warps[threadIdx.x]) : dot;
}

/* One block of 1024 threads takes a fixed share, four pairs a load; the last block to finish merges the blocks' results, in
 * their order.
 * The partial results live in registers, one a warp in shared memory, one a block in device memory.
 * Bound by device memory, compensated or not: same input, same bits, whichever block is last. */
template <typename DOT_TYPE>
static __global__ void __launch_bounds__ (1024, 2)
    dot_floats (const float4 *x, const float4 *y, size_t vectors, DOT_TYPE *blocks, unsigned *arrived, double *result)
{
  __shared__ DOT_TYPE warps[32];
  __shared__ bool is_last;
  const size_t step = static_cast<size_t> (gridDim.x) * 1024;
  DOT_TYPE dot;

#pragma unroll 2
  for (size_t i = static_cast<size_t> (blockIdx.x) * 1024 + threadIdx.x; i < vectors; i += step) {
    const float4 a = __ldcs (x + i), b = __ldcs (y + i);

    dot.multiply (a.x, b.x);
    dot.multiply (a.y, b.y);
    dot.multiply (a.z, b.z);
    dot.multiply (a.w, b.w);
  }
  dot = merge_block (dot, warps);
  if (threadIdx.x == 0) {
    blocks[blockIdx.x] = dot;
    __threadfence ();
    is_last = atomicInc (arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads ();
  if (!is_last)
    return;
  __threadfence ();
  DOT_TYPE all;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += 1024)
    all.merge (blocks[i]);
  __syncthreads ();
  all = merge_block (all, warps);
  if (threadIdx.x == 0)
    *result = all.total ();
}

/* ==== the rungs: matrix-vector product, row sums with a weight vector =============================================== */

/* One block multiplies 256 bytes with their weights; a second kernel adds up.
 * The products live in device memory, four bytes each.
 * Bound by device memory: four times the matrix is written, and read again. */
static __global__ void
multiply_to_scratch (const uint8_t *matrix, const uint8_t *weights, unsigned width, size_t length, unsigned *scratch)
{
  const size_t step = static_cast<size_t> (gridDim.x) * blockDim.x;

  for (size_t i = static_cast<size_t> (blockIdx.x) * blockDim.x + threadIdx.x; i < length; i += step)
    scratch[i] = matrix[i] * weights[i % width];
}

/* One block adds up 128 rows, a row a thread.
 * The products live in device memory.
 * Bound by loads that are a row apart: 32 lanes touch 32 lines to use four bytes of each. */
static __global__ void
add_up_scratch (const unsigned *scratch, unsigned width, unsigned height, unsigned *sums)
{
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;

  if (row >= height)
    return;
  for (unsigned x = 0; x < width; x++)
    sum += scratch[static_cast<size_t> (row) * width + x];
  sums[row] = sum;
}

/* One block of 256 threads takes a row after another, a byte a thread at a time.
 * The partial sums live in shared memory, folded by a tree.
 * Bound by byte loads and by eight barriers a row. */
static __global__ void
row_sums_shared (const uint8_t *matrix, const uint8_t *weights, unsigned width, unsigned height, unsigned *sums)
{
  __shared__ unsigned partials[256];

  for (unsigned row = blockIdx.x; row < height; row += gridDim.x) {
    unsigned sum = 0;

    for (unsigned x = threadIdx.x; x < width; x += 256)
      sum += matrix[static_cast<size_t> (row) * width + x] * weights[x];
    partials[threadIdx.x] = sum;
    __syncthreads ();
    for (unsigned half = 128; half > 0; half /= 2) {
      if (threadIdx.x < half)
        partials[threadIdx.x] += partials[threadIdx.x + half];
      __syncthreads ();
    }
    if (threadIdx.x == 0)
      sums[row] = partials[0];
  }
}

/* One block of eight warps takes eight rows at a time, a row a warp, sixteen bytes a lane and load; dp4a multiplies and adds.
 * The partial sums live in registers, folded by five shuffles; the weights stay in the L1 cache.
 * Bound by device memory. Needs a width that is a multiple of 16. */
static __global__ void __launch_bounds__ (256)
    row_sums_shuffles (const uint4 *matrix, const uint4 *weights, unsigned vectors_per_row, unsigned height, unsigned *sums)
{
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * 8;

  for (unsigned row = blockIdx.x * 8 + threadIdx.x / 32; row < height; row += warps) {
    const uint4 *begin = matrix + static_cast<size_t> (row) * vectors_per_row;
    unsigned sum = 0;

#pragma unroll 4
    for (unsigned i = lane; i < vectors_per_row; i += 32)
      sum = add_up_vector<DOT> (__ldcs (begin + i), __ldg (weights + i), sum);
    sum = add_up_warp (sum);
    if (lane == 0)
      sums[row] = sum;
  }
}

/* ==== the rungs: matrix transpose =================================================================================== */

#define TILE 32
#define TILE_ROWS 8

/* One block of 32 x 8 threads moves a tile of 32 x 32 floats, straight from its place to the other.
 * Nothing is kept.
 * Bound by the stores: 32 lanes write to 32 lines, four bytes each. */
static __global__ void
transpose_naive (const float *in, float *out, unsigned size)
{
  const unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

  for (unsigned j = 0; j < TILE; j += TILE_ROWS)
    out[static_cast<size_t> (x) * size + y + j] = in[static_cast<size_t> (y + j) * size + x];
}

/* One block of 32 x 8 threads moves a tile of 32 x 32 floats: rows in, columns out.
 * The tile lives in shared memory. With PADDING 0 a column is one bank, with 1 it is all of them.
 * Bound by 32 turns for each column without padding, by device memory with it. */
template <unsigned PADDING>
static __global__ void
transpose_tile (const float *in, float *out, unsigned size)
{
  __shared__ float tile[TILE][TILE + PADDING];
  const unsigned x = blockIdx.x * TILE, y = blockIdx.y * TILE;

  for (unsigned j = threadIdx.y; j < TILE; j += TILE_ROWS)
    tile[j][threadIdx.x] = in[static_cast<size_t> (y + j) * size + x + threadIdx.x];
  __syncthreads ();
  for (unsigned j = threadIdx.y; j < TILE; j += TILE_ROWS)
    out[static_cast<size_t> (x + j) * size + y + threadIdx.x] = tile[threadIdx.x][j];
}

/* One block copies every gridDim.x-th 1024 vectors: the limit of a transpose.
 * Nothing is kept.
 * Bound by device memory. */
static __global__ void __launch_bounds__ (1024) copy_all (const float4 *in, float4 *out, size_t vectors)
{
  const size_t step = static_cast<size_t> (gridDim.x) * 1024;

#pragma unroll 4
  for (size_t i = static_cast<size_t> (blockIdx.x) * 1024 + threadIdx.x; i < vectors; i += step)
    __stcs (out + i, __ldcs (in + i));
}

/* ==== the rungs: matrix product ===================================================================================== */

/* One block of 32 x 32 threads makes a tile of the product, an element a thread.
 * The factors live in device memory (L2 and L1).
 * Bound by loads: two for each multiply-add. */
static __global__ void __launch_bounds__ (1024) product_naive (const float *a, const float *b, float *c, unsigned size)
{
  const unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  float sum = 0;

  for (unsigned k = 0; k < size; k++)
    sum += a[static_cast<size_t> (y) * size + k] * b[static_cast<size_t> (k) * size + x];
  c[static_cast<size_t> (y) * size + x] = sum;
}

/* One block of 32 x 32 threads makes a tile of the product, an element a thread, 32 steps for each two tiles of the factors.
 * The tiles live in shared memory: each element of the factors is loaded size / 32 times instead of size times.
 * Bound by shared memory: still two loads for each multiply-add. */
static __global__ void __launch_bounds__ (1024) product_tiled (const float *a, const float *b, float *c, unsigned size)
{
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  const unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  float sum = 0;

  for (unsigned k = 0; k < size; k += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = a[static_cast<size_t> (y) * size + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[static_cast<size_t> (k + threadIdx.y) * size + x];
    __syncthreads ();
#pragma unroll
    for (unsigned i = 0; i < TILE; i++)
      sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads ();
  }
  c[static_cast<size_t> (y) * size + x] = sum;
}

/* One block of 64 x 64 elements, 16 x 16 threads with 4 x 4 elements each.
 * The tiles live in shared memory, the sixteen sums and the eight factors of a step in registers.
 * Bound by arithmetic more than by loads: eight loads for sixteen multiply-adds. */
static __global__ void __launch_bounds__ (256) product_registers (const float *a, const float *b, float *c, unsigned size)
{
  __shared__ float tile_a[16][64 + 4], tile_b[16][64];
  const unsigned column = threadIdx.x % 16, row = threadIdx.x / 16;
  const size_t x = blockIdx.x * 64, y = blockIdx.y * 64;
  float sums[4][4] = {};

  for (unsigned k = 0; k < size; k += 16) {
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
      tile_a[column][row + 16 * i] = a[(y + row + 16 * i) * size + k + column];
      tile_b[threadIdx.x / 64 + 4 * i][threadIdx.x % 64]
          = b[static_cast<size_t> (k + threadIdx.x / 64 + 4 * i) * size + x + threadIdx.x % 64];
    }
    __syncthreads ();
#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
      const float4 left = *reinterpret_cast<const float4 *> (&tile_a[i][row * 4]);
      const float4 right = *reinterpret_cast<const float4 *> (&tile_b[i][column * 4]);
      const float l[4] = { left.x, left.y, left.z, left.w }, r[4] = { right.x, right.y, right.z, right.w };

#pragma unroll
      for (unsigned m = 0; m < 4; m++)
#pragma unroll
        for (unsigned n = 0; n < 4; n++)
          sums[m][n] += l[m] * r[n];
    }
    __syncthreads ();
  }
#pragma unroll
  for (unsigned m = 0; m < 4; m++)
    *reinterpret_cast<float4 *> (&c[(y + row * 4 + m) * size + x + column * 4])
        = make_float4 (sums[m][0], sums[m][1], sums[m][2], sums[m][3]);
}

#define MULTIPLY_ADD_CHAINS 8
#define MULTIPLY_ADD_STEPS 4096

/* One block of 1024 threads multiplies and adds in registers, eight chains a thread: the limit of a matrix product.
 * Nothing is read.
 * Bound by arithmetic. */
static __global__ void __launch_bounds__ (1024, 2) multiply_add_all (float *out, float factor)
{
  float chains[MULTIPLY_ADD_CHAINS], sum = 0;

#pragma unroll
  for (unsigned k = 0; k < MULTIPLY_ADD_CHAINS; k++)
    chains[k] = threadIdx.x + k;
#pragma unroll 16
  for (unsigned i = 0; i < MULTIPLY_ADD_STEPS; i++)
#pragma unroll
    for (unsigned k = 0; k < MULTIPLY_ADD_CHAINS; k++)
      chains[k] = __fmaf_rn (chains[k], factor, 1.0f);
#pragma unroll
  for (unsigned k = 0; k < MULTIPLY_ADD_CHAINS; k++)
    sum += chains[k];
  if (sum == 12345.0f)
    *out = sum;
}

/* ==== measuring and reporting ======================================================================================= */

static FILE *json;
static cudaStream_t stream;
static cudaEvent_t begin_event, end_event;
static cudaDeviceProp device;
static unsigned sm_count;
static double bytes_per_us; /* the read ceiling */
static double empty_us;     /* an empty kernel, event to event */
static unsigned wrong_count;

struct timing {
  double us;     /* median */
  double spread; /* (90th - 10th percentile) / median */
};

/* Calls work (i), i = 0, 1, ... */
template <typename WORK>
static timing
time_calls (WORK work)
{
  std::vector<double> times;
  double total_us = 0;

  for (int i = 0; i < 2; i++)
    work (i);
  CHECK (cudaStreamSynchronize (stream));
  for (int i = 0; i < 201 && (i < 3 || total_us < 400e3); i++) {
    float milliseconds;

    CHECK (cudaEventRecord (begin_event, stream));
    work (i + 2);
    CHECK (cudaEventRecord (end_event, stream));
    CHECK (cudaEventSynchronize (end_event));
    CHECK (cudaEventElapsedTime (&milliseconds, begin_event, end_event));
    times.push_back (milliseconds * 1e3);
    total_us += times.back ();
  }
  CHECK (cudaGetLastError ());
  std::sort (times.begin (), times.end ());
  const double median = times[times.size () / 2];
  return { median, (times[times.size () * 9 / 10] - times[times.size () / 10]) / median };
}

/* One call, on the host. */
template <typename WORK>
static timing
time_host (WORK work)
{
  const auto begin = std::chrono::steady_clock::now ();

  work ();
  return { std::chrono::duration<double, std::micro> (std::chrono::steady_clock::now () - begin).count (), 0 };
}

static void
begin_section (const char *title)
{
  printf ("\n%s\n", title);
  fflush (stdout);
}

/* Prints one line. `kind`: limit, cpu, rung, ours, peer. `work`: the work done in that time, in bytes read (and written) or in
 * floating-point operations (`unit` "GB/s", "GFLOP/s"). `limit_us`: the time of the limit for it. `error`: relative, or NAN. */
static void
report (const char *section, const char *content, const char *name, const char *kind, timing timing, double work,
        const char *unit, double limit_us, bool is_right, double error = NAN)
{
  char error_text[40] = "";

  if (!std::isnan (error))
    snprintf (error_text, sizeof error_text, "  relative error %.1e", error);
  printf ("  %-16s %-56s %12.2f us %9.1f %-7s %6.1f %%%s%s\n", content, name, timing.us, work / timing.us / 1e3, unit,
          100 * limit_us / timing.us, error_text, is_right ? "" : "  WRONG");
  fflush (stdout);
  if (!is_right)
    wrong_count++;
  if (json == nullptr)
    return;
  fprintf (json,
           "{\"section\":\"%s\",\"content\":\"%s\",\"name\":\"%s\",\"kind\":\"%s\",\"us\":%.3f,\"spread\":%.4f,\"rate\":%.2f,"
           "\"unit\":\"%s\","
           "\"fraction\":%.5f,\"right\":%s",
           section, content, name, kind, timing.us, timing.spread, work / timing.us / 1e3, unit, limit_us / timing.us,
           is_right ? "true" : "false");
  if (!std::isnan (error))
    fprintf (json, ",\"relative_error\":%.3e", error);
  fprintf (json, "}\n");
  fflush (json);
}

template <typename T>
static T *
allocate (size_t count)
{
  T *memory;

  CHECK (cudaMalloc (&memory, count * sizeof (T)));
  CHECK (cudaMemset (memory, 0xa5, count * sizeof (T)));
  return memory;
}

/* Calls part (begin, end) for parts of 0 ... count, each in its thread. Parts begin at multiples of `unit`. */
static void
in_parallel (size_t count, size_t unit, const std::function<void (size_t, size_t)> &part)
{
  const unsigned threads = std::max (1u, std::thread::hardware_concurrency ());
  const size_t share = (count / unit / threads + 1) * unit;
  std::vector<std::thread> running;

  for (size_t begin = 0; begin < count; begin += share)
    running.emplace_back (part, begin, std::min (count, begin + share));
  for (auto &thread : running)
    thread.join ();
}

/* ==== the data ====================================================================================================== */

static uint64_t seed = 20260101;

/* Returns a random number for each i. */
static inline uint64_t
scramble (uint64_t i)
{
  uint64_t z = i * 0x9e3779b97f4a7c15ull + seed;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

static const char *const contents[] = { "random", "natural", "constant", "two values", "modulo 32", "skewed" };
#define CONTENT_COUNT (sizeof contents / sizeof contents[0])

/* `noise` is 0 ... 255. */
static inline uint8_t
make_byte (unsigned content, size_t i, unsigned noise)
{
  switch (content) {
  case 0:
    return noise;
  case 1: /* a frame of 1920 x 1080: a ramp in both directions, and noise */
    return 16 + i % 1920 / 12 + i / 1920 % 1080 / 20 + noise % 12;
  case 2:
    return 77;
  case 3:
    return noise & 1 ? 200 : 31;
  case 4: /* one bank of a plain table */
    return noise & 0xe0;
  default: /* nine in ten have one of four values */
    return noise < 230 ? 16 + noise % 4 : noise * 7;
  }
}

static void
make_bytes (std::vector<uint8_t> &data, unsigned content)
{
  in_parallel (data.size (), 8, [&] (size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += 8) {
      const uint64_t random = scramble (i / 8);

      for (size_t k = 0; k < 8 && i + k < end; k++)
        data[i + k] = make_byte (content, i + k, random >> (8 * k) & 255);
    }
  });
}

/* ==== the references ================================================================================================ */

/* Rung 0, which defines the correct result. */
static void __attribute__ ((noinline)) count_plainly (const uint8_t *data, size_t length, u64 *bins)
{
  memset (bins, 0, BINS * sizeof *bins);
  for (size_t i = 0; i < length; i++)
    bins[data[i]]++;
}

static bool
same_bins (const unsigned *bins, const u64 *want)
{
  unsigned got[BINS];
  bool is_same = true;

  CHECK (cudaStreamSynchronize (stream));
  CHECK (cudaMemcpy (got, bins, sizeof got, cudaMemcpyDefault));
  for (unsigned i = 0; i < BINS; i++)
    is_same &= got[i] == want[i];
  return is_same;
}

/* ==== peers ========================================================================================================= */

static uint8_t *cub_memory;
static size_t cub_memory_size = 64 << 20;

static void
count_with_cub (const uint8_t *data, size_t length, unsigned *bins)
{
  size_t size = cub_memory_size;

  CHECK (cub::DeviceHistogram::HistogramEven (cub_memory, size, data, bins, BINS + 1, 0, BINS, static_cast<long long> (length),
                                              stream));
}

/* Frames: CUB is faster with 32-bit indices. */
static void
count_frame_with_cub (const uint8_t *data, size_t length, unsigned *bins)
{
  size_t size = cub_memory_size;

  CHECK (
      cub::DeviceHistogram::HistogramEven (cub_memory, size, data, bins, BINS + 1, 0, BINS, static_cast<int> (length), stream));
}

template <operation OPERATION> struct bytes_at {
  const uint8_t *x, *y;

  __device__ u64
  operator() (long long i) const
  {
    return OPERATION == DOT ? x[i] * y[i] : x[i];
  }
};

struct floats_at {
  const float *x, *y;

  __device__ float
  operator() (long long i) const
  {
    return x[i] * y[i];
  }
};

struct plus {
  template <typename T>
  __device__ T
  operator() (const T &a, const T &b) const
  {
    return a + b;
  }
};

/* The sum of value (0) to value (count - 1). CUB has a call for that since version 3; before, its Reduce takes an iterator that
 * calls `value`. */
template <typename VALUE, typename SUM>
static void
sum_with_cub (size_t count, VALUE value, SUM *result)
{
  const thrust::counting_iterator<long long> indices (0);
  size_t size = cub_memory_size;

#if CUB_VERSION >= 300000
  CHECK (cub::DeviceReduce::TransformReduce (cub_memory, size, indices, result, static_cast<long long> (count), plus (), value,
                                             SUM (0), stream));
#else
  CHECK (cub::DeviceReduce::Reduce (cub_memory, size, thrust::make_transform_iterator (indices, value), result,
                                    static_cast<int> (count), plus (), SUM (0), stream));
#endif
}

template <operation OPERATION>
static void
reduce_with_cub (const uint8_t *x, const uint8_t *y, size_t length, u64 *result)
{
  sum_with_cub (length, bytes_at<OPERATION>{ x, y }, result);
}

#include "ladder_engine.cuh"

#if HAVE_NPP
static NppStreamContext npp;
static Npp8u *npp_memory;

static void
check_npp (NppStatus status)
{
  if (status == NPP_SUCCESS)
    return;
  fprintf (stderr, "NPP: status %d\n", static_cast<int> (status));
  exit (1);
}

static void
prepare_npp ()
{
  npp.hStream = stream;
  npp.nMultiProcessorCount = device.multiProcessorCount;
  npp.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
  npp.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
  npp.nSharedMemPerBlock = device.sharedMemPerBlock;
  npp.nCudaDevAttrComputeCapabilityMajor = device.major;
  npp.nCudaDevAttrComputeCapabilityMinor = device.minor;
  CHECK (cudaStreamGetFlags (stream, &npp.nStreamFlags));
  npp_memory = allocate<Npp8u> (64 << 20);
}

static void
count_with_npp (const uint8_t *data, unsigned width, unsigned height, unsigned *bins)
{
  const NppiSize size = { static_cast<int> (width), static_cast<int> (height) };

  check_npp (nppiHistogramEven_8u_C1R_Ctx (data, static_cast<int> (width), size, reinterpret_cast<Npp32s *> (bins), BINS + 1, 0,
                                           BINS, npp_memory, npp));
}

static void
sum_with_npp (const uint8_t *x, unsigned width, unsigned height, double *result)
{
  const NppiSize size = { static_cast<int> (width), static_cast<int> (height) };

  check_npp (nppiSum_8u_C1R_Ctx (x, static_cast<int> (width), size, npp_memory, result, npp));
}

static void
dot_with_npp (const uint8_t *x, const uint8_t *y, unsigned width, unsigned height, double *result)
{
  const NppiSize size = { static_cast<int> (width), static_cast<int> (height) };

  check_npp (
      nppiDotProd_8u64f_C1R_Ctx (x, static_cast<int> (width), y, static_cast<int> (width), size, result, npp_memory, npp));
}
#endif

/* ==== the sections ================================================================================================== */

/* Calls try_reader (kernel, blocks of an SM, threads of a block) for each shape of the launch that only reads. */
template <typename TRY>
static void
try_readers (TRY try_reader)
{
  try_reader (read_all<1024, 2, false>, 2, 1024);
  try_reader (read_all<512, 3, false>, 3, 512);
  try_reader (read_all<256, 8, false>, 8, 256);
  try_reader (read_all<1024, 2, true>, 2, 1024);
  try_reader (read_all<512, 3, true>, 3, 512);
  try_reader (read_all<256, 8, true>, 8, 256);
}

static void
measure_limits (const uint8_t *data, const std::vector<uint8_t> &host)
{
  u64 want[2] = {}, got[2];
  const size_t vectors = host.size () / 16;
  u64 *results = allocate<u64> (2);
  timing best = { INFINITY, 0 };
  bool is_right = true;

  begin_section ("Limits");
  for (size_t i = 0; i < host.size (); i++) {
    want[0] += host[i];
    want[1] += host[i] * host[i];
  }

  auto try_shape = [&] (auto launch) {
    const timing timing = time_calls ([&] (int) {
      CHECK (cudaMemsetAsync (results, 0, 2 * sizeof (u64), stream));
      launch ();
    });

    CHECK (cudaMemcpy (got, results, sizeof got, cudaMemcpyDeviceToHost));
    is_right &= got[0] == want[0] && got[1] == want[1];
    if (timing.us < best.us)
      best = timing;
  };
  auto vector_data = reinterpret_cast<const uint4 *> (data);
  for (int i = 0; i < 2; i++) { /* twice: the clocks may still be rising */
    try_readers ([&] (auto read, unsigned blocks, unsigned threads) {
      try_shape ([&] { read<<<blocks * sm_count, threads, 0, stream>>> (vector_data, vectors, results); });
    });
  }
  bytes_per_us = host.size () / best.us;
  report ("limits", "random", "read all: dp4a sum and sum of squares, 16-byte loads", "limit", best, host.size (), "GB/s",
          best.us, is_right);

  const timing empty = time_calls ([&] (int) { do_nothing<<<1, 32, 0, stream>>> (); });
  empty_us = empty.us;
  report ("limits", "", "empty kernel, event to event", "limit", empty, 0, "GB/s", empty.us, true);
  CHECK (cudaFree (results));
}

/* All rungs of the histogram on each content. */
static void
measure_histograms (uint8_t *data, std::vector<uint8_t> &host)
{
  const size_t length = host.size (), vectors = length / 16;
  const double limit_us = length / bytes_per_us;
  unsigned *bins = allocate<unsigned> (BINS);
  auto vector_data = reinterpret_cast<const uint4 *> (data);
  auto clear = [&] { CHECK (cudaMemsetAsync (bins, 0, BINS * sizeof *bins, stream)); };

  begin_section ("Histogram: large inputs");
  for (unsigned content = 0; content < CONTENT_COUNT; content++) {
    u64 want[BINS];

    make_bytes (host, content);
    CHECK (cudaMemcpy (data, host.data (), length, cudaMemcpyHostToDevice));
    report ("histogram", contents[content], "CPU, one thread, plain loop", "cpu",
            time_host ([&] { count_plainly (host.data (), length, want); }), length, "GB/s", limit_us, true);
    auto rung = [&] (const char *name, const char *kind, auto work) {
      CHECK (cudaMemset (bins, 0xa5, BINS * sizeof *bins));
      const timing timing = time_calls ([&] (int) { work (); });

      report ("histogram", contents[content], name, kind, timing, length, "GB/s", limit_us, same_bins (bins, want));
    };
    rung ("global atomics, 2 blocks per SM", "rung", [&] {
      clear ();
      histogram_global<<<2 * sm_count, 256, 0, stream>>> (data, length, bins);
    });
    rung ("shared atomics, 2 blocks per SM", "rung", [&] {
      clear ();
      histogram_shared<<<2 * sm_count, 256, 0, stream>>> (data, length, bins);
    });
    rung ("shared atomics, 8 blocks per SM", "rung", [&] {
      clear ();
      histogram_shared<<<8 * sm_count, 256, 0, stream>>> (data, length, bins);
    });
    rung ("one table per warp, 16-byte loads", "rung", [&] {
      clear ();
      histogram_warps<256><<<8 * sm_count, 256, 0, stream>>> (vector_data, vectors, bins);
    });
    rung ("one column per lane, 16-byte loads", "rung", [&] {
      clear ();
      histogram_lanes<<<2 * sm_count, 1024, 0, stream>>> (vector_data, vectors, bins);
    });

    histo_cuda_count frame = plan_engine (data, length);
    const timing ours = time_calls ([&] (int) { launch_engine (frame); });
    bool is_right = same_engine_bins (want);
    /* The textbook's check: subtract every byte again. */
    std::vector<u64> left (BINS);
    for (unsigned i = 0; i < BINS; i++)
      left[i] = engine_result[i] >> 16;
    for (size_t i = 0; i < length; i++)
      left[host[i]]--;
    for (unsigned i = 0; i < BINS; i++)
      is_right &= left[i] == 0;
    report ("histogram", contents[content], "the engine: one launch, result in host memory", "ours", ours, length, "GB/s",
            limit_us, is_right);

    rung ("CUB DeviceHistogram::HistogramEven", "peer", [&] { count_with_cub (data, length, bins); });
#if HAVE_NPP
    rung ("NPP nppiHistogramEven_8u_C1R", "peer", [&] { count_with_npp (data, 16384, length / 16384, bins); });
#endif
  }
  CHECK (cudaFree (bins));
}

/* One frame after another, each at another place in memory. */
static void
measure_frames (uint8_t *data, const std::vector<uint8_t> &host, const char *name, unsigned width, unsigned height)
{
  const size_t length = static_cast<size_t> (width) * height, vectors = length / 16;
  const unsigned frames = host.size () / length;
  const double limit_us = empty_us + length / bytes_per_us;
  unsigned *bins = allocate<unsigned> (BINS), *host_bins, *host_bins_device;
  u64 *workspace = allocate<u64> (BINS), want[BINS];
  const unsigned checked = 5 % frames;
  char title[120];
  auto at = [&] (int i) { return data + i % frames * length; };
  auto vectors_at = [&] (int i) { return reinterpret_cast<const uint4 *> (at (i)); };
  auto clear = [&] { CHECK (cudaMemsetAsync (bins, 0, BINS * sizeof *bins, stream)); };
  auto copy = [&] { CHECK (cudaMemcpyAsync (host_bins, bins, BINS * sizeof *bins, cudaMemcpyDeviceToHost, stream)); };

  CHECK (cudaMemset (workspace, 0, BINS * sizeof *workspace));
  CHECK (cudaHostAlloc (&host_bins, BINS * sizeof *host_bins, cudaHostAllocMapped));
  CHECK (cudaHostGetDevicePointer (&host_bins_device, host_bins, 0));
  snprintf (title, sizeof title,
            "Histogram: one luma frame, %s (the limit: an empty kernel, and the bytes at the read ceiling)", name);
  begin_section (title);
  report ("frame", name, "CPU, one thread, plain loop", "cpu",
          time_host ([&] { count_plainly (host.data () + checked * length, length, want); }), length, "GB/s", limit_us, true);
  /* `result`: where the histogram is then. */
  auto rung = [&] (const char *rung_name, const char *kind, unsigned *result, auto work) {
    const timing timing = time_calls (work);

    CHECK (cudaMemset (bins, 0xa5, BINS * sizeof *bins));
    memset (host_bins, 0xa5, BINS * sizeof *host_bins);
    work (checked);
    report ("frame", name, rung_name, kind, timing, length, "GB/s", limit_us, same_bins (result, want));
  };
  rung ("clear; shared atomics, 2 blocks per SM", "rung", bins, [&] (int i) {
    clear ();
    histogram_shared<<<2 * sm_count, 256, 0, stream>>> (at (i), length, bins);
  });
  rung ("clear; one table per warp", "rung", bins, [&] (int i) {
    clear ();
    histogram_warps<1024><<<sm_count, 1024, 0, stream>>> (vectors_at (i), vectors, bins);
  });
  rung ("clear; one column per lane", "rung", bins, [&] (int i) {
    clear ();
    histogram_lanes<<<sm_count, 1024, 0, stream>>> (vectors_at (i), vectors, bins);
  });
  rung ("clear; one table per warp; copy to the host", "rung", host_bins, [&] (int i) {
    clear ();
    histogram_warps<1024><<<sm_count, 1024, 0, stream>>> (vectors_at (i), vectors, bins);
    copy ();
  });
  rung ("one launch, one table per warp, result in host memory", "rung", host_bins, [&] (int i) {
    histogram_one_launch<false><<<sm_count, 1024, 0, stream>>> (vectors_at (i), vectors, workspace, host_bins_device);
  });
  rung ("one launch, one column per lane, result in host memory", "rung", host_bins, [&] (int i) {
    histogram_one_launch<true><<<sm_count, 1024, 0, stream>>> (vectors_at (i), vectors, workspace, host_bins_device);
  });

  std::vector<histo_cuda_count> plans;
  for (unsigned i = 0; i < frames; i++)
    plans.push_back (plan_engine (at (i), length));
  const timing ours = time_calls ([&] (int i) { launch_engine (plans[i % frames]); });
  launch_engine (plans[checked]);
  report ("frame", name, "the engine: one launch, result in host memory", "ours", ours, length, "GB/s", limit_us,
          same_engine_bins (want));
  rung ("CUB DeviceHistogram::HistogramEven", "peer", bins, [&] (int i) { count_frame_with_cub (at (i), length, bins); });
#if HAVE_NPP
  rung ("NPP nppiHistogramEven_8u_C1R", "peer", bins, [&] (int i) { count_with_npp (at (i), width, height, bins); });
#endif
  CHECK (cudaFreeHost (host_bins));
  CHECK (cudaFree (bins));
  CHECK (cudaFree (workspace));
}

/* The time of a launch that reads `count` buffers of `length` bytes without counting; `want` are the bins of the buffers of
 * set `checked` of `sets`. */
static void
measure_batch_reading (const uint8_t *data, const char *name, size_t length, unsigned count, unsigned sets, unsigned checked,
                       const std::vector<unsigned> &want)
{
  const size_t vectors = length * count / 16;
  u64 *results = allocate<u64> (2), got[2], expected[2] = { 0, 0 };
  timing best = { INFINITY, 0 };
  bool is_right = true;

  for (size_t i = 0; i < want.size (); i++) {
    expected[0] += want[i] * static_cast<u64> (i % BINS);
    expected[1] += want[i] * static_cast<u64> (i % BINS) * (i % BINS);
  }
  auto try_shape = [&] (auto launch) {
    const timing timing = time_calls ([&] (int set) { launch (set % sets * vectors); });

    CHECK (cudaMemset (results, 0, sizeof got));
    launch (checked * vectors);
    CHECK (cudaMemcpy (got, results, sizeof got, cudaMemcpyDeviceToHost));
    is_right &= got[0] == expected[0] && got[1] == expected[1];
    if (timing.us < best.us)
      best = timing;
  };
  auto first = reinterpret_cast<const uint4 *> (data);
  try_readers ([&] (auto read, unsigned blocks, unsigned threads) {
    try_shape ([&] (size_t at) { read<<<blocks * sm_count, threads, 0, stream>>> (first + at, vectors, results); });
  });
  report ("batch", name, "no histogram: sum and sum of squares only", "limit", best, length * count, "GB/s",
          empty_us + length * count / bytes_per_us, is_right);
  CHECK (cudaFree (results));
}

/* `count` buffers of `length` bytes, each with its own result. */
static void
measure_batch (uint8_t *data, const std::vector<uint8_t> &host, const char *name, size_t length, unsigned count)
{
  const unsigned sets = host.size () / (length * count);
  const double limit_us = empty_us + length * count / bytes_per_us;
  unsigned *results = allocate<unsigned> (static_cast<size_t> (count) * BINS);
  u64 *workspace = allocate<u64> (static_cast<size_t> (count) * BINS);
  std::vector<batch_frame> frames;
  const int checked = sets - 1;
  std::vector<unsigned> want (static_cast<size_t> (count) * BINS), got (want.size ());
  char title[100];

  if (sets == 0)
    return;
  in_parallel (count, 1, [&] (size_t begin, size_t end) {
    for (size_t frame = begin; frame < end; frame++) {
      u64 bins[BINS];

      count_plainly (host.data () + (static_cast<size_t> (checked) * count + frame) * length, length, bins);
      std::copy (bins, bins + BINS, &want[frame * BINS]);
    }
  });
  snprintf (title, sizeof title, "Histogram: %s, each with a result of its own", name);
  begin_section (title);
  CHECK (cudaMemset (workspace, 0, static_cast<size_t> (count) * BINS * sizeof *workspace));
  for (unsigned i = 0; i < sets * count; i++)
    frames.push_back ({ reinterpret_cast<const uint4 *> (data + i * length), static_cast<unsigned> (length / 16) });
  batch_frame *device_frames = allocate<batch_frame> (frames.size ());
  CHECK (cudaMemcpy (device_frames, frames.data (), frames.size () * sizeof (batch_frame), cudaMemcpyHostToDevice));

  auto rung = [&] (const char *rung_name, const char *kind, auto work) {
    const timing timing = time_calls (work);

    CHECK (cudaMemset (results, 0xa5, static_cast<size_t> (count) * BINS * sizeof *results));
    work (checked);
    CHECK (cudaStreamSynchronize (stream));
    CHECK (cudaMemcpy (got.data (), results, got.size () * sizeof (unsigned), cudaMemcpyDeviceToHost));
    report ("batch", name, rung_name, kind, timing, length * count, "GB/s", limit_us, got == want);
  };

  measure_batch_reading (data, name, length, count, sets, checked, want);
  if (count <= 256) {
    std::vector<histo_cuda_count> plans;

    for (unsigned i = 0; i < sets * count; i++)
      plans.push_back (plan_engine (data + i * length, length));
    const timing launches = time_calls ([&] (int set) {
      for (unsigned i = 0; i < count; i++)
        launch_engine (plans[set % sets * count + i]);
    });
    bool is_right = true;
    for (unsigned i = 0; i < count; i++) {
      const std::vector<u64> one (want.begin () + i * BINS, want.begin () + (i + 1) * BINS);

      launch_engine (plans[checked * count + i]);
      is_right &= same_engine_bins (one.data ());
    }
    report ("batch", name, "the engine, one launch per frame", "ours", launches, length * count, "GB/s", limit_us, is_right);
    rung ("CUB, one call per frame", "peer", [&] (int set) {
      for (unsigned i = 0; i < count; i++)
        count_frame_with_cub (data + (set % sets * count + i) * length, length, results + i * BINS);
    });
    for (unsigned blocks : { 16, 2 }) {
      snprintf (title, sizeof title, "one launch, one column per lane, %u blocks per frame", blocks);
      rung (title, "rung", [&] (int set) {
        histogram_batch<<<dim3 (blocks, count), 1024, 0, stream>>> (device_frames + set % sets * count, workspace, results);
      });
    }
  } else {
    rung ("one launch, one column per lane, a block of 1024 per buffer", "rung", [&] (int set) {
      histogram_batch<<<dim3 (1, count), 1024, 0, stream>>> (device_frames + set % sets * count, workspace, results);
    });
    rung ("one launch, one table per warp, a block of 64 per buffer", "rung",
          [&] (int set) { histogram_small<<<count, 64, 0, stream>>> (device_frames + set % sets * count, results); });
  }
  measure_engine_batch (data, name, length, count, sets, checked, want);
  CHECK (cudaFree (device_frames));
  CHECK (cudaFree (results));
  CHECK (cudaFree (workspace));
}

/* `length` bytes of x (and as many of y), at places that rotate through all of the data. */
template <operation OPERATION>
static void
measure_reductions (const uint8_t *data, const std::vector<uint8_t> &host, const char *content, size_t length, bool is_frame)
{
  const char *section = OPERATION == DOT ? "dot" : "sum";
  const size_t read = OPERATION == DOT ? 2 * length : length, places = host.size () / read;
  const double limit_us = (is_frame ? empty_us : 0) + read / bytes_per_us;
  u64 *result = allocate<u64> (1), want = 0;
  char title[100];
  auto x_at = [&] (int i) { return data + i % places * read; };
  auto y_at = [&] (int i) { return OPERATION == DOT ? x_at (i) + length : nullptr; };
  auto vectors_at = [&] (const uint8_t *bytes) { return reinterpret_cast<const uint4 *> (bytes); };
  auto clear = [&] { CHECK (cudaMemsetAsync (result, 0, sizeof *result, stream)); };
  const unsigned blocks = std::min<size_t> (8 * sm_count, (length + 255) / 256);

  snprintf (title, sizeof title, "%s of bytes: %s", OPERATION == DOT ? "Dot product" : "Sum", content);
  begin_section (title);
  report (section, content, "CPU, one thread, plain loop", "cpu", time_host ([&] {
            const uint8_t *x = host.data (), *y = x + (OPERATION == DOT ? length : 0);

            for (size_t i = 0; i < length; i++)
              want += OPERATION == DOT ? x[i] * y[i] : x[i];
          }),
          read, "GB/s", limit_us, true);
  auto rung = [&] (const char *name, const char *kind, auto work) {
    const timing timing = time_calls (work);
    u64 got;

    CHECK (cudaMemset (result, 0xa5, sizeof *result));
    work (0);
    CHECK (cudaStreamSynchronize (stream));
    CHECK (cudaMemcpy (&got, result, sizeof got, cudaMemcpyDeviceToHost));
    if (strncmp (name, "NPP", 3) == 0) {
      double value;

      memcpy (&value, &got, sizeof value);
      got = value >= 0 && value < 1e19 ? static_cast<u64> (value) : 0;
    }
    report (section, content, name, kind, timing, read, "GB/s", limit_us, got == want);
  };
  rung ("byte loads; one thread adds the partial sums", "rung", [&] (int i) {
    clear ();
    reduce_one_thread<OPERATION><<<blocks, 256, 0, stream>>> (x_at (i), y_at (i), length, result);
  });
  rung ("byte loads; tree in shared memory", "rung", [&] (int i) {
    clear ();
    reduce_tree<OPERATION><<<blocks, 256, 0, stream>>> (x_at (i), y_at (i), length, result);
  });
  rung ("byte loads; tree, templated and unrolled", "rung", [&] (int i) {
    clear ();
    reduce_unrolled<OPERATION, 256><<<blocks, 256, 0, stream>>> (x_at (i), y_at (i), length, result);
  });
  rung ("byte loads; tree, dynamic shared memory, 1024 threads", "rung", [&] (int i) {
    clear ();
    reduce_dynamic<OPERATION><<<(blocks + 3) / 4, 1024, 1024 * sizeof (u64), stream>>> (x_at (i), y_at (i), length, result);
  });
  rung ("byte loads; warp shuffles", "rung", [&] (int i) {
    clear ();
    reduce_shuffles<OPERATION><<<blocks, 256, 0, stream>>> (x_at (i), y_at (i), length, result);
  });
  rung ("16-byte loads, dp4a; warp shuffles", "rung", [&] (int i) {
    clear ();
    reduce_dp4a<OPERATION><<<is_frame ? sm_count : 2 * sm_count, 1024, 0, stream>>> (
        vectors_at (x_at (i)), vectors_at (y_at (i)), length / 16, result);
  });
  rung ("CUB DeviceReduce::TransformReduce", "peer",
        [&] (int i) { reduce_with_cub<OPERATION> (x_at (i), y_at (i), length, result); });
#if HAVE_NPP
  const unsigned width = is_frame ? 1920 : 16384;
  rung (OPERATION == DOT ? "NPP nppiDotProd_8u64f_C1R" : "NPP nppiSum_8u_C1R", "peer", [&] (int i) {
    if (OPERATION == DOT)
      dot_with_npp (x_at (i), y_at (i), width, length / width, reinterpret_cast<double *> (result));
    else
      sum_with_npp (x_at (i), width, length / width, reinterpret_cast<double *> (result));
  });
#endif
  CHECK (cudaFree (result));
}

/* Uniform in [0, 1): multiples of 2^-24. */
static inline float
uniform (uint64_t random)
{
  return (random & 0xffffff) * 0x1p-24f;
}

/* Element i of the vectors that break naive summation: of sixteen products one is small and positive; the others, of up to
 * 2^40, come again in the second half with the other sign, in another order. The result is the sum of the small ones. */
static void
make_breaking_pair (size_t i, size_t half, float *x, float *y)
{
  const size_t original = i < half ? i : i * 2654435761u % half;
  const uint64_t random = scramble (original);

  if (original % 16 == 0) {
    const uint64_t own = scramble (i);

    *x = 1 + uniform (own >> 1);
    *y = 1 + uniform (own >> 32);
    *x = static_cast<int> (*x * 0x1p12f) * 0x1p-12f; /* coarse, so that all products are multiples of 2^-48 */
    return;
  }
  *x = ldexpf (1 + (random & 0x7fffff) * 0x1p-23f, (random >> 23 & 31) % 20) * (random >> 28 & 1 ? 1 : -1);
  *y = ldexpf (1 + (random >> 29 & 0x7fffff) * 0x1p-23f, (random >> 52 & 31) % 20) * (i < half ? 1 : -1);
}

/* The exact dot product. All products are multiples of 2^-48 and below 2^40, so that 2^28 of them fit in 128 bits. */
static long double
dot_exactly (const std::vector<float> &x, const std::vector<float> &y)
{
  std::vector<std::pair<size_t, __int128>> parts (1024, { 0, 0 });
  const size_t share = (x.size () + 1023) / 1024;
  __int128 total = 0;

  in_parallel (1024, 1, [&] (size_t begin, size_t end) {
    for (size_t part = begin; part < end; part++)
      for (size_t i = part * share; i < std::min (x.size (), (part + 1) * share); i++)
        parts[part].second += static_cast<__int128> (static_cast<double> (x[i]) * y[i] * 0x1p48);
  });
  for (auto &part : parts)
    total += part.second;
  return static_cast<long double> (total) * 0x1p-48L;
}

static void
measure_float_dot (uint8_t *data, size_t length)
{
  const size_t count = length / 8, vectors = count / 4;
  const double limit_us = length / bytes_per_us;
  auto x_device = reinterpret_cast<float *> (data), y_device = x_device + count;
  auto x_vectors = reinterpret_cast<const float4 *> (x_device), y_vectors = reinterpret_cast<const float4 *> (y_device);
  std::vector<float> x (count), y (count);
  const unsigned blocks = 2 * sm_count;
  auto partials = allocate<compensated_dot> (blocks);
  auto arrived = allocate<unsigned> (1);
  auto result = allocate<double> (1);
  auto cub_result = allocate<float> (1);

  CHECK (cudaMemset (arrived, 0, sizeof *arrived));
  begin_section ("Dot product of floats (error: against the exact sum)");
  for (const char *content : { "uniform", "breaking" }) {
    in_parallel (count, 1, [&] (size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++) {
        const uint64_t random = scramble (i);

        if (strcmp (content, "breaking") == 0) {
          make_breaking_pair (i, count / 2, &x[i], &y[i]);
        } else {
          x[i] = uniform (random);
          y[i] = uniform (random >> 32);
        }
      }
    });
    CHECK (cudaMemcpy (x_device, x.data (), count * 4, cudaMemcpyHostToDevice));
    CHECK (cudaMemcpy (y_device, y.data (), count * 4, cudaMemcpyHostToDevice));
    const long double exact = dot_exactly (x, y);
    auto error = [&] (double got) { return static_cast<double> (fabsl ((got - exact) / exact)); };
    float sum = 0;
    const timing host_timing = time_host ([&] {
      for (size_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    });

    report ("float dot", content, "CPU, one thread, one float", "cpu", host_timing, length, "GB/s", limit_us, true,
            error (sum));
    /* `tolerance`: the bound of the method; naive summation has none. */
    auto rung = [&] (const char *name, const char *kind, double tolerance, auto work) {
      double first, second;

      CHECK (cudaMemset (result, 0xa5, sizeof *result));
      work (0);
      CHECK (cudaStreamSynchronize (stream));
      CHECK (cudaMemcpy (&first, result, sizeof first, cudaMemcpyDeviceToHost));
      const timing timing = time_calls (work);
      CHECK (cudaMemcpy (&second, result, sizeof second, cudaMemcpyDeviceToHost));
      report ("float dot", content, name, kind, timing, length, "GB/s", limit_us,
              first == second && !(error (second) > tolerance), error (second));
    };
    const bool is_breaking = strcmp (content, "breaking") == 0;
    rung ("naive", "rung", INFINITY, [&] (int) {
      dot_floats<<<blocks, 1024, 0, stream>>> (x_vectors, y_vectors, vectors, reinterpret_cast<naive_dot *> (partials), arrived,
                                               result);
    });
    rung ("Kahan", "rung", is_breaking ? INFINITY : 1e-6, [&] (int) {
      dot_floats<<<blocks, 1024, 0, stream>>> (x_vectors, y_vectors, vectors, reinterpret_cast<kahan_dot *> (partials), arrived,
                                               result);
    });
    rung ("compensated (Dot2)", "rung", is_breaking ? 1e-3 : 1e-10,
          [&] (int) { dot_floats<<<blocks, 1024, 0, stream>>> (x_vectors, y_vectors, vectors, partials, arrived, result); });

    const timing cub_timing = time_calls ([&] (int) { sum_with_cub (count, floats_at{ x_device, y_device }, cub_result); });
    float cub_sum;
    CHECK (cudaMemcpy (&cub_sum, cub_result, sizeof cub_sum, cudaMemcpyDeviceToHost));
    report ("float dot", content, "CUB DeviceReduce::TransformReduce", "peer", cub_timing, length, "GB/s", limit_us, true,
            error (cub_sum));
  }
  CHECK (cudaFree (partials));
  CHECK (cudaFree (arrived));
  CHECK (cudaFree (result));
  CHECK (cudaFree (cub_result));
}

static void
measure_row_sums (const uint8_t *data, const std::vector<uint8_t> &host)
{
  const unsigned width = 3840, height = host.size () / width / 2160 * 2160;
  const size_t length = static_cast<size_t> (width) * height;
  const double limit_us = length / bytes_per_us;
  std::vector<uint8_t> weights (width);
  std::vector<unsigned> want (height), got (height);
  auto device_weights = allocate<uint8_t> (width);
  auto sums = allocate<unsigned> (height), scratch = allocate<unsigned> (length);
  char content[40];

  begin_section ("Matrix-vector product: row sums with weights");
  snprintf (content, sizeof content, "%u x 4K", height / 2160);
  for (unsigned i = 0; i < width; i++)
    weights[i] = scramble (i) >> 20;
  CHECK (cudaMemcpy (device_weights, weights.data (), width, cudaMemcpyHostToDevice));
  report ("row sums", content, "CPU, one thread, plain loop", "cpu", time_host ([&] {
            for (unsigned row = 0; row < height; row++) {
              unsigned sum = 0;

              for (unsigned i = 0; i < width; i++)
                sum += host[static_cast<size_t> (row) * width + i] * weights[i];
              want[row] = sum;
            }
          }),
          length, "GB/s", limit_us, true);
  auto rung = [&] (const char *name, auto work) {
    CHECK (cudaMemset (sums, 0xa5, height * sizeof *sums));
    const timing timing = time_calls ([&] (int) { work (); });

    CHECK (cudaMemcpy (got.data (), sums, height * sizeof *sums, cudaMemcpyDeviceToHost));
    report ("row sums", content, name, "rung", timing, length, "GB/s", limit_us, got == want);
  };
  rung ("products to a global array, then one row per thread", [&] {
    multiply_to_scratch<<<8 * sm_count, 256, 0, stream>>> (data, device_weights, width, length, scratch);
    add_up_scratch<<<(height + 127) / 128, 128, 0, stream>>> (scratch, width, height, sums);
  });
  rung ("one block per row, tree in shared memory",
        [&] { row_sums_shared<<<8 * sm_count, 256, 0, stream>>> (data, device_weights, width, height, sums); });
  rung ("one warp per row, 16-byte loads, dp4a, shuffles", [&] {
    row_sums_shuffles<<<8 * sm_count, 256, 0, stream>>> (
        reinterpret_cast<const uint4 *> (data), reinterpret_cast<const uint4 *> (device_weights), width / 16, height, sums);
  });
  CHECK (cudaFree (device_weights));
  CHECK (cudaFree (sums));
  CHECK (cudaFree (scratch));
}

static void
measure_transpose ()
{
  const unsigned size = 8192;
  const size_t count = static_cast<size_t> (size) * size;
  std::vector<float> host (count), got (count);
  auto in = allocate<float> (count), out = allocate<float> (count);
  const dim3 grid (size / TILE, size / TILE), block (TILE, TILE_ROWS);

  begin_section ("Matrix transpose, 8192 x 8192 floats (read and written bytes; the limit: a copy)");
  for (size_t i = 0; i < count; i++)
    host[i] = scramble (i) >> 40;
  CHECK (cudaMemcpy (in, host.data (), count * sizeof (float), cudaMemcpyHostToDevice));
  const timing by_kernel = time_calls ([&] (int) {
    copy_all<<<2 * sm_count, 1024, 0, stream>>> (reinterpret_cast<float4 *> (in), reinterpret_cast<float4 *> (out), count / 4);
  });
  CHECK (cudaMemcpy (got.data (), out, count * sizeof (float), cudaMemcpyDeviceToHost));
  bool is_right = memcmp (got.data (), host.data (), count * sizeof (float)) == 0;
  const timing by_engine
      = time_calls ([&] (int) { CHECK (cudaMemcpyAsync (out, in, count * sizeof (float), cudaMemcpyDeviceToDevice, stream)); });
  const timing copy = by_kernel.us < by_engine.us ? by_kernel : by_engine;
  report ("transpose", "floats", "copy", "limit", copy, 2.0 * count * sizeof (float), "GB/s", copy.us, is_right);
  auto rung = [&] (const char *name, auto work) {
    CHECK (cudaMemset (out, 0xa5, count * sizeof (float)));
    const timing timing = time_calls ([&] (int) { work (); });

    is_right = true;
    CHECK (cudaMemcpy (got.data (), out, count * sizeof (float), cudaMemcpyDeviceToHost));
    for (unsigned y = 0; y < size; y += 32) /* in tiles, for the cache's sake */
      for (unsigned x = 0; x < size; x++)
        for (unsigned j = y; j < y + 32; j++)
          is_right &= got[static_cast<size_t> (x) * size + j] == host[static_cast<size_t> (j) * size + x];
    report ("transpose", "floats", name, "rung", timing, 2.0 * count * sizeof (float), "GB/s", copy.us, is_right);
  };
  rung ("naive", [&] { transpose_naive<<<grid, block, 0, stream>>> (in, out, size); });
  rung ("tile in shared memory", [&] { transpose_tile<0><<<grid, block, 0, stream>>> (in, out, size); });
  rung ("tile in shared memory, padded", [&] { transpose_tile<1><<<grid, block, 0, stream>>> (in, out, size); });
  CHECK (cudaFree (in));
  CHECK (cudaFree (out));
}

static void
measure_product ()
{
  const unsigned size = 2048;
  const size_t count = static_cast<size_t> (size) * size;
  const double operations = 2.0 * size * size * size;
  std::vector<float> a (count), b (count), want (count), got (count);
  auto a_device = allocate<float> (count), b_device = allocate<float> (count), c_device = allocate<float> (count);
  const dim3 grid (size / TILE, size / TILE), block (TILE, TILE);

  begin_section ("Matrix product, 2048 x 2048 floats (in the L2 cache; the limit: multiply-adds in registers)");
  for (size_t i = 0; i < count; i++) { /* small integers: the sums are exact in any order */
    a[i] = scramble (i) >> 61;
    b[i] = scramble (i + count) >> 61;
  }
  CHECK (cudaMemcpy (a_device, a.data (), count * sizeof (float), cudaMemcpyHostToDevice));
  CHECK (cudaMemcpy (b_device, b.data (), count * sizeof (float), cudaMemcpyHostToDevice));

  const timing multiply_adds
      = time_calls ([&] (int) { multiply_add_all<<<2 * sm_count, 1024, 0, stream>>> (c_device, 0.999f); });
  const double limit_operations = 2.0 * MULTIPLY_ADD_CHAINS * MULTIPLY_ADD_STEPS * 1024 * 2 * sm_count;
  const double limit_us = operations / (limit_operations / multiply_adds.us);
  report ("product", "floats", "multiply-adds in registers", "limit", multiply_adds, limit_operations, "GFLOP/s",
          multiply_adds.us, true);
  report ("product", "floats", "CPU, all threads, rows times rows", "cpu", time_host ([&] {
            in_parallel (size, 1, [&] (size_t begin, size_t end) {
              for (size_t y = begin; y < end; y++)
                for (size_t k = 0; k < size; k++)
                  for (size_t x = 0; x < size; x++)
                    want[y * size + x] += a[y * size + k] * b[k * size + x];
            });
          }),
          operations, "GFLOP/s", limit_us, true);
  auto rung = [&] (const char *name, auto work) {
    CHECK (cudaMemset (c_device, 0xa5, count * sizeof (float)));
    const timing timing = time_calls ([&] (int) { work (); });

    CHECK (cudaMemcpy (got.data (), c_device, count * sizeof (float), cudaMemcpyDeviceToHost));
    report ("product", "floats", name, "rung", timing, operations, "GFLOP/s", limit_us, got == want);
  };
  rung ("naive", [&] { product_naive<<<grid, block, 0, stream>>> (a_device, b_device, c_device, size); });
  rung ("tiles in shared memory", [&] { product_tiled<<<grid, block, 0, stream>>> (a_device, b_device, c_device, size); });
  rung ("tiles in shared memory, 4 x 4 sums per thread in registers",
        [&] { product_registers<<<dim3 (size / 64, size / 64), 256, 0, stream>>> (a_device, b_device, c_device, size); });
  CHECK (cudaFree (a_device));
  CHECK (cudaFree (b_device));
  CHECK (cudaFree (c_device));
}

int
main (int argc, char **argv)
{
  size_t length = 1ull << 30;
  int driver = 0, runtime = 0;
  bool only_engine = false;
  char date[40];
  const time_t now = time (nullptr);

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--json") == 0 && i + 1 < argc) {
      json = fopen (argv[++i], "w");
      if (json == nullptr) {
        perror (argv[i]);
        return 1;
      }
    } else if (strcmp (argv[i], "--only-engine") == 0) {
      only_engine = true;
    } else if (strcmp (argv[i], "--bytes") == 0 && i + 1 < argc) {
      length = strtoull (argv[++i], nullptr, 0) >> 24 << 24;
    } else {
      fprintf (stderr, "usage: %s [--json FILE] [--bytes N] [--only-engine]\n", argv[0]);
      return 1;
    }
  }
  if (length < 64 << 20) {
    fprintf (stderr, "--bytes: at least %d\n", 64 << 20);
    return 1;
  }
  if (getenv ("CUDAHISTO_TEST_SEED") != nullptr)
    seed = strtoull (getenv ("CUDAHISTO_TEST_SEED"), nullptr, 0);
  if (cudaGetDeviceProperties (&device, 0) != cudaSuccess) {
    printf ("skipped: no CUDA device\n");
    return 77;
  }
  sm_count = device.multiProcessorCount;
  CHECK (cudaDriverGetVersion (&driver));
  CHECK (cudaRuntimeGetVersion (&runtime));
  CHECK (cudaStreamCreate (&stream));
  CHECK (cudaEventCreate (&begin_event));
  CHECK (cudaEventCreate (&end_event));
  prepare_engine ();
  cub_memory = allocate<uint8_t> (cub_memory_size);
#if HAVE_NPP
  prepare_npp ();
#endif

  strftime (date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime (&now));
  printf ("%s, %u SMs, %d MiB L2, CUDA %d.%d (driver API %d.%d), %s, %zu MiB, CUDAHISTO_TEST_SEED=%llu\n", device.name,
          sm_count, device.l2CacheSize >> 20, runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10, date,
          length >> 20, static_cast<u64> (seed));
  printf ("OpenCV: not compared. NPP: %s. Columns: content, rung, median time, rate, share of the limit.\n",
          HAVE_NPP ? "compared" : "no headers found, not compared");
  if (json != nullptr)
    fprintf (json,
             "{\"section\":\"run\",\"device\":\"%s\",\"sms\":%u,\"date\":\"%s\",\"cuda\":\"%d.%d\",\"bytes\":%zu,\"seed\":%llu,"
             "\"npp\":%s}\n",
             device.name, sm_count, date, runtime / 1000, runtime % 1000 / 10, length, static_cast<u64> (seed),
             HAVE_NPP ? "true" : "false");

  std::vector<uint8_t> host (length);
  auto data = allocate<uint8_t> (length);

  make_bytes (host, 0);
  CHECK (cudaMemcpy (data, host.data (), length, cudaMemcpyHostToDevice));
  measure_limits (data, host);
  if (!only_engine)
    measure_histograms (data, host);

  make_bytes (host, 4);
  CHECK (cudaMemcpy (data, host.data (), length, cudaMemcpyHostToDevice));
  measure_frames (data, host, "1080p, modulo 32", 1920, 1080);
  measure_frames (data, host, "4K, modulo 32", 3840, 2160);
  make_bytes (host, 1);
  CHECK (cudaMemcpy (data, host.data (), length, cudaMemcpyHostToDevice));
  measure_frames (data, host, "1080p, natural", 1920, 1080);
  measure_frames (data, host, "4K, natural", 3840, 2160);
  measure_nv12 (data, host, "1080p NV12", 1920 * 1080);
  measure_nv12 (data, host, "4K NV12", 3840 * 2160);
  measure_batch (data, host, "64 x 1080p", 1920 * 1080, 64);
  measure_batch (data, host, "64 x 4K", 3840 * 2160, 64);
  measure_batch (data, host, "4096 x 4 KiB", 4096, 4096);
  measure_histogram_and_dot (data, host, "natural");
  measure_projection (data, host, 64);
  measure_projection (data, host, 16);

  begin_section ("Histogram of 10-bit samples in 16 bits");
  measure_deep (data, host, "random", 0);
  measure_deep (data, host, "natural", 1);
  measure_deep (data, host, "constant", 2);
  measure_deep (data, host, "modulo 32", 3);

  make_bytes (host, 0);
  CHECK (cudaMemcpy (data, host.data (), length, cudaMemcpyHostToDevice));
  begin_section ("Histogram of 16-bit samples, one frame");
  measure_native_with_cub (data, host, "1080p, random", 1920, 1080);
  measure_native_with_cub (data, host, "4K, random", 3840, 2160);
  make_film_of_16_bits (host);
  CHECK (cudaMemcpy (data, host.data (), length, cudaMemcpyHostToDevice));
  measure_native_with_cub (data, host, "1080p, film", 1920, 1080);
  measure_native_with_cub (data, host, "4K, film", 3840, 2160);
  make_bytes (host, 0);
  CHECK (cudaMemcpy (data, host.data (), length, cudaMemcpyHostToDevice));
  measure_histogram_and_dot (data, host, "random");
  if (!only_engine) {
    measure_reductions<SUM> (data, host, "large", length, false);
    measure_reductions<SUM> (data, host, "1080p", 1920 * 1080, true);
    measure_reductions<DOT> (data, host, "large", length / 2, false);
    measure_reductions<DOT> (data, host, "1080p", 1920 * 1080, true);
    measure_row_sums (data, host);
    measure_float_dot (data, length);
  }
  CHECK (cudaFree (data));
  if (!only_engine) {
    measure_transpose ();
    measure_product ();
  }

  printf ("\n%s\n", wrong_count == 0 ? "All results are right." : "SOME RESULTS ARE WRONG.");
  if (json != nullptr && fclose (json) != 0) {
    perror ("--json");
    return 1;
  }
  return wrong_count == 0 ? 0 : 1;
}
