/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "avx2.h"
#include "cpu/reduce.h"
#include "cpu/word.h"

/* A vector adds at most four products of 255 * 255 to a lane of 32 bits. */
#define VECTORS_PER_FLUSH (4096 * HISTO_TRIPLE_VECTORS)

/* A vector of bytes as two vectors of 16-bit lanes: bytes 0, 2, 4 ... and bytes 1, 3, 5 ... */
struct split {
  __m256i even, odd;
};

static inline struct split
split_bytes (__m256i bytes)
{
  return (struct split){ _mm256_and_si256 (bytes, _mm256_set1_epi16 (0xff)), _mm256_srli_epi16 (bytes, 8) };
}

static inline struct split
load_split (const uint8_t *data)
{
  _mm_prefetch ((const char *)data + HISTO_PREFETCH_BYTES, _MM_HINT_T0);
  return split_bytes (_mm256_loadu_si256 ((const void *)data));
}

/* Adds to `lanes` the products of neighbouring 16-bit lanes. */
static inline __m256i
add_products (__m256i lanes, __m256i x, __m256i y)
{
  return _mm256_add_epi32 (lanes, _mm256_madd_epi16 (x, y));
}

/* The sum of lanes of 32 bits. */
static uint64_t
sum_of_products (__m256i lanes)
{
  return histo_sum_of_lanes (histo_widen_lanes (lanes));
}

/* Periods 1 and 2. */
static void
dot_pairs (const uint8_t *x, const uint8_t *y, size_t vectors, unsigned period, uint64_t dot[HISTO_MAX_PERIOD])
{
  __m256i even = _mm256_setzero_si256 (), odd = even;

  for (; vectors > 0; vectors--, x += HISTO_VECTOR_BYTES, y += HISTO_VECTOR_BYTES) {
    const struct split xs = load_split (x), ys = load_split (y);

    even = add_products (even, xs.even, ys.even);
    odd = add_products (odd, xs.odd, ys.odd);
  }
  dot[0] += sum_of_products (even);
  dot[1 % period] += sum_of_products (odd);
}

/* Period 4. */
static void
dot_quads (const uint8_t *x, const uint8_t *y, size_t vectors, uint64_t dot[HISTO_MAX_PERIOD])
{
  const __m256i low = _mm256_set1_epi32 (0xffff);
  __m256i sum0 = _mm256_setzero_si256 (), sum1 = sum0, sum2 = sum0, sum3 = sum0;

  for (; vectors > 0; vectors--, x += HISTO_VECTOR_BYTES, y += HISTO_VECTOR_BYTES) {
    const struct split xs = load_split (x), ys = load_split (y);

    sum0 = add_products (sum0, _mm256_and_si256 (low, xs.even), ys.even);
    sum1 = add_products (sum1, _mm256_and_si256 (low, xs.odd), ys.odd);
    sum2 = add_products (sum2, _mm256_andnot_si256 (low, xs.even), ys.even);
    sum3 = add_products (sum3, _mm256_andnot_si256 (low, xs.odd), ys.odd);
  }
  dot[0] += sum_of_products (sum0);
  dot[1] += sum_of_products (sum1);
  dot[2] += sum_of_products (sum2);
  dot[3] += sum_of_products (sum3);
}

/* Adds the products of the bytes of `x` that the mask selects. */
static inline __m256i
add_masked (__m256i lanes, const struct split *x, const struct split *y, const struct split *mask)
{
  lanes = add_products (lanes, _mm256_and_si256 (x->even, mask->even), y->even);
  return add_products (lanes, _mm256_and_si256 (x->odd, mask->odd), y->odd);
}

/* Period 3; `vectors` is a multiple of HISTO_TRIPLE_VECTORS. */
static void
dot_triples (const uint8_t *x, const uint8_t *y, size_t vectors, uint64_t dot[HISTO_MAX_PERIOD])
{
  /* masks[i] selects the bytes of a vector at positions i modulo 3. Each vector begins 32 bytes after the last: 2 modulo 3. */
  struct split masks[3];
  __m256i sum0 = _mm256_setzero_si256 (), sum1 = sum0, sum2 = sum0;

  for (unsigned m = 0; m < 3; m++)
    masks[m] = split_bytes (histo_mask_triples (m));

  for (; vectors > 0; vectors -= HISTO_TRIPLE_VECTORS) {
    for (unsigned v = 0; v < HISTO_TRIPLE_VECTORS; v++, x += HISTO_VECTOR_BYTES, y += HISTO_VECTOR_BYTES) {
      const struct split xs = load_split (x), ys = load_split (y);

      sum0 = add_masked (sum0, &xs, &ys, &masks[(0 + v) % 3]);
      sum1 = add_masked (sum1, &xs, &ys, &masks[(1 + v) % 3]);
      sum2 = add_masked (sum2, &xs, &ys, &masks[(2 + v) % 3]);
    }
  }
  dot[0] += sum_of_products (sum0);
  dot[1] += sum_of_products (sum1);
  dot[2] += sum_of_products (sum2);
}

void
histo_dot_avx2 (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period, uint64_t dot[HISTO_MAX_PERIOD])
{
  size_t vectors;

  while ((vectors = histo_next_vectors (size_bytes / HISTO_VECTOR_BYTES, period, VECTORS_PER_FLUSH)) > 0) {
    if (period == 3)
      dot_triples (x, y, vectors, dot);
    else if (period == 4)
      dot_quads (x, y, vectors, dot);
    else
      dot_pairs (x, y, vectors, period, dot);
    x += vectors * HISTO_VECTOR_BYTES;
    y += vectors * HISTO_VECTOR_BYTES;
    size_bytes -= vectors * HISTO_VECTOR_BYTES;
  }
  histo_dot_c (x, y, size_bytes, period, dot);
}
