/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A block's share of a pass, and the numbers that it publishes. */

#ifndef HISTO_CUDA_FRAME_CUH
#define HISTO_CUDA_FRAME_CUH

#include "edges.cuh"
#include "publish.cuh"
#include "reduce.cuh"
#include "walk.cuh"

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

/* Counts the vectors of the pattern. Clears the tables first. */
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

  if constexpr (samples::is_plane) {
    tally<ONE_TABLE> tally = {};

    count_aligned<samples, ONE_TABLE, DOT> (view, tally);
    sums.table[0] = tally.totals[0];
    return;
  }
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

/* Publishes the block's tables. All threads call it after they have counted. */
template <typename samples>
static __device__ __forceinline__ void
publish_bins (const destination &to, const histo_cuda_pass &pass)
{
  constexpr unsigned parts = HISTO_CUDA_THREADS / HISTO_CUDA_BINS; /* threads of a bin: each publishes it for one component */
  const unsigned table_words = samples::table_bytes (pass) / 4;

  if constexpr (samples::has_carries) {
    histogram_store (reinterpret_cast<uint4 *> (to.workspace) + static_cast<size_t> (blockIdx.x) * (to.block_words / 2),
                     pass.component_count * table_words / 4);
  } else if (!samples::has_sums || pass.bins == HISTO_CUDA_BINS) {
#pragma unroll
    for (unsigned first = 0; first < HISTO_CUDA_COMPONENTS; first += parts) {
      unsigned first_word = 0, count = 0;

#pragma unroll
      for (unsigned t = first; t < first + parts && t < HISTO_CUDA_COMPONENTS; t++) {
        if (t >= pass.component_count)
          break;
        const unsigned folded = histogram_fold (histogram_tables + t * table_words, samples::columns (pass));

        if (threadIdx.x % parts == t - first) {
          first_word = pass.components[t].first_word;
          count = folded;
        }
      }
      if (first + threadIdx.x % parts < pass.component_count)
        publish (to, first_word + threadIdx.x / parts, count);
    }
  } else if constexpr (samples::has_sums) {
    for (unsigned t = 0; t < pass.component_count; t++)
      publish_words (to, pass.components[t].bins, [&] (unsigned bin, unsigned &word) {
        word = pass.components[t].first_word + bin;
        return histogram_fold_bin (histogram_tables + t * table_words, samples::columns (pass), bin);
      });
  }
}

/* Publishes the block's totals, a word for a thread. */
template <typename samples, bool DOT>
static __device__ __forceinline__ void
publish_totals (const destination &to, const histo_cuda_pass &pass, const totals_block &totals)
{
  const unsigned t = threadIdx.x / HISTO_CUDA_TOTALS, word = threadIdx.x % HISTO_CUDA_TOTALS;

  if (t >= pass.component_count || !(word < HISTO_CUDA_SUM ? DOT : samples::has_sums))
    return;
  const unsigned bins = pass.components[t].bins,
                 words = samples::has_carries ? HISTO_CUDA_CARRY_WORDS (bins) : HISTO_CUDA_WORDS (bins);

  publish (to, pass.components[t].first_word + words - HISTO_CUDA_TOTALS + word, total_word (totals, t, word));
}

/* ---- a frame --------------------------------------------------------------------------------------------------------- */

/* Finds the start of a pass, and its operand, in the frame of this block. If the addresses of many frames are listed, one
 * thread reads each: reads by all threads would take the bus far longer. Then it calls __syncthreads. */
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

static __device__ __forceinline__ destination
find_destination (const histo_cuda_count &frame, unsigned p, unsigned index)
{
  const size_t first_word = static_cast<size_t> (index) * frame.frame_words;

  return {
    reinterpret_cast<unsigned long long *> (frame.workspace) + first_word,
    reinterpret_cast<unsigned long long *> (frame.result) + first_word,
    frame.tag,
    frame.passes[p].block_count,
    frame.frame_words,
  };
}

/* Finds the result's bins for table `t` of a pass. */
static __device__ __forceinline__ histogram_result
find_result (const destination &to, const histo_cuda_pass &pass, unsigned t)
{
  if (t >= pass.component_count)
    return { nullptr, 0 };
  return { reinterpret_cast<unsigned *> (to.result + pass.components[t].first_word), pass.components[t].bins };
}

template <typename samples, bool DOT>
static __device__ __forceinline__ void
count_frame (const histo_cuda_count &frame)
{
  __shared__ reduce_block reduce;
  __shared__ totals_block totals;
  unsigned p = 0;
  sums sums = {};

  while (p + 1 < frame.pass_count && blockIdx.x >= frame.first_block[p + 1])
    p++;
  const histo_cuda_pass &pass = frame.passes[p];
  const view view = find_view (frame, p);
  const destination to = find_destination (frame, p, blockIdx.y);

  if constexpr (samples::has_carries)
    if (threadIdx.x < HISTO_CUDA_COMPONENTS) /* all threads sync after the clearing, before any overflow */
      histogram_results[threadIdx.x] = find_result (to, pass, threadIdx.x);
  count_pass<samples, DOT> (view, histogram_column (samples::columns (pass)), sums);
  __syncthreads ();
  publish_bins<samples> (to, pass);
  if (DOT || samples::has_sums) {
#pragma unroll
    for (unsigned t = 0; t < (samples::is_plane ? 1 : HISTO_CUDA_COMPONENTS); t++) {
      if (t >= pass.component_count)
        break;
      const unsigned long long dot = DOT ? reduce_sum (reduce, sums.table[t].dot) : 0;
      const unsigned long long sum = samples::has_sums ? reduce_sum (reduce, sums.table[t].sum) : 0;
      const unsigned long long squares = samples::has_sums ? reduce_sum (reduce, sums.table[t].squares) : 0;

      if (threadIdx.x == 0) {
        totals.values[t][HISTO_CUDA_DOT / 2] = dot;
        totals.values[t][HISTO_CUDA_SUM / 2] = sum;
        totals.values[t][HISTO_CUDA_SQUARES / 2] = squares;
      }
    }
    __syncthreads ();
    publish_totals<samples, DOT> (to, pass, totals);
  }
}

#endif
