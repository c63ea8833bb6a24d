/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gamut.h"
#include "reader.h"

#define WORDS HISTO_VECTOR_WORDS

/* The gamut, in every lane. */
struct lanes {
  __m256i red, green, blue; /* coefficients of pairs of Cb and Cr */
  __m256i min, max;         /* `min` is raised so that shifting rounds it up */
  __m256i middle;           /* of Cb and Cr, in words */
  __m256i top;              /* the largest possible bound, in lanes of 32 bits */
};

/* Bounds in lanes of 16 bits. */
struct bounds {
  __m256i low, high;
};

static inline __m256i
pair_coefficients (int16_t cb, int16_t cr)
{
  return _mm256_set1_epi32 ((int32_t)((uint32_t)(uint16_t)cr << 16 | (uint16_t)cb));
}

static inline struct lanes
spread (const struct histo_gamut *gamut, unsigned depth, int32_t top)
{
  return (struct lanes){
    .red = pair_coefficients (0, gamut->r_cr),
    .green = pair_coefficients (gamut->g_cb, gamut->g_cr),
    .blue = pair_coefficients (gamut->b_cb, 0),
    .min = _mm256_set1_epi32 (gamut->min + (HISTO_GAMUT_ONE - 1)),
    .max = _mm256_set1_epi32 (gamut->max),
    .middle = _mm256_set1_epi16 ((short)(1u << (depth - 1))),
    .top = _mm256_set1_epi32 (top),
  };
}

/* The bounds of eight pairs, as in gamut.c: one vector of low bounds, one of high bounds. */
static inline void
bound_pairs (const struct lanes *lanes, __m256i pairs, __m256i *low, __m256i *high)
{
  const __m256i zero = _mm256_setzero_si256 ();
  const __m256i red = _mm256_madd_epi16 (pairs, lanes->red), green = _mm256_madd_epi16 (pairs, lanes->green);
  const __m256i blue = _mm256_madd_epi16 (pairs, lanes->blue);
  const __m256i least = _mm256_min_epi32 (_mm256_min_epi32 (red, green), _mm256_min_epi32 (blue, zero));
  const __m256i most = _mm256_max_epi32 (_mm256_max_epi32 (red, green), _mm256_max_epi32 (blue, zero));
  __m256i none;

  *low = _mm256_srai_epi32 (_mm256_sub_epi32 (lanes->min, least), HISTO_GAMUT_ONE_LOG2);
  *high = _mm256_srai_epi32 (_mm256_sub_epi32 (lanes->max, most), HISTO_GAMUT_ONE_LOG2);
  none = _mm256_or_si256 (_mm256_cmpgt_epi32 (*low, lanes->top), _mm256_cmpgt_epi32 (zero, *high));
  *low = _mm256_blendv_epi8 (*low, lanes->top, none);
  *high = _mm256_andnot_si256 (none, _mm256_min_epi32 (*high, lanes->top));
}

/* The bounds for words of Cb and Cr. */
static inline struct bounds
bound_chroma (const struct lanes *lanes, __m256i cb, __m256i cr)
{
  const __m256i cbs = _mm256_sub_epi16 (cb, lanes->middle), crs = _mm256_sub_epi16 (cr, lanes->middle);
  __m256i lows[2], highs[2];

  bound_pairs (lanes, _mm256_unpacklo_epi16 (cbs, crs), &lows[0], &highs[0]);
  bound_pairs (lanes, _mm256_unpackhi_epi16 (cbs, crs), &lows[1], &highs[1]);
  return (struct bounds){ _mm256_packus_epi32 (lows[0], lows[1]), _mm256_packus_epi32 (highs[0], highs[1]) };
}

static inline __m256i
load_bytes (const uint8_t *at)
{
  return _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const void *)at));
}

/* Packs two vectors of words of at most 255 to bytes. */
static inline __m256i
pack (__m256i first, __m256i second)
{
  return _mm256_permute4x64_epi64 (_mm256_packus_epi16 (first, second), 0xd8);
}

/* The bounds of R' alone in lanes where G' and B' are `inside`; elsewhere bounds that exclude every R'. */
static inline struct bounds
bound_rgb (__m256i low, __m256i high, __m256i inside)
{
  return (struct bounds){ _mm256_or_si256 (low, _mm256_xor_si256 (inside, _mm256_set1_epi8 (-1))),
                          _mm256_and_si256 (high, inside) };
}

/* Non-zero lanes where a value is below `low` or above `high`. `bytes`: of a lane, 1 or 2. */
static inline __m256i
find_outside (const void *values, __m256i low, __m256i high, size_t bytes)
{
  const __m256i x = _mm256_loadu_si256 (values);

  if (bytes == 1)
    return _mm256_or_si256 (_mm256_subs_epu8 (low, x), _mm256_subs_epu8 (x, high));
  return _mm256_or_si256 (_mm256_subs_epu16 (low, x), _mm256_subs_epu16 (x, high));
}

