/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel `histo_picture`: what a picture says beside its histograms. */

#include "chroma.cuh"
#include "difference.cuh"
#include "neighbours.cuh"
#include "publish.cuh"

/* Adds a thread's number to one of the block's totals. */
static __device__ __forceinline__ void
add_to_total (unsigned long long &total, unsigned long long value)
{
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd (&total, value);
}

template <bool DEEP>
static __device__ __forceinline__ void
count_luma (const histo_cuda_picture &picture, unsigned *row_distances, unsigned long long *totals)
{
  const histo_cuda_picture_component &luma = picture.components[0];
  const unsigned begin = min (luma.height, blockIdx.x * luma.band_rows), end = min (luma.height, begin + luma.band_rows);
  const uint8_t *x = find_component (picture, 0);
  neighbour_counts counts = {};

  for (unsigned row = begin; row < end; row += NEIGHBOUR_ROWS)
    count_neighbours<DEEP> (picture, x, row, min (end, row + NEIGHBOUR_ROWS), &row_distances[row - begin], counts);
  add_to_total (totals[HISTO_CUDA_PICTURE_OUTLIERS / 2], counts.outliers);
  add_to_total (totals[HISTO_CUDA_PICTURE_OUT_OF_RANGE / 2], counts.out_of_range);
  __syncthreads ();
  if (picture.statistics & HISTO_CUDA_REPEATS && begin + threadIdx.x < end && begin + threadIdx.x >= NEIGHBOUR_ABOVE
      && row_distances[threadIdx.x] < luma.width)
    atomicAdd (&totals[HISTO_CUDA_PICTURE_REPEATS / 2], luma.width);
}

/* A block takes a band of rows of each component. Bound by issue. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_PICTURE_THREADS)
histo_picture (const __grid_constant__ histo_cuda_picture picture)
{
  __shared__ unsigned row_distances[HISTO_CUDA_PICTURE_ROWS];
  __shared__ unsigned long long totals[HISTO_CUDA_PICTURE_TOTALS];
  const unsigned tabled = picture.saturation_count <= HISTO_CUDA_PICTURE_SATURATIONS ? picture.saturation_count : 0;
  const destination to = {
    reinterpret_cast<unsigned long long *> (picture.workspace) + blockIdx.y * static_cast<uint64_t> (picture.frame_words)
        + picture.first_word,
    reinterpret_cast<unsigned long long *> (picture.result) + blockIdx.y * static_cast<uint64_t> (picture.frame_words)
        + picture.first_word,
    picture.tag,
    gridDim.x,
  };

  if (threadIdx.x < HISTO_CUDA_PICTURE_ROWS)
    row_distances[threadIdx.x] = 0;
  if (threadIdx.x < HISTO_CUDA_PICTURE_TOTALS)
    totals[threadIdx.x] = 0;
  if (picture.statistics & (HISTO_CUDA_HUE | HISTO_CUDA_SATURATION))
    for (unsigned i = threadIdx.x; i < (HISTO_CUDA_HUES + tabled) << picture.columns_log2; i += HISTO_CUDA_PICTURE_THREADS)
      histogram_tables[i] = 0;
  __syncthreads ();

  if (picture.statistics & HISTO_CUDA_DIFFERENCE)
    for (unsigned c = 0; c < picture.component_count; c++) {
      const histo_cuda_picture_component &component = picture.components[c];
      const unsigned begin = min (component.height, blockIdx.x * component.band_rows);
      const unsigned end = min (component.height, begin + component.band_rows);
      const uint8_t *x = find_component (picture, c), *y = find_component (picture, c, true);
      const differences sums = component.sample_bytes == 1 ? find_differences<false> (component, x, y, begin, end)
                                                           : find_differences<true> (component, x, y, begin, end);

      add_to_total (totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2], sums.absolute);
      add_to_total (totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2 + 1], sums.squared);
    }
  if (picture.statistics & (HISTO_CUDA_HUE | HISTO_CUDA_SATURATION)) {
    const histo_cuda_picture_component &cb = picture.components[1];
    const unsigned begin = min (cb.height, blockIdx.x * cb.band_rows);

    count_chroma (picture, begin, min (cb.height, begin + cb.band_rows),
                  to.result + HISTO_CUDA_PICTURE_WORDS + HISTO_CUDA_HUES);
  }
  if (picture.statistics & (HISTO_CUDA_OUTLIERS | HISTO_CUDA_REPEATS | HISTO_CUDA_OUT_OF_RANGE)) {
    if (picture.components[0].sample_bytes == 1)
      count_luma<false> (picture, row_distances, totals);
    else
      count_luma<true> (picture, row_distances, totals);
  }
  __syncthreads ();

  if (threadIdx.x < HISTO_CUDA_PICTURE_TOTALS)
    publish_total (to, 2 * threadIdx.x, totals[threadIdx.x]);
  for (unsigned i = threadIdx.x; i < HISTO_CUDA_HUES + tabled; i += HISTO_CUDA_PICTURE_THREADS)
    if (picture.statistics & (i < HISTO_CUDA_HUES ? HISTO_CUDA_HUE : HISTO_CUDA_SATURATION))
      publish (to, HISTO_CUDA_PICTURE_WORDS + i, histogram_fold_bin (histogram_tables, 1u << picture.columns_log2, i));
}
