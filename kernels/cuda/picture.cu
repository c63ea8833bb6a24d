/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_picture...`: what a picture says beside its histograms. */

#include "cell.cuh"
#include "chroma.cuh"
#include "difference.cuh"
#include "neighbours.cuh"
#include "publish.cuh"

/* Adds a thread's number to one of the block's totals. */
static __device__ __forceinline__ void
add_to_total (unsigned long long &total, unsigned long long value)
{
  value = reduce_warp (value);
  if (threadIdx.x % 32 == 0)
    atomicAdd (&total, value);
}

/* Where words of this block's frame are. */
static __device__ __forceinline__ destination
find_words (const histo_cuda_picture &picture, unsigned first_word)
{
  const uint64_t word = blockIdx.y * static_cast<uint64_t> (picture.frame_words) + first_word;

  return {
    reinterpret_cast<unsigned long long *> (picture.workspace) + word,
    reinterpret_cast<unsigned long long *> (picture.result) + word,
    picture.tag,
    gridDim.x,
  };
}

/* What a block has in shared memory besides the tables. */
struct picture_totals {
  unsigned row_distances[HISTO_CUDA_PICTURE_ROWS];
  unsigned long long totals[HISTO_CUDA_PICTURE_TOTALS];
};

/* The bins of the histograms, which come first. */
static __device__ __forceinline__ unsigned
count_histogram_bins (const histo_cuda_picture &picture)
{
  return picture.counts ? 3 * HISTO_CUDA_BINS : 0;
}

/* Those of hues and saturations, without saturations that are counted in the result. */
static __device__ __forceinline__ unsigned
count_colour_bins (const histo_cuda_picture &picture)
{
  if (!(picture.statistics & (HISTO_CUDA_HUE | HISTO_CUDA_SATURATION)))
    return 0;
  return HISTO_CUDA_HUES
         + (picture.saturation_count <= HISTO_CUDA_PICTURE_SATURATIONS ? picture.saturation_count : 0);
}

static __device__ __forceinline__ void
clear_picture (const histo_cuda_picture &picture, picture_totals &shared)
{
  if (threadIdx.x < HISTO_CUDA_PICTURE_ROWS)
    shared.row_distances[threadIdx.x] = 0;
  if (threadIdx.x < HISTO_CUDA_PICTURE_TOTALS)
    shared.totals[threadIdx.x] = 0;
  const unsigned bins = count_histogram_bins (picture) + count_colour_bins (picture);

  for (unsigned i = threadIdx.x; i < (bins << picture.columns_log2) / 4 + 1;
       i += HISTO_CUDA_PICTURE_THREADS)
    reinterpret_cast<uint4 *> (histogram_tables)[i] = make_uint4 (0, 0, 0, 0);
  __syncthreads ();
}

/* The count of a bin, over its columns. */
static __device__ __forceinline__ unsigned
fold_bin (const histo_cuda_picture &picture, unsigned bin)
{
  auto vectors = reinterpret_cast<const uint4 *> (histogram_tables) + 2 * bin;

  if (picture.columns_log2 != HISTO_CUDA_PICTURE_COLUMNS_LOG2)
    return histogram_fold_bin (histogram_tables, 1u << picture.columns_log2, bin);

  const uint4 a = vectors[0], b = vectors[1];

  return a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
}

static __device__ __forceinline__ void
publish_picture (const histo_cuda_picture &picture, const picture_totals &shared)
{
  const destination to = find_words (picture, picture.first_word);
  const unsigned histogram_bins = count_histogram_bins (picture), colour_bins = count_colour_bins (picture);

  __syncthreads ();
  if (threadIdx.x < HISTO_CUDA_PICTURE_TOTALS)
    publish_total (to, 2 * threadIdx.x, shared.totals[threadIdx.x]);
  for (unsigned i = threadIdx.x; i < histogram_bins + colour_bins; i += HISTO_CUDA_PICTURE_THREADS) {
    const unsigned colour = i - histogram_bins; /* wraps around */
    const unsigned count = fold_bin (picture, i);

    if (i < histogram_bins)
      publish (find_words (picture, picture.components[i / HISTO_CUDA_BINS].first_word), i % HISTO_CUDA_BINS, count);
    else if (picture.statistics & (colour < HISTO_CUDA_HUES ? HISTO_CUDA_HUE : HISTO_CUDA_SATURATION))
      publish (to, HISTO_CUDA_PICTURE_WORDS + colour, count);
  }
}

/* The rows of a band whose differences from the fourth above are added up. */
static __device__ __forceinline__ void
count_repeats (const histo_cuda_picture &picture, unsigned begin, unsigned end, picture_totals &shared)
{
  const unsigned row = begin + threadIdx.x, width = picture.components[0].width;

  __syncthreads ();
  if (picture.statistics & HISTO_CUDA_REPEATS && row < end && row >= NEIGHBOUR_ABOVE
      && shared.row_distances[threadIdx.x] < width)
    atomicAdd (&shared.totals[HISTO_CUDA_PICTURE_REPEATS / 2], width);
}

template <bool DEEP>
static __device__ __forceinline__ void
count_luma (const histo_cuda_picture &picture, picture_totals &shared)
{
  const histo_cuda_picture_component &luma = picture.components[0];
  const unsigned begin = min (luma.height, blockIdx.x * luma.band_rows), end = min (luma.height, begin + luma.band_rows);
  const uint8_t *x = find_component (picture, 0);
  neighbour_counts counts = {};

  for (unsigned row = begin; row < end; row += NEIGHBOUR_ROWS)
    count_neighbours<DEEP> (picture, x, row, min (end, row + NEIGHBOUR_ROWS), &shared.row_distances[row - begin], counts);
  add_to_total (shared.totals[HISTO_CUDA_PICTURE_OUTLIERS / 2], counts.outliers);
  add_to_total (shared.totals[HISTO_CUDA_PICTURE_OUT_OF_RANGE / 2], counts.out_of_range);
  count_repeats (picture, begin, end, shared);
}

/* Of any frame. A block takes a band of rows of each component. Bound by issue. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_PICTURE_THREADS)
histo_picture (const __grid_constant__ histo_cuda_picture picture)
{
  __shared__ picture_totals shared;

  clear_picture (picture, shared);
  if (picture.statistics & HISTO_CUDA_DIFFERENCE)
    for (unsigned c = 0; c < picture.component_count; c++) {
      const histo_cuda_picture_component &component = picture.components[c];
      const unsigned begin = min (component.height, blockIdx.x * component.band_rows);
      const unsigned end = min (component.height, begin + component.band_rows);
      const uint8_t *x = find_component (picture, c), *y = find_component (picture, c, true);
      const differences sums = component.sample_bytes == 1 ? find_differences<false> (component, x, y, begin, end)
                                                           : find_differences<true> (component, x, y, begin, end);

      add_to_total (shared.totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2], sums.absolute);
      add_to_total (shared.totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2 + 1], sums.squared);
    }
  if (picture.statistics & (HISTO_CUDA_HUE | HISTO_CUDA_SATURATION)) {
    const histo_cuda_picture_component &cb = picture.components[1];
    const unsigned begin = min (cb.height, blockIdx.x * cb.band_rows);

    count_chroma (picture, begin, min (cb.height, begin + cb.band_rows),
                  find_words (picture, picture.first_word).result + HISTO_CUDA_PICTURE_WORDS + HISTO_CUDA_HUES);
  }
  if (picture.statistics & (HISTO_CUDA_OUTLIERS | HISTO_CUDA_REPEATS | HISTO_CUDA_OUT_OF_RANGE)) {
    if (picture.components[0].sample_bytes == 1)
      count_luma<false> (picture, shared);
    else
      count_luma<true> (picture, shared);
  }
  publish_picture (picture, shared);
}

/* Adds the lanes' numbers to one of the block's totals. */
static __device__ __forceinline__ void
add_lanes (unsigned long long &total, unsigned value)
{
  const unsigned low = reduce_warp_word (value & 0xffff), high = reduce_warp_word (value >> 16);

  if (threadIdx.x % 32 == 0)
    atomicAdd (&total, (static_cast<unsigned long long> (high) << 16) + low);
}

/* Of pictures that have cells. A block takes a band of rows. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_PICTURE_THREADS, 3)
histo_picture_cells (const __grid_constant__ histo_cuda_picture picture)
{
  __shared__ picture_totals shared;
  const histo_cuda_picture_component &luma = picture.components[0];
  const unsigned begin = min (luma.height, blockIdx.x * luma.band_rows), end = min (luma.height, begin + luma.band_rows);
  const cell_planes x = find_planes (picture, false), y = find_planes (picture, true);
  const chroma_order order = find_chroma_order (picture);
  cell_counts counts = {};

  clear_picture (picture, shared);
  for (unsigned row = begin; row < end; row += HISTO_CUDA_CELL_ROWS)
    count_cells (picture, x, y, order, row, min (end, row + HISTO_CUDA_CELL_ROWS), &shared.row_distances[row - begin], counts);
  add_lanes (shared.totals[HISTO_CUDA_PICTURE_OUTLIERS / 2], counts.outliers);
  add_lanes (shared.totals[HISTO_CUDA_PICTURE_OUT_OF_RANGE / 2], counts.out_of_range);
#pragma unroll
  for (unsigned c = 0; c < 3; c++) {
    add_lanes (shared.totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2], counts.absolute[c]);
    add_lanes (shared.totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2 + 1], counts.squared[c]);
  }
  count_repeats (picture, begin, end, shared);
  publish_picture (picture, shared);
}
