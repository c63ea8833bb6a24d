/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the host and the kernels that count agree on. Included by C, by CUDA C++ and by the fake driver of the tests.
 *
 * A component has a word for each of its bins and HISTO_CUDA_TOTALS more. Blocks add what they counted to the words of a
 * workspace in device memory. A word of the workspace has the number in its low 48 bits and the number of blocks that have
 * added to it in its high 16: whichever block is the last for a word knows the total, publishes it and leaves a zero for the
 * next launch. That takes no fence, no second read and no order between words. A word of the result has the total in its high
 * 48 bits and the launch's tag in its low 16: the host has all numbers when it sees the tag in every word.
 *
 * Why no fence (PTX ISA, "Memory Consistency Model"): the additions are atomic, so that those to one word have an order in
 * which exactly one is the last, and a number travels in the word that is added to: nothing else has to be visible. The total
 * goes to the host as one store of 64 bits at its natural alignment, `volatile`, which is a relaxed store at system scope: it
 * is seen whole or not at all, and a word is good by its own tag whatever is seen of others. It is a store for each word and
 * not a release, which would wait for all earlier stores of its thread to be seen. What a release would add is not asked for:
 *   - Samples may be overwritten, or their copy, once their numbers are seen: each load of a sample comes before the numbers
 *     that depend on it, since no value comes out of thin air. (Loads whose value no number depends on are of bytes that nobody
 *     asked for.)
 *   - The zero that is left in a word of the workspace, an ordinary store, may be seen later than the tag. So a workspace is
 *     used again only by a launch that comes after the end of the kernel: on the same stream, or after its event (queue.c). Nor
 *     is it freed before.
 *
 * With tag 0 the result is cumulative, and there is no last block to wait for: blocks add to the result itself, shifted alike,
 * and no kernel clears it. What a launch counted is the difference from what was there before, zeros where the host has it
 * cleared after each launch; the host may look when the launch is over. */

#ifndef HISTO_CUDA_COUNT_H
#define HISTO_CUDA_COUNT_H

#include <stddef.h>
#include <stdint.h>

#define HISTO_CUDA_THREADS 1024
#define HISTO_CUDA_BINS 256       /* of 8-bit samples */
#define HISTO_CUDA_MAX_BINS 65536 /* of deeper ones */
#define HISTO_CUDA_DEEP_BINS 4096 /* of those that the kernels `histo_count_deep...` count; more: `histo_count_carry...` */
#define HISTO_CUDA_PLANES 4
#define HISTO_CUDA_COMPONENTS 4

/* The words of a component after its bins: 64-bit totals of the blocks in two parts, their low 24 bits and the rest. The sums
 * of 8-bit samples follow from the bins: of them only the dot product is published, and that only where there is an operand. */
#define HISTO_CUDA_DOT 0
#define HISTO_CUDA_SUM 2
#define HISTO_CUDA_SQUARES 4
#define HISTO_CUDA_TOTALS 6
#define HISTO_CUDA_LOW_BITS 24
#define HISTO_CUDA_WORDS(bins) ((bins) + HISTO_CUDA_TOTALS)

/* Shared memory that a block needs for each table of the pass. Tables of 8-bit samples have 32 columns where
 * HISTO_CUDA_COMPONENTS such tables fit into a block's, else 8 (the kernels named _narrow). Those of deeper samples have as
 * many as fit. */
#define HISTO_CUDA_WIDE 32
#define HISTO_CUDA_NARROW 8
#define HISTO_CUDA_TABLE_BYTES(bins, columns) ((bins) * (columns)*4)

/* Tables of more bins than HISTO_CUDA_DEEP_BINS have no columns, and their counters as many bits as fit: 32, 16, 8, 4, 2 or 1,
 * of which a word of 32 bits has several. The counter of a bin is in word bin % words, and in that word in place bin / words,
 * from the lowest bits on: neighbours in a picture are seldom neighbours in a word. An addition may overflow a counter into the
 * next one, that of bin + words, and out of the word. It returns what was in the word before, so that whoever caused an
 * overflow knows, and corrects the result: 2^bits more for the first, one less for the second, and so on. So the order of
 * additions does not matter, and the table and the corrections together are exact. */
