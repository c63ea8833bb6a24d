/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_project...`: row and column sums, the products of a frame as a matrix with a vector on either side. */

#include "project.cuh"
#include "sample.cuh"

/* Histogram, row and column sums of a component of 8-bit samples without gaps, whose rows begin at the same position in a
 * vector. A block counts a slice of the rows of a strip, a warp a sixteenth of them, a lane a vector of each row: its column
 * sums stay in registers. The bins are in shared memory, a column for each lane of even warps and of odd ones. The limit is
 * device memory and, nearly, instruction issue. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_PROJECT_THREADS, 2)
histo_project (const __grid_constant__ histo_cuda_project project)
{
  constexpr unsigned threads = HISTO_CUDA_PROJECT_THREADS;
  /* Column sums over all warps: of the low 16 bits of each warp's sum, and of the other bits. */
  __shared__ int columns[2][HISTO_CUDA_PROJECT_BYTES];
  const unsigned strip = blockIdx.x % project.strips, slice = blockIdx.x / project.strips, warp = threadIdx.x / 32;
  const project_frame frame = project_find_frame (project);
  const unsigned lead = static_cast<unsigned> (reinterpret_cast<uintptr_t> (frame.data)) & 15;
  const unsigned column = histogram_column (HISTO_CUDA_PROJECT_COLUMNS);
  const unsigned slice_end = min (project.height, (slice + 1) * project.slice_rows);
  const unsigned warp_rows = (project.slice_rows + PROJECT_WARPS - 1) / PROJECT_WARPS;
  const unsigned begin = min (slice_end, slice * project.slice_rows + warp * warp_rows);
  const unsigned end = min (slice_end, begin + warp_rows);
  auto row_weights = reinterpret_cast<const int16_t *> (project.row_weights);
  /* The position of the lane's first byte in the row: negative in the vector in which the row begins. */
  const int64_t at = static_cast<int64_t> (strip) * HISTO_CUDA_PROJECT_BYTES + threadIdx.x % 32 * 16 - lead;
  const int64_t remaining = static_cast<int64_t> (project.width) - at;
  project_lane lane = {
    frame.data + at + begin * project.stride_bytes,
    at < 0 ? static_cast<unsigned> (-at) : 0,
    remaining < 0 ? 0 : remaining < 16 ? static_cast<unsigned> (remaining) : 16,
  };

  if (lead == 0 && lane.last == 16 && row_weights != nullptr) {
    *reinterpret_cast<uint4 *> (lane.weights) = *reinterpret_cast<const uint4 *> (row_weights + at);
    *reinterpret_cast<uint4 *> (lane.weights + 4) = *reinterpret_cast<const uint4 *> (row_weights + at + 8);
  } else {
#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
      const int weight = i < lane.first || i >= lane.last ? 0 : row_weights != nullptr ? row_weights[at + i] : 1;

      lane.weights[i / 2] = i % 2 == 0 ? weight & 0xffff : lane.weights[i / 2] | weight << 16;
    }
  }
  for (unsigned i = threadIdx.x; i < 2 * HISTO_CUDA_PROJECT_BYTES; i += threads)
    columns[0][i] = 0;
  if (__all_sync (0xffffffffu, lane.first == 0 && (lane.last == 16 || lane.last == 0)))
    project_weighted_rows<true> (project, lane, begin, end, column, frame.row_sums);
  else
    project_weighted_rows<false> (project, lane, begin, end, column, frame.row_sums);

#pragma unroll
  for (unsigned i = 0; i < 16; i++) {
    atomicAdd (&columns[0][i * 32 + threadIdx.x % 32], lane.sums[i] & 0xffff);
    atomicAdd (&columns[1][i * 32 + threadIdx.x % 32], lane.sums[i] >> 16);
  }
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < HISTO_CUDA_PROJECT_BYTES; i += threads) {
    const int64_t sample = static_cast<int64_t> (strip) * HISTO_CUDA_PROJECT_BYTES + i - lead;
    const unsigned k = i % 16 * 32 + i / 16;

    if (sample >= 0 && sample < static_cast<int64_t> (project.width))
      atomicAdd (frame.column_sums + sample,
                 static_cast<unsigned long long> (static_cast<long long> (columns[1][k]) * 65536 + columns[0][k]));
  }
  const unsigned count = histogram_fold<threads> (histogram_tables, HISTO_CUDA_PROJECT_COLUMNS);

  if (threadIdx.x % (threads / HISTO_CUDA_BINS) == 0)
    publish (frame.to, threadIdx.x / (threads / HISTO_CUDA_BINS), count);
}

/* Row and column sums of a component of any kind. A block counts a slice of the rows, a thread one sample of each row: its
 * column sum stays in a register. The limit is one load a sample. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_PROJECT_ANY_THREADS)
histo_project_any (const __grid_constant__ histo_cuda_project project)
{
  const unsigned strip = blockIdx.x % project.strips, slice = blockIdx.x / project.strips;
  const uint64_t sample = static_cast<uint64_t> (strip) * HISTO_CUDA_PROJECT_ANY_THREADS + threadIdx.x;
  const bool is_there = sample < project.width;
  const project_frame frame = project_find_frame (project);
  const uint8_t *data = frame.data + project.component.offset_bytes + sample * project.component.step_bytes;
  auto row_weights = reinterpret_cast<const int16_t *> (project.row_weights);
  auto column_weights = reinterpret_cast<const int16_t *> (project.column_weights);
  const long long weight = !is_there ? 0 : row_weights != nullptr ? row_weights[sample] : 1;
  const uint64_t end = min (static_cast<unsigned long long> (project.height), (slice + 1ull) * project.slice_rows);
  long long column = 0;

  for (uint64_t row = static_cast<uint64_t> (slice) * project.slice_rows; row < end; row++) {
    const long long value = is_there ? load_sample (project.component, data + row * project.stride_bytes) : 0;
    const unsigned long long sum = reduce_warp (static_cast<unsigned long long> (value * weight));

    column += value * (column_weights != nullptr ? column_weights[row] : 1);
    if (threadIdx.x % 32 == 0)
      atomicAdd (&frame.row_sums[row], sum);
  }
  if (is_there)
    atomicAdd (&frame.column_sums[sample], static_cast<unsigned long long> (column));
}
