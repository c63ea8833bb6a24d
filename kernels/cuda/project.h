/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interface between the host and the kernels that project. Included by C, CUDA C++ and the fake driver of the tests. */

#pragma once

#include "count.h"

/* `histo_project`: a block has this number of threads. It counts at most this number of bytes of each row, a vector of 16 bytes
 * a lane, and at most this number of rows. A warp counts a sixteenth of the rows, so that its column sums fit into 32 bits (256
 * * 255 * 32768 < 2^31). */
#define HISTO_CUDA_PROJECT_THREADS 512
#define HISTO_CUDA_PROJECT_BYTES 512
#define HISTO_CUDA_PROJECT_ROWS 4096
#define HISTO_CUDA_PROJECT_COLUMNS 64        /* of its table: see project.cuh */
#define HISTO_CUDA_PROJECT_STATIC_BYTES 8192 /* maximum shared memory besides the table */

/* `histo_project_any`: a block has this number of threads, one sample of a row each. */
#define HISTO_CUDA_PROJECT_ANY_THREADS 256

/* One component of one frame, or of many frames that differ only in addresses, with a row of blocks each. */
struct histo_cuda_project {
  /* The address of each frame. `histo_project`: the first sample of row 0; `histo_project_any`: component.offset_bytes before
   * it. */
  uint64_t data[HISTO_CUDA_LISTED];
  uint64_t stride_bytes;
  uint64_t width;                        /* samples in a row */
  uint32_t height;                       /* rows */
  uint32_t slice_rows;                   /* rows of a block */
  uint32_t strips;                       /* side by side: block b counts strip b % strips of slice b / strips */
  uint32_t tag;                          /* as in struct histo_cuda_count */
  uint64_t workspace, result;            /* `histo_project`: of this component, as in struct histo_cuda_count */
  uint64_t row_weights, column_weights;  /* int16_t in device memory, aligned to 16; 0: all weights are 1 */
  uint64_t row_sums, column_sums;        /* int64_t, zeroed: one for each row, one for each sample of a row */
  struct histo_cuda_component component; /* `histo_project_any`: the layout of the samples */
  uint32_t weight_size;                  /* 0: all weights are 1; 1: a warp's part of a row sum fits into 32 bits; 2: any
                                          * weights */
  uint32_t frame_words; /* many: words from one frame to the next in workspace and result; the sums have height and width */
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_project, 656);
