/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "avx2.h"
#include "cpu/neighbours.h"

static inline __m256i
load (const uint8_t *row, size_t i)
{
  return _mm256_loadu_si256 ((const void *)(row + i));
}

static inline __m256i
distance (__m256i x, __m256i y)
{
  return _mm256_or_si256 (_mm256_subs_epu8 (x, y), _mm256_subs_epu8 (y, x));
}

/* A bit for each sample unlike those above and below. */
static inline uint32_t
find_unlike (__m256i above, __m256i sample, __m256i below)
{
  const __m256i x = distance (above, sample), y = distance (below, sample), odd = _mm256_xor_si256 (x, y);
  /* avg rounds up if exactly one of both is odd. */
  const __m256i mean = _mm256_sub_epi8 (_mm256_avg_epu8 (x, y), _mm256_and_si256 (odd, _mm256_set1_epi8 (1)));
  const __m256i excess = _mm256_subs_epu8 (mean, distance (above, below));
  const __m256i like = _mm256_subs_epu8 (excess, _mm256_set1_epi8 (HISTO_OUTLIER_THRESHOLD));

  return ~(uint32_t)_mm256_movemask_epi8 (_mm256_cmpeq_epi8 (like, _mm256_setzero_si256 ()));
}

uint64_t
histo_outliers_avx2 (const uint8_t *const rows[HISTO_OUTLIER_ROWS], size_t samples)
{
  const uint8_t *rest[HISTO_OUTLIER_ROWS];
  uint64_t outliers = 0, last = 0; /* the bits of the last two samples */
  size_t i = 0;

  for (; i + HISTO_VECTOR_BYTES <= samples; i += HISTO_VECTOR_BYTES) {
    const __m256i sample = load (rows[2], i);
    uint64_t unlike = find_unlike (load (rows[1], i), sample, load (rows[3], i));

    if (unlike > 0 && rows[0])
      unlike &= find_unlike (load (rows[0], i), sample, load (rows[4], i));
    unlike = unlike << 2 | last;
    outliers += (uint64_t)__builtin_popcountll (unlike & unlike >> 1 & unlike >> 2);
    last = unlike >> HISTO_VECTOR_BYTES;
  }
  /* The plain loop repeats the last two samples, to know whether they are unlike. */
  if (i > 0)
    i -= 2;
  for (unsigned r = 0; r < HISTO_OUTLIER_ROWS; r++)
    rest[r] = rows[r] ? rows[r] + i : NULL;
  return outliers + histo_outliers_c (rest, samples - i);
}
