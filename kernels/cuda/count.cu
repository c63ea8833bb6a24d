/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel `histo_count`: every number of one frame in one launch, without a memset before or a copy after it.
 *
 * A block counts a share of one pass (plane), thread by thread in vectors of 16 bytes, several in flight. The bins live in shared
 * memory, a column for each lane (histogram.cuh), dot products in registers (reduce.cuh). Large frames are bound by device memory,
 * small ones by the latency of launch, load, fold and delivery. */

#include "count.h"
#include "histogram.cuh"
#include "reduce.cuh"

#define VECTORS_IN_FLIGHT 4     /* a thread's */
#define PAIRS_IN_FLIGHT 2       /* the same with an operand: two vectors each */

/* How the bytes of the pattern are spread over the tables. */
enum spread {
  ONE_TABLE,    /* period 1 */
  PERIOD_FOUR,  /* 2 or 4: the same for each word of a row */
  PERIOD_THREE, /* moves by one from word to word */
};

/* What a thread counts with: for each position of the pattern the lane's column of its table, and a dot product. */
template <spread SPREAD> struct tally {
  static constexpr unsigned positions = SPREAD == ONE_TABLE ? 1 : SPREAD == PERIOD_FOUR ? 4 : 3;
  unsigned column[positions];
  unsigned long long dot[positions];
};

/* `by` places to the left: position by comes first. */
template <unsigned POSITIONS, typename T>
static __device__ __forceinline__ void
rotate (T (&turned)[POSITIONS], const T (&values)[POSITIONS], unsigned by)
{
#pragma unroll
  for (unsigned i = 0; i < POSITIONS; i++) {
    turned[i] = values[i];
#pragma unroll
    for (unsigned j = 1; j < POSITIONS; j++)
      turned[i] = by == j ? values[(i + j) % POSITIONS] : turned[i];
  }
}

/* A vector and what it is multiplied with; its first byte has place `phase` in the pattern. */
struct pair {
  uint4 x, y;
  unsigned phase;
};

template <unsigned COLUMNS, spread SPREAD, bool DOT>
static __device__ __forceinline__ void
count_pair (tally<SPREAD> &tally, const pair &pair)
{
  constexpr unsigned positions = tally.positions;
  const unsigned x[4] = { pair.x.x, pair.x.y, pair.x.z, pair.x.w }, y[4] = { pair.y.x, pair.y.y, pair.y.z, pair.y.w };
  unsigned column[positions];

  rotate (column, tally.column, pair.phase);
#pragma unroll
  for (unsigned i = 0; i < 4; i++)
    histogram_count_word<COLUMNS> (x[i], column[4 * i % positions], column[(4 * i + 1) % positions], column[(4 * i + 2) % positions],
        column[(4 * i + 3) % positions]);

  if (DOT) {
    unsigned dot[positions] = {}, turned[positions];

#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
#pragma unroll
      for (unsigned k = 0; k < positions; k++) {
        unsigned mask = 0;

#pragma unroll
        for (unsigned j = 0; j < 4; j++)
          mask |= (4 * i + j) % positions == k ? 0xffu << (8 * j) : 0;
        dot[k] = __dp4a (x[i] & mask, y[i], dot[k]);
      }
    }
    rotate (turned, dot, (positions - pair.phase) % positions);
#pragma unroll
    for (unsigned k = 0; k < positions; k++)
      tally.dot[k] += turned[k];
  }
}

/* ---- rows whose vectors all are aligned alike, the operand's too --------------------------------------------------- */

/* A thread's way from vector to vector, block_count * HISTO_CUDA_THREADS further each time. */
struct way {
  const uint8_t *x, *y;
  unsigned vector; /* in the row */
  unsigned phase;
};

