/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "reader_avx2.h"
#include "values.h"

/* Vectors that hold no byte behind the last sample: the last one is left to the plain loops. */
static size_t
count_vectors (size_t samples, size_t vector_samples)
{
  return samples > 0 ? (samples - 1) / vector_samples : 0;
}

/* The lower bytes of 16-bit lanes, of which the others are 0, in the order of memory. */
static inline __m256i
pack_words (__m256i first, __m256i second)
{
  return _mm256_permute4x64_epi64 (_mm256_packus_epi16 (first, second), 0xd8);
}

/* The lower words of 32-bit lanes, of which the others are 0. */
static inline __m256i
pack_doubles (__m256i first, __m256i second)
{
  return _mm256_permute4x64_epi64 (_mm256_packus_epi32 (first, second), 0xd8);
}

static inline __m256i
load (const uint8_t *data)
{
  return _mm256_loadu_si256 ((const void *)data);
}

/* Of bytes, each second or each fourth. */
static size_t
bytes_of_bytes (const uint8_t *first, size_t step_bytes, size_t samples, uint8_t *bytes)
{
  const __m256i low = _mm256_set1_epi16 (0xff), lowest = _mm256_set1_epi32 (0xff);
  const size_t vectors = count_vectors (samples, HISTO_VECTOR_BYTES);

  for (size_t v = 0; v < vectors; v++, first += HISTO_VECTOR_BYTES * step_bytes, bytes += HISTO_VECTOR_BYTES) {
    __m256i words[2];

    for (unsigned i = 0; i < 2; i++) {
      const uint8_t *data = first + i * step_bytes * HISTO_VECTOR_BYTES / 2;

      if (step_bytes == 2)
        words[i] = _mm256_and_si256 (load (data), low);
      else
        words[i] = pack_doubles (_mm256_and_si256 (load (data), lowest),
                                 _mm256_and_si256 (load (data + HISTO_VECTOR_BYTES), lowest));
    }
    _mm256_storeu_si256 ((void *)bytes, pack_words (words[0], words[1]));
  }
  return vectors * HISTO_VECTOR_BYTES;
}

void
histo_bytes_avx2 (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format, uint8_t *bytes)
{
  const __m256i low = _mm256_set1_epi16 (0xff);
  size_t done = 0;

  if (format->sample_bytes == 1 && step_bytes == 2) {
    done = bytes_of_bytes (first, 2, samples, bytes);
  } else if (format->sample_bytes == 1 && step_bytes == 4) {
    done = bytes_of_bytes (first, 4, samples, bytes);
  } else if (format->sample_bytes == 2 && step_bytes == 2) {
    const struct histo_reader reader = histo_make_reader (format);

    for (; done + HISTO_VECTOR_BYTES <= samples; done += HISTO_VECTOR_BYTES) {
      const __m256i words = histo_read_values (&reader, first + done * 2);
      const __m256i others = histo_read_values (&reader, first + done * 2 + HISTO_VECTOR_BYTES);

      _mm256_storeu_si256 ((void *)(bytes + done), pack_words (_mm256_and_si256 (words, low), _mm256_and_si256 (others, low)));
    }
  }
  histo_bytes_c (first + done * step_bytes, step_bytes, samples - done, format, bytes + done);
}

void
histo_words_avx2 (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format, uint16_t *words)
{
  const struct histo_reader reader = histo_make_reader (format);
  const __m256i low = _mm256_set1_epi32 (0xffff);
  const size_t vectors = count_vectors (samples, HISTO_VECTOR_WORDS);
  size_t done = 0;

  if (step_bytes == 2 || step_bytes == 4)
    for (; done < vectors * HISTO_VECTOR_WORDS; done += HISTO_VECTOR_WORDS) {
      const uint8_t *data = first + done * step_bytes;
      __m256i values = histo_read_values (&reader, data);

      if (step_bytes == 4)
        values = pack_doubles (_mm256_and_si256 (values, low),
                               _mm256_and_si256 (histo_read_values (&reader, data + HISTO_VECTOR_BYTES), low));
      _mm256_storeu_si256 ((void *)(words + done), values);
    }
  histo_words_c (first + done * step_bytes, step_bytes, samples - done, format, words + done);
}
