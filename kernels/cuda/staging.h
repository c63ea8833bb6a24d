/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Staging: frames in ordinary (pageable) memory go to the device through pinned memory, copied into it by several threads. The
 * driver's own staging has one thread, and with it an eighth of what the bus carries. */

#ifndef HISTO_CUDA_STAGING_H
#define HISTO_CUDA_STAGING_H

#include "cuda/driver.h"

struct histo_cuda_staging;

/* Rows to copy: from host memory, to device memory. */
struct histo_cuda_rows {
  const uint8_t *from;
  CUdeviceptr to;
  size_t from_stride_bytes, to_stride_bytes;
  size_t row_bytes; /* at most to_stride_bytes */
  uint32_t height;  /* at least 1 */
};

/* Allocates the pinned memory and starts the threads; with the context current. Copies are enqueued on `stream`, which, like the
 * context and the driver, outlives the staging. On failure *staging is NULL and the log has the reason. */
enum histo_status histo_cuda_staging_open (const struct histo_config *config, const struct histo_cuda_driver *driver,
                                           CUcontext context, CUstream stream, struct histo_cuda_staging **staging);

/* Copies `count` planes, at most HISTO_MAX_PLANES; with the context current. When it returns, the host memory may change, and
 * what `stream` gets next finds the rows in device memory. After DEVICE only closing is left. One call at a time. */
enum histo_status histo_cuda_staging_copy (struct histo_cuda_staging *staging, const struct histo_cuda_rows *planes,
                                           unsigned count);

/* Ends the threads and frees everything; with the context current if it still can be. The stream must be idle. NULL is fine. */
void histo_cuda_staging_close (struct histo_cuda_staging *staging);

#endif