template <spread SPREAD, bool DOT>
static __device__ __forceinline__ void
fetch (pair &pair, way &way, const histo_cuda_pass &pass)
{
  pair.x = __ldcs (reinterpret_cast<const uint4 *> (way.x));
  if (DOT)
    pair.y = __ldcs (reinterpret_cast<const uint4 *> (way.y));
  pair.phase = way.phase;

  way.x += pass.step_bytes;
  if (DOT)
    way.y += pass.operand_step_bytes;
  way.vector += pass.step_vectors;
  if (SPREAD == PERIOD_THREE)
    way.phase += pass.step_vectors % 3;
  if (way.vector >= pass.vectors_per_row) {
    way.vector -= pass.vectors_per_row;
    way.x += pass.wrap_bytes;
    if (DOT)
      way.y += pass.operand_wrap_bytes;
    if (SPREAD == PERIOD_THREE)
      way.phase += 3 - pass.vectors_per_row % 3;
  }
  if (SPREAD == PERIOD_THREE)
    way.phase %= 3;
}

template <unsigned COLUMNS, spread SPREAD, bool DOT>
static __device__ __forceinline__ void
count_aligned (const histo_cuda_pass &pass, tally<SPREAD> &tally)
{
  constexpr unsigned depth = DOT ? (SPREAD == ONE_TABLE ? PAIRS_IN_FLIGHT : 1) : VECTORS_IN_FLIGHT;
  const unsigned first = (blockIdx.x - pass.first_block) * HISTO_CUDA_THREADS + threadIdx.x;
  const unsigned row = pass.height > 1 ? first / pass.vectors_per_row : 0, head = static_cast<unsigned> (-pass.data) & 15;
  unsigned left = pass.rounds + (first < pass.last_round);
  pair pairs[depth];
  way way;

  way.vector = first - row * pass.vectors_per_row;
  way.x = reinterpret_cast<const uint8_t *> (pass.data) + row * pass.stride_bytes + head + way.vector * 16ull;
  way.y = reinterpret_cast<const uint8_t *> (pass.operand) + row * pass.operand_stride_bytes + head + way.vector * 16ull;
  way.phase = SPREAD == PERIOD_THREE ? (head + way.vector) % 3 : SPREAD == PERIOD_FOUR ? head % 4 : 0;

#pragma unroll
  for (unsigned i = 0; i < depth; i++)
    if (i < left)
      fetch<SPREAD, DOT> (pairs[i], way, pass);
  histogram_clear<COLUMNS> (pass.tables); /* while the loads are on their way */
  for (; left >= 2 * depth; left -= depth) {
#pragma unroll
    for (unsigned i = 0; i < depth; i++) {
      const pair now = pairs[i];

      fetch<SPREAD, DOT> (pairs[i], way, pass);
      count_pair<COLUMNS, SPREAD, DOT> (tally, now);
    }
  }
  for (;;) {
#pragma unroll
    for (unsigned i = 0; i < depth; i++) {
      if (left == 0)
        return;
      const pair now = pairs[i];

      if (left > depth)
        fetch<SPREAD, DOT> (pairs[i], way, pass);
      count_pair<COLUMNS, SPREAD, DOT> (tally, now);
      left--;
    }
  }
}

/* ---- rows of any alignment ----------------------------------------------------------------------------------------- */

/* Sixteen bytes at any address, none outside them used, and none read unless `inside`: then the aligned vectors around them may be. */
static __device__ __forceinline__ uint4
load_any (const uint8_t *y, bool inside)
{
  const unsigned shift = static_cast<unsigned> (reinterpret_cast<uintptr_t> (y)) & 15;
  unsigned words[4];

  if (shift == 0)
    return *reinterpret_cast<const uint4 *> (y);
  if (inside) {
    const unsigned *aligned = reinterpret_cast<const unsigned *> (y - shift % 4);
    unsigned low = aligned[0];

#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
      const unsigned high = shift % 4 ? aligned[i + 1] : i < 3 ? aligned[i + 1] : 0;

      words[i] = __funnelshift_r (low, high, shift % 4 * 8);
      low = high;
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
      words[i] = y[4 * i] | y[4 * i + 1] << 8 | y[4 * i + 2] << 16 | static_cast<unsigned> (y[4 * i + 3]) << 24;
  }
  return make_uint4 (words[0], words[1], words[2], words[3]);
}

