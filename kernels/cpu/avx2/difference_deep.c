/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/difference.h"
#include "reader.h"
#include "cpu/word.h"

/* A vector adds two values of -32768 .. 32767 to a lane of 32 bits. */
#define VECTORS_PER_FLUSH 16384
#define SIGNED_DEPTH 15 /* up to this depth differences fit into signed 16 bits */
#define NARROW_DEPTH 12 /* up to this depth, this number of pairs of squares fits into 32 bits: */
#define NARROW_VECTORS 64
#define BIAS 32768 /* unsigned 16 bits minus this fit into signed 16 bits */

/* Subtracts the values at their place in the words. */
static inline __attribute__ ((always_inline)) __m256i
load_distance (const struct histo_reader *reader, __m256i mask, const uint8_t *x, const uint8_t *y)
{
  __m256i xs = _mm256_shuffle_epi8 (_mm256_loadu_si256 ((const void *)x), reader->swap);
  __m256i ys = _mm256_shuffle_epi8 (_mm256_loadu_si256 ((const void *)y), reader->swap);

  _mm_prefetch ((const char *)x + HISTO_PREFETCH_BYTES, _MM_HINT_T0);
  _mm_prefetch ((const char *)y + HISTO_PREFETCH_BYTES, _MM_HINT_T0);
  xs = _mm256_and_si256 (xs, mask);
  ys = _mm256_and_si256 (ys, mask);
  return _mm256_srl_epi16 (_mm256_or_si256 (_mm256_subs_epu16 (xs, ys), _mm256_subs_epu16 (ys, xs)), reader->shift);
}

/* Periods 1, 2 and 4. A bias is subtracted from each difference d; it is 0 for at most SIGNED_DEPTH bits. With b = d - bias,
 * d^2 = b^2 + 2 * bias * d - bias^2. `chunk`: vectors whose squares are added in 32 bits. */
static inline __attribute__ ((always_inline)) void
add_vectors (const uint8_t *x, const uint8_t *y, size_t vectors, const struct histo_reader *reader, unsigned period,
             uint64_t bias, size_t chunk, struct histo_differences *differences)
{
  const __m256i zero = _mm256_setzero_si256 (), ones = _mm256_set1_epi16 (1), biases = _mm256_set1_epi16 ((short)bias);
  const __m256i mask = _mm256_sll_epi16 (reader->mask, reader->shift);
  const uint64_t samples = (uint64_t)vectors * HISTO_VECTOR_WORDS / period;
  __m256i absolute[HISTO_MAX_PERIOD] = { zero, zero, zero, zero }, squared[HISTO_MAX_PERIOD] = { zero, zero, zero, zero };

  while (vectors > 0) {
    const size_t count = vectors < chunk ? vectors : chunk;
    __m256i narrow[HISTO_MAX_PERIOD] = { zero, zero, zero, zero };

    for (size_t v = 0; v < count; v++, x += HISTO_VECTOR_BYTES, y += HISTO_VECTOR_BYTES) {
      const __m256i distances = _mm256_xor_si256 (load_distance (reader, mask, x, y), biases);

#pragma GCC unroll 4
      for (unsigned p = 0; p < period; p++) {
        const __m256i own = histo_at_position (distances, p, period);

        absolute[p] = _mm256_add_epi32 (absolute[p], _mm256_madd_epi16 (own, ones));
        narrow[p] = _mm256_add_epi32 (narrow[p], _mm256_madd_epi16 (own, own));
      }
    }
#pragma GCC unroll 4
    for (unsigned p = 0; p < period; p++)
      squared[p] = _mm256_add_epi64 (squared[p], histo_widen_lanes (narrow[p]));
    vectors -= count;
  }
#pragma GCC unroll 4
  for (unsigned p = 0; p < period; p++) {
    const uint64_t own = histo_sum_of_signed_lanes (absolute[p]) + samples * bias;

    differences->absolute[p] += own;
    differences->squared[p] += histo_sum_of_lanes (squared[p]) + 2 * bias * own - samples * bias * bias;
  }
}

static inline __attribute__ ((always_inline)) void
choose_period (const uint8_t *x, const uint8_t *y, size_t vectors, const struct histo_reader *reader, unsigned period,
               uint64_t bias, size_t chunk, struct histo_differences *differences)
{
  if (period == 1)
    add_vectors (x, y, vectors, reader, 1, bias, chunk, differences);
  else if (period == 2)
    add_vectors (x, y, vectors, reader, 2, bias, chunk, differences);
  else
    add_vectors (x, y, vectors, reader, 4, bias, chunk, differences);
}

void
histo_deep_difference_avx2 (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format,
                            unsigned period, struct histo_differences *differences)
{
  const struct histo_reader reader = histo_make_reader (format);
  size_t vectors;

  while ((vectors = histo_next_vectors (period == 3 ? 0 : samples / HISTO_VECTOR_WORDS, period, VECTORS_PER_FLUSH)) > 0) {
    if (format->depth <= NARROW_DEPTH)
      choose_period (x, y, vectors, &reader, period, 0, NARROW_VECTORS, differences);
    else if (format->depth <= SIGNED_DEPTH)
      choose_period (x, y, vectors, &reader, period, 0, 1, differences);
    else
      choose_period (x, y, vectors, &reader, period, BIAS, 1, differences);
    x += vectors * HISTO_VECTOR_BYTES;
    y += vectors * HISTO_VECTOR_BYTES;
    samples -= vectors * HISTO_VECTOR_WORDS;
  }
  histo_deep_difference_c (x, y, samples, format, period, differences);
}
