/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel `histo_move`: see move.h. The limit is the bus. */

#include "../move.h"

extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_MOVE_THREADS) histo_move (const __grid_constant__ histo_cuda_move move)
{
  const unsigned i = blockIdx.x * HISTO_CUDA_MOVE_THREADS + threadIdx.x;
  auto from = reinterpret_cast<uint4 *> (move.from), to = reinterpret_cast<uint4 *> (move.to);

  if (i >= move.vectors)
    return;
  to[i] = from[i];
  from[i] = make_uint4 (0, 0, 0, 0);
}
