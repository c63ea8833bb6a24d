/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statistics that a frame can request. Each is a row of the table in launch.c, which calls it once to plan, once to launch and
 * once to read. To add one, add a file with a struct histo_cuda_statistic, an entry in the enum in plan.h, and a row of the
 * table in launch.c. */

#pragma once

#include "cuda/host/launch/gpu.h"
#include "cuda/host/launch/workspace.h"
#include "cuda/host/plan/plan.h"

/* All functions except close, is_wanted, is_published, read and drop need the context current. */
struct histo_cuda_statistic {
  /* For slots 0 .. slots - 1. `workspace` has the words of the statistics that publish there, see workspace.h. It outlives the
   * state, and so does `gpu`. On failure *state is NULL and the log has the cause. */
  enum histo_status (*open) (const struct histo_cuda_gpu *gpu, struct histo_cuda_workspace *workspace, unsigned slots,
                             void **state);

  /* Called with nothing in flight. Accepts NULL. */
  void (*close) (void *state);

  /* Whether the frame requests the statistic. */
  bool (*is_wanted) (const struct histo_frame *frame);

  /* Optional. Reserves the launch's memory, so that afterwards only the device can fail. May add to launch->covered, and set
   * lists_addresses. NO_MEMORY, of the host or of the device, or DEVICE: the log has the cause. */
  enum histo_status (*plan) (void *state, struct histo_cuda_launch *launch);

  /* Enqueues its kernels, and their copies. Not called for a covered statistic. DEVICE. */
  enum histo_status (*launch) (void *state, const struct histo_cuda_launch *launch, CUstream stream);

  /* Enqueues one kernel or two for `count` unlike frames. Some of them may not request the statistic or have it covered. NULL:
   * frames that request it are not launched together. DEVICE. */
  enum histo_status (*launch_unlike) (void *state, const struct histo_cuda_launch *launches, unsigned count, CUstream stream);

  /* Optional. Whether the numbers of a slot are published. Never waits; any thread may call it. NULL: they are when the stream
   * has finished the launch, not before. */
  bool (*is_published) (void *state, unsigned slot);

  /* Adds the published numbers of a slot to `stats`, as histo_backend_ops.collect does. Once for each launch. */
  void (*read) (void *state, unsigned slot, struct histo_stats *stats);

  /* Optional. Releases memory reserved for a slot whose numbers were not read. */
  void (*drop) (void *state, unsigned slot);
};

/* Whether a launch enqueues kernels for a statistic. */
static inline bool
histo_cuda_launches (const struct histo_cuda_launch *launch, enum histo_cuda_statistic_id statistic)
{
  return launch->wanted & ~launch->covered & HISTO_CUDA_BIT (statistic);
}

extern const struct histo_cuda_statistic histo_cuda_statistic_projection;
extern const struct histo_cuda_statistic histo_cuda_statistic_count;
extern const struct histo_cuda_statistic histo_cuda_statistic_picture;
extern const struct histo_cuda_statistic histo_cuda_statistic_scope;

/* As histo_backend_ops.set_weights, for the state of a projection. */
enum histo_status histo_cuda_projection_set_weights (void *projection, unsigned component, const struct histo_weights *weights);
