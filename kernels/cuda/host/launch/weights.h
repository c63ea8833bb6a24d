/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The weights of row and column sums, copied to the device. */

#pragma once

#include "cuda/host/driver.h"

/* The weights of a component. All zeros: all weights are 1. */
struct histo_cuda_weights {
  CUdeviceptr row, column; /* int16_t; 0: all are 1 */
  bool fits_32_bits;       /* a warp's part of a row sum fits; see histo_cuda_project.weight_size */
};

/* Copies weights to replace the current ones, and returns when they are on the device. It uses `stream`. On NO_MEMORY and
 * DEVICE the current weights stay, and the log has the cause. */
enum histo_status histo_cuda_weights_set (struct histo_cuda_weights *weights, const struct histo_cuda_driver *driver,
                                          CUstream stream, const struct histo_weights *vectors);

void histo_cuda_weights_free (struct histo_cuda_weights *weights, const struct histo_cuda_driver *driver);