/* Finds the bounds of R' for values of G' and B' of `bytes` bytes. Returns the number of samples processed. */
static inline __attribute__ ((always_inline)) size_t
bound_rgb_samples (const void *green, const void *blue, size_t samples, const struct histo_gamut *gamut, size_t bytes,
                   void *low, void *high)
{
  const struct histo_bounds alone = histo_bound_alone (gamut, bytes == 1 ? UINT8_MAX : UINT16_MAX);
  const __m256i lows = bytes == 1 ? _mm256_set1_epi8 ((char)alone.low) : _mm256_set1_epi16 ((short)alone.low);
  const __m256i highs = bytes == 1 ? _mm256_set1_epi8 ((char)alone.high) : _mm256_set1_epi16 ((short)alone.high);
  const __m256i zero = _mm256_setzero_si256 ();
  size_t at = 0;

  for (; at + HISTO_VECTOR_BYTES <= samples * bytes; at += HISTO_VECTOR_BYTES) {
    const __m256i outside = _mm256_or_si256 (find_outside ((const uint8_t *)green + at, lows, highs, bytes),
                                             find_outside ((const uint8_t *)blue + at, lows, highs, bytes));
    const __m256i inside = bytes == 1 ? _mm256_cmpeq_epi8 (outside, zero) : _mm256_cmpeq_epi16 (outside, zero);
    const struct bounds bounds = bound_rgb (lows, highs, inside);

    _mm256_storeu_si256 ((void *)((uint8_t *)low + at), bounds.low);
    _mm256_storeu_si256 ((void *)((uint8_t *)high + at), bounds.high);
  }
  return at / bytes;
}

void
histo_bound_bytes_avx2 (const uint8_t *cb, const uint8_t *cr, size_t samples, const struct histo_gamut *gamut, unsigned shift,
                        uint8_t *low, uint8_t *high)
{
  const struct lanes lanes = spread (gamut, 8, UINT8_MAX);
  size_t i = gamut->is_rgb ? bound_rgb_samples (cb, cr, samples, gamut, 1, low, high) : 0;

  for (; !gamut->is_rgb && i + HISTO_VECTOR_BYTES <= samples; i += HISTO_VECTOR_BYTES) {
    const struct bounds first = bound_chroma (&lanes, load_bytes (cb + i), load_bytes (cr + i));
    const struct bounds second = bound_chroma (&lanes, load_bytes (cb + i + WORDS), load_bytes (cr + i + WORDS));

    histo_repeat_bytes (pack (first.low, second.low), shift, low + (i << shift));
    histo_repeat_bytes (pack (first.high, second.high), shift, high + (i << shift));
  }
  histo_bound_bytes_c (cb + i, cr + i, samples - i, gamut, shift, low + (i << shift), high + (i << shift));
}

/* Stores each word 1 << shift times. */
static inline void
repeat_words (__m256i words, unsigned shift, uint16_t *to)
{
  const __m256i halves = _mm256_permute4x64_epi64 (words, 0xd8);

  if (shift == 0) {
    _mm256_storeu_si256 ((void *)to, words);
    return;
  }
  repeat_words (_mm256_unpacklo_epi16 (halves, halves), shift - 1, to);
  repeat_words (_mm256_unpackhi_epi16 (halves, halves), shift - 1, to + ((size_t)WORDS << (shift - 1)));
}

void
histo_bound_words_avx2 (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_gamut *gamut, unsigned depth,
                        unsigned shift, uint16_t *low, uint16_t *high)
{
  const struct lanes lanes = spread (gamut, depth, UINT16_MAX);
  size_t i = gamut->is_rgb ? bound_rgb_samples (cb, cr, samples, gamut, 2, low, high) : 0;

  for (; !gamut->is_rgb && i + WORDS <= samples; i += WORDS) {
    const struct bounds bounds
        = bound_chroma (&lanes, _mm256_loadu_si256 ((const void *)(cb + i)), _mm256_loadu_si256 ((const void *)(cr + i)));

    repeat_words (bounds.low, shift, low + (i << shift));
    repeat_words (bounds.high, shift, high + (i << shift));
  }
  histo_bound_words_c (cb + i, cr + i, samples - i, gamut, depth, shift, low + (i << shift), high + (i << shift));
}

uint64_t
histo_beyond_bytes_avx2 (const uint8_t *luma, const uint8_t *low, const uint8_t *high, size_t samples)
{
  uint64_t beyond = 0;
  size_t i = 0;

  for (; i + HISTO_VECTOR_BYTES <= samples; i += HISTO_VECTOR_BYTES) {
    const __m256i values = _mm256_loadu_si256 ((const void *)(luma + i));
    const __m256i below = _mm256_subs_epu8 (_mm256_loadu_si256 ((const void *)(low + i)), values);
    const __m256i above = _mm256_subs_epu8 (values, _mm256_loadu_si256 ((const void *)(high + i)));

    beyond += histo_count_lanes (_mm256_or_si256 (below, above));
  }
  return beyond + histo_beyond_bytes_c (luma + i, low + i, high + i, samples - i);
}

uint64_t
histo_beyond_words_avx2 (const uint8_t *luma, const struct histo_format *format, const uint16_t *low, const uint16_t *high,
                         size_t samples)
{
  const struct histo_reader reader = histo_make_reader (format);
  const __m256i zero = _mm256_setzero_si256 ();
  uint64_t inside = 0;
  size_t i = 0;

  for (; i + WORDS <= samples; i += WORDS) {
    const __m256i values = histo_read_values (&reader, luma + i * 2);
    const __m256i below = _mm256_subs_epu16 (_mm256_loadu_si256 ((const void *)(low + i)), values);
    const __m256i above = _mm256_subs_epu16 (values, _mm256_loadu_si256 ((const void *)(high + i)));

    inside += histo_count_lanes (_mm256_cmpeq_epi16 (_mm256_or_si256 (below, above), zero));
  }
  return i - inside / 2 + histo_beyond_words_c (luma + i * 2, format, low + i, high + i, samples - i);
}
