/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames that kernels read in host memory, over the bus: in place if they are in pinned memory, otherwise in bounce buffers,
 * which are pinned memory for small frames, one for each slot. Calls need the context current. */

#pragma once

#include "cuda/host/mapped.h"
#include "cuda/host/tuning.h"
#include "cuda/host/upload/rows.h"

struct histo_cuda_zero_copy {
  const struct histo_cuda_driver *driver;
  const struct histo_cuda_tuning *tuning;
  size_t most_bytes; /* of a frame: see histo_cuda_zero_copy_bytes */
  unsigned slot_count;
  struct histo_cuda_mapped bounces; /* bounce_bytes a slot; not allocated until a frame needs it */
  size_t bounce_bytes;
};

/* Allocates nothing. */
void histo_cuda_zero_copy_open (struct histo_cuda_zero_copy *zero_copy, const struct histo_cuda_driver *driver,
                                const struct histo_cuda_tuning *tuning, unsigned slots);

/* Frees the bounce buffers, with nothing in flight. */
void histo_cuda_zero_copy_close (struct histo_cuda_zero_copy *zero_copy);

/* Shared by a frame and its operand. */
struct histo_cuda_place {
  unsigned slot;
  bool is_idle;        /* no other frame is in flight */
  size_t bounce_bytes; /* used in the slot's bounce buffer */
};

/* Describes `frame` for a kernel that reads it in host memory: in place or, if it is pageable, in the slot's bounce buffer. If
 * the frame is too large, *is_mapped is false and nothing changes. NO_MEMORY or DEVICE: the log has the cause. */
enum histo_status histo_cuda_map_frame (struct histo_cuda_zero_copy *zero_copy, struct histo_cuda_place *place,
                                        const struct histo_frame *frame, struct histo_frame *device, bool *is_mapped);

/* The device address of a plane's first byte to copy; 0 if the device cannot read the whole plane itself: it is not pinned. */
CUdeviceptr histo_cuda_find_pinned (const struct histo_cuda_driver *driver, const struct histo_plane *plane,
                                    const struct histo_cuda_copied_plane *copied);
