/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Staging: frames in pageable memory go to the device through pinned memory, into which several threads copy them. The driver's
 * own staging has one thread, which reaches an eighth of the bus's bandwidth.
 *
 * A job is the copies of one frame, split into slices. A thread fills one of its pinned chunks with a slice and enqueues the
 * copy of the chunk. Before it fills a chunk again it waits for that copy. The stream waits for nothing, so there is no
 * deadlock. The thread that enqueues the last slice of a job reports it. Idle threads continue with the next job, so that the
 * jobs of several frames overlap. */

#pragma once

#include "cuda/host/driver.h"
#include "cuda/host/tuning.h"
#include "cuda/host/upload/rows.h"

#define HISTO_CUDA_STAGING_ROWS (2 * HISTO_MAX_PLANES) /* planes of a frame and of its operand */

struct histo_cuda_staging;

/* Called by a staging thread, with the context current if `status` is HISTO_OK: all copies of the job are enqueued on the
 * stream, and its host memory is no longer read. After any other status the staging can only be closed. */
typedef void (*histo_cuda_staged_function) (void *data, unsigned job, enum histo_status status);

/* The destination of copies. It outlives the staging. */
struct histo_cuda_target {
  const struct histo_config *config;
  const struct histo_cuda_driver *driver;
  const struct histo_cuda_tuning *tuning;
  CUcontext context;
  CUstream stream;                   /* for the copies */
  histo_cuda_staged_function staged; /* called with `data` */
  void *data;
};

/* Allocates the pinned memory, with the context current. Threads start when a job needs them. On failure *staging is NULL and
 * the log has the cause. */
enum histo_status histo_cuda_staging_open (const struct histo_cuda_target *target, unsigned jobs,
                                           struct histo_cuda_staging **staging);

/* Begins `job`, which is new or was passed to `staged`: the copies of `count` planes, 1 .. HISTO_CUDA_STAGING_ROWS. `staged`
 * may be called before this returns. */
void histo_cuda_staging_begin (struct histo_cuda_staging *staging, unsigned job, const struct histo_cuda_rows *planes,
                               unsigned count);

/* Waits until the host memory of `job` is no longer read. After a failure it waits for at most one slice a thread. */
void histo_cuda_staging_wait (struct histo_cuda_staging *staging, unsigned job);

/* Drops slices that have not begun, with their calls of `staged`, and waits for the others. Only closing may follow. */
void histo_cuda_staging_stop (struct histo_cuda_staging *staging);

/* Frees everything, after stop and with the stream idle. The context is current, if possible. Accepts NULL. */
void histo_cuda_staging_close (struct histo_cuda_staging *staging);
