/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The device, as code that launches kernels sees it. launch.c fills it in. It outlives the statistics and their workspace. */

#pragma once

#include "cuda/host/driver.h"
#include "cuda/host/tuning.h"

struct histo_cuda_gpu {
  const struct histo_cuda_driver *driver;
  CUdevice device;
  const struct histo_cuda_tuning *tuning;
  CUmodule module;
  CUstream stream;       /* for synchronous work */
  unsigned shared_bytes; /* maximum for a block */
  unsigned multiprocessors;
};
