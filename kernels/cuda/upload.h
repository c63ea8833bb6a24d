/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Uploading: how the kernels get at frames in host memory. Large frames are copied to the device, pinned ones by the copy
 * engine alone, others through the staging. Small ones stay where they are, if that is pinned memory, else in some of the
 * uploader's, and the kernel reads them over the bus: to ask for a copy would take longer than to make it.
 *
 * All calls but histo_cuda_uploader_close, _release and _wait need the context current that the uploader was opened with. */

#ifndef HISTO_CUDA_UPLOAD_H
#define HISTO_CUDA_UPLOAD_H

#include "cuda/staging.h"

struct histo_cuda_uploader;

/* A frame as the kernel finds it. */
struct histo_cuda_upload {
  struct histo_frame frame; /* frame.operand is NULL or &operand */
  struct histo_frame operand;
  bool is_copied; /* the stream has, or gets from the staging, copies that the kernel must come after */
  bool is_staged; /* histo_cuda_uploader_commit hands rows of it to the staging */
};

/* For frames in `slots` slots that are used in turn. Copies are read by kernels on `count_stream`, which outlives the uploader,
 * too. `staged` is called for slots. On failure *uploader is NULL and the log has the reason. */
enum histo_status histo_cuda_uploader_open (const struct histo_cuda_target *target, CUstream count_stream, unsigned slots,
                                            struct histo_cuda_uploader **uploader);

/* Ends the staging: what it has not begun is dropped, and the stream gets nothing more. NULL is fine. */
void histo_cuda_uploader_stop (struct histo_cuda_uploader *uploader);

/* Frees everything; with the context current if it still can be. Stopped, and the stream idle. NULL is fine. */
void histo_cuda_uploader_close (struct histo_cuda_uploader *uploader);

/* Begins to copy `frame` and its operand, unless a copy is there of the same memory that has their rows, and describes the
 * result. `is_idle`: nothing is in flight. Descriptions are good until the slot is released, for kernels that run in the order
 * of these calls. UNSUPPORTED: the copy would be too large. NO_MEMORY, of the host or of the device. No operand is taken from
 * the copy of a frame that is refused, here or later; the caller has to wait for what the stream was given for it. */
enum histo_status histo_cuda_upload (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame,
                                     bool is_idle, struct histo_cuda_upload *upload);

/* Describes `frame` and its operand where copies of the memory of both are there, and keeps these until the slot is released.
 * False where they are not, and nothing happened. No launch has to be told of them: copies are read in the order of calls. */
bool histo_cuda_uploader_find (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame,
                               struct histo_cuda_upload *upload);

/* The frame that was uploaded last, in that slot, was accepted: the copies that it reads stay until the slot is released, and
 * what was copied for it until four more were, for other parts of the picture and as an operand. Begins what is left to the
 * staging, which calls `staged`, perhaps before this returns. */
void histo_cuda_uploader_commit (struct histo_cuda_uploader *uploader, unsigned slot);

/* No kernel reads the copies of a slot any more. Without a commit or find since the last time nothing happens. Any thread. */
void histo_cuda_uploader_release (struct histo_cuda_uploader *uploader, unsigned slot);

/* Waits until the staging no longer reads the frame of a slot that was staged. */
void histo_cuda_uploader_wait (struct histo_cuda_uploader *uploader, unsigned slot);

#endif
