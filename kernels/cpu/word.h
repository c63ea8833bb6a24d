/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Eight bytes at once, from any address. */

#ifndef HISTO_CPU_WORD_H
#define HISTO_CPU_WORD_H

#include <stdint.h>
#include <string.h>

#define HISTO_WORD_BYTES 8

/* Eight bytes, the first in the lowest bits. */
static inline uint64_t
histo_load_word (const uint8_t *data)
{
  uint64_t word;

  memcpy (&word, data, sizeof (word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64 (word);
#endif
  return word;
}

#endif