template <unsigned COLUMNS, spread SPREAD, bool DOT>
static __device__ __forceinline__ void
count_unaligned (const histo_cuda_pass &pass, tally<SPREAD> &tally)
{
  constexpr unsigned depth = 2;
  const uint64_t step = static_cast<uint64_t> (pass.block_count) * HISTO_CUDA_THREADS;
  const uint64_t all = static_cast<uint64_t> (pass.vectors_per_row) * pass.height;
  uint64_t at = static_cast<uint64_t> (blockIdx.x - pass.first_block) * HISTO_CUDA_THREADS + threadIdx.x;
  uint64_t row = at / pass.vectors_per_row;
  unsigned vector = static_cast<unsigned> (at - row * pass.vectors_per_row);

  histogram_clear<COLUMNS> (pass.tables);
  while (at < all) {
    pair pairs[depth];
    bool is_there[depth];

#pragma unroll
    for (unsigned i = 0; i < depth; i++) {
      const uint8_t *x = reinterpret_cast<const uint8_t *> (pass.data) + row * pass.stride_bytes;
      const uint8_t *y = reinterpret_cast<const uint8_t *> (pass.operand) + row * pass.operand_stride_bytes;
      const uint64_t offset = (-reinterpret_cast<uintptr_t> (x) & 15) + vector * 16ull;

      /* A row that begins between two vectors may have one less. */
      is_there[i] = at < all && offset + 16 <= pass.length;
      if (is_there[i]) {
        pairs[i].x = __ldcs (reinterpret_cast<const uint4 *> (x + offset));
        if (DOT)
          pairs[i].y = load_any (y + offset, offset >= 16 && offset + 32 <= pass.length);
        pairs[i].phase = static_cast<unsigned> (offset % tally.positions);
      }
      at += step;
      row += pass.step_rows;
      vector += pass.step_vectors;
      if (vector >= pass.vectors_per_row) {
        vector -= pass.vectors_per_row;
        row++;
      }
    }
#pragma unroll
    for (unsigned i = 0; i < depth; i++)
      if (is_there[i])
        count_pair<COLUMNS, SPREAD, DOT> (tally, pairs[i]);
  }
}

/* ---- samples outside the vectors ------------------------------------------------------------------------------------ */

/* A thread's dot products, one for each table. */
struct dots {
  unsigned long long table[HISTO_CUDA_COMPONENTS];
};

template <unsigned COLUMNS, bool DOT>
static __device__ __forceinline__ void
count_sample (unsigned column, dots &dots, unsigned table, unsigned x, unsigned y)
{
  histogram_count_byte<COLUMNS> (column + table * HISTO_CUDA_TABLE_BYTES (COLUMNS), x);
  if (DOT) {
#pragma unroll
    for (unsigned t = 0; t < HISTO_CUDA_COMPONENTS; t++)
      dots.table[t] += t == table ? x * y : 0;
  }
}

