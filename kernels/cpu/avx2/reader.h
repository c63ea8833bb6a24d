/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads vectors of values of two-byte samples of any format. Only for files compiled with -mavx2. */

#pragma once

#include "avx2.h"
#include "cpu/sample.h"

#define HISTO_VECTOR_WORDS 16

/* Converts vectors of samples to values. */
struct histo_reader {
  __m128i shift;
  __m256i mask, swap;
};

static inline struct histo_reader
histo_make_reader (const struct histo_format *format)
{
  const __m256i pairs = _mm256_setr_epi64x (0x0606040402020000, 0x0e0e0c0c0a0a0808, 0x0606040402020000, 0x0e0e0c0c0a0a0808);
  struct histo_reader reader;

  reader.shift = _mm_cvtsi32_si128 ((int)format->shift);
  reader.mask = _mm256_set1_epi16 ((short)((1u << format->depth) - 1));
  /* Swaps the bytes of a sample, or keeps them. */
  reader.swap = _mm256_add_epi8 (pairs, _mm256_set1_epi16 (format->big_endian ? 0x0001 : 0x0100));
  return reader;
}

static inline __attribute__ ((always_inline)) __m256i
histo_read_values (const struct histo_reader *reader, const uint8_t *data)
{
  const __m256i bytes = _mm256_shuffle_epi8 (_mm256_loadu_si256 ((const void *)data), reader->swap);

  return _mm256_and_si256 (_mm256_srl_epi16 (bytes, reader->shift), reader->mask);
}

/* Keeps the samples of `x` at position `p` of a pattern of 1, 2 or 4, and zeroes the others. */
static inline __attribute__ ((always_inline)) __m256i
histo_at_position (__m256i x, unsigned p, unsigned period)
{
  if (period == 2)
    return _mm256_and_si256 (x, _mm256_set1_epi32 ((int)(0xffffu << 16 * p)));
  if (period == 4)
    return _mm256_and_si256 (x, _mm256_set1_epi64x ((long long)((uint64_t)0xffff << 16 * p)));
  return x;
}
