/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Helpers for AVX2 loops. Only for files compiled with -mavx2. */

#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define HISTO_VECTOR_BYTES 32
#define HISTO_TRIPLE_VECTORS 3 /* 96 bytes: a multiple of the vector and of three */

/* Adds neighbouring unsigned lanes of 32 bits into lanes of 64. */
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

/* The sum of signed lanes of 32 bits. */
static inline uint64_t
histo_sum_of_signed_lanes (__m256i lanes)
{
  const __m256i low = _mm256_cvtepi32_epi64 (_mm256_castsi256_si128 (lanes));
  const __m256i high = _mm256_cvtepi32_epi64 (_mm256_extracti128_si256 (lanes, 1));

  return histo_sum_of_lanes (_mm256_add_epi64 (low, high));
}

/* The number of vectors to process next, of the remaining `vectors`: at most `most`, because lanes may overflow after that
 * number. For period 3, only whole triples. 0: the plain loops process the remainder. */
static inline __attribute__ ((always_inline)) size_t
histo_next_vectors (size_t vectors, unsigned period, size_t most)
{
  if (period == 3)
    vectors -= vectors % HISTO_TRIPLE_VECTORS;
  return vectors < most ? vectors : most;
}

/* Selects the bytes of a vector at positions m modulo 3. */
static inline __m256i
histo_mask_triples (unsigned m)
{
  uint8_t bytes[HISTO_VECTOR_BYTES];

  for (unsigned i = 0; i < HISTO_VECTOR_BYTES; i++)
    bytes[i] = i % 3 == m ? 0xff : 0;
  return _mm256_loadu_si256 ((const void *)bytes);
}

/* The number of non-zero bytes. */
static inline uint64_t
histo_count_lanes (__m256i lanes)
{
  const __m256i zeros = _mm256_cmpeq_epi8 (lanes, _mm256_setzero_si256 ());

  return (uint64_t)__builtin_popcount (~(uint32_t)_mm256_movemask_epi8 (zeros));
}

/* Stores each byte 1 << shift times: once for each luma sample of a chroma sample. */
static inline void
histo_repeat_bytes (__m256i bytes, unsigned shift, uint8_t *to)
{
  const __m256i halves = _mm256_permute4x64_epi64 (bytes, 0xd8);

  if (shift == 0) {
    _mm256_storeu_si256 ((void *)to, bytes);
    return;
  }
  histo_repeat_bytes (_mm256_unpacklo_epi8 (halves, halves), shift - 1, to);
  histo_repeat_bytes (_mm256_unpackhi_epi8 (halves, halves), shift - 1, to + ((size_t)HISTO_VECTOR_BYTES << (shift - 1)));
}
