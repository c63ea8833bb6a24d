/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "avx2.h"
#include "cpu/chroma.h"
#include "picture.h"

#define LANES 8 /* samples whose hues are computed at once */
#define WORDS (2 * LANES)

/* Cb and Cr of LANES samples, minus the middle of their range. */
struct chroma {
  __m256i cb, cr;
};

/* ---- saturation ----------------------------------------------------------------------------------------------------- */

/* The square root of lanes of at most 2^31, rounded down. Below 2^24 the root of floats is exact, and does not round up to the
 * next integer; above, it is off by at most one. */
static inline __m256i
find_roots (__m256i squares, bool is_exact)
{
  const __m256 floats = _mm256_cvtepi32_ps (squares), positive = _mm256_andnot_ps (_mm256_set1_ps (-0.0f), floats);
  __m256i roots = _mm256_cvttps_epi32 (_mm256_sqrt_ps (positive)), rest;

  if (is_exact)
    return roots;
  rest = _mm256_sub_epi32 (squares, _mm256_mullo_epi32 (roots, roots));
  roots = _mm256_sub_epi32 (roots, _mm256_cmpgt_epi32 (rest, _mm256_add_epi32 (roots, roots)));
  return _mm256_add_epi32 (roots, _mm256_srai_epi32 (rest, 31));
}

/* WORDS samples, minus the middle. */
static inline void
store_saturations (__m256i cb, __m256i cr, bool is_exact, uint16_t *saturations)
{
  const __m256i low = _mm256_unpacklo_epi16 (cb, cr), high = _mm256_unpackhi_epi16 (cb, cr);
  const __m256i first = find_roots (_mm256_madd_epi16 (low, low), is_exact);
  const __m256i second = find_roots (_mm256_madd_epi16 (high, high), is_exact);

  _mm256_storeu_si256 ((void *)saturations, _mm256_packus_epi32 (first, second));
}

/* ---- hue ------------------------------------------------------------------------------------------------------------ */

/* The angle of a ratio of 0 .. 1 in degrees, to within 0.0002; exact for 0 and 1. */
static inline __m256
find_angles (__m256 ratio)
{
  static const float factors[] = { 9.554827f, -8.288785f, -6.589170f, 12.283085f, 12.295941f };
  __m256 sum = _mm256_set1_ps (-2.904279f);

  for (unsigned i = 0; i < sizeof factors / sizeof factors[0]; i++)
    sum = _mm256_add_ps (_mm256_mul_ps (sum, ratio), _mm256_set1_ps (factors[i]));
  sum = _mm256_mul_ps (sum, _mm256_sub_ps (_mm256_set1_ps (1.0f), ratio));
  return _mm256_mul_ps (ratio, _mm256_add_ps (_mm256_set1_ps (45.0f), sum));
}

/* Finds hues by their angles. *unsure has a bit for each lane so near to the boundary of a hue that the estimate does not
 * decide. */
