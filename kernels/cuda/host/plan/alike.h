/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which frames go in one launch: frames that are alike differ only in addresses; others are unlike. */

#pragma once

#include "cuda/count.h"
#include "cuda/host/plan/shape.h"

/* Whether one launch can count `count` frames in device memory: they differ only in addresses, and the kernels support these
 * addresses. */
bool histo_cuda_frames_are_alike (const struct histo_frame *frames, unsigned count);

/* The number of frames, from the first of `count`, that one launch can count although they differ in more than addresses: 1 ..
 * HISTO_CUDA_UNLIKE. All are copies of frames in host memory, or all were in device memory. All request the same statistics,
 * without projection, waveform, vectorscope and light. All have only one-byte samples, or all have some two-byte samples. They
 * have so few bins that the kernels publish the numbers. */
unsigned histo_cuda_count_unlike (const struct histo_frame *frames, unsigned count);

/* Divides the multiprocessors among `count` unlike frames by their samples: shares[i] is the shape for planning frames[i]. */
void histo_cuda_share_out (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                           struct histo_cuda_shape *shares);

/* The bits in which a plane's address differs from that of the same plane in the first frame; the same for the operands. */
uint64_t histo_cuda_find_differing_bits (const struct histo_frame *frame, const struct histo_frame *first, unsigned plane);
