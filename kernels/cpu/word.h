/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads eight bytes at once from any address, and finds groups that repeat: the flat areas of pictures. Also defines the
 * prefetch distance. */

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HISTO_WORD_BYTES 8

/* The prefetch distance of the loops that read frames: the hardware prefetcher alone does not keep a core's memory busy. The
 * best of 512 to 16384 for sums, and of 1024 to 4096 for flat areas. */
#define HISTO_PREFETCH_BYTES 2048

/* Eight bytes, the first in the lowest bits. */
static inline uint64_t
histo_load_word (const uint8_t *data)
{
  uint64_t word;

  memcpy (&word, data, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64 (word);
#endif
  return word;
}

/* The bits in which word `i` of a group differs from a repeated pattern of `words` words. */
static inline __attribute__ ((always_inline)) uint64_t
histo_difference (const uint8_t *group, const uint8_t *pattern, unsigned i, unsigned words)
{
  return histo_load_word (group + i * HISTO_WORD_BYTES) ^ histo_load_word (pattern + i % words * HISTO_WORD_BYTES);
}

/* True if `group` repeats the first `words` words of `pattern`. Almost any other group fails the first comparison. */
static inline __attribute__ ((always_inline)) bool
histo_is_repeated (const uint8_t *group, const uint8_t *pattern, unsigned group_words, unsigned words)
{
  uint64_t difference;

  if (histo_difference (group, pattern, words, words) != 0)
    return false;
  difference = histo_difference (group, pattern, 0, words) | histo_difference (group, pattern, 1, words);
  difference |= histo_difference (group, pattern, 2, words) | histo_difference (group, pattern, 3, words);
  difference |= histo_difference (group, pattern, 4, words) | histo_difference (group, pattern, 5, words);
  if (group_words == 8)
    difference |= histo_difference (group, pattern, 6, words) | histo_difference (group, pattern, 7, words);
  return difference == 0;
}

/* The end of the groups that repeat the first `words` words of `data`, within `size` bytes; `data` if the first group does
 * not. */
static inline __attribute__ ((always_inline)) const uint8_t *
histo_end_of_repeats (const uint8_t *data, size_t size, unsigned group_words, unsigned words)
{
  const size_t group_bytes = group_words * HISTO_WORD_BYTES;
  const uint8_t *end = data;

  for (; size >= group_bytes && histo_is_repeated (end, data, group_words, words); size -= group_bytes) {
    __builtin_prefetch (end + HISTO_PREFETCH_BYTES);
    end += group_bytes;
  }
  return end;
}
