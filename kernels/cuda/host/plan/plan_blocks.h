/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The blocks that count the passes of a frame. */

#pragma once

#include "cuda/count.h"
#include "cuda/host/plan/shape.h"
#include "pass.h"

/* Chooses the number of blocks of a frame, one of `frames` that share the multiprocessors, and divides them among its passes.
 * Returns the number; 0 if the frame is too large. */
uint32_t histo_cuda_share_blocks (const struct histo_cuda_shape *shape, const struct histo_pass *passes, unsigned frames,
                                  struct histo_cuda_count *count);

/* Gives blocks to a described pass, and shares its vectors out among their threads. */
void histo_cuda_assign_blocks (struct histo_cuda_pass *pass, uint32_t first_block, uint32_t block_count);
