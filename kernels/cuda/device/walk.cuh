/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Distributes the vectors of a pass among the threads of a block, each with several loads in flight. */

#ifndef HISTO_CUDA_WALK_CUH
#define HISTO_CUDA_WALK_CUH

#include "load.cuh"
#include "sample.cuh"

#define VECTORS_IN_FLIGHT 3 /* of a thread: more is slower */
#define PAIRS_IN_FLIGHT 2   /* the same with an operand: two vectors each */

/* ---- rows whose vectors, and the operand's, are all aligned -------------------------------------------------------- */

/* A thread's position; its next vector is block_count * HISTO_CUDA_THREADS further on. */
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

/* PACKED: one row of whole vectors in one table, without a test for the end of the row. */
template <typename samples, spread SPREAD, bool DOT, bool PACKED = false>
static __device__ __forceinline__ void
count_aligned (const view &view, tally<SPREAD> &tally)
{
  constexpr unsigned depth = samples::has_carries ? (samples::is_plane ? PAIRS_IN_FLIGHT : 1)
                             : DOT                ? (SPREAD == ONE_TABLE ? PAIRS_IN_FLIGHT : 1)
                                                  : VECTORS_IN_FLIGHT;
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
  /* While the loads are in flight. */
  histogram_clear ((SPREAD == ONE_TABLE ? 1 : pass.tables) * samples::table_bytes (pass));
  if (left <= depth) { /* the loop below would cost a small frame half a microsecond */
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

      /* A row that begins between two vectors may have one vector less. */
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

#endif
