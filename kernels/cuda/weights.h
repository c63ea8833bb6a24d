/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The weights of row and column sums, copied to the device. */

#ifndef HISTO_CUDA_WEIGHTS_H
#define HISTO_CUDA_WEIGHTS_H

#include "cuda/driver.h"

/* Of a component. All zeros: ones. */
struct histo_cuda_weights {
  CUdeviceptr row, column; /* int16_t; 0: ones */
  bool fits_32_bits;       /* the part of a row sum that a warp adds up; see histo_cuda_project.weight_size */
};

/* Copies weights, in place of those that were there, and returns when they are on the device; `stream` is used for that.
 * NO_MEMORY, DEVICE: those that were there remain, and the log has the reason. */
enum histo_status histo_cuda_weights_set (struct histo_cuda_weights *weights, const struct histo_cuda_driver *driver,
                                          CUstream stream, const struct histo_weights *vectors);

void histo_cuda_weights_free (struct histo_cuda_weights *weights, const struct histo_cuda_driver *driver);

#endif
