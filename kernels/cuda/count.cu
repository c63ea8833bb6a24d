/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel `histo_count`: every number of one frame in one launch.
 *
 * A block counts tiles (up to TILE_BYTES of one row of one plane) until none is left, thread i the bytes i, i + 256 ... of a tile.
 * The bins live in shared memory (histogram.cuh), the sums in registers (reduce.cuh), both are added to the workspace at the end.
 * The rate of shared atomics bounds its speed. The block that ends last hands the numbers to the host and re-arms the workspace. */

#include "count.h"
#include "histogram.cuh"
#include "reduce.cuh"

#define TILE_BYTES 4096
/* When to empty the 32-bit counters: after so many bytes of tiles, and of an edge. 2^31 and 8 edges of 2^26 stay below 2^32. */
#define FLUSH_BYTES 0x80000000u
#define FLUSH_EDGE 0x4000000u

struct block {
  histogram_block histogram;
  reduce_block reduce;
  bool is_last;
};

static __device__ __forceinline__ void
count_byte (block &shared, reduce_thread &sums, unsigned component, const uint8_t *x, const uint8_t *y)
{
  unsigned value = *x;

  histogram_count (shared.histogram, component, value);
  reduce_count (sums, component, value, y ? *y : 0);
}

/* Samples [first, last) of a row, one component: the edges that the pattern leaves out, or all of a row that has no pattern. */
static __device__ void
count_edge (block &shared, reduce_thread &sums, const histo_cuda_pass &pass, unsigned c, const uint8_t *x, const uint8_t *y,
    uint64_t first, uint64_t last, histo_cuda_workspace *workspace)
{
  for (; first < last; first += FLUSH_EDGE) {
    uint64_t part_end = first + FLUSH_EDGE < last ? first + FLUSH_EDGE : last;

    for (uint64_t i = first + threadIdx.x; i < part_end; i += blockDim.x) {
      uint64_t at = pass.components[c].offset_bytes + i * pass.components[c].step_bytes;

      count_byte (shared, sums, pass.components[c].index, x + at, y ? y + at : nullptr);
    }
    if (part_end < last)
      histogram_flush (shared.histogram, workspace);
  }
}

static __device__ void
count_pass (block &shared, reduce_thread &sums, const histo_cuda_pass &pass, histo_cuda_workspace *workspace)
{
  uint64_t body_tiles = (pass.end - pass.begin + TILE_BYTES - 1) / TILE_BYTES;
  uint64_t tiles_per_row = body_tiles > 0 ? body_tiles : 1;
  uint64_t since_flush = 0;

  for (uint64_t tile = blockIdx.x; tile < tiles_per_row * pass.height; tile += gridDim.x) {
    uint64_t row = tile / tiles_per_row, tile_in_row = tile % tiles_per_row;
    const uint8_t *x = (const uint8_t *) pass.data + row * pass.stride_bytes;
    const uint8_t *y = pass.operand ? (const uint8_t *) pass.operand + row * pass.operand_stride_bytes : nullptr;
    uint64_t first = pass.begin + tile_in_row * TILE_BYTES;
    uint64_t last = first + TILE_BYTES < pass.end ? first + TILE_BYTES : pass.end;

    for (uint64_t at = first + threadIdx.x; at < last; at += blockDim.x) {
      int component = pass.component_at[(at - pass.begin) % pass.period];

      if (component >= 0)
        count_byte (shared, sums, (unsigned) component, x + at, y ? y + at : nullptr);
    }
    since_flush += TILE_BYTES;

    if (tile_in_row == 0) {
      for (unsigned c = 0; c < pass.component_count; c++) {
        uint64_t head = pass.components[c].head, tail = pass.components[c].tail, width = pass.components[c].width;

        count_edge (shared, sums, pass, c, x, y, 0, head, workspace);
        count_edge (shared, sums, pass, c, x, y, width - tail, width, workspace);
        since_flush += head % FLUSH_EDGE + tail % FLUSH_EDGE;
      }
    }

    if (since_flush >= FLUSH_BYTES) {
      histogram_flush (shared.histogram, workspace);
      since_flush = 0;
    }
  }
  histogram_flush (shared.histogram, workspace);
}

/* Moves the numbers from the workspace to the host, and leaves zeros. */
static __device__ void
publish (const histo_cuda_count &frame)
{
  auto workspace = (histo_cuda_workspace *) frame.workspace;
  auto result = (histo_cuda_result *) frame.result;
  const unsigned words = sizeof (histo_cuda_numbers) / sizeof (uint64_t);

  for (unsigned i = threadIdx.x; i < frame.component_count * words; i += blockDim.x) {
    uint64_t *from = (uint64_t *) workspace->numbers + i;

    /* past the L1 cache: other blocks wrote it */
    ((uint64_t *) result->numbers)[i] = __ldcg (from);
    *from = 0;
  }
  __threadfence_system ();
  __syncthreads ();
  if (threadIdx.x == 0) {
    workspace->blocks_done = 0;
    __threadfence_system ();
    *(volatile uint64_t *) &result->sequence = frame.sequence;
  }
}

extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS) histo_count (const __grid_constant__ histo_cuda_count frame)
{
  __shared__ block shared;
  reduce_thread sums = {};
  auto workspace = (histo_cuda_workspace *) frame.workspace;

  histogram_clear (shared.histogram);
  for (unsigned p = 0; p < frame.pass_count; p++)
    count_pass (shared, sums, frame.passes[p], workspace);
  reduce_flush (shared.reduce, sums, frame.component_count, workspace);

  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0)
    shared.is_last = atomicAdd ((unsigned long long *) &workspace->blocks_done, 1ull) == gridDim.x - 1;
  __syncthreads ();
  if (shared.is_last) {
    __threadfence ();
    publish (frame);
  }
}
