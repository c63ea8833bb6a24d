/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame's copy in device memory. The copy engine copies pinned memory; pageable memory is left to the staging. */

#pragma once

#include <stdatomic.h>

#include "cuda/host/driver.h"
#include "cuda/host/upload/rows.h"
#include "cuda/host/upload/staging.h"

/* Memory that the device can read, with a copy of a frame. Zeroed at first. */
struct histo_cuda_copy {
  CUdeviceptr memory;
  size_t capacity;
  uint64_t id; /* histo_frame.id of the copied frame; 0: cannot be found again. Set by the caller, see below */
  unsigned plane_count;
  struct histo_plane sources[HISTO_MAX_PLANES]; /* the frame's planes */
  struct histo_cuda_copied_plane planes[HISTO_MAX_PLANES];
  atomic_uint reader_count; /* number of slots that use it; for the caller */
};

/* Rows that the staging has to copy. */
struct histo_cuda_staged_rows {
  struct histo_cuda_rows rows[HISTO_CUDA_STAGING_ROWS];
  unsigned count;
};

/* Begins to copy `frame` from host memory into `copy`, and describes it there: *device. Appends rows in pageable memory to
 * `staged`. Copies go to target->stream. Kernels that read an earlier frame in `copy` are on `count_stream`. The copy gets its
 * id when the frame is accepted: staged rows are not copied before. UNSUPPORTED: the frame is too large. NO_MEMORY or DEVICE.
 * The context is current. The log has the cause. */
enum histo_status histo_cuda_copy_frame (const struct histo_cuda_target *target, CUstream count_stream,
                                         const struct histo_frame *frame, struct histo_cuda_copy *copy,
                                         struct histo_cuda_staged_rows *staged, struct histo_frame *device);

/* Whether a copy has the samples of `frame`: its source had the same id, and rows that contain all of the frame's. *device: the
 * frame as it is in the copy, without an operand. */
bool histo_cuda_copy_has (const struct histo_cuda_copy *copy, const struct histo_frame *frame, struct histo_frame *device);

/* Frees the memory while nothing reads it. The context is current, if possible. */
void histo_cuda_copy_free (struct histo_cuda_copy *copy, const struct histo_cuda_driver *driver);