#define HISTO_CUDA_CARRY_TABLE_BYTES(bins, bits_log2) ((bins) / 8 << (bits_log2))

/* What a block has in shared memory besides tables, at most. */
#define HISTO_CUDA_STATIC_BYTES 2048

/* The most blocks of a pass: the arrivals at a word fit in 16 bits. */
#define HISTO_CUDA_MAX_BLOCKS 65535

/* Frames of at most so many bytes, of one row and one component a byte wide, whose words are the frame's first, are counted by
 * the kernel `histo_count_small` where many go in one launch: HISTO_CUDA_SMALL_THREADS count a frame, a block
 * HISTO_CUDA_SMALL_FRAMES. */
#define HISTO_CUDA_SMALL_THREADS 64
#define HISTO_CUDA_SMALL_FRAMES 2
#define HISTO_CUDA_SMALL_BYTES 32768

#if defined(__cplusplus)
#define HISTO_CUDA_ASSERT_SIZE(type, size) static_assert (sizeof (type) == (size), "size of " #type)
#else
#define HISTO_CUDA_ASSERT_SIZE(type, size) _Static_assert(sizeof (type) == (size), "size of " #type)
#endif

/* A component of a pass. */
struct histo_cuda_component {
  int64_t offset_bytes; /* from the pattern's first byte */
  uint64_t step_bytes;
  uint64_t width, head, tail; /* samples, see struct histo_pass */
  uint32_t first_word;        /* in the workspace and the result of the frame */
  /* Of a sample, for those outside the pattern. */
  uint8_t sample_bytes, shift, big_endian, bin_shift; /* bin_shift: right, from value to bin */
  uint32_t mask;
  uint32_t bins;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_component, 56);

/* struct histo_pass, made ready for the kernel. A block works on one pass; a component belongs to one pass. */
struct histo_cuda_pass {
  uint64_t data, operand; /* the pattern's first byte in row 0; operand 0: none */
  uint64_t stride_bytes, operand_stride_bytes;
  uint64_t length;   /* bytes of the pattern in a row */
  uint32_t height;   /* rows */
  uint32_t period;   /* samples: 1, 2, 3 or 4 */
  uint32_t tables;   /* component_count, and one more for samples of no component */
  uint32_t table_at; /* byte i % 4: the table of sample i of the pattern, i < 4 */
  uint32_t first_block, block_count;

  /* A row has at most vectors_per_row vectors of 16 bytes, from its first aligned address on. The vectors of a pass are dealt
   * out to the threads of its blocks in turn: each gets `rounds`, and those below last_round one more. */
  uint32_t vectors_per_row;
  uint32_t rounds, last_round;
  uint32_t step_rows, step_vectors;        /* from a thread's vector to its next one */
  uint32_t is_aligned;                     /* the vectors of all rows, and the operand's, begin at aligned addresses */
  uint64_t step_bytes, operand_step_bytes; /* then: step_rows and step_vectors in bytes */
  uint64_t wrap_bytes, operand_wrap_bytes; /* from the end of a row's vectors to the next row's first */

  /* Patterns of 2-byte samples, all of which have the same depth, shift, byte order and bins. */
  uint32_t byte_order; /* selector for __byte_perm that makes both samples of a word little-endian */
  uint32_t shift;      /* right, of a word, and then: */
  uint32_t mask;       /* both samples' significant bits */
  union {
    struct {                 /* of tables with columns */
      uint32_t row_rotation; /* left, of a word: the first sample's bin is where row_mask is; 16 more: the second's */
      uint32_t row_mask;     /* (bins - 1) * bytes of a table's row */
    };
    struct {                 /* of tables without */
      uint32_t words_log2;   /* in a table */
      uint32_t counter_mask; /* of the lowest counter in a word: 2^bits - 1 */
    };
  };
  uint32_t bins; /* of each table: the most that a component has */
  union {
    uint32_t columns_log2; /* of the tables: 0 .. 5 */
    uint32_t bits_log2;    /* of a counter, in tables without columns: 0 .. 5 */
  };
  uint32_t table_bytes;

