/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The device as what launches kernels sees it: launch.c fills it in, and it outlives the statistics and their workspace. */

#ifndef HISTO_CUDA_GPU_H
#define HISTO_CUDA_GPU_H

#include "cuda/driver.h"

struct histo_cuda_gpu {
  const struct histo_cuda_driver *driver;
  CUdevice device;
  CUmodule module;
  CUstream stream;       /* for what is waited for */
  unsigned shared_bytes; /* that a block may have */
  unsigned multiprocessors;
};

#endif
