/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state of a counting thread: a vector and its position in the pattern, the columns of its lane, and its totals. */

#ifndef HISTO_CUDA_TALLY_CUH
#define HISTO_CUDA_TALLY_CUH

#include "../count.h"

/* The distribution of the pattern's samples among the tables. */
enum spread {
  ONE_TABLE,    /* period 1 */
  PERIOD_TWO,   /* of 2-byte samples */
  PERIOD_FOUR,  /* 2 or 4: the same for each vector of a row */
  PERIOD_THREE, /* changes from vector to vector */
};

/* A pass, and its start in this block's frame. */
struct view {
  const histo_cuda_pass &pass;
  const uint8_t *x, *y;
};

/* A thread's totals of a component, or of a position of the pattern. */
struct totals {
  unsigned long long dot, sum, squares; /* sum and squares only for 2-byte samples */
};

/* A thread's totals for each table. */
struct sums {
  totals table[HISTO_CUDA_COMPONENTS];
};

/* For each position of the pattern: the lane's column in the table of its samples, and their totals. */
template <spread SPREAD> struct tally {
  static constexpr unsigned positions = SPREAD == ONE_TABLE ? 1 : SPREAD == PERIOD_TWO ? 2 : SPREAD == PERIOD_FOUR ? 4 : 3;
  unsigned column[positions];
  totals totals[positions];
};

/* Rotates the values: turned[0] == values[by], and so on round the pattern. */
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

/* A vector and its operand; the first sample is at position `phase` of the pattern. */
struct pair {
  uint4 x, y;
  unsigned phase;
};

#endif
