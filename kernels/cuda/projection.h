/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Projection: the row and column sums of frames in device memory. All calls but the closing, the reading and the dropping need the
 * context current that the projector was opened in. */

#ifndef HISTO_CUDA_PROJECTION_H
#define HISTO_CUDA_PROJECTION_H

#include "cuda/count.h"
#include "cuda/driver.h"
#include "pass.h"

struct histo_cuda_projector;

/* `room`: shared memory that a block may have; `stream`: for weights; it, `config`, `driver` and `module` outlive the projector. On failure
 * *projector is NULL and the log has the reason. */
enum histo_status histo_cuda_projector_open (const struct histo_config *config, const struct histo_cuda_driver *driver,
                                             CUmodule module, CUstream stream, unsigned room, unsigned multiprocessors,
                                             struct histo_cuda_projector **projector);

/* With nothing in flight. NULL is fine. */
void histo_cuda_projector_close (struct histo_cuda_projector *projector);

/* As histo_backend_ops.set_weights; copies them to the device, and returns when they are there. */
enum histo_status histo_cuda_projector_set_weights (struct histo_cuda_projector *projector, unsigned component,
                                                    const struct histo_weights *weights);

/* Whether its kernel makes the histograms of these passes as well, in the words of `count`: then nothing else is to be launched. */
bool histo_cuda_projector_counts (const struct histo_cuda_projector *projector, const struct histo_cuda_count *count,
                                  const struct histo_pass *passes);

/* The sums of a launch, of one frame or many: on the device, and on the way to the host. */
struct histo_cuda_sums;

/* Reserves the sums of one frame or many, as planned in `count` and `passes`. On success each frame holds a use of *sums:
 * histo_cuda_sums_read or _drop ends it. NO_MEMORY, and the log says so. */
enum histo_status histo_cuda_sums_reserve (struct histo_cuda_projector *projector, const struct histo_cuda_count *count,
                                           const struct histo_pass *passes, struct histo_cuda_sums **sums);

/* Launches the sums of the frames they were reserved for, and their way to the host. `addresses` of many are as in count.h. */
enum histo_status histo_cuda_project (struct histo_cuda_projector *projector, const struct histo_cuda_count *count,
                                      const struct histo_pass *passes, const uint64_t *addresses, bool counts, CUstream stream,
                                      struct histo_cuda_sums *sums);

/* Copies the sums of frame `index`, once the stream has come past the launch. */
void histo_cuda_sums_read (struct histo_cuda_projector *projector, struct histo_cuda_sums *sums, unsigned index,
                           struct histo_stats *stats);

/* NULL is fine. */
void histo_cuda_sums_drop (struct histo_cuda_projector *projector, struct histo_cuda_sums *sums);

#endif
