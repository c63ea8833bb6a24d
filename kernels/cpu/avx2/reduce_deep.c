/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reader.h"
#include "cpu/reduce.h"
#include "cpu/word.h"

/* A vector adds two values of -32768 .. 32767 to a lane of 32 bits. */
#define VECTORS_PER_FLUSH 16384
#define SIGNED_DEPTH 15 /* up to this depth values fit into signed 16 bits, and two products into 32 bits */
#define BIAS 32768      /* unsigned 16 bits minus this fit into signed 16 bits */

static inline __attribute__ ((always_inline)) __m256i
read_values (const struct histo_reader *reader, const uint8_t *data)
{
  _mm_prefetch ((const char *)data + HISTO_PREFETCH_BYTES, _MM_HINT_T0);
  return histo_read_values (reader, data);
}

/* Adds lanes of 32 bits to lanes of 64. */
static inline __attribute__ ((always_inline)) __m256i
add_widened (__m256i lanes, __m256i narrow)
{
  return _mm256_add_epi64 (lanes, histo_widen_lanes (narrow));
}

/* Adds unsigned 16-bit numbers minus the bias to lanes of 32 bits. */
static inline __attribute__ ((always_inline)) __m256i
add_biased (__m256i lanes, __m256i x)
{
  const __m256i biased = _mm256_xor_si256 (x, _mm256_set1_epi16 ((short)BIAS));

  return _mm256_add_epi32 (lanes, _mm256_madd_epi16 (biased, _mm256_set1_epi16 (1)));
}

/* The sum of the numbers that `vectors` calls of add_biased added, with the bias added back. */
static uint64_t
sum_of_biased (__m256i lanes, size_t vectors)
{
  return histo_sum_of_signed_lanes (lanes) + (uint64_t)vectors * HISTO_VECTOR_WORDS * BIAS;
}

/* Periods 1, 2 and 4. With b = x - bias, x^2 = b^2 + 2 * bias * x - bias^2, and two b^2 fit into unsigned 32 bits. */
static inline __attribute__ ((always_inline)) void
sum_vectors (const uint8_t *x, size_t vectors, const struct histo_reader *reader, unsigned period,
             uint64_t sum[HISTO_MAX_PERIOD], uint64_t sum_of_squares[HISTO_MAX_PERIOD])
{
  const __m256i zero = _mm256_setzero_si256 (), bias = _mm256_set1_epi16 ((short)BIAS), ones = _mm256_set1_epi16 (1);
  const uint64_t samples = (uint64_t)vectors * HISTO_VECTOR_WORDS / period;
  __m256i values[HISTO_MAX_PERIOD] = { zero, zero, zero, zero }, squares[HISTO_MAX_PERIOD] = { zero, zero, zero, zero };

  for (size_t v = 0; v < vectors; v++, x += HISTO_VECTOR_BYTES) {
    const __m256i biased = _mm256_xor_si256 (read_values (reader, x), bias);

#pragma GCC unroll 4
    for (unsigned p = 0; p < period; p++) {
      const __m256i own = histo_at_position (biased, p, period);

      values[p] = _mm256_add_epi32 (values[p], _mm256_madd_epi16 (own, ones));
      squares[p] = add_widened (squares[p], _mm256_madd_epi16 (own, own));
    }
  }
#pragma GCC unroll 4
  for (unsigned p = 0; p < period; p++) {
    const uint64_t own_sum = sum_of_biased (values[p], 0) + samples * BIAS;

    sum[p] += own_sum;
    sum_of_squares[p] += histo_sum_of_lanes (squares[p]) + 2 * BIAS * own_sum - samples * BIAS * BIAS;
  }
}

/* Periods 1, 2 and 4. Adds products of signed numbers in pairs. For unsigned numbers it adds the lower and the upper 16 bits
 * separately. */
