/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/light.h"
#include "reader.h"

#define LANES 8 /* of 32 bits */

static inline __m256i
load_words (const uint16_t *words)
{
  return _mm256_cvtepu16_epi32 (_mm_loadu_si128 ((const void *)words));
}

/* Stores each of eight numbers 1 << shift times. */
static inline void
store_repeated (__m256i numbers, unsigned shift, int32_t *to)
{
  const __m256i halves = _mm256_permute4x64_epi64 (numbers, 0xd8);

  if (shift == 0) {
    _mm256_storeu_si256 ((void *)to, numbers);
    return;
  }
  store_repeated (_mm256_unpacklo_epi32 (halves, halves), shift - 1, to);
  store_repeated (_mm256_unpackhi_epi32 (halves, halves), shift - 1, to + ((size_t)LANES << (shift - 1)));
}

void
histo_light_parts_avx2 (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_light *light, unsigned depth,
                        unsigned shift, int32_t *parts)
{
  const __m256i middle = _mm256_set1_epi32 (1 << (depth - 1)), r_cr = _mm256_set1_epi32 (light->r_cr);
  const __m256i g_cb = _mm256_set1_epi32 (light->g_cb), g_cr = _mm256_set1_epi32 (light->g_cr);
  const __m256i b_cb = _mm256_set1_epi32 (light->b_cb);
  size_t i = 0;

  for (; i + LANES <= samples; i += LANES) {
    const __m256i u = _mm256_sub_epi32 (load_words (cb + i), middle), v = _mm256_sub_epi32 (load_words (cr + i), middle);
    const __m256i green = _mm256_add_epi32 (_mm256_mullo_epi32 (u, g_cb), _mm256_mullo_epi32 (v, g_cr));
    const __m256i others = _mm256_max_epi32 (_mm256_mullo_epi32 (v, r_cr), _mm256_mullo_epi32 (u, b_cb));

    store_repeated (_mm256_max_epi32 (green, others), shift, parts + (i << shift));
  }
  histo_light_parts_c (cb + i, cr + i, samples - i, light, depth, shift, parts + (i << shift));
}

static inline __m256i
find_codes (__m256i luma, const int32_t *parts, __m256i factor, __m256i offset)
{
  const __m256i sum = _mm256_add_epi32 (_mm256_add_epi32 (_mm256_mullo_epi32 (luma, factor), offset),
                                        _mm256_loadu_si256 ((const void *)parts));
  const __m256i code = _mm256_srai_epi32 (sum, HISTO_LIGHT_ONE_LOG2);

  return _mm256_min_epi32 (_mm256_max_epi32 (code, _mm256_setzero_si256 ()), _mm256_set1_epi32 (HISTO_LIGHT_CODES - 1));
}

void
histo_light_codes_avx2 (const uint16_t *luma, const int32_t *parts, size_t samples, const struct histo_light *light,
                        uint16_t *codes)
{
  const __m256i factor = _mm256_set1_epi32 (light->luma), offset = _mm256_set1_epi32 (light->offset);
  size_t i = 0;

  for (; i + 2 * LANES <= samples; i += 2 * LANES) {
    const __m256i first = find_codes (load_words (luma + i), parts + i, factor, offset);
    const __m256i second = find_codes (load_words (luma + i + LANES), parts + i + LANES, factor, offset);

    _mm256_storeu_si256 ((void *)(codes + i), _mm256_permute4x64_epi64 (_mm256_packus_epi32 (first, second), 0xd8));
  }
  histo_light_codes_c (luma + i, parts + i, samples - i, light, codes + i);
}
