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

/* ---- linear light --------------------------------------------------------------------------------------------------- */

/* The light and its tables, in every lane. */
struct curve {
  const struct histo_light_curve *tables;
  __m256i weights[3]; /* in lanes of 64 bits */
  bool is_hlg, is_luminance;
};

static inline struct curve
make_curve (const struct histo_light *light)
{
  struct curve curve = { .tables = histo_find_light_curve (light->transfer),
                         .is_hlg = light->transfer == HISTO_TRANSFER_HLG,
                         .is_luminance = light->source == HISTO_LIGHT_LUMINANCE };

  for (unsigned c = 0; c < 3; c++)
    curve.weights[c] = _mm256_set1_epi64x (light->weights[c]);
  return curve;
}

/* Index `n` of eight. Extracted pairs, loads and inserts are faster than gather instructions on AMD Zen 3. */
#define INDEX(n) ((uint64_t)_mm256_extract_epi64 (indices, (n) / 2) << ((n) % 2 ? 0 : 32) >> 32)
#define ENTRIES(type)                                                                                                      \
  (type) table[INDEX (0)], (type)table[INDEX (1)], (type)table[INDEX (2)], (type)table[INDEX (3)], (type)table[INDEX (4)], \
      (type)table[INDEX (5)], (type)table[INDEX (6)], (type)table[INDEX (7)]

static inline __attribute__ ((always_inline)) __m256i
look_up_words (const uint16_t *table, __m256i indices)
{
  return _mm256_cvtepu16_epi32 (_mm_setr_epi16 (ENTRIES (short)));
}

static inline __attribute__ ((always_inline)) __m256i
look_up (const uint32_t *table, __m256i indices)
{
  return _mm256_setr_epi32 (ENTRIES (int));
}

static inline __attribute__ ((always_inline)) __m256i
linearise (const struct curve *curve, __m256i signals)
{
  const int32_t half_level = 1 << (HISTO_LIGHT_ONE_LOG2 - 3), half_code = 1 << (HISTO_LIGHT_ONE_LOG2 - 1);
  const __m256i least = _mm256_set1_epi32 (half_code - half_level), last = _mm256_set1_epi32 (4 * (HISTO_LIGHT_CODES - 1));
  const __m256i limited = _mm256_sub_epi32 (_mm256_max_epi32 (signals, least), least);
  const __m256i levels = _mm256_min_epi32 (_mm256_srli_epi32 (limited, HISTO_LIGHT_ONE_LOG2 - 2), last);

  return look_up (curve->tables->linear, levels);
}

/* Weighted sums of linear light; they fit into 32 bits. */
static inline __attribute__ ((always_inline)) __m256i
find_luminance (const struct curve *curve, const __m256i light[3])
{
  __m256i even = _mm256_setzero_si256 (), odd = even;

  _Static_assert(HISTO_LIGHT_WEIGHTS == 1 << 16, "shifts divide by the weights");
#pragma GCC unroll 3
  for (unsigned c = 0; c < 3; c++) {
    even = _mm256_add_epi64 (even, _mm256_mul_epu32 (light[c], curve->weights[c]));
    odd = _mm256_add_epi64 (odd, _mm256_mul_epu32 (_mm256_srli_epi64 (light[c], 32), curve->weights[c]));
  }
  return _mm256_blend_epi32 (_mm256_srli_epi64 (even, 16), _mm256_slli_epi64 (odd, 16), 0xaa);
}

/* Of numbers that are not 0. The exponent and the mantissa of a float are those of the number, since 24 bits are exact. */
static inline __attribute__ ((always_inline)) __m256i
find_logarithms (const struct curve *curve, __m256i numbers)
{
  const __m256i is_small = _mm256_cmpeq_epi32 (_mm256_srli_epi32 (numbers, 24), _mm256_setzero_si256 ());
  const __m256i exact = _mm256_blendv_epi8 (_mm256_srli_epi32 (numbers, 8), numbers, is_small);
  const __m256i bits = _mm256_castps_si256 (_mm256_cvtepi32_ps (exact));
  const __m256i bias = _mm256_blendv_epi8 (_mm256_set1_epi32 (127 - 8), _mm256_set1_epi32 (127), is_small);
  const __m256i exponents = _mm256_sub_epi32 (_mm256_srli_epi32 (bits, 23), bias);
  const __m256i mantissas = _mm256_and_si256 (_mm256_srli_epi32 (bits, 13), _mm256_set1_epi32 (HISTO_LIGHT_MANTISSAS - 1));

  return _mm256_add_epi32 (_mm256_slli_epi32 (exponents, 12), look_up_words (curve->tables->mantissas, mantissas));
}

