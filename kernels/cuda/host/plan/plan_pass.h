/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The passes of a frame, as the kernels of count.cu count them, and their tables in shared memory. */

#pragma once

#include "cuda/count.h"
#include "pass.h"

/* Whether the frame has two-byte samples. */
bool histo_cuda_is_deep (const struct histo_frame *frame);

/* Whether a component has too many bins for tables with columns: see HISTO_CUDA_CARRY_TABLE_BYTES. Then the frame is deep. */
bool histo_cuda_has_many_bins (const struct histo_frame *frame);

/* Fills `passes` as histo_plan_passes does, for blocks with `shared_bytes` of shared memory for tables. Returns the number of
 * passes. */
unsigned histo_cuda_plan_passes (const struct histo_frame *frame, unsigned shared_bytes,
                                 struct histo_pass passes[HISTO_CUDA_PASSES]);

/* Sets all fields except those of histo_cuda_assign_blocks. `deep`, `carries`: of the frame, see histo_cuda_is_deep and
 * histo_cuda_has_many_bins. first_words[c]: of component c of the frame. */
void histo_cuda_describe_pass (const struct histo_pass *pass, bool deep, bool carries, unsigned shared_bytes,
                               const uint32_t *first_words, struct histo_cuda_pass *out);

/* The address of samples in device memory. */
static inline uint64_t
histo_cuda_device_address (const void *pointer)
{
  return (uint64_t)(uintptr_t)pointer;
}
