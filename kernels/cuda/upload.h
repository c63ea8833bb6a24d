/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Uploading: frames in host memory are copied to the device. Pinned frames are read by the copy engine, others go through the
 * staging. All calls but histo_cuda_uploader_close need the context current that the uploader was opened with. */

#ifndef HISTO_CUDA_UPLOAD_H
#define HISTO_CUDA_UPLOAD_H

#include "cuda/driver.h"

struct histo_cuda_uploader;

/* For frames in `slots` slots that are used in turn. Copies are enqueued on `stream`, which, like the context and the driver,
 * outlives the uploader. On failure *uploader is NULL and the log has the reason. */
enum histo_status histo_cuda_uploader_open (const struct histo_config *config, const struct histo_cuda_driver *driver,
                                            CUcontext context, CUstream stream, unsigned slots,
                                            struct histo_cuda_uploader **uploader);

/* Frees everything; with the context current if it still can be. The stream must be idle. NULL is fine. */
void histo_cuda_uploader_close (struct histo_cuda_uploader *uploader);

/* Begins to copy `frame`, and its operand unless a copy of it is still there. *device describes the frame as it will be in device
 * memory for what the stream gets next; device->operand is NULL or `operand`. */
enum histo_status histo_cuda_upload (struct histo_cuda_uploader *uploader, unsigned slot, const struct histo_frame *frame,
                                     struct histo_frame *device, struct histo_frame *operand);

#endif
