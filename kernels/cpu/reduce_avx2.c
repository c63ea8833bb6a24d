/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <immintrin.h>

#include "reduce.h"

#define HISTO_VECTOR_BYTES 32
#define HISTO_GROUP_VECTORS 3 /* 96 bytes: a multiple of every period */
#define HISTO_GROUP_BYTES (HISTO_GROUP_VECTORS * HISTO_VECTOR_BYTES)
/* A group adds at most 3 * 4 * 255 * 255 to a lane of 32 bits. */
#define HISTO_GROUPS_PER_FLUSH 4096

static uint64_t
histo_sum_of_lanes (__m256i lanes)
{
  const __m256i low = _mm256_and_si256 (lanes, _mm256_set1_epi64x (0xffffffff));
  const __m256i sums = _mm256_add_epi64 (low, _mm256_srli_epi64 (lanes, 32));
  const __m128i pair = _mm_add_epi64 (_mm256_castsi256_si128 (sums), _mm256_extracti128_si256 (sums, 1));

  return (uint64_t)_mm_cvtsi128_si64 (pair) + (uint64_t)_mm_extract_epi64 (pair, 1);
}

/* The products of two vectors of bytes, four to a lane of 32 bits. */
static inline __m256i
histo_multiply (__m256i x, __m256i y)
{
  const __m256i even = _mm256_set1_epi16 (0xff);
  const __m256i evens = _mm256_madd_epi16 (_mm256_and_si256 (x, even), _mm256_and_si256 (y, even));
  const __m256i odds = _mm256_madd_epi16 (_mm256_srli_epi16 (x, 8), _mm256_srli_epi16 (y, 8));

  return _mm256_add_epi32 (evens, odds);
}

/* `groups` groups, at most HISTO_GROUPS_PER_FLUSH; of x only the bytes that `mask` has. */
static inline uint64_t
histo_dot_groups (const uint8_t *x, const uint8_t *y, size_t groups, const __m256i mask[HISTO_GROUP_VECTORS])
{
  const __m256i mask0 = mask[0], mask1 = mask[1], mask2 = mask[2];
  __m256i lanes = _mm256_setzero_si256 ();

  for (; groups; groups--, x += HISTO_GROUP_BYTES, y += HISTO_GROUP_BYTES) {
    const __m256i x0 = _mm256_and_si256 (_mm256_loadu_si256 ((const void *)x), mask0);
    const __m256i x1 = _mm256_and_si256 (_mm256_loadu_si256 ((const void *)(x + 32)), mask1);
    const __m256i x2 = _mm256_and_si256 (_mm256_loadu_si256 ((const void *)(x + 64)), mask2);
    const __m256i y0 = _mm256_loadu_si256 ((const void *)y);
    const __m256i y1 = _mm256_loadu_si256 ((const void *)(y + 32));
    const __m256i y2 = _mm256_loadu_si256 ((const void *)(y + 64));

    lanes = _mm256_add_epi32 (lanes, histo_multiply (x0, y0));
    lanes = _mm256_add_epi32 (lanes, _mm256_add_epi32 (histo_multiply (x1, y1), histo_multiply (x2, y2)));
  }
  return histo_sum_of_lanes (lanes);
}

void
histo_dot_avx2 (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period, uint64_t dot[HISTO_MAX_PERIOD])
{
  __m256i masks[HISTO_MAX_PERIOD][HISTO_GROUP_VECTORS];

  for (unsigned p = 0; p < period; p++) {
    uint8_t bytes[HISTO_GROUP_BYTES];

    for (unsigned i = 0; i < HISTO_GROUP_BYTES; i++)
      bytes[i] = i % period == p ? 0xff : 0;
    for (unsigned v = 0; v < HISTO_GROUP_VECTORS; v++)
      masks[p][v] = _mm256_loadu_si256 ((const void *)(bytes + v * HISTO_VECTOR_BYTES));
  }

  while (size_bytes >= HISTO_GROUP_BYTES) {
    size_t groups = size_bytes / HISTO_GROUP_BYTES;

    if (groups > HISTO_GROUPS_PER_FLUSH)
      groups = HISTO_GROUPS_PER_FLUSH;
    for (unsigned p = 0; p < period; p++)
      dot[p] += histo_dot_groups (x, y, groups, masks[p]);
    x += groups * HISTO_GROUP_BYTES;
    y += groups * HISTO_GROUP_BYTES;
    size_bytes -= groups * HISTO_GROUP_BYTES;
  }
  histo_dot_c (x, y, size_bytes, period, dot);
}
