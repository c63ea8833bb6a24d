/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statistics: what is made of the frames of a launch. Each is a row of the table in launch.c, which visits it once to plan,
 * once to launch and once to read. A new one is a file with a struct histo_cuda_statistic, an entry in the enum, and the
 * row. */

#ifndef HISTO_CUDA_STATISTIC_H
#define HISTO_CUDA_STATISTIC_H

#include "cuda/driver.h"
#include "cuda/plan.h"

/* In the order of the visits: a statistic whose kernel may make another's numbers as well comes before that. */
enum histo_cuda_statistic_id {
  HISTO_CUDA_PROJECTION, /* row and column sums: projection.c */
  HISTO_CUDA_COUNT,      /* histogram, sums and dot product: count.c */
  HISTO_CUDA_STATISTICS
};

#define HISTO_CUDA_BIT(statistic_id) (1u << (statistic_id)) /* in a set of statistics */

/* The device, as far as statistics need it. Outlives them. */
struct histo_cuda_gpu {
  const struct histo_cuda_driver *driver;
  CUdevice device;
  CUmodule module;
  CUstream stream;       /* for what is waited for */
  unsigned shared_bytes; /* that a block may have */
  unsigned multiprocessors;
};

/* What is launched together: one frame or many that differ in addresses alone, in runs first_run, first_run + 1 ... */
struct histo_cuda_launch {
  struct histo_cuda_plan plan; /* the passes, and where their words are; at least one pass */
  unsigned first_run;
  unsigned wanted;           /* the set of statistics that are made of the frames */
  unsigned covered;          /* those of them whose numbers the kernel of an earlier one makes as well */
  bool lists_addresses;      /* of many frames: somebody needs `addresses` */
  const uint64_t *addresses; /* of many frames, as count.h says: in pinned memory */
};

struct histo_cuda_workspace;

/* All functions but close, is_published, read and drop need the context current. */
struct histo_cuda_statistic {
  /* For runs 0 .. runs - 1. `workspace` has the words of those that publish there, see workspace.h; it outlives the state, as
   * `gpu` does. On failure *state is NULL and the log has the reason. */
  enum histo_status (*open) (const struct histo_cuda_gpu *gpu, struct histo_cuda_workspace *workspace, unsigned runs,
                             void **state);

  /* With nothing in flight. NULL is fine. */
  void (*close) (void *state);

  /* Whether it is made of frames like this one. */
  bool (*is_wanted) (const struct histo_frame *frame);

  /* Optional. Reserves what the launch takes, so that nothing fails afterwards but the device; may add to launch->covered, and
   * set lists_addresses. NO_MEMORY, of the host or of the device, or DEVICE: the log has the reason. */
  enum histo_status (*plan) (void *state, struct histo_cuda_launch *launch);

  /* Enqueues its kernels, and what belongs to them. Not called where it is covered. DEVICE. */
  enum histo_status (*launch) (void *state, const struct histo_cuda_launch *launch, CUstream stream);

  /* Optional. Whether the numbers of a run are there. Never waits; any thread may call it. NULL: they are when the stream has
   * come past the launch, and not before. */
  bool (*is_published) (void *state, unsigned run);

  /* Adds the numbers of a run, which are there, to `stats` as histo_backend_ops.collect does. Once a launch. */
  void (*read) (void *state, unsigned run, struct histo_stats *stats);

  /* Optional. Gives up what was reserved for a run and neither launched nor read, if there is such. */
  void (*drop) (void *state, unsigned run);
};

extern const struct histo_cuda_statistic histo_cuda_statistic_projection;
extern const struct histo_cuda_statistic histo_cuda_statistic_count;

/* As histo_backend_ops.set_weights, of the state of a projection. */
enum histo_status histo_cuda_projection_set_weights (void *projection, unsigned component, const struct histo_weights *weights);

#endif
