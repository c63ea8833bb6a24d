/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interface between the host and the counting kernels. Included by C, CUDA C++ and the fake driver of the tests.
 *
 * A component has a word for each bin, except in HISTO_CUDA_CARRY_WORDS, and HISTO_CUDA_TOTALS more. Blocks add their counts
 * to the words of a workspace in device memory. The low 48 bits of such a word are the number; the high 16 bits are the number
 * of blocks that have added to it. So the last block that adds to a word knows the total: it publishes the total and leaves a
 * zero for the next launch. This needs no fence, no second read and no order between words. In a word of the result the high
 * 48 bits are the total, and the low 16 bits the launch's tag. The host has all numbers when it sees the tag in every word.
 *
 * Why no fence is needed (PTX ISA, "Memory Consistency Model"): the additions are atomic, so those to one word have an order
 * with exactly one last addition. The number is in the word itself, so nothing else must be visible. The total goes to the host
 * as one naturally aligned store of 64 bits, `volatile`, which is a relaxed store at system scope: the host sees all of it or
 * nothing, and the tag in the word shows that it is valid. A release store would wait until all earlier stores of its thread
 * are visible. The protocol does not need what a release would add:
 *   - Samples, or their copy, may be overwritten once their numbers are seen: a load precedes the numbers that depend on it,
 *     since no value comes out of thin air. (A load on which no number depends reads bytes that do not matter.)
 *   - The zero left in a word of the workspace, an ordinary store, may become visible after the tag. So a workspace is reused
 *     only by a launch that comes after the end of the kernel: on the same stream, or after its event (queue.c). It is not
 *     freed earlier either.
 *
 * With tag 0 the result is cumulative: blocks add to the result itself, without a last block, and no kernel clears it. Words
 * are shifted alike. The count of a launch is the difference from the previous values, or from zero if the result is cleared
 * after each launch. The host may read it when the launch is over. For the kernels `histo_count_carry...`, see
 * HISTO_CUDA_CARRY_WORDS. */

#pragma once

#include <cudahisto/histo.h>

#define HISTO_CUDA_THREADS 1024
#define HISTO_CUDA_BINS 256       /* of 8-bit samples */
#define HISTO_CUDA_MAX_BINS 65536 /* of deeper ones */
#define HISTO_CUDA_DEEP_BINS 4096 /* of a component in the kernels `histo_count_deep...`; more: `histo_count_carry...` */
#define HISTO_CUDA_COMPONENTS HISTO_MAX_COMPONENTS /* of a pass */
#define HISTO_CUDA_COUNTED HISTO_MAX_COUNTED       /* of a frame */
/* Passes of a frame: one for each plane, or one for each component of a plane. */
#define HISTO_CUDA_PASSES \
  ((HISTO_MAX_PLANES > HISTO_MAX_COMPONENTS ? HISTO_MAX_PLANES : HISTO_MAX_COMPONENTS) + HISTO_MAX_DERIVED)

/* The words of a component after its bins: 64-bit totals of the blocks in two parts, the low 24 bits and the others. The sums
 * of 8-bit samples follow from the bins: for these only the dot product is published, if there is an operand. */
#define HISTO_CUDA_DOT 0
#define HISTO_CUDA_SUM 2
#define HISTO_CUDA_SQUARES 4
#define HISTO_CUDA_TOTALS 6
#define HISTO_CUDA_LOW_BITS 24
#define HISTO_CUDA_WORDS(bins) ((bins) + HISTO_CUDA_TOTALS)

/* With the kernels `histo_count_carry...`, a bin has 32 bits, which halves the bytes on the bus. A component has fewer than
 * 2^32 samples. Each block stores its tables in the workspace, and adds only corrections (see HISTO_CUDA_CARRY_TABLE_BYTES) and
 * totals to the result. Two adjacent bins are a 64-bit number there, which may be negative. The kernel `histo_add_tables`
 * (move.h) adds up tables and corrections: with 65,536 bins, most blocks count something in many bins, and an atomic addition
 * of each takes longer. */
#define HISTO_CUDA_CARRY_WORDS(bins) (((bins) + 1) / 2 + HISTO_CUDA_TOTALS)

/* Shared memory of a block for each table of the pass. Tables of 8-bit samples have 32 columns if HISTO_CUDA_COMPONENTS such
 * tables fit into a block's shared memory, otherwise 8 (the kernels named _narrow). Tables of deeper samples have as many
 * columns as fit. */
#define HISTO_CUDA_WIDE 32
#define HISTO_CUDA_NARROW 8
#define HISTO_CUDA_TABLE_BYTES(bins, columns) ((bins) * (columns)*4)

