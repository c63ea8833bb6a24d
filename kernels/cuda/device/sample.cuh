/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The three kinds of samples with their tables: of one byte, of two bytes, and of two bytes with too many bins for columns.
 * Also a single sample of any kind. */

#ifndef HISTO_CUDA_SAMPLE_CUH
#define HISTO_CUDA_SAMPLE_CUH

#include "histogram.cuh"
#include "tally.cuh"

/* ---- samples of one byte ------------------------------------------------------------------------------------------- */

template <unsigned COLUMNS> struct byte_samples {
  static constexpr unsigned bytes = 1;
  static constexpr bool has_sums = false; /* they follow from the bins */
  static constexpr bool has_carries = false;
  static constexpr bool is_plane = false; /* only for passes of one component in whole aligned vectors */

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

  /* The value of the sample at `at` in the pattern. */
  static __device__ __forceinline__ unsigned
  load (const histo_cuda_pass &, const uint8_t *at)
  {
    return *at;
  }
};

/* ---- samples of two bytes ------------------------------------------------------------------------------------------ */

/* Counts the samples of a vector: `increment` gets each word and the columns of its two samples, the tally gets their
 * totals. */
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
  static constexpr bool is_plane = false;

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
    struct {
      unsigned table, bin, before;
    } added[8];
    unsigned count = 0;
    bool has_overflowed = false;

    count_deep_vector<SPREAD, DOT> (pass, tally, pair, [&] (unsigned word, unsigned table0, unsigned table1) {
      const unsigned values = word >> pass.shift & pass.mask, bin_shift = pass.components[0].bin_shift;
      const unsigned bin0 = (values & 0xffff) >> bin_shift, bin1 = values >> 16 >> bin_shift;

      added[count++] = { table0, bin0, histogram_add (pass, table0, bin0) };
      added[count++] = { table1, bin1, histogram_add (pass, table1, bin1) };
    });
    /* Overflows are checked after all eight additions, which take long to return. */
#pragma unroll
    for (unsigned i = 0; i < 8; i++)
      has_overflowed |= histogram_has_overflowed (pass, added[i].bin, added[i].before);
    if (!has_overflowed)
      return;
#pragma unroll
    for (unsigned i = 0; i < 8; i++)
      histogram_carry_if (pass, added[i].table, added[i].bin, added[i].before);
  }
};

/* The same for planes: the code for other passes would take registers from it, and space in the instruction cache. */
struct carry_planes : carry_samples {
  static constexpr bool is_plane = true;
};

/* ---- a single sample ------------------------------------------------------------------------------------------------- */

/* Loads a sample of any kind from any address. */
static __device__ __forceinline__ unsigned
load_sample (const histo_cuda_component &component, const uint8_t *at)
{
  unsigned value = at[0];

  if (component.sample_bytes == 2)
    value = component.big_endian ? value << 8 | at[1] : value | at[1] << 8;
  return value >> component.shift & component.mask;
}

#endif
