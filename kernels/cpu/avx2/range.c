/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/range.h"
#include "reader.h"

#define WORDS (HISTO_VECTOR_BYTES / 2)

/* Non-zero lanes where a value is out of range. */
static inline __m256i
outside_bytes (const void *values, __m256i min, __m256i max)
{
  const __m256i x = _mm256_loadu_si256 (values);

  return _mm256_or_si256 (_mm256_subs_epu8 (min, x), _mm256_subs_epu8 (x, max));
}

static inline __m256i
outside_words (__m256i x, __m256i min, __m256i max)
{
  return _mm256_or_si256 (_mm256_subs_epu16 (min, x), _mm256_subs_epu16 (x, max));
}

void
histo_mark_bytes_avx2 (const uint8_t *cb, const uint8_t *cr, size_t samples, const struct histo_range *range, unsigned shift,
                       uint8_t *marks)
{
  const __m256i min = _mm256_set1_epi8 ((char)range->chroma_min), max = _mm256_set1_epi8 ((char)range->chroma_max);
  const __m256i zero = _mm256_setzero_si256 (), ones = _mm256_set1_epi8 (-1);
  size_t i = 0;

  for (; i + HISTO_VECTOR_BYTES <= samples; i += HISTO_VECTOR_BYTES) {
    const __m256i outside = _mm256_or_si256 (outside_bytes (cb + i, min, max), outside_bytes (cr + i, min, max));

    histo_repeat_bytes (_mm256_xor_si256 (_mm256_cmpeq_epi8 (outside, zero), ones), shift, marks + (i << shift));
  }
  histo_mark_bytes_c (cb + i, cr + i, samples - i, range, shift, marks + (i << shift));
}

void
histo_mark_words_avx2 (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_range *range, unsigned shift,
                       uint8_t *marks)
{
  const __m256i min = _mm256_set1_epi16 ((short)range->chroma_min), max = _mm256_set1_epi16 ((short)range->chroma_max);
  const __m256i zero = _mm256_setzero_si256 (), ones = _mm256_set1_epi8 (-1);
  size_t i = 0;

  for (; i + HISTO_VECTOR_BYTES <= samples; i += HISTO_VECTOR_BYTES) {
    __m256i inside[2];

    for (unsigned half = 0; half < 2; half++) {
      const size_t at = i + half * WORDS;
      const __m256i cbs = _mm256_loadu_si256 ((const void *)(cb + at)), crs = _mm256_loadu_si256 ((const void *)(cr + at));

      inside[half] = _mm256_cmpeq_epi16 (_mm256_or_si256 (outside_words (cbs, min, max), outside_words (crs, min, max)), zero);
    }
    inside[0] = _mm256_permute4x64_epi64 (_mm256_packs_epi16 (inside[0], inside[1]), 0xd8);
    histo_repeat_bytes (_mm256_xor_si256 (inside[0], ones), shift, marks + (i << shift));
  }
  histo_mark_words_c (cb + i, cr + i, samples - i, range, shift, marks + (i << shift));
}

uint64_t
histo_outside_bytes_avx2 (const uint8_t *luma, const uint8_t *marks, size_t samples, const struct histo_range *range)
{
  const __m256i min = _mm256_set1_epi8 ((char)range->luma_min), max = _mm256_set1_epi8 ((char)range->luma_max);
  uint64_t outside = 0;
  size_t i = 0;

  for (; i + HISTO_VECTOR_BYTES <= samples; i += HISTO_VECTOR_BYTES) {
    const __m256i marked = _mm256_loadu_si256 ((const void *)(marks + i));

    outside += histo_count_lanes (_mm256_or_si256 (marked, outside_bytes (luma + i, min, max)));
  }
  return outside + histo_outside_bytes_c (luma + i, marks + i, samples - i, range);
}

/* Compares the values at their place in the words, with the limits shifted alike. */
uint64_t
histo_outside_words_avx2 (const uint8_t *luma, const struct histo_format *format, const uint8_t *marks, size_t samples,
                          const struct histo_range *range)
{
  const struct histo_reader reader = histo_make_reader (format);
  const __m256i min = _mm256_set1_epi16 ((short)(range->luma_min << format->shift));
  const __m256i max = _mm256_set1_epi16 ((short)(range->luma_max << format->shift));
  const __m256i mask = _mm256_sll_epi16 (reader.mask, reader.shift), zero = _mm256_setzero_si256 ();
  uint64_t outside = 0;
  size_t i = 0;

  for (; i + HISTO_VECTOR_BYTES <= samples; i += HISTO_VECTOR_BYTES) {
    const __m256i marked = _mm256_loadu_si256 ((const void *)(marks + i));
    __m256i inside[2];

#pragma GCC unroll 2
    for (unsigned half = 0; half < 2; half++) {
      const __m256i words = _mm256_loadu_si256 ((const void *)(luma + i * 2 + half * HISTO_VECTOR_BYTES));
      const __m256i values = _mm256_and_si256 (_mm256_shuffle_epi8 (words, reader.swap), mask);

      inside[half] = _mm256_cmpeq_epi16 (outside_words (values, min, max), zero);
    }
    inside[0] = _mm256_permute4x64_epi64 (_mm256_packs_epi16 (inside[0], inside[1]), 0xd8);
    outside += histo_count_lanes (_mm256_or_si256 (marked, _mm256_xor_si256 (inside[0], _mm256_set1_epi8 (-1))));
  }
  return outside + histo_outside_words_c (luma + i * 2, format, marks + i, samples - i, range);
}