/* The bytes of the pattern before the first vector of a row and after the last, at most 15 each: a row a warp, a byte a lane. */
template <unsigned COLUMNS, bool DOT>
static __device__ __forceinline__ void
count_row_ends (const histo_cuda_pass &pass, unsigned column, dots &dots)
{
  constexpr unsigned depth = 4;
  const unsigned lane = threadIdx.x % 32;
  const uint64_t warps = static_cast<uint64_t> (pass.block_count) * (HISTO_CUDA_THREADS / 32);
  const uint64_t first = static_cast<uint64_t> (blockIdx.x - pass.first_block) * (HISTO_CUDA_THREADS / 32) + threadIdx.x / 32;

  if (pass.data % 16 == 0 && pass.length % 16 == 0 && (pass.stride_bytes % 16 == 0 || pass.height == 1))
    return;
  for (uint64_t row = first; row < pass.height; row += depth * warps) {
    unsigned x[depth], y[depth];
    uint64_t at[depth];
    bool is_there[depth];

#pragma unroll
    for (unsigned i = 0; i < depth; i++) {
      const uint8_t *begin = reinterpret_cast<const uint8_t *> (pass.data) + (row + i * warps) * pass.stride_bytes;
      const uint64_t room = -reinterpret_cast<uintptr_t> (begin) & 15;
      const uint64_t head = room < pass.length ? room : pass.length;
      const uint64_t tail = (pass.length - head) % 16;

      at[i] = lane < 16 ? lane : pass.length - tail + (lane - 16);
      is_there[i] = row + i * warps < pass.height && (lane < 16 ? lane < head : lane - 16 < tail);
      if (is_there[i]) {
        x[i] = begin[at[i]];
        if (DOT)
          y[i] = *(reinterpret_cast<const uint8_t *> (pass.operand) + (row + i * warps) * pass.operand_stride_bytes + at[i]);
      }
    }
#pragma unroll
    for (unsigned i = 0; i < depth; i++)
      if (is_there[i])
        count_sample<COLUMNS, DOT> (column, dots, pass.table_at >> (at[i] % pass.period * 8) & 0xff, x[i], DOT ? y[i] : 0);
  }
}

/* The samples of component t that lie outside the pattern, all of them where there is none. A warp takes 1024 at a time. */
template <unsigned COLUMNS, bool DOT>
static __device__ __forceinline__ void
count_edges (const histo_cuda_pass &pass, unsigned t, unsigned column, dots &dots)
{
  const auto &component = pass.components[t];
  const uint64_t warps = static_cast<uint64_t> (pass.block_count) * (HISTO_CUDA_THREADS / 32);
  const uint64_t first = static_cast<uint64_t> (blockIdx.x - pass.first_block) * (HISTO_CUDA_THREADS / 32) + threadIdx.x / 32;
  const uint64_t edge = component.head + component.tail, parts = (edge + 1023) / 1024;

  for (uint64_t item = first; item < parts * pass.height; item += warps) {
    const uint64_t row = item / parts, part = item % parts;

    for (uint64_t i = part * 1024 + threadIdx.x % 32; i < edge && i < (part + 1) * 1024; i += 32) {
      const uint64_t sample = i < component.head ? i : component.width - edge + i;
      const int64_t at = component.offset_bytes + static_cast<int64_t> (sample * component.step_bytes);
      const uint8_t *x = reinterpret_cast<const uint8_t *> (pass.data) + row * pass.stride_bytes + at;
      const uint8_t *y = reinterpret_cast<const uint8_t *> (pass.operand) + row * pass.operand_stride_bytes + at;

      count_sample<COLUMNS, DOT> (column, dots, t, *x, DOT ? *y : 0);
    }
  }
}

/* ---- a pass, a frame ------------------------------------------------------------------------------------------------ */

template <unsigned COLUMNS, spread SPREAD, bool DOT>
static __device__ __forceinline__ void
count_vectors (const histo_cuda_pass &pass, unsigned column, dots &dots)
{
  tally<SPREAD> tally = {};

  if (pass.vectors_per_row == 0) {
    histogram_clear<COLUMNS> (pass.tables);
    return;
  }
#pragma unroll
  for (unsigned i = 0; i < tally.positions; i++)
    tally.column[i] = column + (pass.table_at >> (8 * i) & 0xff) * HISTO_CUDA_TABLE_BYTES (COLUMNS);
  if (pass.is_aligned)
    count_aligned<COLUMNS, SPREAD, DOT> (pass, tally);
  else
    count_unaligned<COLUMNS, SPREAD, DOT> (pass, tally);
  if (DOT) {
#pragma unroll
    for (unsigned i = 0; i < tally.positions; i++)
#pragma unroll
      for (unsigned t = 0; t < HISTO_CUDA_COMPONENTS; t++)
        dots.table[t] += (pass.table_at >> (8 * i) & 0xff) == t ? tally.dot[i] : 0;
  }
}

