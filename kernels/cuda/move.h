/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interface between the host and the kernel that moves numbers to the host. Included by C, CUDA C++ and the fake driver of
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
