/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <immintrin.h>

#include "cpu/project.h"

#define LANES 8
#define BATCH 64 /* samples gathered before the projection; a multiple of the lanes */

/* Adds signed lanes of 32 bits to lanes of 64. */
static inline __attribute__ ((always_inline)) void
add_signed (__m256i *low, __m256i *high, __m256i narrow)
{
  *low = _mm256_add_epi64 (*low, _mm256_cvtepi32_epi64 (_mm256_castsi256_si128 (narrow)));
  *high = _mm256_add_epi64 (*high, _mm256_cvtepi32_epi64 (_mm256_extracti128_si256 (narrow, 1)));
}

static inline __attribute__ ((always_inline)) void
add_columns (int64_t *column_sums, __m256i products)
{
  __m256i low = _mm256_loadu_si256 ((const void *)column_sums), high = _mm256_loadu_si256 ((const void *)(column_sums + 4));

  add_signed (&low, &high, products);
  _mm256_storeu_si256 ((void *)column_sums, low);
  _mm256_storeu_si256 ((void *)(column_sums + 4), high);
}

/* Projects `samples` values, a multiple of the lanes. Values are bytes or 16-bit numbers. */
static inline __attribute__ ((always_inline)) int64_t
project_values (const void *values, bool are_bytes, size_t samples, const int16_t *row_weights, int32_t column_weight,
                int64_t *column_sums)
{
  const __m256i column = _mm256_set1_epi32 (column_weight);
  __m256i low = _mm256_setzero_si256 (), high = low;
  int64_t lanes[4];

  for (size_t i = 0; i < samples; i += LANES) {
    __m256i x, weighted;

    if (are_bytes)
      x = _mm256_cvtepu8_epi32 (_mm_loadl_epi64 ((const void *)((const uint8_t *)values + i)));
    else
      x = _mm256_cvtepu16_epi32 (_mm_loadu_si128 ((const void *)((const uint16_t *)values + i)));
    weighted = x;
    if (row_weights)
      weighted = _mm256_mullo_epi32 (x, _mm256_cvtepi16_epi32 (_mm_loadu_si128 ((const void *)(row_weights + i))));
    add_signed (&low, &high, weighted);
    add_columns (column_sums + i, _mm256_mullo_epi32 (x, column));
  }
  _mm256_storeu_si256 ((void *)lanes, _mm256_add_epi64 (low, high));
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* Gathers the values of 64 samples. */
static inline __attribute__ ((always_inline)) void
gather_values (const uint8_t *first, size_t step_bytes, const struct histo_format *format, uint16_t values[BATCH])
{
  for (unsigned i = 0; i < BATCH; i++)
    values[i] = (uint16_t)histo_load_sample (first + i * step_bytes, format);
}

/* The same for consecutive two-byte samples. */
static inline __attribute__ ((always_inline)) void
convert_values (const uint8_t *first, const struct histo_format *format, uint16_t values[BATCH])
{
  const __m128i shift = _mm_cvtsi32_si128 ((int)format->shift);
  const __m256i mask = _mm256_set1_epi16 ((short)((1u << format->depth) - 1));

  for (unsigned i = 0; i < BATCH; i += 16) {
    __m256i x = _mm256_loadu_si256 ((const void *)(first + i * 2));

    if (format->big_endian)
      x = _mm256_or_si256 (_mm256_slli_epi16 (x, 8), _mm256_srli_epi16 (x, 8));
    _mm256_storeu_si256 ((void *)(values + i), _mm256_and_si256 (_mm256_srl_epi16 (x, shift), mask));
  }
}

int64_t
histo_project_avx2 (const uint8_t *first, size_t step_bytes, uint64_t samples, const struct histo_format *format,
                    const int16_t *row_weights, int32_t column_weight, int64_t *column_sums)
{
  const struct histo_format byte = { .sample_bytes = 1, .depth = 8 };
  const bool is_dense = step_bytes == format->sample_bytes, is_byte = format->sample_bytes == 1;
  int64_t sum = 0;

  while (samples >= BATCH) {
    uint16_t values[BATCH];

    if (is_dense && is_byte) {
      sum += project_values (first, true, BATCH, row_weights, column_weight, column_sums);
    } else {
      if (is_dense)
        convert_values (first, format, values);
      else if (is_byte)
        gather_values (first, step_bytes, &byte, values);
      else
        gather_values (first, step_bytes, format, values);
      sum += project_values (values, false, BATCH, row_weights, column_weight, column_sums);
    }
    first += BATCH * step_bytes;
    row_weights = row_weights ? row_weights + BATCH : NULL;
    column_sums += BATCH;
    samples -= BATCH;
  }
  return sum + histo_project_c (first, step_bytes, samples, format, row_weights, column_weight, column_sums);
}
