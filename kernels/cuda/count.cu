/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_count...`: every number of a frame in one launch, without a memset before or a copy after it.
 *
 * A block counts a share of one pass (plane), thread by thread in vectors of 16 bytes, several in flight. The bins live in shared
 * memory, a column for each lane (histogram.cuh), sums and dot products in registers (reduce.cuh). Large frames are bound by device
 * memory, small ones by the latency of launch, load, fold and delivery. */

#include "count.h"
#include "histogram.cuh"
#include "load.cuh"
#include "reduce.cuh"

#define VECTORS_IN_FLIGHT 3 /* a thread's: more of them get in each other's way */
#define PAIRS_IN_FLIGHT 2   /* the same with an operand: two vectors each */

/* Blocks of small frames on a multiprocessor: all its threads, so that as many loads are under way as there can be. */
#if __CUDA_ARCH__ == 750
#define SMALL_THREADS 1024
#elif (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100
#define SMALL_THREADS 1536
#else
#define SMALL_THREADS 2048
#endif
#define SMALL_BLOCKS (SMALL_THREADS / (HISTO_CUDA_SMALL_THREADS * HISTO_CUDA_SMALL_FRAMES))

/* How the samples of the pattern are spread over the tables. */
enum spread {
  ONE_TABLE,    /* period 1 */
  PERIOD_TWO,   /* of 2-byte samples */
  PERIOD_FOUR,  /* 2 or 4: the same for each vector of a row */
  PERIOD_THREE, /* moves from vector to vector */
};

/* A pass, and where it begins in the frame of this block. */
struct view {
  const histo_cuda_pass &pass;
  const uint8_t *x, *y;
};

/* A thread's totals of a component, or of a position of the pattern. */
struct totals {
  unsigned long long dot, sum, squares; /* the last two of 2-byte samples alone */
};

/* What a thread counts with: for each position of the pattern the lane's column of its table, and totals. */
template <spread SPREAD> struct tally {
  static constexpr unsigned positions = SPREAD == ONE_TABLE ? 1 : SPREAD == PERIOD_TWO ? 2 : SPREAD == PERIOD_FOUR ? 4 : 3;
  unsigned column[positions];
  totals totals[positions];
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

/* A vector and what it is multiplied with; its first sample has place `phase` in the pattern. */
struct pair {
  uint4 x, y;
  unsigned phase;
};

/* ---- samples of one byte ------------------------------------------------------------------------------------------- */

template <unsigned COLUMNS> struct byte_samples {
  static constexpr unsigned bytes = 1;
  static constexpr bool has_sums = false; /* they follow from the bins */
  static constexpr bool has_carries = false;

  static __device__ __forceinline__ unsigned
  columns (const histo_cuda_pass &)
  {
    return COLUMNS;
  }

  static __device__ __forceinline__ unsigned
  table_bytes (const histo_cuda_pass &)
  {
    return HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, COLUMNS);
  }

  static __device__ __forceinline__ void
  increment (const histo_cuda_pass &pass, unsigned table, unsigned bin)
  {
    histogram_increment (table + bin * columns (pass) * 4);
  }

  template <spread SPREAD, bool DOT>
  static __device__ __forceinline__ void
  count (const histo_cuda_pass &, tally<SPREAD> &tally, const pair &pair)
  {
    constexpr unsigned positions = tally.positions;
    const unsigned x[4] = { pair.x.x, pair.x.y, pair.x.z, pair.x.w }, y[4] = { pair.y.x, pair.y.y, pair.y.z, pair.y.w };
    unsigned column[positions];

    rotate (column, tally.column, pair.phase);
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
      histogram_count_bytes<COLUMNS> (x[i], column[4 * i % positions], column[(4 * i + 1) % positions],
          column[(4 * i + 2) % positions], column[(4 * i + 3) % positions]);

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
        tally.totals[k].dot += turned[k];
    }
  }

  /* The value of the pattern's sample at `at`. */
  static __device__ __forceinline__ unsigned
  load (const histo_cuda_pass &, const uint8_t *at)
  {
    return *at;
  }
};

/* ---- samples of two bytes ------------------------------------------------------------------------------------------ */

/* The samples of a vector: their bins are `increment`'s, which gets words and the columns of both samples; their totals go to the tally. */
template <spread SPREAD, bool DOT, typename increment_pair>
static __device__ __forceinline__ void
count_deep_vector (const histo_cuda_pass &pass, tally<SPREAD> &tally, const pair &pair, const increment_pair &increment)
{
  constexpr unsigned positions = tally.positions;
  const unsigned x[4] = { pair.x.x, pair.x.y, pair.x.z, pair.x.w }, y[4] = { pair.y.x, pair.y.y, pair.y.z, pair.y.w };
  unsigned column[positions];
  totals vector[positions] = {}, turned[positions];

  rotate (column, tally.column, pair.phase);
#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const unsigned first = 2 * i % positions, second = (2 * i + 1) % positions;
    const unsigned word = __byte_perm (x[i], 0, pass.byte_order), values = word >> pass.shift & pass.mask;
    const unsigned value0 = values & 0xffff, value1 = values >> 16;

    increment (word, column[first], column[second]);
    vector[first].sum += value0;
    vector[second].sum += value1;
    vector[first].squares += static_cast<unsigned long long> (value0) * value0;
    vector[second].squares += static_cast<unsigned long long> (value1) * value1;
    if (DOT) {
      const unsigned others = __byte_perm (y[i], 0, pass.byte_order) >> pass.shift & pass.mask;

      vector[first].dot += static_cast<unsigned long long> (value0) * (others & 0xffff);
      vector[second].dot += static_cast<unsigned long long> (value1) * (others >> 16);
    }
  }
  rotate (turned, vector, (positions - pair.phase) % positions);
#pragma unroll
  for (unsigned k = 0; k < positions; k++) {
    tally.totals[k].sum += turned[k].sum;
    tally.totals[k].squares += turned[k].squares;
    tally.totals[k].dot += turned[k].dot;
  }
}

struct deep_samples {
  static constexpr unsigned bytes = 2;
  static constexpr bool has_sums = true;
  static constexpr bool has_carries = false;

  static __device__ __forceinline__ unsigned
  columns (const histo_cuda_pass &pass)
  {
    return 1u << pass.columns_log2;
  }

  static __device__ __forceinline__ unsigned
  table_bytes (const histo_cuda_pass &pass)
  {
    return pass.table_bytes;
  }

  static __device__ __forceinline__ void
  increment (const histo_cuda_pass &pass, unsigned table, unsigned bin)
  {
    histogram_increment (table + bin * columns (pass) * 4);
  }

  template <spread SPREAD, bool DOT>
  static __device__ __forceinline__ void
  count (const histo_cuda_pass &pass, tally<SPREAD> &tally, const pair &pair)
  {
    count_deep_vector<SPREAD, DOT> (pass, tally, pair, [&] (unsigned word, unsigned column0, unsigned column1) {
      histogram_count_pair (word, pass.row_rotation, pass.row_mask, column0, column1);
    });
  }

  static __device__ __forceinline__ unsigned
  load (const histo_cuda_pass &pass, const uint8_t *at)
  {
    return __byte_perm (*reinterpret_cast<const uint16_t *> (at), 0, pass.byte_order) >> pass.shift & pass.mask & 0xffff;
  }
};

/* The same with more bins: see HISTO_CUDA_CARRY_TABLE_BYTES. */
struct carry_samples : deep_samples {
  static constexpr bool has_carries = true;

  static __device__ __forceinline__ unsigned
  columns (const histo_cuda_pass &)
  {
    return 1;
  }

  static __device__ __forceinline__ void
  increment (const histo_cuda_pass &pass, unsigned table, unsigned bin)
  {
    histogram_carry_if (pass, table, bin, histogram_add (pass, table, bin));
  }

  template <spread SPREAD, bool DOT>
  static __device__ __forceinline__ void
  count (const histo_cuda_pass &pass, tally<SPREAD> &tally, const pair &pair)
  {
    count_deep_vector<SPREAD, DOT> (pass, tally, pair, [&] (unsigned word, unsigned table0, unsigned table1) {
      const unsigned values = word >> pass.shift & pass.mask, bin_shift = pass.components[0].bin_shift;
      const unsigned bin0 = (values & 0xffff) >> bin_shift, bin1 = values >> 16 >> bin_shift;
      const unsigned before0 = histogram_add (pass, table0, bin0), before1 = histogram_add (pass, table1, bin1);

      histogram_carry_if (pass, table0, bin0, before0);
      histogram_carry_if (pass, table1, bin1, before1);
    });
  }
};

/* ---- rows whose vectors all are aligned alike, the operand's too --------------------------------------------------- */

/* A thread's way from vector to vector, block_count * HISTO_CUDA_THREADS further each time. */
struct way {
  const uint8_t *x, *y;
  unsigned vector; /* in the row */
  unsigned phase;
};

template <typename samples, spread SPREAD, bool DOT, bool PACKED>
static __device__ __forceinline__ void
fetch (pair &pair, way &way, const histo_cuda_pass &pass)
{
  constexpr unsigned vector_samples = 16 / samples::bytes % 3;

  pair.x = load_vector (reinterpret_cast<const uint4 *> (way.x));
  if (DOT)
    pair.y = load_vector (reinterpret_cast<const uint4 *> (way.y));
  pair.phase = way.phase;

  way.x += pass.step_bytes;
  if (DOT)
    way.y += pass.operand_step_bytes;
  if (PACKED)
    return;
  way.vector += pass.step_vectors;
  if (SPREAD == PERIOD_THREE)
    way.phase += pass.step_vectors % 3 * vector_samples;
  if (way.vector >= pass.vectors_per_row) {
    way.vector -= pass.vectors_per_row;
    way.x += pass.wrap_bytes;
    if (DOT)
      way.y += pass.operand_wrap_bytes;
    if (SPREAD == PERIOD_THREE)
      way.phase += (3 - pass.vectors_per_row % 3) * vector_samples;
  }
  if (SPREAD == PERIOD_THREE)
    way.phase %= 3;
}

/* PACKED: one row of whole vectors in one table, where there is no end of a row to watch for. */
template <typename samples, spread SPREAD, bool DOT, bool PACKED = false>
static __device__ __forceinline__ void
count_aligned (const view &view, tally<SPREAD> &tally)
{
  constexpr unsigned depth = samples::has_carries ? 1 : DOT ? (SPREAD == ONE_TABLE ? PAIRS_IN_FLIGHT : 1) : VECTORS_IN_FLIGHT;
  const histo_cuda_pass &pass = view.pass;
  const unsigned first = (blockIdx.x - pass.first_block) * HISTO_CUDA_THREADS + threadIdx.x;
  const unsigned row = !PACKED && pass.height > 1 ? first / pass.vectors_per_row : 0;
  const unsigned head = PACKED ? 0 : static_cast<unsigned> (-reinterpret_cast<uintptr_t> (view.x)) & 15;
  unsigned left = pass.rounds + (first < pass.last_round);
  pair pairs[depth];
  way way;

  way.vector = first - row * pass.vectors_per_row;
  way.x = view.x + row * pass.stride_bytes + head + way.vector * 16ull;
  way.y = view.y + row * pass.operand_stride_bytes + head + way.vector * 16ull;
  way.phase = (head / samples::bytes + way.vector * (16 / samples::bytes)) % tally.positions;

#pragma unroll
  for (unsigned i = 0; i < depth; i++)
    if (i < left)
      fetch<samples, SPREAD, DOT, PACKED> (pairs[i], way, pass);
  /* While the loads are on their way. */
  histogram_clear ((SPREAD == ONE_TABLE ? 1 : pass.tables) * samples::table_bytes (pass));
  if (left <= depth) { /* the loop below costs a small frame half a microsecond */
#pragma unroll
    for (unsigned i = 0; i < depth; i++)
      if (i < left)
        samples::template count<SPREAD, DOT> (pass, tally, pairs[i]);
    return;
  }
  for (; left >= 2 * depth; left -= depth) {
#pragma unroll
    for (unsigned i = 0; i < depth; i++) {
      const pair now = pairs[i];

      fetch<samples, SPREAD, DOT, PACKED> (pairs[i], way, pass);
      samples::template count<SPREAD, DOT> (pass, tally, now);
    }
  }
  for (;;) {
#pragma unroll
    for (unsigned i = 0; i < depth; i++) {
      if (left == 0)
        return;
      const pair now = pairs[i];

      if (left > depth)
        fetch<samples, SPREAD, DOT, PACKED> (pairs[i], way, pass);
      samples::template count<SPREAD, DOT> (pass, tally, now);
      left--;
    }
  }
}

/* ---- rows of any alignment ----------------------------------------------------------------------------------------- */

template <typename samples, spread SPREAD, bool DOT>
static __device__ __forceinline__ void
count_unaligned (const view &view, tally<SPREAD> &tally)
{
  constexpr unsigned depth = samples::has_carries ? 1 : 2;
  const histo_cuda_pass &pass = view.pass;
  const uint64_t step = static_cast<uint64_t> (pass.block_count) * HISTO_CUDA_THREADS;
  const uint64_t all = static_cast<uint64_t> (pass.vectors_per_row) * pass.height;
  uint64_t at = static_cast<uint64_t> (blockIdx.x - pass.first_block) * HISTO_CUDA_THREADS + threadIdx.x;
  uint64_t row = at / pass.vectors_per_row;
  unsigned vector = static_cast<unsigned> (at - row * pass.vectors_per_row);

  histogram_clear (pass.tables * samples::table_bytes (pass));
  while (at < all) {
    pair pairs[depth];
    bool is_there[depth];

#pragma unroll
    for (unsigned i = 0; i < depth; i++) {
      const uint8_t *x = view.x + row * pass.stride_bytes, *y = view.y + row * pass.operand_stride_bytes;
      const uint64_t offset = (-reinterpret_cast<uintptr_t> (x) & 15) + vector * 16ull;

      /* A row that begins between two vectors may have one less. */
      is_there[i] = at < all && offset + 16 <= pass.length;
      if (is_there[i]) {
        pairs[i].x = load_vector (reinterpret_cast<const uint4 *> (x + offset));
        if (DOT)
          pairs[i].y = load_any (y + offset, offset >= 16 && offset + 32 <= pass.length);
        pairs[i].phase = static_cast<unsigned> (offset / samples::bytes % tally.positions);
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
        samples::template count<SPREAD, DOT> (pass, tally, pairs[i]);
  }
}

/* ---- samples outside the vectors ------------------------------------------------------------------------------------ */

/* A thread's totals, for each table. */
struct sums {
  totals table[HISTO_CUDA_COMPONENTS];
};

template <typename samples, bool DOT>
static __device__ __forceinline__ void
count_sample (const histo_cuda_pass &pass, unsigned column, sums &sums, unsigned table, unsigned bin, unsigned x, unsigned y)
{
  samples::increment (pass, column + table * samples::table_bytes (pass), bin);
  if (DOT || samples::has_sums) {
#pragma unroll
    for (unsigned t = 0; t < HISTO_CUDA_COMPONENTS; t++) {
      if (t != table)
        continue;
      if (DOT)
        sums.table[t].dot += static_cast<unsigned long long> (x) * y;
      if (samples::has_sums) {
        sums.table[t].sum += x;
        sums.table[t].squares += static_cast<unsigned long long> (x) * x;
      }
    }
  }
}

/* The samples of the pattern before the first vector of a row and after the last, at most 15 bytes each: a row a warp. */
template <typename samples, bool DOT>
static __device__ __forceinline__ void
count_row_ends (const view &view, unsigned column, sums &sums)
{
  constexpr unsigned depth = 4, side = 16 / samples::bytes;
  const histo_cuda_pass &pass = view.pass;
  const unsigned lane = threadIdx.x % 32;
  const uint64_t warps = static_cast<uint64_t> (pass.block_count) * (HISTO_CUDA_THREADS / 32);
  const uint64_t first = static_cast<uint64_t> (blockIdx.x - pass.first_block) * (HISTO_CUDA_THREADS / 32) + threadIdx.x / 32;

  if (reinterpret_cast<uintptr_t> (view.x) % 16 == 0 && pass.length % 16 == 0
      && (pass.stride_bytes % 16 == 0 || pass.height == 1))
    return;
  for (uint64_t row = first; row < pass.height; row += depth * warps) {
    unsigned x[depth], y[depth];
    uint64_t at[depth];
    bool is_there[depth];

#pragma unroll
    for (unsigned i = 0; i < depth; i++) {
      const uint8_t *begin = view.x + (row + i * warps) * pass.stride_bytes;
      const uint64_t room = -reinterpret_cast<uintptr_t> (begin) & 15;
      const uint64_t head = room < pass.length ? room : pass.length;
      const uint64_t tail = (pass.length - head) % 16;

      at[i] = lane < side ? lane * samples::bytes : pass.length - tail + (lane - side) * samples::bytes;
      is_there[i] = row + i * warps < pass.height
                    && (lane < side ? at[i] < head : lane < 2 * side && (lane - side) * samples::bytes < tail);
      if (is_there[i]) {
        x[i] = samples::load (pass, begin + at[i]);
        if (DOT)
          y[i] = samples::load (pass, view.y + (row + i * warps) * pass.operand_stride_bytes + at[i]);
      }
    }
#pragma unroll
    for (unsigned i = 0; i < depth; i++)
      if (is_there[i])
        count_sample<samples, DOT> (pass, column, sums, pass.table_at >> (at[i] / samples::bytes % pass.period * 8) & 0xff,
                                    samples::has_sums ? x[i] >> pass.components[0].bin_shift : x[i], x[i], DOT ? y[i] : 0);
  }
}

/* A sample of any kind at any address. */
static __device__ __forceinline__ unsigned
load_sample (const histo_cuda_component &component, const uint8_t *at)
{
  unsigned value = at[0];

  if (component.sample_bytes == 2)
    value = component.big_endian ? value << 8 | at[1] : value | at[1] << 8;
  return value >> component.shift & component.mask;
}

/* The samples of component t that lie outside the pattern, all of them where there is none. A warp takes 1024 at a time. */
template <typename samples, bool DOT>
static __device__ __forceinline__ void
count_edges (const view &view, unsigned t, unsigned column, sums &sums)
{
  const histo_cuda_pass &pass = view.pass;
  const histo_cuda_component &component = pass.components[t];
  const uint64_t warps = static_cast<uint64_t> (pass.block_count) * (HISTO_CUDA_THREADS / 32);
  const uint64_t first = static_cast<uint64_t> (blockIdx.x - pass.first_block) * (HISTO_CUDA_THREADS / 32) + threadIdx.x / 32;
  const uint64_t edge = component.head + component.tail, parts = (edge + 1023) / 1024;

  for (uint64_t item = first; item < parts * pass.height; item += warps) {
    const uint64_t row = item / parts, part = item % parts;

    for (uint64_t i = part * 1024 + threadIdx.x % 32; i < edge && i < (part + 1) * 1024; i += 32) {
      const uint64_t sample = i < component.head ? i : component.width - edge + i;
      const int64_t at = component.offset_bytes + static_cast<int64_t> (sample * component.step_bytes);
      const unsigned x = load_sample (component, view.x + row * pass.stride_bytes + at);
      const unsigned y = DOT ? load_sample (component, view.y + row * pass.operand_stride_bytes + at) : 0;

      count_sample<samples, DOT> (pass, column, sums, t, x >> component.bin_shift, x, y);
    }
  }
}

/* ---- a pass, a frame ------------------------------------------------------------------------------------------------ */

template <typename samples, spread SPREAD, bool DOT>
static __device__ __forceinline__ void
count_vectors (const view &view, unsigned column, sums &sums)
{
  const histo_cuda_pass &pass = view.pass;
  tally<SPREAD> tally = {};

  if (pass.vectors_per_row == 0) {
    histogram_clear (pass.tables * samples::table_bytes (pass));
    return;
  }
#pragma unroll
  for (unsigned i = 0; i < tally.positions; i++)
    tally.column[i] = column + (pass.table_at >> (8 * i) & 0xff) * samples::table_bytes (pass);
  if (pass.is_aligned)
    count_aligned<samples, SPREAD, DOT> (view, tally);
  else
    count_unaligned<samples, SPREAD, DOT> (view, tally);
  if (DOT || samples::has_sums) {
#pragma unroll
    for (unsigned i = 0; i < tally.positions; i++)
#pragma unroll
      for (unsigned t = 0; t < HISTO_CUDA_COMPONENTS; t++) {
        if ((pass.table_at >> (8 * i) & 0xff) != t)
          continue;
        if (DOT)
          sums.table[t].dot += tally.totals[i].dot;
        if (samples::has_sums) {
          sums.table[t].sum += tally.totals[i].sum;
          sums.table[t].squares += tally.totals[i].squares;
        }
      }
  }
}

template <typename samples, bool DOT>
static __device__ __forceinline__ void
count_pass (const view &view, unsigned column, sums &sums)
{
  const histo_cuda_pass &pass = view.pass;

  if (pass.period == 3)
    count_vectors<samples, PERIOD_THREE, DOT> (view, column, sums);
  else if (samples::bytes == 2 && pass.period == 2)
    count_vectors<samples, PERIOD_TWO, DOT> (view, column, sums);
  else if (pass.tables > 1)
    count_vectors<samples, PERIOD_FOUR, DOT> (view, column, sums);
  else
    count_vectors<samples, ONE_TABLE, DOT> (view, column, sums);
  count_row_ends<samples, DOT> (view, column, sums);
  if (pass.has_edges)
    for (unsigned t = 0; t < pass.component_count; t++)
      count_edges<samples, DOT> (view, t, column, sums);
}

/* The words of the frame of this block. */
struct delivery {
  unsigned long long *workspace, *result;
  unsigned tag, block_count;
};

/* Adds `value` to a word of the frame; whoever adds last hands the total over, where it is not cumulative. See count.h. */
static __device__ __forceinline__ void
deliver (const delivery &delivery, unsigned word, unsigned long long value)
{
  volatile unsigned long long *result = delivery.result + word;

  if (delivery.tag == 0) {
    atomicAdd (delivery.result + word, value << 16); /* its result, for which it would have to wait, is not asked for */
    return;
  }
  if (delivery.block_count > 1) {
    const unsigned long long before = atomicAdd (delivery.workspace + word, (1ull << 48) + value);

    if (before >> 48 != delivery.block_count - 1)
      return;
    delivery.workspace[word] = 0;
    value += before;
  }
  *result = value << 16 | delivery.tag;
}

/* A total of the block in two words; thread 0 has it. */
static __device__ __forceinline__ void
deliver_total (const delivery &delivery, unsigned word, unsigned long long value)
{
  deliver (delivery, word, value & ((1u << HISTO_CUDA_LOW_BITS) - 1));
  deliver (delivery, word + 1, value >> HISTO_CUDA_LOW_BITS);
}

template <typename samples>
static __device__ __forceinline__ void
deliver_bins (const delivery &delivery, const histo_cuda_pass &pass)
{
  constexpr unsigned parts = HISTO_CUDA_THREADS / HISTO_CUDA_BINS; /* threads of a bin: each delivers it for one component */
  const unsigned table_words = samples::table_bytes (pass) / 4;

  static_assert (parts >= HISTO_CUDA_COMPONENTS, "a component for each");
  if constexpr (samples::has_carries) {
    for (unsigned t = 0; t < pass.component_count; t++)
      for (unsigned bin = threadIdx.x; bin < pass.components[t].bins; bin += HISTO_CUDA_THREADS) {
        const unsigned count = histogram_read (pass, t * table_words, bin);

        if (count > 0) /* most bins of a block are empty */
          deliver (delivery, pass.components[t].first_word + bin, count);
      }
  } else if (!samples::has_sums || pass.bins == HISTO_CUDA_BINS) {
    unsigned first_word = 0, count = 0;

#pragma unroll
    for (unsigned t = 0; t < HISTO_CUDA_COMPONENTS; t++) {
      if (t >= pass.component_count)
        break;
      const unsigned folded = histogram_fold (histogram_tables + t * table_words, samples::columns (pass));

      if (threadIdx.x % parts == t) {
        first_word = pass.components[t].first_word;
        count = folded;
      }
    }
    if (threadIdx.x % parts < pass.component_count)
      deliver (delivery, first_word + threadIdx.x / parts, count);
  } else if constexpr (samples::has_sums) {
    for (unsigned t = 0; t < pass.component_count; t++)
      for (unsigned bin = threadIdx.x; bin < pass.components[t].bins; bin += HISTO_CUDA_THREADS)
        deliver (delivery, pass.components[t].first_word + bin,
                 histogram_fold_bin (histogram_tables + t * table_words, samples::columns (pass), bin));
  }
}

/* Where a pass begins in the frame of this block, and its operand. One thread reads each from the list of many frames: for all of them
 * together the bus takes far longer. Calls __syncthreads then. */
static __device__ __forceinline__ view
find_view (const histo_cuda_count &frame, unsigned p)
{
  __shared__ uint64_t listed[2];
  const histo_cuda_pass &pass = frame.passes[p];
  auto addresses = reinterpret_cast<const uint64_t *> (frame.addresses);
  const uint64_t distance = blockIdx.y * frame.pitch_bytes;
  uint64_t data = pass.data + distance, operand = pass.operand + distance;

  if (addresses != nullptr) {
    const size_t at = static_cast<size_t> (threadIdx.x * frame.pass_count + p) * frame.frame_count + blockIdx.y;

    if (threadIdx.x < (pass.operand != 0 ? 2 : 1))
      listed[threadIdx.x] = addresses[at];
    __syncthreads ();
    data = listed[0];
    operand = listed[1];
  }
  return { pass, reinterpret_cast<const uint8_t *> (data),
           reinterpret_cast<const uint8_t *> (pass.operand != 0 ? operand : 0) };
}

static __device__ __forceinline__ delivery
find_delivery (const histo_cuda_count &frame, unsigned p, unsigned index)
{
  const size_t first_word = static_cast<size_t> (index) * frame.frame_words;

  return {
    reinterpret_cast<unsigned long long *> (frame.workspace) + first_word,
    reinterpret_cast<unsigned long long *> (frame.result) + first_word,
    frame.tag,
    frame.passes[p].block_count,
  };
}

/* Where the numbers of table `t` of a pass are. */
static __device__ __forceinline__ histogram_result
find_result (const delivery &delivery, const histo_cuda_pass &pass, unsigned t)
{
  if (t >= pass.component_count)
    return { nullptr, 0 };
  return { delivery.result + pass.components[t].first_word, pass.components[t].bins };
}

template <typename samples, bool DOT>
static __device__ __forceinline__ void
count_frame (const histo_cuda_count &frame)
{
  __shared__ reduce_block reduce;
  unsigned p = 0;
  sums sums = {};

  while (p + 1 < frame.pass_count && blockIdx.x >= frame.first_block[p + 1])
    p++;
  const histo_cuda_pass &pass = frame.passes[p];
  const view view = find_view (frame, p);
  const delivery delivery = find_delivery (frame, p, blockIdx.y);

  if constexpr (samples::has_carries)
    if (threadIdx.x < HISTO_CUDA_COMPONENTS) /* tables are cleared, all threads wait for that, and only then is one overflowed */
      histogram_results[threadIdx.x] = find_result (delivery, pass, threadIdx.x);
  count_pass<samples, DOT> (view, histogram_column (samples::columns (pass)), sums);
  __syncthreads ();
  deliver_bins<samples> (delivery, pass);
  if (DOT || samples::has_sums) {
#pragma unroll
    for (unsigned t = 0; t < HISTO_CUDA_COMPONENTS; t++) {
      if (t >= pass.component_count)
        break;
      const unsigned first = pass.components[t].first_word + pass.components[t].bins;
      const unsigned long long dot = DOT ? reduce_sum (reduce, sums.table[t].dot) : 0;
      const unsigned long long sum = samples::has_sums ? reduce_sum (reduce, sums.table[t].sum) : 0;
      const unsigned long long squares = samples::has_sums ? reduce_sum (reduce, sums.table[t].squares) : 0;

      if (threadIdx.x == 0) {
        if (DOT)
          deliver_total (delivery, first + HISTO_CUDA_DOT, dot);
        if (samples::has_sums) {
          deliver_total (delivery, first + HISTO_CUDA_SUM, sum);
          deliver_total (delivery, first + HISTO_CUDA_SQUARES, squares);
        }
      }
    }
  }
}

#define KERNEL(name, samples, dot) \
  extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1) name (const __grid_constant__ histo_cuda_count frame) \
  { \
    count_frame<samples, dot> (frame); \
  }

/* With a dot product every pass has an operand. Frames with a 2-byte sample in them go to the deep ones, where all that is no pattern of
 * 2-byte samples lies outside the pattern. */
KERNEL (histo_count, byte_samples<HISTO_CUDA_WIDE>, false)
KERNEL (histo_count_dot, byte_samples<HISTO_CUDA_WIDE>, true)
KERNEL (histo_count_narrow, byte_samples<HISTO_CUDA_NARROW>, false)
KERNEL (histo_count_dot_narrow, byte_samples<HISTO_CUDA_NARROW>, true)
KERNEL (histo_count_deep, deep_samples, false)
KERNEL (histo_count_deep_dot, deep_samples, true)

/* Frames that have more bins than those kernels have room for, one a launch. The result is cumulative. */
KERNEL (histo_count_carry, carry_samples, false)
KERNEL (histo_count_carry_dot, carry_samples, true)

/* The beginning of a histo_cuda_count. */
struct plane_count {
  alignas (8) uint8_t bytes[HISTO_CUDA_PLANE_BYTES];
};

/* A frame as HISTO_CUDA_PLANE_BYTES says, and where its plane and its words are. */
template <bool DOT, bool PACKED>
static __device__ __forceinline__ void
count_plane (const view &view, const delivery &delivery)
{
  constexpr unsigned parts = HISTO_CUDA_THREADS / HISTO_CUDA_BINS;
  __shared__ reduce_block reduce;
  tally<ONE_TABLE> tally = {};

  tally.column[0] = histogram_column (HISTO_CUDA_WIDE);
  count_aligned<byte_samples<HISTO_CUDA_WIDE>, ONE_TABLE, DOT, PACKED> (view, tally);
  __syncthreads ();
  const unsigned count = histogram_fold (histogram_tables, HISTO_CUDA_WIDE);

  if (threadIdx.x % parts == 0)
    deliver (delivery, threadIdx.x / parts, count);
  if (DOT) {
    const unsigned long long dot = reduce_sum (reduce, tally.totals[0].dot);

    if (threadIdx.x == 0)
      deliver_total (delivery, HISTO_CUDA_BINS + HISTO_CUDA_DOT, dot);
  }
}

/* A frame, or many at one distance, which is the operands' too. */
template <bool DOT, bool PACKED>
static __device__ __forceinline__ void
count_plane_at_pitch (const histo_cuda_count &frame)
{
  const histo_cuda_pass &pass = frame.passes[0];
  const uint64_t distance = blockIdx.y * frame.pitch_bytes;

  count_plane<DOT, PACKED> ({ pass, reinterpret_cast<const uint8_t *> (pass.data + distance),
                              reinterpret_cast<const uint8_t *> (pass.operand + distance) },
                            find_delivery (frame, 0, blockIdx.y));
}

/* Many frames at any addresses. */
template <bool PACKED>
static __device__ __forceinline__ void
count_plane_listed (const histo_cuda_listed_count &listed)
{
  const histo_cuda_count &frame = reinterpret_cast<const histo_cuda_count &> (listed.head);
  auto data = reinterpret_cast<const uint8_t *> (listed.data[blockIdx.y]);

  count_plane<false, PACKED> ({ frame.passes[0], data, nullptr }, find_delivery (frame, 0, blockIdx.y));
}

#define PLANE_KERNEL(name, dot, packed) \
  extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1) name (const __grid_constant__ plane_count plane) \
  { \
    count_plane_at_pitch<dot, packed> (reinterpret_cast<const histo_cuda_count &> (plane)); \
  }

#define LISTED_KERNEL(name, packed) \
  extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1) name (const __grid_constant__ histo_cuda_listed_count listed) \
  { \
    count_plane_listed<packed> (listed); \
  }

PLANE_KERNEL (histo_count_packed, false, true)
PLANE_KERNEL (histo_count_plane, false, false)
PLANE_KERNEL (histo_count_plane_dot, true, false)
LISTED_KERNEL (histo_count_packed_listed, true)
LISTED_KERNEL (histo_count_plane_listed, false)

/* Many small frames: see HISTO_CUDA_SMALL_BYTES. Nobody else adds to a frame's words: no atomics outside, nothing to clear outside. The bins
 * live in shared memory, a table a warp. Bound by latency, which many blocks on a multiprocessor hide. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_SMALL_THREADS * HISTO_CUDA_SMALL_FRAMES, SMALL_BLOCKS)
histo_count_small (const __grid_constant__ plane_count plane)
{
  constexpr unsigned frames = HISTO_CUDA_SMALL_FRAMES, threads = HISTO_CUDA_SMALL_THREADS, warps = threads / 32, depth = 4;
  __shared__ __align__ (16) unsigned tables[frames][warps][HISTO_CUDA_BINS];
  __shared__ uint64_t listed[frames];
  const histo_cuda_count &count = reinterpret_cast<const histo_cuda_count &> (plane);
  const unsigned first = blockIdx.x * frames, mine = threadIdx.x / threads, thread = threadIdx.x % threads;
  const bool has_frame = first + mine < count.frame_count;
  unsigned *table = tables[mine][thread / 32];
  uint64_t data = count.passes[0].data + (first + mine) * count.pitch_bytes;

  if (count.addresses != 0) { /* one read over the bus for all frames of the block */
    if (threadIdx.x < frames && first + threadIdx.x < count.frame_count)
      listed[threadIdx.x] = reinterpret_cast<const uint64_t *> (count.addresses)[first + threadIdx.x];
    __syncthreads ();
    data = listed[mine];
  }
  const uint8_t *x = reinterpret_cast<const uint8_t *> (data);
  const unsigned length = has_frame ? static_cast<unsigned> (count.passes[0].length) : 0;
  const unsigned room = static_cast<unsigned> (-data) & 15, head = room < length ? room : length;
  const unsigned vectors = (length - head) / 16, tail = head + vectors * 16;

  for (unsigned i = threadIdx.x % 32; i < HISTO_CUDA_BINS / 4; i += 32)
    reinterpret_cast<uint4 *> (table)[i] = make_uint4 (0, 0, 0, 0);
  __syncwarp ();
  for (unsigned i = thread; i < vectors; i += depth * threads) {
    uint4 vector[depth];

#pragma unroll
    for (unsigned k = 0; k < depth; k++)
      if (i + k * threads < vectors)
        vector[k] = load_vector (reinterpret_cast<const uint4 *> (x + head) + i + k * threads);
#pragma unroll
    for (unsigned k = 0; k < depth; k++) {
      const unsigned words[4] = { vector[k].x, vector[k].y, vector[k].z, vector[k].w };

      if (i + k * threads < vectors) {
#pragma unroll
        for (unsigned j = 0; j < 16; j++)
          atomicAdd (&table[words[j / 4] >> (8 * (j % 4)) & 0xff], 1u);
      }
    }
  }
  if (thread < head)
    atomicAdd (&table[x[thread]], 1u);
  if (thread < length - tail)
    atomicAdd (&table[x[tail + thread]], 1u);
  __syncthreads ();
  if (has_frame) {
    const delivery delivery = find_delivery (count, 0, first + mine);

    for (unsigned bin = thread; bin < HISTO_CUDA_BINS; bin += threads) {
      unsigned long long total = 0;

#pragma unroll
      for (unsigned i = 0; i < warps; i++)
        total += tables[mine][i][bin];
      delivery.result[bin] = total << 16 | delivery.tag;
    }
  }
}

#include "project.cuh"
