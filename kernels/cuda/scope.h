/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interface between the host and the kernels for waveforms, vectorscopes and light. Included by C, CUDA C++ and the fake
 * driver of the tests.
 *
 * A frame has 32-bit bins: the waveforms of its components, one after the other, then the vectorscope, then the light. They are
 * zeroed before the kernels, which add to them, and copied to the host afterwards, except if histo_cuda_light.result is set. */

#pragma once

#include "picture.h"

/* `histo_waveform`: a block has this number of threads and counts this number of samples of each row of a slice. Its bins are
 * tables of 256, whose words begin in different banks: one for each column of the waveform, or several if the strip has few
 * columns. */
#define HISTO_CUDA_WAVEFORM_THREADS 256
#define HISTO_CUDA_WAVEFORM_STRIP 32
#define HISTO_CUDA_WAVEFORM_TABLES 32
#define HISTO_CUDA_WAVEFORM_TABLE_WORDS (HISTO_CUDA_BINS + 1)

/* `histo_vectorscope`: a block has this number of threads and counts a slice of the rows of chroma. Its bins have 8 bits, or 4
 * if shared memory does not suffice, and carry like those of HISTO_CUDA_CARRY_TABLE_BYTES: the bin of a pair is in word pair %
 * words, at position pair / words. */
#define HISTO_CUDA_VECTORSCOPE_THREADS 512
#define HISTO_CUDA_VECTORSCOPE_PAIRS 65536
#define HISTO_CUDA_VECTORSCOPE_WORDS(bits_log2) (HISTO_CUDA_VECTORSCOPE_PAIRS >> (5 - (bits_log2)))

/* `histo_light`: a block has this number of threads and counts a share of the picture's cells: eight luma samples of each
 * row that shares a row of chroma. Its bins have 1 << columns_log2 columns; a lane uses column lane % columns. Four words
 * follow the bins; the first has the number of blocks that have added to them. */
#define HISTO_CUDA_LIGHT_THREADS 1024
#define HISTO_CUDA_LIGHT_SAMPLES 8
#define HISTO_CUDA_LIGHT_CODES 4096 /* HISTO_LIGHT_CODES */
#define HISTO_CUDA_LIGHT_COUNTERS (HISTO_CUDA_LIGHT_CODES + 4)
#define HISTO_CUDA_LIGHT_LOG2 17 /* HISTO_LIGHT_ONE_LOG2 */

struct histo_cuda_light {
  int32_t luma, offset, r_cr, g_cb, g_cr, b_cb; /* as in histo_light */
  uint32_t is_rgb;
  uint32_t first_code;                        /* index of its first bin in a frame's */
  uint32_t columns_log2;                      /* of the bins in shared memory */
  uint8_t shift_x, shift_y, phase_x, phase_y; /* as in histo_chroma */
  uint32_t weights[3];                        /* as in histo_light */
  uint32_t adds_luminance, is_luminance;      /* HISTO_TRANSFER_HLG; HISTO_LIGHT_LUMINANCE */
  uint32_t padding;
  uint64_t curve; /* a struct histo_cuda_light_curve in device memory; 0: the light needs none */
  /* Device address of pinned memory, or 0. If set, the last block of a frame stores the frame's bins there, in the layout of
   * `counters`, and clears them in `counters`. */
  uint64_t result;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_light, 80);

/* As histo_light_curve. */
#define HISTO_CUDA_LIGHT_LEVELS 16384
#define HISTO_CUDA_LIGHT_MANTISSAS 1024
#define HISTO_CUDA_LIGHT_LOGARITHMS 49152
struct histo_cuda_light_curve {
  uint32_t linear[HISTO_CUDA_LIGHT_LEVELS];
  uint16_t mantissas[HISTO_CUDA_LIGHT_MANTISSAS];
  uint16_t codes[HISTO_CUDA_LIGHT_LOGARITHMS];
};

struct histo_cuda_waveform {
  struct histo_cuda_picture_component samples; /* band_rows: rows of a slice; no operand */
  uint32_t columns;                            /* of the waveform, at most the samples in a row; 0: no waveform */
  uint32_t first_counter;
  uint32_t first_block; /* its first block: block first_block + b counts strip b % strips of slice b / strips */
  uint32_t strips;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_waveform, 96);

/* The parameter of all three: one frame, or many that differ only in addresses, with a row of blocks each. */
struct histo_cuda_scope {
  uint64_t counters;               /* uint32_t in device memory: the bins of the first frame */
  uint64_t addresses, pitch_bytes; /* as in histo_cuda_count */
  uint32_t frame_counters;         /* bins of a frame */
  uint32_t frame_count, pass_count;
  uint32_t component_count;
  uint32_t first_pair;      /* `histo_vectorscope`: index of its first bin in a frame's */
  uint32_t chroma_rows;     /* rows of a slice */
  uint32_t bits_log2;       /* of a bin in shared memory: 2 or 3 */
  uint32_t light_component; /* the first whose light is measured */
  struct histo_cuda_light light;
  struct histo_cuda_waveform components[HISTO_CUDA_COUNTED];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_scope, 56 + 80 + 96 * HISTO_CUDA_COUNTED);
