/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What tests of the CUDA backend may change. */

#ifndef HISTO_CUDA_CUDA_H
#define HISTO_CUDA_CUDA_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of shared memory that a block is taken to have at most, in engines opened from then on, so that the kernels for
 * smaller devices run on a larger one too; 0: what the device has. */
extern unsigned histo_cuda_shared_limit;

/* The largest frame, in bytes of its copy, that engines opened from then on let the kernel read from host memory: 0: every
 * frame that is not empty is copied. HISTO_CUDA_ZERO_COPY_MEASURED: as upload.c says. */
#define HISTO_CUDA_ZERO_COPY_MEASURED (SIZE_MAX - 1)
extern size_t histo_cuda_zero_copy_bytes;

#endif
