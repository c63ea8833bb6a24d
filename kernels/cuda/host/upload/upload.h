/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Uploading: gives the kernels access to frames in host memory. Large frames are copied to the device: pinned ones by the copy
 * engine, others through the staging. Small frames stay in place if they are in pinned memory; otherwise they are copied to the
 * uploader's pinned memory. The kernel reads them over the bus: requesting a copy would take longer than making it.
 *
 * All calls except histo_cuda_uploader_close, _release and _wait need the context current with which the uploader was
 * opened. */

#pragma once

#include "cuda/host/upload/staging.h"

struct histo_cuda_uploader;

/* A frame as the kernel finds it. */
struct histo_cuda_upload {
  struct histo_frame frame; /* frame.operand is NULL or &operand */
  struct histo_frame operand;
  bool is_copied; /* the kernel must come after copies that the stream has, or gets from the staging */
  bool is_staged; /* histo_cuda_uploader_commit passes rows of it to the staging */
};

/* For frames in `slots` slots that are used in turn. Kernels on `count_stream`, which outlives the uploader, read the copies.
 * `staged` is called for slots. On failure *uploader is NULL and the log has the cause. */
enum histo_status histo_cuda_uploader_open (const struct histo_cuda_target *target, CUstream count_stream, unsigned slots,
                                            struct histo_cuda_uploader **uploader);

/* Ends the staging: copies that have not begun are dropped, and nothing more is enqueued. Accepts NULL. */
void histo_cuda_uploader_stop (struct histo_cuda_uploader *uploader);

/* Frees everything, after stop and with the stream idle. The context is current, if possible. Accepts NULL. */
void histo_cuda_uploader_close (struct histo_cuda_uploader *uploader);

/* Begins to copy `frame` and its operand, unless a copy of the same memory has their rows, and describes the result. `is_idle`:
 * nothing is in flight. Descriptions are valid until the slot is released, for kernels that run in the order of these calls.
 * UNSUPPORTED: the copy would be too large. NO_MEMORY, of the host or of the device. If the frame is refused, here or later,
 * its copy is not used as an operand, and the caller must wait for the work already enqueued for it. */
enum histo_status histo_cuda_upload (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame,
                                     bool is_idle, struct histo_cuda_upload *upload);

/* If copies of the memory of `frame` and its operand exist, describes both and keeps the copies until the slot is released.
 * Otherwise it returns false and does nothing. Launches need no further synchronization: copies are read in the order of
 * calls. */
bool histo_cuda_uploader_find (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame,
                               struct histo_cuda_upload *upload);

/* The frame that was uploaded last, in that slot, is accepted. The copies that it reads stay until the slot is released. The
 * copies made for it stay until four later ones exist, for other parts of the picture and for the next frame's operand. Starts
 * the staging for the remaining rows, which calls `staged`, possibly before this returns. */
void histo_cuda_uploader_commit (struct histo_cuda_uploader *uploader, unsigned slot);

/* No kernel reads the copies of a slot any more. Has no effect without a commit or find since the last call. Any thread. */
void histo_cuda_uploader_release (struct histo_cuda_uploader *uploader, unsigned slot);

/* Waits until the staging no longer reads the frame of a staged slot. */
void histo_cuda_uploader_wait (struct histo_cuda_uploader *uploader, unsigned slot);
