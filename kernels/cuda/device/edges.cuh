/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counts the samples of a pass outside its vectors: before the first and after the last of a row, and outside the pattern. */

#ifndef HISTO_CUDA_EDGES_CUH
#define HISTO_CUDA_EDGES_CUH

#include "sample.cuh"

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

/* Counts the samples of the pattern before the first vector of a row and after the last, at most 15 bytes each: one row a
 * warp. */
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
      const uint64_t to_boundary = -reinterpret_cast<uintptr_t> (begin) & 15;
      const uint64_t head = to_boundary < pass.length ? to_boundary : pass.length;
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

/* Counts the samples of component t outside the pattern, or all if there is no pattern. A warp takes 1024 at a time. */
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

#endif
