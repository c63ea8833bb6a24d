/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "reader.h"
#include "cpu/values.h"

/* The start of a vector that contains samples from `done` on, below `end`. It is earlier if less than a vector remains. `end`
 * is at least the samples of a vector. */
static size_t
place_vector (size_t done, size_t end, size_t vector_samples)
{
  return done + vector_samples <= end ? done : end - vector_samples;
}

/* Packs 16-bit lanes, whose upper bytes are 0, to bytes in memory order. */
static inline __m256i
pack_words (__m256i first, __m256i second)
{
  return _mm256_permute4x64_epi64 (_mm256_packus_epi16 (first, second), 0xd8);
}

/* Packs 32-bit lanes, whose upper words are 0, to words. */
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

/* Gathers each second or each fourth byte. */
static inline __attribute__ ((always_inline)) void
store_bytes (const uint8_t *first, size_t step_bytes, uint8_t *bytes)
{
  const __m256i low = _mm256_set1_epi16 (0xff), lowest = _mm256_set1_epi32 (0xff);
  __m256i words[2];

#pragma GCC unroll 2
  for (unsigned i = 0; i < 2; i++) {
    const uint8_t *data = first + i * step_bytes * HISTO_VECTOR_BYTES / 2;

    if (step_bytes == 2)
      words[i] = _mm256_and_si256 (load (data), low);
    else
      words[i]
          = pack_doubles (_mm256_and_si256 (load (data), lowest), _mm256_and_si256 (load (data + HISTO_VECTOR_BYTES), lowest));
  }
  _mm256_storeu_si256 ((void *)bytes, pack_words (words[0], words[1]));
}

/* Gathers each third byte. */
static inline __attribute__ ((always_inline)) void
store_thirds (const uint8_t *first, uint8_t *bytes)
{
  const __m128i orders[] = { _mm_setr_epi8 (0, 3, 6, 9, 12, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1),
                             _mm_setr_epi8 (-1, -1, -1, -1, -1, -1, 2, 5, 8, 11, 14, -1, -1, -1, -1, -1),
                             _mm_setr_epi8 (-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 4, 7, 10, 13) };
  const size_t half = HISTO_VECTOR_BYTES / 2;

#pragma GCC unroll 2
  for (size_t i = 0; i < HISTO_VECTOR_BYTES; i += half) {
    __m128i thirds = _mm_setzero_si128 ();

#pragma GCC unroll 3
    for (unsigned k = 0; k < 3; k++) {
      const __m128i data = _mm_loadu_si128 ((const void *)(first + i * 3 + k * half));

      thirds = _mm_or_si128 (thirds, _mm_shuffle_epi8 (data, orders[k]));
    }
    _mm_storeu_si128 ((void *)(bytes + i), thirds);
  }
}

/* Gathers the lowest bytes of two-byte samples. */
static inline __attribute__ ((always_inline)) void
store_low_bytes (const struct histo_reader *reader, const uint8_t *first, uint8_t *bytes)
{
  const __m256i low = _mm256_set1_epi16 (0xff);
  const __m256i words = histo_read_values (reader, first), others = histo_read_values (reader, first + HISTO_VECTOR_BYTES);

  _mm256_storeu_si256 ((void *)bytes, pack_words (_mm256_and_si256 (words, low), _mm256_and_si256 (others, low)));
}

void
histo_bytes_avx2 (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format, uint8_t *bytes)
{
  const struct histo_reader reader = histo_make_reader (format);
  const bool is_dense = step_bytes == format->sample_bytes;
  /* The loop reads the bytes between two samples, but not those after the last. */
  const size_t end = is_dense || samples == 0 ? samples : samples - 1;
  const bool is_deep = format->sample_bytes == 2 && is_dense;
  size_t done = 0;

  if (end >= HISTO_VECTOR_BYTES && (is_deep || (format->sample_bytes == 1 && step_bytes >= 2 && step_bytes <= 4)))
    for (; done < end; done += HISTO_VECTOR_BYTES) {
      const size_t at = place_vector (done, end, HISTO_VECTOR_BYTES);
      const uint8_t *data = first + at * step_bytes;

      if (is_deep)
        store_low_bytes (&reader, data, bytes + at);
      else if (step_bytes == 2)
        store_bytes (data, 2, bytes + at);
      else if (step_bytes == 3)
        store_thirds (data, bytes + at);
      else
        store_bytes (data, 4, bytes + at);
    }
  if (done > end)
    done = end;
  histo_bytes_c (first + done * step_bytes, step_bytes, samples - done, format, bytes + done);
}

