/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The memory of row and column sums, and of other arrays of numbers: on the device and, for their way to the host, pinned. It
 * is used again from launch to launch. */

#ifndef HISTO_CUDA_SUMS_H
#define HISTO_CUDA_SUMS_H

#include <pthread.h>

#include "cuda/driver.h"

/* Of a component: the row sums of the first frame of a launch, of the second ..., then the column sums. */
struct histo_cuda_sums_part {
  size_t first; /* in the sums */
  uint32_t rows;
  uint64_t columns;
};

/* The sums of a launch. Each of its frames holds a reference. */
struct histo_cuda_sums {
  struct histo_cuda_sums *next; /* of the idle ones */
  unsigned references, frames;
  size_t capacity, used; /* numbers of 64 bits; of the launch */
  CUdeviceptr device;
  int64_t *host;
  struct histo_cuda_sums_part parts[HISTO_MAX_COMPONENTS];
};

struct histo_cuda_sums_pool {
  const struct histo_cuda_driver *driver;
  pthread_mutex_t lock; /* around `idle` and the references */
  struct histo_cuda_sums *idle;
};

/* `driver` outlives the pool. */
void histo_cuda_sums_pool_open (struct histo_cuda_sums_pool *pool, const struct histo_cuda_driver *driver);

/* Frees everything; all references have been dropped. */
void histo_cuda_sums_pool_close (struct histo_cuda_sums_pool *pool);

/* Memory for the sums of `frames` frames, as large as the parts say, with a reference for each frame. NO_MEMORY, of the host or
 * of the device; the log says so. With the context current. */
enum histo_status histo_cuda_sums_take (struct histo_cuda_sums_pool *pool, unsigned frames,
                                        const struct histo_cuda_sums_part parts[HISTO_MAX_COMPONENTS],
                                        struct histo_cuda_sums **sums);

/* Drops a reference; without any the memory is idle. NULL is fine. Any thread, any context. */
void histo_cuda_sums_drop (struct histo_cuda_sums_pool *pool, struct histo_cuda_sums *sums);

#endif
