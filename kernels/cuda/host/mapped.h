/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pinned host memory that the device also reads and writes. */

#pragma once

#include "cuda/host/driver.h"

struct histo_cuda_mapped {
  void *host; /* NULL: not allocated */
  CUdeviceptr device;
};

/* Allocates the memory, unless it is already allocated. NO_MEMORY or DEVICE: the log has the cause. */
enum histo_status histo_cuda_mapped_reserve (struct histo_cuda_mapped *mapped, const struct histo_cuda_driver *driver,
                                             size_t size);

/* Frees the memory if it is allocated. */
void histo_cuda_mapped_free (struct histo_cuda_mapped *mapped, const struct histo_cuda_driver *driver);