  uint32_t component_count;
  uint32_t has_edges; /* samples outside the pattern, see struct histo_pass */
  struct histo_cuda_component components[HISTO_CUDA_COMPONENTS];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_pass, 384);

/* The parameter of the kernels `histo_count...`: one frame or, a row of blocks each, many that differ in addresses alone. */
struct histo_cuda_count {
  uint64_t workspace;   /* uint64_t, the words of all components; zeros. Not used with tag 0 */
  uint64_t result;      /* the same shape, in pinned host memory or in device memory, as the device addresses it */
  uint64_t addresses;   /* of many frames, see below; 0: one frame, as the passes say, or many, as pitch_bytes says */
  uint64_t pitch_bytes; /* from each frame to the next one, and from operand to operand; may wrap around */
  uint32_t frame_words; /* many: words from one frame's to the next one's, in workspace and result */
  uint32_t tag;         /* 16 bits, other than the result has; 0: the result is cumulative */
  uint32_t pass_count;
  uint32_t frame_count;
  uint32_t first_block[HISTO_CUDA_PLANES]; /* of each pass */
  struct histo_cuda_pass passes[HISTO_CUDA_PLANES];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_count, 1600);

/* The addresses of many frames are uint64_t in memory that the device reads: where the first pass begins in each frame, where
 * the second does ... and, where there is an operand, where that of the first begins in each ... */
#define HISTO_CUDA_ADDRESSES (2 * HISTO_CUDA_PLANES) /* a frame's, at most */

/* Of this parameter, `histo_count_small`, `histo_count_plane`, `histo_count_packed` and their variants get only so many of the
 * first bytes, since a small frame is counted in little more time than it takes to load the parameter and the code. They count
 * frames of one plane of bytes, of one component whose words are the frame's first; `plane` in rows of whole aligned vectors,
 * `packed` in one such row: what most frames are. */
#define HISTO_CUDA_PLANE_BYTES (offsetof (struct histo_cuda_count, passes) + offsetof (struct histo_cuda_pass, components))

/* The most frames whose addresses fit into the parameter of their launch, so that they need not be read over the bus first. */
#define HISTO_CUDA_LISTED 64

/* The parameter of the kernels `..._listed`: such frames, up to HISTO_CUDA_LISTED of them at any addresses, without an
 * operand. */
struct histo_cuda_listed_count {
  uint64_t head[HISTO_CUDA_PLANE_BYTES / sizeof (uint64_t)]; /* the beginning of a struct histo_cuda_count */
  uint64_t data[HISTO_CUDA_LISTED];                          /* histo_cuda_pass.data of each frame */
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_listed_count, 736);

/* The most frames of one launch that differ in more than addresses. */
#define HISTO_CUDA_UNLIKE 64

/* The parameter of the kernels `..._unlike`: frames of any sizes, each with a parameter of its own, which is that of a launch
 * of this frame alone. Their blocks follow each other in one row: block first_block[f] is the first of frame f, and in the
 * parameter of a count the blocks of passes are those of the row. A frame without blocks is not counted. */
struct histo_cuda_unlike {
  uint64_t parameters;   /* struct histo_cuda_count or histo_cuda_picture of the first frame, where the device reads it */
  uint32_t stride_bytes; /* from it to the next frame's */
  uint32_t size_bytes;   /* of each that any frame needs: to the end of its passes or components. All three: multiples of 16 */
  uint32_t frame_count;
  uint32_t first_block[HISTO_CUDA_UNLIKE + 1]; /* [frame_count]: how many there are */
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_unlike, 280);

#endif
