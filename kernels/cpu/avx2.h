/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the AVX2 loops share. For files that are compiled with -mavx2 alone. */

#ifndef HISTO_CPU_AVX2_H
#define HISTO_CPU_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define HISTO_VECTOR_BYTES 32

/* Neighbouring lanes of 32 bits, without a sign, added up in lanes of 64. */
static inline __attribute__ ((always_inline)) __m256i
histo_widen_lanes (__m256i narrow)
{
  const __m256i low = _mm256_and_si256 (narrow, _mm256_set1_epi64x (0xffffffff));

  return _mm256_add_epi64 (low, _mm256_srli_epi64 (narrow, 32));
}

/* The sum of lanes of 64 bits. */
static inline uint64_t
histo_sum_of_lanes (__m256i lanes)
{
  const __m128i pair = _mm_add_epi64 (_mm256_castsi256_si128 (lanes), _mm256_extracti128_si256 (lanes, 1));

  return (uint64_t)_mm_cvtsi128_si64 (pair) + (uint64_t)_mm_extract_epi64 (pair, 1);
}

#endif
