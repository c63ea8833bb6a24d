/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Derived components: memory for their planes in each slot, and the kernels that derive them before the others count them. */

#pragma once

#include "cuda/host/launch/gpu.h"
#include "cuda/host/plan/plan.h"

struct histo_cuda_deriver;

/* For slots 0 .. slots - 1. `gpu` outlives the deriver. On failure *deriver is NULL and the log has the cause. */
enum histo_status histo_cuda_deriver_open (const struct histo_cuda_gpu *gpu, unsigned slots,
                                           struct histo_cuda_deriver **deriver);

/* Frees everything while nothing is running. Accepts NULL. */
void histo_cuda_deriver_close (struct histo_cuda_deriver *deriver);

/* Reserves memory for the derived planes of a slot's frame, and of its operand. Fills *whole, and *operand if there is one,
 * with the frames that the kernels count. A frame without derived components is only copied. `last_launch`: see
 * histo_cuda_prepare. NO_MEMORY or DEVICE: the log has the cause. */
enum histo_status histo_cuda_deriver_reserve (struct histo_cuda_deriver *deriver, unsigned slot,
                                              const struct histo_frame *frame, CUevent last_launch, struct histo_frame *whole,
                                              struct histo_frame *operand);

/* Adds HISTO_CUDA_COUNT to launch->covered if the kernel that derives can also count. `frame`: the frame with derived
 * components that the launch, whose statistics are planned, counts. */
void histo_cuda_deriver_cover (struct histo_cuda_deriver *deriver, const struct histo_frame *frame,
                               struct histo_cuda_launch *launch);

/* Enqueues the kernels for the frame reserved last in the launch's slot, if it has derived components. DEVICE. */
enum histo_status histo_cuda_deriver_launch (struct histo_cuda_deriver *deriver, const struct histo_cuda_launch *launch,
                                             CUstream stream);