/* Converts every fourth sample to words: shuffles for a first and a second vector. */
struct picker {
  __m256i first, second;
};

static struct picker
make_picker (const struct histo_format *format)
{
  const long long pairs = 0x0c0c080804040000, none = -1;
  const __m256i order = _mm256_set1_epi16 (format->big_endian ? 0x0001 : 0x0100);
  const long long words = _mm256_extract_epi64 (_mm256_add_epi8 (_mm256_set1_epi64x (pairs), order), 0);

  return (struct picker){ _mm256_setr_epi64x (words, none, words, none), _mm256_setr_epi64x (none, words, none, words) };
}

/* Sixteen samples, 8 bytes apart, as words. `order`: the bytes of the two samples in 16 bytes, four times. */
static inline __attribute__ ((always_inline)) __m256i
pick_distant (const uint8_t *first, __m256i order)
{
  const __m256i slots = _mm256_setr_epi32 (0, 1, 2, 3, 0, 1, 2, 3), places = _mm256_setr_epi32 (0, 4, 1, 5, 2, 6, 3, 7);
  __m256i words = _mm256_setzero_si256 ();

#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    const __m256i is_slot = _mm256_cmpeq_epi32 (slots, _mm256_set1_epi32 (i));
    const __m256i pairs = _mm256_shuffle_epi8 (load (first + i * HISTO_VECTOR_BYTES), order);

    words = _mm256_or_si256 (words, _mm256_and_si256 (pairs, is_slot));
  }
  return _mm256_permutevar8x32_epi32 (words, places);
}

void
histo_words_avx2 (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format, uint16_t *words)
{
  const struct histo_reader reader = histo_make_reader (format);
  const struct picker picker = make_picker (format);
  const __m256i distant = _mm256_set1_epi32 (format->big_endian ? 0x08090001 : 0x09080100);
  const size_t end = step_bytes == 2 || samples == 0 ? samples : samples - 1;
  size_t done = 0;

  if (end >= HISTO_VECTOR_WORDS && step_bytes == 2)
    for (; done < end; done += HISTO_VECTOR_WORDS) {
      const size_t at = place_vector (done, end, HISTO_VECTOR_WORDS);

      _mm256_storeu_si256 ((void *)(words + at), histo_read_values (&reader, first + at * 2));
    }
  if (end >= HISTO_VECTOR_WORDS && step_bytes == 4)
    for (; done < end; done += HISTO_VECTOR_WORDS) {
      const size_t at = place_vector (done, end, HISTO_VECTOR_WORDS);
      const __m256i x = _mm256_shuffle_epi8 (load (first + at * 4), picker.first);
      const __m256i y = _mm256_shuffle_epi8 (load (first + at * 4 + HISTO_VECTOR_BYTES), picker.second);
      const __m256i values = _mm256_permute4x64_epi64 (_mm256_or_si256 (x, y), 0xd8);

      _mm256_storeu_si256 ((void *)(words + at), _mm256_and_si256 (_mm256_srl_epi16 (values, reader.shift), reader.mask));
    }
  if (end >= HISTO_VECTOR_WORDS && step_bytes == 8)
    for (; done < end; done += HISTO_VECTOR_WORDS) {
      const size_t at = place_vector (done, end, HISTO_VECTOR_WORDS);
      const __m256i values = pick_distant (first + at * 8, distant);

      _mm256_storeu_si256 ((void *)(words + at), _mm256_and_si256 (_mm256_srl_epi16 (values, reader.shift), reader.mask));
    }
  if (done > end)
    done = end;
  histo_words_c (first + done * step_bytes, step_bytes, samples - done, format, words + done);
}
