/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory for row and column sums, and for other arrays of numbers: on the device, and pinned for the copy to the host. Launches
 * reuse it. */

#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "cuda/host/driver.h"

/* A component's part: the row sums of the first frame of a launch, of the second ..., then the column sums. */
struct histo_cuda_sums_part {
  size_t first; /* in the sums */
  uint32_t rows;
  uint64_t columns;
};

/* The sums of a launch. Each of its frames holds a reference. The content of new device memory is undefined. */
struct histo_cuda_sums {
  struct histo_cuda_sums *next; /* in the list of idle sums */
  unsigned references, frames;
  size_t capacity, used; /* 64-bit numbers; in use by the launch */
  CUdeviceptr device;
  int64_t *host;
  CUdeviceptr host_address; /* of `host`, for kernels */
  bool is_new;              /* no launch has used `device` */
  struct histo_cuda_sums_part parts[HISTO_MAX_COUNTED];
};

struct histo_cuda_sums_pool {
  const struct histo_cuda_driver *driver;
  pthread_mutex_t lock; /* protects `idle` and the references */
  struct histo_cuda_sums *idle;
};

/* `driver` outlives the pool. */
void histo_cuda_sums_pool_open (struct histo_cuda_sums_pool *pool, const struct histo_cuda_driver *driver);

/* Frees everything, after all references were dropped. */
void histo_cuda_sums_pool_close (struct histo_cuda_sums_pool *pool);

/* Takes memory for the sums of `frames` frames, of the size of the parts, with a reference for each frame. NO_MEMORY, of the
 * host or of the device, is logged. The context is current. */
enum histo_status histo_cuda_sums_take (struct histo_cuda_sums_pool *pool, unsigned frames,
                                        const struct histo_cuda_sums_part parts[HISTO_MAX_COUNTED],
                                        struct histo_cuda_sums **sums);

/* Drops a reference; without references the memory is idle. Accepts NULL. Any thread, any context. */
void histo_cuda_sums_drop (struct histo_cuda_sums_pool *pool, struct histo_cuda_sums *sums);