/* The codes of signals R', G' and B'. */
static inline __attribute__ ((always_inline)) __m256i
find_linear_codes (const struct curve *curve, const __m256i signals[3])
{
  const __m256i light[] = { linearise (curve, signals[0]), linearise (curve, signals[1]), linearise (curve, signals[2]) };
  const __m256i luminance = find_luminance (curve, light);
  const __m256i most = _mm256_max_epu32 (light[0], _mm256_max_epu32 (light[1], light[2]));
  const __m256i numbers = curve->is_luminance ? luminance : most;
  const __m256i is_dark = _mm256_cmpeq_epi32 (_mm256_min_epu32 (numbers, luminance), _mm256_setzero_si256 ());
  const __m256i logarithms = find_logarithms (curve, numbers);
  __m256i sums = _mm256_add_epi32 (_mm256_slli_epi32 (logarithms, 2), logarithms), codes;

  if (curve->is_hlg)
    sums = _mm256_add_epi32 (sums, curve->is_luminance ? logarithms : find_logarithms (curve, luminance));
  codes = look_up_words (curve->tables->codes, _mm256_andnot_si256 (is_dark, _mm256_srli_epi32 (sums, 4)));
  return _mm256_andnot_si256 (is_dark, codes);
}

/* The light's coefficients, in every lane, and the places of the chroma of eight luma samples. */
struct signals {
  __m256i luma, offset, middle, r_cr, g_cb, g_cr, b_cb, places;
  bool is_rgb;
};

static inline struct signals
make_signals (const struct histo_light_samples *samples, const struct histo_light *light)
{
  const __m256i lanes = _mm256_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7), first = _mm256_set1_epi32 ((int)samples->skipped);

  return (struct signals){
    .luma = _mm256_set1_epi32 (light->luma),
    .offset = _mm256_set1_epi32 (light->offset),
    .middle = _mm256_set1_epi32 (1 << (samples->depth - 1)),
    .r_cr = _mm256_set1_epi32 (light->r_cr),
    .g_cb = _mm256_set1_epi32 (light->g_cb),
    .g_cr = _mm256_set1_epi32 (light->g_cr),
    .b_cb = _mm256_set1_epi32 (light->b_cb),
    .places = _mm256_srl_epi32 (_mm256_add_epi32 (lanes, first), _mm_cvtsi32_si128 ((int)samples->shift)),
    .is_rgb = light->is_rgb,
  };
}

static inline __attribute__ ((always_inline)) __m256i
scale (const struct signals *signals, __m256i samples)
{
  return _mm256_add_epi32 (_mm256_mullo_epi32 (samples, signals->luma), signals->offset);
}

/* The signals R', G' and B' of luma samples i .. i + 7. */
static inline __attribute__ ((always_inline)) void
find_signals (const struct signals *signals, const struct histo_light_samples *samples, size_t i, __m256i found[3])
{
  const size_t place = i >> samples->shift;
  const __m256i luma = scale (signals, load_words (samples->luma + i));
  const __m256i cb = _mm256_permutevar8x32_epi32 (load_words (samples->cb + place), signals->places);
  const __m256i cr = _mm256_permutevar8x32_epi32 (load_words (samples->cr + place), signals->places);
  const __m256i u = _mm256_sub_epi32 (cb, signals->middle), v = _mm256_sub_epi32 (cr, signals->middle);

  found[0] = luma;
  if (signals->is_rgb) {
    found[1] = scale (signals, cb);
    found[2] = scale (signals, cr);
  } else {
    const __m256i green = _mm256_add_epi32 (_mm256_mullo_epi32 (u, signals->g_cb), _mm256_mullo_epi32 (v, signals->g_cr));

    found[0] = _mm256_add_epi32 (luma, _mm256_mullo_epi32 (v, signals->r_cr));
    found[1] = _mm256_add_epi32 (luma, green);
    found[2] = _mm256_add_epi32 (luma, _mm256_mullo_epi32 (u, signals->b_cb));
  }
}

void
histo_linear_codes_avx2 (const struct histo_light_samples *samples, const struct histo_light *light, uint16_t *codes)
{
  const struct curve curve = make_curve (light);
  const struct signals signals = make_signals (samples, light);
  struct histo_light_samples tail = *samples;
  size_t i = 0;

  for (; i + 2 * LANES <= samples->count; i += 2 * LANES) {
    __m256i first[3], second[3], both;

    find_signals (&signals, samples, i, first);
    find_signals (&signals, samples, i + LANES, second);
    both = _mm256_packus_epi32 (find_linear_codes (&curve, first), find_linear_codes (&curve, second));
    _mm256_storeu_si256 ((void *)(codes + i), _mm256_permute4x64_epi64 (both, 0xd8));
  }
  tail.luma += i;
  tail.cb += i >> samples->shift;
  tail.cr += i >> samples->shift;
  tail.count -= i;
  histo_linear_codes_c (&tail, light, codes + i);
}
