/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the host and the kernel `histo_count` agree on. Included by C, by CUDA C++ and by the fake driver of the tests.
 *
 * A component has HISTO_CUDA_WORDS words: its bins, then the two parts of its dot product. Blocks add what they counted to the
 * words of a workspace in device memory. A word of the workspace has the number in its low 48 bits and the number of blocks that
 * have added to it in its high 16: whichever block is the last for a word knows the total, hands it to the host and leaves a zero
 * for the next launch. No fence, no second look at memory, no order between words. A word of the result has the total in its high
 * 48 bits and the launch's tag in its low 16: the host has all numbers when it sees the tag in every word. */

#ifndef HISTO_CUDA_COUNT_H
#define HISTO_CUDA_COUNT_H

#include <stdint.h>

#define HISTO_CUDA_THREADS 1024
#define HISTO_CUDA_BINS 256
#define HISTO_CUDA_PLANES 4
#define HISTO_CUDA_COMPONENTS 4

#define HISTO_CUDA_DOT_LOW HISTO_CUDA_BINS        /* word: the sum of the low 24 bits of the blocks' dot products */
#define HISTO_CUDA_DOT_HIGH (HISTO_CUDA_BINS + 1) /* word: the sum of the bits above; worth 2^24 each */
#define HISTO_CUDA_WORDS (HISTO_CUDA_BINS + 2)

/* Shared memory of a block: so much for each table of the pass, with 32 columns where the device has room for
 * HISTO_CUDA_COMPONENTS such tables, else with 8 (the kernels named _narrow). */
#define HISTO_CUDA_WIDE 32
#define HISTO_CUDA_NARROW 8
#define HISTO_CUDA_TABLE_BYTES(columns) (HISTO_CUDA_BINS * (columns)*4)

/* What a block has in shared memory besides tables, at most. */
#define HISTO_CUDA_STATIC_BYTES (HISTO_CUDA_COMPONENTS * HISTO_CUDA_BINS * 4 * 4 + 1024)

/* The most blocks of a launch: the arrivals at a word fit in 16 bits. */
#define HISTO_CUDA_MAX_BLOCKS 65535

#if defined(__cplusplus)
#define HISTO_CUDA_ASSERT_SIZE(type, size) static_assert (sizeof (type) == (size), "size of " #type)
#else
#define HISTO_CUDA_ASSERT_SIZE(type, size) _Static_assert(sizeof (type) == (size), "size of " #type)
#endif

/* struct histo_pass, made ready for the kernel. A block works on one pass; a component belongs to one pass. */
struct histo_cuda_pass {
  uint64_t data, operand; /* the pattern's first byte in row 0; operand 0: none */
  uint64_t stride_bytes, operand_stride_bytes;
  uint64_t length;   /* bytes of the pattern in a row */
  uint32_t height;   /* rows */
  uint32_t period;   /* 1, 2, 3 or 4 */
  uint32_t tables;   /* component_count, and one more for bytes of no component */
  uint32_t table_at; /* byte i % 4: the table of byte i of the pattern, i < 4 */
  uint32_t first_block, block_count;

  /* A row has vectors_per_row vectors of 16 bytes at most, from its first aligned address on. A thread takes each
   * HISTO_CUDA_THREADS * block_count th of the pass: it takes `rounds`, and one more if it is below last_round. */
  uint32_t vectors_per_row;
  uint32_t rounds, last_round;
  uint32_t step_rows, step_vectors;        /* from one of its vectors to the next */
  uint32_t is_aligned;                     /* the vectors of all rows, and the operand's, begin at aligned addresses */
  uint64_t step_bytes, operand_step_bytes; /* then: step_rows and step_vectors in bytes */
  uint64_t wrap_bytes, operand_wrap_bytes; /* from the end of a row's vectors to the next row's first */

  uint32_t component_count;
  uint32_t has_edges; /* samples outside the pattern, see struct histo_pass */
  struct {
    int64_t offset_bytes; /* from the pattern's first byte */
    uint64_t step_bytes;
    uint64_t width, head, tail;
    uint32_t index; /* in the frame */
    uint32_t reserved;
  } components[HISTO_CUDA_COMPONENTS];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_pass, 320);

/* The parameter of `histo_count`: one frame. */
struct histo_cuda_count {
  uint64_t workspace; /* uint64_t [components][HISTO_CUDA_WORDS], zeros */
  uint64_t result;    /* the same shape, in pinned host memory, as the device addresses it */
  uint32_t tag;       /* 16 bits, not those that the result has */
  uint32_t pass_count;
  uint32_t first_block[HISTO_CUDA_PLANES]; /* of each pass */
  struct histo_cuda_pass passes[HISTO_CUDA_PLANES];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_count, 1320);

#endif