static inline __m256i
find_hues (struct chroma chroma, unsigned *unsure)
{
  const __m256 sign = _mm256_set1_ps (-0.0f), half_turn = _mm256_set1_ps (180.0f), margin = _mm256_set1_ps (0.001f);
  const __m256 cb = _mm256_cvtepi32_ps (chroma.cb), cr = _mm256_cvtepi32_ps (chroma.cr);
  const __m256 y = _mm256_andnot_ps (sign, cb), x = _mm256_andnot_ps (sign, cr), nearer = _mm256_sub_ps (x, y);
  const __m256 smaller = _mm256_min_ps (y, x), larger = _mm256_max_ps (_mm256_max_ps (y, x), _mm256_set1_ps (1.0f));
  __m256 angle = find_angles (_mm256_div_ps (smaller, larger)), distance;

  /* The sign bits decide. Cb of 0 counts as negative: the angle is -180 degrees, not 180. */
  angle = _mm256_blendv_ps (angle, _mm256_sub_ps (_mm256_set1_ps (90.0f), angle), nearer);
  angle = _mm256_blendv_ps (angle, _mm256_sub_ps (half_turn, angle), cr);
  angle = _mm256_xor_ps (angle, _mm256_and_ps (_mm256_sub_ps (cb, _mm256_set1_ps (0.5f)), sign));
  angle = _mm256_add_ps (angle, half_turn);

  distance = _mm256_sub_ps (angle, _mm256_round_ps (angle, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  *unsure = (unsigned)_mm256_movemask_ps (_mm256_cmp_ps (_mm256_andnot_ps (sign, distance), margin, _CMP_LT_OQ));
  if (*unsure > 0) {
    const __m256 zero = _mm256_setzero_ps ();
    /* Multiples of 45 degrees are exact. */
    const __m256 is_known = _mm256_or_ps (_mm256_cmp_ps (smaller, zero, _CMP_EQ_OQ), _mm256_cmp_ps (y, x, _CMP_EQ_OQ));

    *unsure &= ~(unsigned)_mm256_movemask_ps (is_known);
  }
  return _mm256_cvttps_epi32 (angle);
}

static inline struct chroma
widen (__m128i cb, __m128i cr)
{
  return (struct chroma){ _mm256_cvtepi16_epi32 (cb), _mm256_cvtepi16_epi32 (cr) };
}

/* WORDS samples, minus the middle. */
static inline void
store_hues (__m256i cb, __m256i cr, uint16_t *hues)
{
  int16_t cbs[WORDS], crs[WORDS];
  unsigned unsure, others;
  const __m256i first = find_hues (widen (_mm256_castsi256_si128 (cb), _mm256_castsi256_si128 (cr)), &unsure);
  const __m256i second = find_hues (widen (_mm256_extracti128_si256 (cb, 1), _mm256_extracti128_si256 (cr, 1)), &others);

  _mm256_storeu_si256 ((void *)hues, _mm256_permute4x64_epi64 (_mm256_packus_epi32 (first, second), 0xd8));
  unsure |= others << LANES;
  if (unsure == 0)
    return;
  _mm256_storeu_si256 ((void *)cbs, cb);
  _mm256_storeu_si256 ((void *)crs, cr);
  for (; unsure > 0; unsure &= unsure - 1) {
    const int i = __builtin_ctz (unsure);

    hues[i] = (uint16_t)histo_find_hue (cbs[i], crs[i]);
  }
}

static inline bool
are_equal (__m256i a, __m256i b)
{
  return _mm256_movemask_epi8 (_mm256_cmpeq_epi8 (a, b)) == -1;
}

static inline void
repeat (uint16_t *values)
{
  _mm256_storeu_si256 ((void *)values, _mm256_loadu_si256 ((const void *)(values - WORDS)));
}

/* Samples that repeat the previous ones, as in flat areas, have the same colours. */
void
histo_colours_avx2 (const uint16_t *cb, const uint16_t *cr, size_t samples, unsigned depth, uint16_t *hues,
                    uint16_t *saturations)
{
  const __m256i middle = _mm256_set1_epi16 ((short)(1u << (depth - 1)));
  __m256i last_cbs = middle, last_crs = middle;
  size_t i = 0;

  for (; i + WORDS <= samples; i += WORDS) {
    const __m256i cbs = _mm256_sub_epi16 (_mm256_loadu_si256 ((const void *)(cb + i)), middle);
    const __m256i crs = _mm256_sub_epi16 (_mm256_loadu_si256 ((const void *)(cr + i)), middle);

    if (i > 0 && are_equal (cbs, last_cbs) && are_equal (crs, last_crs)) {
      if (hues)
        repeat (hues + i);
      if (saturations)
        repeat (saturations + i);
      continue;
    }
    last_cbs = cbs;
    last_crs = crs;
    if (hues)
      store_hues (cbs, crs, hues + i);
    if (saturations && depth <= HISTO_NATIVE_DEPTH)
      store_saturations (cbs, crs, true, saturations + i);
    else if (saturations)
      store_saturations (cbs, crs, false, saturations + i);
  }
  histo_colours_c (cb + i, cr + i, samples - i, depth, hues ? hues + i : NULL, saturations ? saturations + i : NULL);
}
