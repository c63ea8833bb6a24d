/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings of the CUDA backend for tests. */

#pragma once

#include <stddef.h>
#include <stdint.h>

/* The maximum shared memory of a block, in bytes, for engines opened from then on. It lets the kernels for smaller devices run
 * on a larger device. 0: the device's own limit. */
extern unsigned histo_cuda_shared_limit;

/* The largest frame, in bytes of its copy, that the kernel reads from host memory, for engines opened from then on. 0: every
 * frame that is not empty is copied. HISTO_CUDA_ZERO_COPY_MEASURED: see tuning.h. */
#define HISTO_CUDA_ZERO_COPY_MEASURED (SIZE_MAX - 1)
extern size_t histo_cuda_zero_copy_bytes;