static inline __attribute__ ((always_inline)) void
dot_vectors (const uint8_t *x, const uint8_t *y, size_t vectors, const struct histo_reader *reader, unsigned period,
             bool is_signed, uint64_t dot[HISTO_MAX_PERIOD])
{
  const __m256i zero = _mm256_setzero_si256 ();
  __m256i products[HISTO_MAX_PERIOD] = { zero, zero, zero, zero }, high[HISTO_MAX_PERIOD] = { zero, zero, zero, zero };

  for (size_t v = 0; v < vectors; v++, x += HISTO_VECTOR_BYTES, y += HISTO_VECTOR_BYTES) {
    const __m256i xs = read_values (reader, x), ys = read_values (reader, y);

#pragma GCC unroll 4
    for (unsigned p = 0; p < period; p++) {
      const __m256i own = histo_at_position (xs, p, period);

      if (is_signed) {
        products[p] = add_widened (products[p], _mm256_madd_epi16 (own, ys));
      } else {
        products[p] = add_biased (products[p], _mm256_mullo_epi16 (own, ys));
        high[p] = add_biased (high[p], _mm256_mulhi_epu16 (own, ys));
      }
    }
  }
#pragma GCC unroll 4
  for (unsigned p = 0; p < period; p++) {
    if (is_signed)
      dot[p] += histo_sum_of_lanes (products[p]);
    else
      dot[p] += sum_of_biased (products[p], vectors) + (sum_of_biased (high[p], vectors) << 16);
  }
}

void
histo_deep_sums_avx2 (const uint8_t *x, size_t samples, const struct histo_format *format, unsigned period,
                      uint64_t sum[HISTO_MAX_PERIOD], uint64_t sum_of_squares[HISTO_MAX_PERIOD])
{
  const struct histo_reader reader = histo_make_reader (format);
  size_t vectors;

  while ((vectors = histo_next_vectors (period == 3 ? 0 : samples / HISTO_VECTOR_WORDS, period, VECTORS_PER_FLUSH)) > 0) {
    if (period == 1)
      sum_vectors (x, vectors, &reader, 1, sum, sum_of_squares);
    else if (period == 2)
      sum_vectors (x, vectors, &reader, 2, sum, sum_of_squares);
    else
      sum_vectors (x, vectors, &reader, 4, sum, sum_of_squares);
    x += vectors * HISTO_VECTOR_BYTES;
    samples -= vectors * HISTO_VECTOR_WORDS;
  }
  histo_deep_sums_c (x, samples, format, period, sum, sum_of_squares);
}

void
histo_deep_dot_avx2 (const uint8_t *x, const uint8_t *y, size_t samples, const struct histo_format *format, unsigned period,
                     uint64_t dot[HISTO_MAX_PERIOD])
{
  const struct histo_reader reader = histo_make_reader (format);
  const bool is_signed = format->depth <= SIGNED_DEPTH;
  size_t vectors;

  while ((vectors = histo_next_vectors (period == 3 ? 0 : samples / HISTO_VECTOR_WORDS, period, VECTORS_PER_FLUSH)) > 0) {
    if (period == 1 && is_signed)
      dot_vectors (x, y, vectors, &reader, 1, true, dot);
    else if (period == 1)
      dot_vectors (x, y, vectors, &reader, 1, false, dot);
    else if (period == 2 && is_signed)
      dot_vectors (x, y, vectors, &reader, 2, true, dot);
    else if (period == 2)
      dot_vectors (x, y, vectors, &reader, 2, false, dot);
    else if (is_signed)
      dot_vectors (x, y, vectors, &reader, 4, true, dot);
    else
      dot_vectors (x, y, vectors, &reader, 4, false, dot);
    x += vectors * HISTO_VECTOR_BYTES;
    y += vectors * HISTO_VECTOR_BYTES;
    samples -= vectors * HISTO_VECTOR_WORDS;
  }
  histo_deep_dot_c (x, y, samples, format, period, dot);
}
