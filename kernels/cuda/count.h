/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the host and the kernel `histo_count` agree on. Included by C, by CUDA C++ and by the fake driver of the tests. */

#ifndef HISTO_CUDA_COUNT_H
#define HISTO_CUDA_COUNT_H

#include <stdint.h>

#define HISTO_CUDA_THREADS 256
#define HISTO_CUDA_BINS 256
#define HISTO_CUDA_PLANES 4
#define HISTO_CUDA_COMPONENTS 4

#if defined(__cplusplus)
#define HISTO_CUDA_ASSERT_SIZE(type, size) static_assert (sizeof (type) == (size), "size of " #type)
#else
#define HISTO_CUDA_ASSERT_SIZE(type, size) _Static_assert(sizeof (type) == (size), "size of " #type)
#endif

/* struct histo_pass with device addresses; the fields mean the same. */
struct histo_cuda_pass {
  uint64_t data, operand; /* operand 0: none */
  uint64_t stride_bytes, operand_stride_bytes;
  uint64_t begin, end;
  uint32_t height;
  uint32_t period;
  int32_t component_at[4];
  uint32_t component_count;
  uint32_t reserved;
  struct {
    uint64_t offset_bytes, step_bytes;
    uint64_t width, head, tail;
    uint32_t index;
    uint32_t reserved;
  } components[HISTO_CUDA_COMPONENTS];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_pass, 272);

/* The numbers of one component. */
struct histo_cuda_numbers {
  uint64_t sum, sum_of_squares, dot;
  uint64_t histogram[HISTO_CUDA_BINS];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_numbers, 2072);

/* Where blocks add up what they counted; in device memory. All zeros when a launch begins, and again when it ends. */
struct histo_cuda_workspace {
  struct histo_cuda_numbers numbers[HISTO_CUDA_COMPONENTS];
  uint64_t blocks_done;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_workspace, 8296);

/* Where the last block leaves the frame's numbers; in pinned host memory that the device sees. `sequence` is written last. */
struct histo_cuda_result {
  struct histo_cuda_numbers numbers[HISTO_CUDA_COMPONENTS];
  uint64_t sequence;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_result, 8296);

/* The parameter of `histo_count`: one frame. */
struct histo_cuda_count {
  uint64_t workspace; /* struct histo_cuda_workspace * */
  uint64_t result;    /* struct histo_cuda_result *, as the device addresses it */
  uint64_t sequence;  /* what to write into result->sequence */
  uint32_t pass_count;
  uint32_t component_count;
  struct histo_cuda_pass passes[HISTO_CUDA_PLANES];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_count, 1120);

#endif
