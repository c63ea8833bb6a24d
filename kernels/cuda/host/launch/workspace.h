/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Workspaces and results: memory for the words of each slot, to which kernels add, and for the addresses and parameters that
 * launches of several frames need. */

#pragma once

#include "cuda/host/launch/gpu.h"
#include "cuda/host/plan/plan.h"

/* The initial words of each slot: for a frame of three components with a bin for each value of up to 10 bits, or of more
 * components with HISTO_BINS bins each, and for its picture. A frame that needs more gets separate memory. */
#define HISTO_CUDA_SLOT_BINS 1024
#define HISTO_CUDA_SLOT_SATURATIONS 725
#define HISTO_CUDA_SLOT_WORDS \
  (3 * HISTO_CUDA_WORDS (HISTO_CUDA_SLOT_BINS) + HISTO_CUDA_PICTURE_WORDS + HISTO_HUES + HISTO_CUDA_SLOT_SATURATIONS)
_Static_assert(HISTO_CUDA_WORDS (HISTO_CUDA_BINS) * HISTO_CUDA_COMPONENTS <= 3 * HISTO_CUDA_WORDS (HISTO_CUDA_SLOT_BINS),
               "frames of bytes need no separate memory");

struct histo_cuda_workspace;

/* For slots 0 .. slots - 1. `gpu` outlives the workspace. On failure *workspace is NULL and the log has the cause. */
enum histo_status histo_cuda_workspace_open (const struct histo_cuda_gpu *gpu, unsigned slots,
                                             struct histo_cuda_workspace **workspace);

/* Frees everything while nothing is running. Accepts NULL. */
void histo_cuda_workspace_close (struct histo_cuda_workspace *workspace);

/* Reserves the words of a launch, sets their addresses in its plan, and lists the addresses of `frames` if a kernel needs them.
 * `last_launch`: see histo_cuda_prepare. NO_MEMORY, of the host or of the device, or DEVICE: the log has the cause. */
enum histo_status histo_cuda_workspace_reserve (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch,
                                                const struct histo_frame *frames, CUevent last_launch);

/* The parameters of a frame in a launch of unlike frames, in pinned memory for the kernels. */
struct histo_cuda_parameters {
  struct histo_cuda_count count;
  struct histo_cuda_picture picture;
};
_Static_assert(sizeof (struct histo_cuda_parameters) % 16 == 0, "parameters are whole vectors");

/* Reserves the parameters of all slots. NO_MEMORY or DEVICE: the log has the cause. */
enum histo_status histo_cuda_workspace_reserve_parameters (struct histo_cuda_workspace *workspace);

/* The parameters of a slot, after they were reserved; the next slot's follow. Kernels have read them when the slot's numbers
 * are published. *address: the address on the device. */
struct histo_cuda_parameters *histo_cuda_workspace_get_parameters (const struct histo_cuda_workspace *workspace, unsigned slot,
                                                                   CUdeviceptr *address);
