/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "avx2.h"
#include "cpu/difference.h"
#include "cpu/word.h"

/* A vector adds at most four squares of 255 to a lane of 32 bits. */
#define VECTORS_PER_FLUSH (4096 * HISTO_TRIPLE_VECTORS)

/* The sums at one position. */
struct lanes {
  __m256i absolute, squared; /* lanes of 64 bits, of 32 bits */
};

static inline __attribute__ ((always_inline)) __m256i
load_distance (const uint8_t *x, const uint8_t *y)
{
  const __m256i xs = _mm256_loadu_si256 ((const void *)x), ys = _mm256_loadu_si256 ((const void *)y);

  _mm_prefetch ((const char *)x + HISTO_PREFETCH_BYTES, _MM_HINT_T0);
  _mm_prefetch ((const char *)y + HISTO_PREFETCH_BYTES, _MM_HINT_T0);
  return _mm256_or_si256 (_mm256_subs_epu8 (xs, ys), _mm256_subs_epu8 (ys, xs));
}

static inline __attribute__ ((always_inline)) void
add_bytes (struct lanes *lanes, __m256i distances)
{
  lanes->absolute = _mm256_add_epi64 (lanes->absolute, _mm256_sad_epu8 (distances, _mm256_setzero_si256 ()));
}

static inline __attribute__ ((always_inline)) void
add_squares (struct lanes *lanes, __m256i words)
{
  lanes->squared = _mm256_add_epi32 (lanes->squared, _mm256_madd_epi16 (words, words));
}

/* Adds the bytes of vector `v` at each position. Each vector begins at position v * 32 of the pattern. masks[i] selects the
 * bytes at positions i of a period of 3. */
static inline __attribute__ ((always_inline)) void
add_vector (struct lanes lanes[HISTO_MAX_PERIOD], __m256i distances, unsigned v, unsigned period, const __m256i masks[3])
{
  const __m256i low = _mm256_set1_epi16 (0xff), lowest = _mm256_set1_epi32 (0xffff);
  const __m256i even = _mm256_and_si256 (distances, low), odd = _mm256_srli_epi16 (distances, 8);

  if (period == 1) {
    add_bytes (&lanes[0], distances);
    add_squares (&lanes[0], even);
    add_squares (&lanes[0], odd);
  } else if (period == 2) {
    add_bytes (&lanes[0], even);
    add_squares (&lanes[0], even);
    add_bytes (&lanes[1], odd);
    add_squares (&lanes[1], odd);
  } else if (period == 4) {
    const __m256i own[4] = { _mm256_and_si256 (even, lowest), _mm256_and_si256 (odd, lowest),
                             _mm256_andnot_si256 (lowest, even), _mm256_andnot_si256 (lowest, odd) };

#pragma GCC unroll 4
    for (unsigned p = 0; p < 4; p++) {
      add_bytes (&lanes[p], own[p]);
      add_squares (&lanes[p], own[p]);
    }
  } else {
    /* 32 modulo 3 is 2. */
#pragma GCC unroll 3
    for (unsigned p = 0; p < 3; p++) {
      const __m256i own = _mm256_and_si256 (distances, masks[(p + v) % 3]);

      add_bytes (&lanes[p], own);
      add_squares (&lanes[p], _mm256_and_si256 (own, low));
      add_squares (&lanes[p], _mm256_srli_epi16 (own, 8));
    }
  }
}

/* For period 3, `vectors` is a multiple of HISTO_TRIPLE_VECTORS. */
static inline __attribute__ ((always_inline)) void
add_vectors (const uint8_t *x, const uint8_t *y, size_t vectors, unsigned period, struct histo_differences *differences)
{
  const unsigned group = period == 3 ? HISTO_TRIPLE_VECTORS : 1;
  const __m256i zero = _mm256_setzero_si256 ();
  struct lanes lanes[HISTO_MAX_PERIOD] = { { zero, zero }, { zero, zero }, { zero, zero }, { zero, zero } };
  __m256i masks[3] = { zero, zero, zero };

  for (unsigned m = 0; period == 3 && m < 3; m++)
    masks[m] = histo_mask_triples (m);
  for (; vectors > 0; vectors -= group)
#pragma GCC unroll 3
    for (unsigned v = 0; v < group; v++, x += HISTO_VECTOR_BYTES, y += HISTO_VECTOR_BYTES)
      add_vector (lanes, load_distance (x, y), v, period, masks);
  for (unsigned p = 0; p < period; p++) {
    differences->absolute[p] += histo_sum_of_lanes (lanes[p].absolute);
    differences->squared[p] += histo_sum_of_lanes (histo_widen_lanes (lanes[p].squared));
  }
}

void
histo_difference_avx2 (const uint8_t *x, const uint8_t *y, size_t size_bytes, unsigned period,
                       struct histo_differences *differences)
{
  size_t vectors;

  while ((vectors = histo_next_vectors (size_bytes / HISTO_VECTOR_BYTES, period, VECTORS_PER_FLUSH)) > 0) {
    if (period == 1)
      add_vectors (x, y, vectors, 1, differences);
    else if (period == 2)
      add_vectors (x, y, vectors, 2, differences);
    else if (period == 3)
      add_vectors (x, y, vectors, 3, differences);
    else
      add_vectors (x, y, vectors, 4, differences);
    x += vectors * HISTO_VECTOR_BYTES;
    y += vectors * HISTO_VECTOR_BYTES;
    size_bytes -= vectors * HISTO_VECTOR_BYTES;
  }
  histo_difference_c (x, y, size_bytes, period, differences);
}
