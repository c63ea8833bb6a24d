/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans the kernels of scope.cu and light.cu. */

#pragma once

#include "cuda/host/plan/plan.h"

/* Whether a waveform, a vectorscope or light is requested. */
bool histo_cuda_wants_scope (const struct histo_frame *frame);

/* Chooses blocks for frames whose passes are planned. */
void histo_cuda_plan_scope (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                            struct histo_cuda_plan *plan);
