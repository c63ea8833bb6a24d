/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <immintrin.h>

#include "cpu/derive.h"

#define LANES 8    /* of 32 bits */
#define SAMPLES 16 /* at a time */

/* A derivation, in lanes of 32 bits. */
struct lanes {
  __m256i weights[3], offset, top;
  __m256i wide_offset;    /* in lanes of 64 bits */
  __m128i shift, unshift; /* and to the upper half of a lane of 64 bits */
};

static struct lanes
make_lanes (const struct histo_derivation *derivation)
{
  return (struct lanes){
    .weights = { _mm256_set1_epi32 (derivation->weights[0]), _mm256_set1_epi32 (derivation->weights[1]),
                 _mm256_set1_epi32 (derivation->weights[2]) },
    .offset = _mm256_set1_epi32 ((int)derivation->offset),
    .top = _mm256_set1_epi32 (derivation->top),
    .wide_offset = _mm256_set1_epi64x (derivation->offset),
    .shift = _mm_cvtsi32_si128 ((int)derivation->shift),
    .unshift = _mm_cvtsi32_si128 (32 - (int)derivation->shift),
  };
}

/* Eight derived samples, not limited. */
static inline __attribute__ ((always_inline)) __m256i
derive (const struct lanes *lanes, __m256i red, __m256i green, __m256i blue)
{
  const __m256i part = _mm256_add_epi32 (_mm256_mullo_epi32 (red, lanes->weights[0]), lanes->offset);
  const __m256i others
      = _mm256_add_epi32 (_mm256_mullo_epi32 (green, lanes->weights[1]), _mm256_mullo_epi32 (blue, lanes->weights[2]));

  return _mm256_sra_epi32 (_mm256_add_epi32 (part, others), lanes->shift);
}

/* The same with sums of 64 bits. */
static inline __attribute__ ((always_inline)) __m256i
derive_wide (const struct lanes *lanes, __m256i red, __m256i green, __m256i blue)
{
  const __m256i samples[] = { red, green, blue };
  __m256i even = lanes->wide_offset, odd = even;

#pragma GCC unroll 3
  for (unsigned c = 0; c < 3; c++) {
    even = _mm256_add_epi64 (even, _mm256_mul_epi32 (samples[c], lanes->weights[c]));
    odd = _mm256_add_epi64 (odd, _mm256_mul_epi32 (_mm256_srli_epi64 (samples[c], 32), lanes->weights[c]));
  }
  return _mm256_blend_epi32 (_mm256_srl_epi64 (even, lanes->shift), _mm256_sll_epi64 (odd, lanes->unshift), 0xaa);
}

static inline __attribute__ ((always_inline)) __m256i
load_bytes (const uint8_t *data)
{
  return _mm256_cvtepu8_epi32 (_mm_loadl_epi64 ((const void *)data));
}

static inline __attribute__ ((always_inline)) __m256i
load_words (const uint16_t *data)
{
  return _mm256_cvtepu16_epi32 (_mm_loadu_si128 ((const void *)data));
}

/* Sixteen words in order, with negative values as 0. */
static inline __attribute__ ((always_inline)) __m256i
pack (__m256i first, __m256i second)
{
  return _mm256_permute4x64_epi64 (_mm256_packus_epi32 (first, second), 0xd8);
}

void
histo_derive_bytes_avx2 (const uint8_t *const sources[3], size_t samples, const struct histo_derivation *derivation,
                         uint8_t *values)
{
  const struct lanes lanes = make_lanes (derivation);
  size_t i = 0;

  for (; i + SAMPLES <= samples; i += SAMPLES) {
    __m256i halves[2], words;

#pragma GCC unroll 2
    for (unsigned h = 0; h < 2; h++) {
      const size_t at = i + h * LANES;

      halves[h] = derive (&lanes, load_bytes (sources[0] + at), load_bytes (sources[1] + at), load_bytes (sources[2] + at));
    }
    words = pack (halves[0], halves[1]);
    _mm_storeu_si128 ((void *)(values + i),
                      _mm_packus_epi16 (_mm256_castsi256_si128 (words), _mm256_extracti128_si256 (words, 1)));
  }
  histo_derive_bytes_c ((const uint8_t *const[]){ sources[0] + i, sources[1] + i, sources[2] + i }, samples - i, derivation,
                        values + i);
}

void
histo_derive_words_avx2 (const uint16_t *const sources[3], size_t samples, const struct histo_derivation *derivation,
                         uint16_t *values)
{
  const struct lanes lanes = make_lanes (derivation);
  const bool is_narrow = derivation->top < 1 << HISTO_NARROW_DEPTH;
  size_t i = 0;

  for (; i + SAMPLES <= samples; i += SAMPLES) {
    __m256i halves[2];

#pragma GCC unroll 2
    for (unsigned h = 0; h < 2; h++) {
      const size_t at = i + h * LANES;

      const __m256i red = load_words (sources[0] + at), green = load_words (sources[1] + at);
      const __m256i blue = load_words (sources[2] + at);

      halves[h] = is_narrow ? derive (&lanes, red, green, blue) : derive_wide (&lanes, red, green, blue);
      halves[h] = _mm256_min_epi32 (halves[h], lanes.top);
    }
    _mm256_storeu_si256 ((void *)(values + i), pack (halves[0], halves[1]));
  }
  histo_derive_words_c ((const uint16_t *const[]){ sources[0] + i, sources[1] + i, sources[2] + i }, samples - i, derivation,
                        values + i);
}
