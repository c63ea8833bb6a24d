/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Staging: frames in ordinary (pageable) memory go to the device through pinned memory, copied into it by several threads. The
 * driver's own staging has one thread, which reaches an eighth of the bus's bandwidth.
 *
 * A job is what one frame needs, cut into slices. A thread fills a pinned chunk of its own with a slice and enqueues the copy
 * of the chunk; before it fills a chunk again it waits for that copy. The stream waits for nothing, so that there is no
 * deadlock. Whoever enqueues the last slice of a job says so. Idle threads go on with the next job, so that those of several
 * frames overlap. */

#ifndef HISTO_CUDA_STAGING_H
#define HISTO_CUDA_STAGING_H

#include "cuda/driver.h"

#define HISTO_CUDA_STAGING_ROWS (2 * HISTO_MAX_PLANES) /* a frame's planes and its operand's */

struct histo_cuda_staging;

/* Rows to copy: from host memory, to device memory. */
struct histo_cuda_rows {
  const uint8_t *from;
  CUdeviceptr to;
  size_t from_stride_bytes, to_stride_bytes;
  size_t row_bytes; /* at most to_stride_bytes */
  uint32_t height;  /* at least 1 */
};

/* The bytes of the copy in device memory, gaps between rows included. */
size_t histo_cuda_copy_bytes (const struct histo_cuda_rows *rows);

/* Fills `memory` with bytes [begin, end) of the copy. Gaps keep what they had. */
void histo_cuda_gather (const struct histo_cuda_rows *rows, size_t begin, size_t end, uint8_t *memory);

/* Called by a thread of the staging, with the context current where `status` is HISTO_OK: the stream has been given all of the
 * job's copies, and nobody reads the job's host memory any more. After another status the staging can only be closed. */
typedef void (*histo_cuda_staged_function) (void *data, unsigned job, enum histo_status status);

/* Where copies go. All of it outlives who makes them. */
struct histo_cuda_target {
  const struct histo_config *config;
  const struct histo_cuda_driver *driver;
  CUcontext context;
  CUstream stream;                   /* on which they are enqueued */
  histo_cuda_staged_function staged; /* called with `data` */
  void *data;
};

/* Allocates the pinned memory, with the context current; threads start when a job needs them. On failure *staging is NULL and
 * the log has the reason. */
enum histo_status histo_cuda_staging_open (const struct histo_cuda_target *target, unsigned jobs,
                                           struct histo_cuda_staging **staging);

/* Begins `job`, which is new or was given to `staged`: the copies of `count` planes, 1 .. HISTO_CUDA_STAGING_ROWS. `staged` may
 * be called before this returns. */
void histo_cuda_staging_begin (struct histo_cuda_staging *staging, unsigned job, const struct histo_cuda_rows *planes,
                               unsigned count);

/* Waits until nobody reads the host memory of `job`; no more than a slice a thread after a failure. */
void histo_cuda_staging_wait (struct histo_cuda_staging *staging, unsigned job);

/* Drops the slices that nobody has begun, and with them calls of `staged`, and waits for the others. Only closing may
 * follow. */
void histo_cuda_staging_stop (struct histo_cuda_staging *staging);

/* Frees everything; with the context current if it still can be. Stopped, and the stream idle. NULL is fine. */
void histo_cuda_staging_close (struct histo_cuda_staging *staging);

#endif
