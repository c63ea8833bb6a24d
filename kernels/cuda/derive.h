/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interface between the host and the kernel that derives luma and chroma. Included by C, CUDA C++ and the fake driver of
 * the tests. */

#pragma once

#include "picture.h"

#define HISTO_CUDA_DERIVE_THREADS 256
#define HISTO_CUDA_DERIVE_SAMPLES 4 /* adjacent ones of a row, for a thread */

/* A derived component: see struct histo_derivation. */
struct histo_cuda_derived {
  uint64_t data; /* of its plane */
  int64_t offset;
  int32_t weights[3];
  uint32_t padding;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_derived, 32);

/* The parameter of the kernels `histo_derive` (bytes) and `histo_derive_deep`: one frame, or its operand. Thread t of the grid
 * derives samples from 4 * (t % row_groups) on in row t / row_groups. Data and stride of derived planes are multiples of 16,
 * and a row has memory for whole groups. */
struct histo_cuda_derive {
  struct histo_cuda_picture_component sources[3]; /* R', G' and B', without operands */
  uint64_t pixels;                                /* interleaved sources: address of the first pixel */
  uint32_t pixel_bytes;                           /* 3 or 4 for 8-bit samples, 8 for deeper ones; 0: not loaded in words */
  uint32_t selectors[3];                          /* for __byte_perm: take a source's sample from a pixel */
  uint64_t stride_bytes;                          /* of the derived planes */
  uint32_t width, height, row_groups;
  uint32_t count; /* of derived components */
  uint32_t shift;
  int32_t top; /* the largest sample */
  struct histo_cuda_derived derived[HISTO_MAX_DERIVED];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_derive, 240 + 24 + 32 + 96);

/* The parameter of the kernels `histo_derive_count` (bytes) and `histo_derive_count_deep`, which read a frame once: they derive
 * components, and count them and their sources. All have the same width, height, depth, layout of a sample and bins. There is
 * at most one block of HISTO_CUDA_THREADS threads for each multiprocessor. With a plane's address 0 the derived component is
 * only counted. */
struct histo_cuda_derive_count {
  struct histo_cuda_derive derive;           /* pixel_bytes 0: each source has its own rows, of adjacent samples */
  struct histo_cuda_picture_component other; /* a fourth source, which is only counted */
  uint64_t workspace, result;                /* as in struct histo_cuda_count */
  uint32_t tag;                              /* as in struct histo_cuda_count */
  uint32_t source_count;                     /* 3 or 4 */
  uint32_t other_selector;                   /* of the fourth source, as in derive */
  uint32_t columns_log2;                     /* of the tables */
  uint32_t bins_log2, bin_shift;             /* of deep samples: log2 of the bins; right, from value to bin */
  uint32_t first_group, loaded_groups;       /* of a row: those whose words are aligned and have no bytes outside the row */
  uint32_t first_words[HISTO_CUDA_COUNTED];  /* of the derived components, then of the sources */
  uint32_t padding;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_derive_count,
                        sizeof (struct histo_cuda_derive) + 80 + 16 + 32 + 4 * (HISTO_CUDA_COUNTED + 1));

/* The largest number of deep samples of a component that a thread counts, so that their sum fits into 32 bits. */
#define HISTO_CUDA_DERIVE_MAX_SAMPLES 65536