template <unsigned COLUMNS, bool DOT>
static __device__ __forceinline__ void
count_pass (const histo_cuda_pass &pass, unsigned column, dots &dots)
{
  if (pass.period == 3)
    count_vectors<COLUMNS, PERIOD_THREE, DOT> (pass, column, dots);
  else if (pass.tables > 1)
    count_vectors<COLUMNS, PERIOD_FOUR, DOT> (pass, column, dots);
  else
    count_vectors<COLUMNS, ONE_TABLE, DOT> (pass, column, dots);
  count_row_ends<COLUMNS, DOT> (pass, column, dots);
  if (pass.has_edges)
    for (unsigned t = 0; t < pass.component_count; t++)
      count_edges<COLUMNS, DOT> (pass, t, column, dots);
}

/* Adds `value` to a word of the frame; whoever adds last hands the total to the host. See count.h. */
static __device__ __forceinline__ void
deliver (const histo_cuda_count &frame, const histo_cuda_pass &pass, unsigned word, unsigned long long value)
{
  auto workspace = reinterpret_cast<unsigned long long *> (frame.workspace) + word;
  auto result = reinterpret_cast<volatile unsigned long long *> (frame.result) + word;
  const unsigned long long before = atomicAdd (workspace, (1ull << 48) + value);

  if (before >> 48 == pass.block_count - 1) {
    *workspace = 0;
    *result = (before + value) << 16 | frame.tag;
  }
}

template <unsigned COLUMNS, bool DOT>
static __device__ __forceinline__ void
count_frame (const histo_cuda_count &frame)
{
  __shared__ histogram_quarters quarters[HISTO_CUDA_COMPONENTS];
  __shared__ reduce_block reduce;
  const unsigned column = histogram_column<COLUMNS> ();
  unsigned p = 0;
  dots dots = {};

  while (p + 1 < frame.pass_count && blockIdx.x >= frame.first_block[p + 1])
    p++;
  const histo_cuda_pass &pass = frame.passes[p];

  count_pass<COLUMNS, DOT> (pass, column, dots);
  __syncthreads ();
  for (unsigned t = 0; t < pass.component_count; t++)
    histogram_fold<COLUMNS> (quarters[t], t);
  __syncthreads ();
  if (threadIdx.x < pass.component_count * HISTO_CUDA_BINS) {
    const unsigned t = threadIdx.x / HISTO_CUDA_BINS, bin = threadIdx.x % HISTO_CUDA_BINS;

    deliver (frame, pass, pass.components[t].index * HISTO_CUDA_WORDS + bin, histogram_count_of_bin (quarters[t], bin));
  }
  if (DOT) {
#pragma unroll
    for (unsigned t = 0; t < HISTO_CUDA_COMPONENTS; t++) {
      if (t >= pass.component_count)
        break;
      const unsigned first_word = pass.components[t].index * HISTO_CUDA_WORDS;
      const unsigned long long dot = reduce_sum (reduce, dots.table[t]);

      if (threadIdx.x == 0) {
        deliver (frame, pass, first_word + HISTO_CUDA_DOT_LOW, dot & 0xffffff);
        deliver (frame, pass, first_word + HISTO_CUDA_DOT_HIGH, dot >> 24);
      }
    }
  }
}

#define KERNEL(name, columns, dot) \
  extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1) name (const __grid_constant__ histo_cuda_count frame) \
  { \
    count_frame<columns, dot> (frame); \
  }

/* With a dot product every pass has an operand. */
KERNEL (histo_count, HISTO_CUDA_WIDE, false)
KERNEL (histo_count_dot, HISTO_CUDA_WIDE, true)
KERNEL (histo_count_narrow, HISTO_CUDA_NARROW, false)
KERNEL (histo_count_dot_narrow, HISTO_CUDA_NARROW, true)
