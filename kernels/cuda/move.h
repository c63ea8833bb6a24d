/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interface between the host and the kernels that move numbers to the host. Included by C, CUDA C++ and the fake driver of
 * the tests. */

#pragma once

#include "count.h"

#define HISTO_CUDA_MOVE_THREADS 256

/* The parameter of the kernel `histo_move`, which copies vectors of 16 bytes from device memory to pinned host memory, and
 * leaves zeros. Thread t of the grid moves vector t. */
struct histo_cuda_move {
  uint64_t from, to; /* device addresses, multiples of 16 */
  uint32_t vectors, padding;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_move, 24);

#define HISTO_CUDA_ADD_VECTORS 32 /* of a table, for a block of `histo_add_tables` */
#define HISTO_CUDA_ADD_PARTS 16   /* threads that add up a vector, each for some of the tables */
#define HISTO_CUDA_ADD_THREADS (HISTO_CUDA_ADD_VECTORS * HISTO_CUDA_ADD_PARTS)

/* A component of a frame that `histo_count_carry...` counted: see HISTO_CUDA_CARRY_TABLE_BYTES. */
struct histo_cuda_tables {
  uint64_t first;       /* device address of the table of the first block that counted the component */
  uint32_t block_count; /* blocks that counted it: their tables are block_bytes apart */
  uint32_t first_word;  /* in from and to */
  uint32_t bins;
  uint32_t words_log2, bits_log2; /* as in struct histo_cuda_pass */
  uint32_t first_block;           /* of the grid: see histo_cuda_count_add_blocks */
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_tables, 32);

/* The parameter of the kernel `histo_add_tables`. It writes the words of a frame with HISTO_CUDA_CARRY_WORDS to pinned host
 * memory: bins are the sum of all tables and of the corrections in `from`, other words are those of `from`. It leaves zeros
 * in `from`. */
struct histo_cuda_add_tables {
  uint64_t from, to; /* device addresses, multiples of 16 */
  uint64_t block_bytes;
  uint32_t component_count;
  uint32_t other_block;             /* the first block of the grid that moves the words after those of all components */
  uint32_t other_word, other_words; /* these words; a thread moves one */
  struct histo_cuda_tables components[HISTO_CUDA_COUNTED];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_add_tables, 40 + 32 * HISTO_CUDA_COUNTED);

/* The number of blocks for a component. A block adds up HISTO_CUDA_ADD_VECTORS vectors of 16 bytes, and of their words the
 * bins at two positions, or the only one. */
static inline uint32_t
histo_cuda_count_add_blocks (uint32_t words_log2, uint32_t bits_log2)
{
  const uint32_t vectors = words_log2 > 2 ? 1u << (words_log2 - 2) : 1, pairs = bits_log2 < 4 ? 16u >> bits_log2 : 1;

  return (vectors + HISTO_CUDA_ADD_VECTORS - 1) / HISTO_CUDA_ADD_VECTORS * pairs;
}
