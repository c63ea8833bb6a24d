/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the host and the kernels of waveforms and vectorscopes agree on. Included by C, by CUDA C++ and by the fake driver of
 * the tests.
 *
 * A frame has counters of 32 bits: the waveforms of its components, one behind the other, and the vectorscope. The kernels add
 * to them; they are zeros before, and are copied to the host behind the kernels. */

#ifndef HISTO_CUDA_SCOPE_H
#define HISTO_CUDA_SCOPE_H

#include "picture.h"

/* `histo_waveform`: a block of so many threads takes so many samples of each row of a slice. Its counters are tables of 256,
 * whose words begin in different banks: one for each column of the waveform, or several where it has fewer columns there. */
#define HISTO_CUDA_WAVEFORM_THREADS 256
#define HISTO_CUDA_WAVEFORM_STRIP 32
#define HISTO_CUDA_WAVEFORM_TABLES 32
#define HISTO_CUDA_WAVEFORM_TABLE_WORDS (HISTO_CUDA_BINS + 1)

/* `histo_vectorscope`: a block of so many threads takes a slice of the rows of chroma. Its counters have 8 bits where there is
 * shared memory for that, or else 4, and carry as those of HISTO_CUDA_CARRY_TABLE_BYTES: the counter of a pair is in word
 * pair % words, in place pair / words. */
#define HISTO_CUDA_VECTORSCOPE_THREADS 512
#define HISTO_CUDA_VECTORSCOPE_PAIRS 65536
#define HISTO_CUDA_VECTORSCOPE_WORDS(bits_log2) (HISTO_CUDA_VECTORSCOPE_PAIRS >> (5 - (bits_log2)))

struct histo_cuda_waveform {
  struct histo_cuda_picture_component samples; /* band_rows: of a slice; without an operand */
  uint32_t columns;                            /* of the waveform, at most as many as samples in a row; 0: none */
  uint32_t first_counter;
  uint32_t first_block; /* of its blocks: block first_block + b takes strip b % strips of slice b / strips */
  uint32_t strips;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_waveform, 96);

/* The parameter of both: one frame or, a row of blocks each, many that differ in addresses alone. */
struct histo_cuda_scope {
  uint64_t counters;               /* uint32_t in device memory: of the first frame */
  uint64_t addresses, pitch_bytes; /* as in histo_cuda_count */
  uint32_t frame_counters;         /* of a frame */
  uint32_t frame_count, pass_count;
  uint32_t component_count;
  uint32_t first_pair;  /* `histo_vectorscope`: its first counter in a frame's */
  uint32_t chroma_rows; /* of a slice */
  uint32_t bits_log2;   /* of a counter in shared memory: 2 or 3 */
  uint32_t padding;
  struct histo_cuda_waveform components[HISTO_CUDA_COMPONENTS];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_scope, 440);

#endif