/* Tables of more than HISTO_CUDA_DEEP_BINS bins have no columns. Their bins are as wide as fits: 32, 16, 8, 4, 2 or 1 bits,
 * several in a word of 32 bits. A bin is in word bin % words, at position bin / words from the lowest bits: neighbouring values
 * are seldom in the same word. An addition may overflow a bin into the next one, bin + words, and out of the word. It returns
 * the previous value of the word, so the thread that caused an overflow knows of it and corrects the result: 2^bits more for
 * the first bin, one less for the second, and so on. The order of additions therefore does not matter: the table and the
 * corrections together are exact. */
#define HISTO_CUDA_CARRY_TABLE_BYTES(bins, bits_log2) ((bins) / 8 << (bits_log2))

/* The maximum shared memory of a block besides tables. */
#define HISTO_CUDA_STATIC_BYTES 4096

/* The maximum number of blocks of a pass: the number of additions to a word fits into 16 bits. */
#define HISTO_CUDA_MAX_BLOCKS 65535

/* The kernel `histo_count_small` counts many small frames in one launch. They have at most HISTO_CUDA_SMALL_BYTES bytes, one
 * row and one component of one byte, whose words are the frame's first. HISTO_CUDA_SMALL_THREADS threads count a frame, a block
 * HISTO_CUDA_SMALL_FRAMES frames. */
#define HISTO_CUDA_SMALL_THREADS 64
#define HISTO_CUDA_SMALL_FRAMES 2
#define HISTO_CUDA_SMALL_BYTES 32768

#if defined(__cplusplus)
#define HISTO_CUDA_ASSERT_SIZE(type, size) static_assert (sizeof (type) == (size), "size of " #type)
#else
#define HISTO_CUDA_ASSERT_SIZE(type, size) _Static_assert(sizeof (type) == (size), "size of " #type)
#endif

/* Arrays in a launch's parameter have a multiple of this number of elements, so that parameters consist of whole vectors of 16
 * bytes. */
#define HISTO_CUDA_ROUND_UP(count, multiple) (((count) + (multiple)-1) / (multiple) * (multiple))

/* A component of a pass. */
struct histo_cuda_component {
  int64_t offset_bytes; /* from the pattern's first byte */
  uint64_t step_bytes;
  uint64_t width, head, tail; /* samples, see struct histo_pass */
  uint32_t first_word;        /* in the workspace and the result of the frame */
  /* Layout of a sample outside the pattern. */
  uint8_t sample_bytes, shift, big_endian, bin_shift; /* bin_shift: right, from value to bin */
  uint32_t mask;
  uint32_t bins;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_component, 56);

/* struct histo_pass, prepared for the kernel. A block works on one pass; a component belongs to one pass. */
struct histo_cuda_pass {
  uint64_t data, operand; /* the pattern's first byte in row 0; operand 0: none */
  uint64_t stride_bytes, operand_stride_bytes;
  uint64_t length;   /* bytes of the pattern in a row */
  uint32_t height;   /* rows */
  uint32_t period;   /* samples: 1, 2, 3 or 4 */
  uint32_t tables;   /* component_count, and one more for samples of no component */
  uint32_t table_at; /* byte i % 4: the table of sample i of the pattern, i < 4 */
  uint32_t first_block, block_count;

  /* A row has at most vectors_per_row vectors of 16 bytes, from its first aligned address on. The vectors of a pass are
   * distributed to the threads of its blocks in turn: each thread gets `rounds`, threads below last_round one more. */
  uint32_t vectors_per_row;
  uint32_t rounds, last_round;
  uint32_t step_rows, step_vectors;        /* from a thread's vector to its next one */
  uint32_t is_aligned;                     /* the vectors of all rows, and the operand's, begin at aligned addresses */
  uint64_t step_bytes, operand_step_bytes; /* if aligned: step_rows and step_vectors in bytes */
  uint64_t wrap_bytes, operand_wrap_bytes; /* from the end of a row's vectors to the next row's first */

