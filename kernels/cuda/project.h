/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the host and the kernels that project agree on. Included by C, by CUDA C++ and by the fake driver of the tests. */

#ifndef HISTO_CUDA_PROJECT_H
#define HISTO_CUDA_PROJECT_H

#include "count.h"

/* `histo_project`: a block of so many threads takes so many bytes of each row, a vector of 16 a lane, and at most so many rows.
 * A warp takes a sixteenth of the rows: few enough for its 32-bit column sums (256 * 255 * 32768 < 2^31). */
#define HISTO_CUDA_PROJECT_THREADS 512
#define HISTO_CUDA_PROJECT_BYTES 512
#define HISTO_CUDA_PROJECT_ROWS 4096
#define HISTO_CUDA_PROJECT_COLUMNS 64        /* of its table: see project.cuh */
#define HISTO_CUDA_PROJECT_STATIC_BYTES 8192 /* shared memory besides the table, at most */

/* `histo_project_any`: a block of so many threads, a sample of a row each. */
#define HISTO_CUDA_PROJECT_ANY_THREADS 256

/* One component of one frame or, a row of blocks each, of many that differ in addresses alone. */
struct histo_cuda_project {
  /* Of each frame. `histo_project`: the first sample of row 0; `histo_project_any`: component.offset_bytes before it. */
  uint64_t data[HISTO_CUDA_LISTED];
  uint64_t stride_bytes;
  uint64_t width;                        /* samples in a row */
  uint32_t height;                       /* rows */
  uint32_t slice_rows;                   /* that a block takes */
  uint32_t strips;                       /* blocks side by side: block b takes strip b % strips of slice b / strips */
  uint32_t tag;                          /* as in struct histo_cuda_count */
  uint64_t workspace, result;            /* of `histo_project`, as in struct histo_cuda_count: of this component */
  uint64_t row_weights, column_weights;  /* int16_t in device memory, at multiples of 16; 0: ones */
  uint64_t row_sums, column_sums;        /* int64_t, zeros: one for each row, one for each sample of a row */
  struct histo_cuda_component component; /* `histo_project_any`: how to find and read a sample */
  uint32_t weight_size;                  /* 0: ones; 1: row weights that keep a warp's part of a row sum in 32 bits; 2: any */
  uint32_t frame_words; /* many: words from one frame to the next in workspace and result; of sums: height and width */
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_project, 656);

#endif