  /* Patterns of 2-byte samples, all of which have the same depth, shift, byte order and bins. */
  uint32_t byte_order; /* selector for __byte_perm that makes both samples of a word little-endian */
  uint32_t shift;      /* right, of a word, before the mask */
  uint32_t mask;       /* both samples' significant bits */
  union {
    struct {                 /* with columns */
      uint32_t row_rotation; /* left, of a word: moves the first sample's bin to row_mask; 16 more: the second's */
      uint32_t row_mask;     /* (bins - 1) * bytes of a table's row */
    };
    struct {                 /* without columns */
      uint32_t words_log2;   /* in a table */
      uint32_t counter_mask; /* of the lowest counter in a word: 2^bits - 1 */
    };
  };
  uint32_t bins; /* of each table: the largest number that a component has */
  union {
    uint32_t columns_log2; /* of the tables: 0 .. 5 */
    uint32_t bits_log2;    /* of a counter, in tables without columns: 0 .. 5 */
  };
  uint32_t table_bytes;

  uint32_t component_count;
  uint32_t has_edges; /* samples outside the pattern, see struct histo_pass */
  struct histo_cuda_component components[HISTO_CUDA_ROUND_UP (HISTO_CUDA_COMPONENTS, 2)];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_pass, 160 + 56 * HISTO_CUDA_ROUND_UP (HISTO_CUDA_COMPONENTS, 2));

/* The parameter of the kernels `histo_count...`: one frame, or many that differ only in addresses, with a row of blocks
 * each. */
struct histo_cuda_count {
  uint64_t workspace;   /* uint64_t, zeroed: the words of all components; kernels that carry: tables */
  uint64_t result;      /* the same layout, in pinned host memory or device memory, as a device address */
  uint64_t addresses;   /* many frames: see below; 0: the passes locate one frame, pitch_bytes the others */
  uint64_t pitch_bytes; /* from each frame to the next one, and from operand to operand; may wrap around */
  uint32_t frame_words; /* many: words from frame to frame, in workspace and result; to carry: of a block in the workspace */
  uint32_t tag;         /* 16 bits, different from the result's; 0: the result is cumulative */
  uint32_t pass_count;
  uint32_t frame_count;
  uint32_t first_block[HISTO_CUDA_ROUND_UP (HISTO_CUDA_PASSES, 4)]; /* of each pass */
  struct histo_cuda_pass passes[HISTO_CUDA_PASSES];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_count, 48 + 4 * HISTO_CUDA_ROUND_UP (HISTO_CUDA_PASSES, 4)
                                                     + HISTO_CUDA_PASSES * sizeof (struct histo_cuda_pass));

/* The addresses of many frames are uint64_t in memory that the device reads: the start of the first pass in each frame, of the
 * second in each ... and, with an operand, the start of its first pass in each ... */
#define HISTO_CUDA_ADDRESSES (2 * HISTO_CUDA_PASSES) /* maximum of a frame */

/* `histo_count_small`, `histo_count_plane`, `histo_count_packed` and their variants get only this number of bytes of the
 * parameter, since counting a small frame takes little longer than loading the parameter and the code. They count frames of one
 * plane of bytes with one component, whose words are the frame's first. For `plane` the rows are whole aligned vectors; for
 * `packed` there is one such row, as in most frames. */
#define HISTO_CUDA_PLANE_BYTES (offsetof (struct histo_cuda_count, passes) + offsetof (struct histo_cuda_pass, components))

/* The maximum number of frames whose addresses fit into the launch parameter, so that the kernel need not read them over the
 * bus. */
#define HISTO_CUDA_LISTED 64

/* The parameter of the kernels `..._listed`: up to HISTO_CUDA_LISTED such frames at any addresses, without an operand. */
struct histo_cuda_listed_count {
  uint64_t head[HISTO_CUDA_PLANE_BYTES / sizeof (uint64_t)]; /* the beginning of a struct histo_cuda_count */
  uint64_t data[HISTO_CUDA_LISTED];                          /* histo_cuda_pass.data of each frame */
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_listed_count, HISTO_CUDA_PLANE_BYTES + 8 * HISTO_CUDA_LISTED);

/* The maximum number of frames in a launch that differ in more than addresses. */
#define HISTO_CUDA_UNLIKE 64

/* The parameter of the kernels `..._unlike`: frames of any sizes. Each has its own parameter, as for a launch of this frame
 * alone. Their blocks form one row: block first_block[f] is the first of frame f, and the blocks of passes in a count's
 * parameter are those of the row. A frame without blocks is not counted. */
struct histo_cuda_unlike {
  uint64_t parameters;   /* device address of the first frame's struct histo_cuda_count or histo_cuda_picture */
  uint32_t stride_bytes; /* from one frame's to the next */
  uint32_t size_bytes;   /* to the end of the passes or components that any frame uses. All three are multiples of 16 */
  uint32_t frame_count;
  uint32_t first_block[HISTO_CUDA_UNLIKE + 1]; /* [frame_count]: the number of blocks */
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_unlike, 280);
