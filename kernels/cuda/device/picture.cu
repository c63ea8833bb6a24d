/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_picture...`: the picture's numbers besides its histograms. */

#include "cell.cuh"
#include "chroma.cuh"
#include "difference.cuh"
#include "neighbours.cuh"
#include "publish.cuh"
#include "unlike.cuh"

/* The blocks of a frame: its row of the grid. */
struct row_of_blocks {
  static __device__ __forceinline__ unsigned
  mine ()
  {
    return blockIdx.x;
  }
  static __device__ __forceinline__ unsigned
  count ()
  {
    return gridDim.x;
  }
};

/* The blocks of a frame in a launch of unlike frames. */
class part_of_blocks {
  unsigned block, blocks;

public:
  __device__ __forceinline__ part_of_blocks (const histo_cuda_unlike &unlike, unsigned frame)
  {
    block = blockIdx.x - unlike.first_block[frame];
    blocks = unlike.first_block[frame + 1] - unlike.first_block[frame];
  }
  __device__ __forceinline__ unsigned
  mine () const
  {
    return block;
  }
  __device__ __forceinline__ unsigned
  count () const
  {
    return blocks;
  }
};

/* Adds a thread's number to a total of the block. */
static __device__ __forceinline__ void
add_to_total (unsigned long long &total, unsigned long long value)
{
  value = reduce_warp (value);
  if (threadIdx.x % 32 == 0)
    atomicAdd (&total, value);
}

/* The words of this block's frame. */
template <typename own_blocks>
static __device__ __forceinline__ destination
find_words (const histo_cuda_picture &picture, const own_blocks &blocks, unsigned first_word)
{
  const uint64_t word = blockIdx.y * static_cast<uint64_t> (picture.frame_words) + first_word;

  return {
    reinterpret_cast<unsigned long long *> (picture.workspace) + word,
    reinterpret_cast<unsigned long long *> (picture.result) + word,
    picture.tag,
    blocks.count (),
  };
}

static_assert (HISTO_CUDA_PICTURE_THREADS >= HISTO_CUDA_PICTURE_ROWS
                   && HISTO_CUDA_CELL_THREADS_OF_MANY >= HISTO_CUDA_PICTURE_ROWS,
               "a thread for each row, and for each of the fewer totals");

/* A block's shared memory besides the tables. */
struct picture_totals {
  unsigned row_distances[HISTO_CUDA_PICTURE_ROWS];
  unsigned long long totals[HISTO_CUDA_PICTURE_TOTALS];
};

/* The number of bins of the histograms, which come first. */
static __device__ __forceinline__ unsigned
count_histogram_bins (const histo_cuda_picture &picture)
{
  return picture.counts ? 3 * HISTO_CUDA_BINS : 0;
}

/* The number of bins of hues and saturations, without saturations that are counted in the result. */
static __device__ __forceinline__ unsigned
count_colour_bins (const histo_cuda_picture &picture)
{
  if (!(picture.statistics & (HISTO_STATISTIC_HUE | HISTO_STATISTIC_SATURATION)))
    return 0;
  return HISTO_HUES
         + (picture.saturation_count <= HISTO_CUDA_PICTURE_SATURATIONS ? picture.saturation_count : 0);
}

/* `threads`: number of threads of the block. */
static __device__ __forceinline__ void
clear_picture (const histo_cuda_picture &picture, unsigned threads, picture_totals &shared)
{
  if (threadIdx.x < HISTO_CUDA_PICTURE_ROWS)
    shared.row_distances[threadIdx.x] = 0;
  if (threadIdx.x < HISTO_CUDA_PICTURE_TOTALS)
    shared.totals[threadIdx.x] = 0;
  const unsigned bins = count_histogram_bins (picture) + count_colour_bins (picture);

  for (unsigned i = threadIdx.x; i < (bins << picture.columns_log2) / 4 + 1; i += threads)
    reinterpret_cast<uint4 *> (histogram_tables)[i] = make_uint4 (0, 0, 0, 0);
  __syncthreads ();
}

/* The count of a bin, summed over its columns. */
static __device__ __forceinline__ unsigned
fold_bin (const histo_cuda_picture &picture, unsigned bin)
{
  auto vectors = reinterpret_cast<const uint4 *> (histogram_tables) + 2 * bin;

  if (picture.columns_log2 != HISTO_CUDA_PICTURE_COLUMNS_LOG2)
    return histogram_fold_bin (histogram_tables, 1u << picture.columns_log2, bin);

  const uint4 a = vectors[0], b = vectors[1];

  return a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
}

/* Finds word `i` of the block's published words, and the block's contribution: totals, histograms, colours. False if it is not
 * requested. */
static __device__ __forceinline__ bool
find_number (const histo_cuda_picture &picture, const picture_totals &shared, unsigned i, unsigned &word,
             unsigned long long &value)
{
  const unsigned bin = i - HISTO_CUDA_PICTURE_WORDS, histogram_bins = count_histogram_bins (picture);

  if (i < HISTO_CUDA_PICTURE_WORDS) {
    const unsigned long long total = shared.totals[i / 2];

    word = picture.first_word + i;
    value = i % 2 == 0 ? total & ((1u << HISTO_CUDA_LOW_BITS) - 1) : total >> HISTO_CUDA_LOW_BITS;
    return true;
  }
  value = fold_bin (picture, bin);
  if (bin < histogram_bins) {
    word = picture.components[bin / HISTO_CUDA_BINS].first_word + bin % HISTO_CUDA_BINS;
    return true;
  }
  word = picture.first_word + i - histogram_bins;
  return picture.statistics & (bin - histogram_bins < HISTO_HUES ? HISTO_STATISTIC_HUE : HISTO_STATISTIC_SATURATION);
}

/* A thread starts several additions before it uses the result of the first: each takes most of a microsecond. */
template <typename own_blocks>
static __device__ __forceinline__ void
publish_picture (const histo_cuda_picture &picture, const own_blocks &blocks, unsigned threads, const picture_totals &shared)
{
  constexpr unsigned at_once = 5;
  const destination to = find_words (picture, blocks, 0);
  const unsigned count = HISTO_CUDA_PICTURE_WORDS + count_histogram_bins (picture) + count_colour_bins (picture);

  __syncthreads ();
  for (unsigned base = threadIdx.x; base < count; base += at_once * threads) {
    unsigned long long values[at_once], before[at_once];
    unsigned words[at_once];
    bool is_wanted[at_once];

#pragma unroll
    for (unsigned k = 0; k < at_once; k++) {
      const unsigned i = base + k * threads;

      is_wanted[k] = i < count && find_number (picture, shared, i, words[k], values[k]);
      if (is_wanted[k])
        before[k] = publish_add (to, words[k], values[k]);
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; k++)
      if (is_wanted[k])
        publish_last (to, words[k], values[k], before[k]);
  }
}

/* Adds the differences of rows [begin, end) from the fourth rows above. */
static __device__ __forceinline__ void
count_repeats (const histo_cuda_picture &picture, unsigned begin, unsigned end, picture_totals &shared)
{
  const unsigned row = begin + threadIdx.x, width = picture.components[0].width;

  __syncthreads ();
  if (picture.statistics & HISTO_STATISTIC_REPEATS && row < end && row >= NEIGHBOUR_ABOVE
      && shared.row_distances[threadIdx.x] < width)
    atomicAdd (&shared.totals[HISTO_NUMBER_REPEATS], width);
}

template <bool DEEP, bool GAMUT, typename own_blocks>
static __device__ __forceinline__ void
count_luma (const histo_cuda_picture &picture, const own_blocks &blocks, picture_totals &shared)
{
  const histo_cuda_picture_component &luma = picture.components[0];
  const unsigned begin = min (luma.height, blocks.mine () * luma.band_rows), end = min (luma.height, begin + luma.band_rows);
  const uint8_t *x = find_component (picture, 0);
  neighbour_counts counts = {};

  for (unsigned row = begin; row < end; row += NEIGHBOUR_ROWS)
    count_neighbours<DEEP, GAMUT> (picture, x, row, min (end, row + NEIGHBOUR_ROWS), &shared.row_distances[row - begin],
                                   counts);
  add_to_total (shared.totals[HISTO_NUMBER_OUTLIERS], counts.outliers);
  add_to_total (shared.totals[HISTO_NUMBER_OUT_OF_RANGE], counts.out_of_range);
  if (GAMUT)
    add_to_total (shared.totals[HISTO_NUMBER_GAMUT], counts.gamut_errors);
  count_repeats (picture, begin, end, shared);
}

template <bool GAMUT, typename own_blocks>
static __device__ __forceinline__ void
count_picture (const histo_cuda_picture &picture, const own_blocks &blocks, picture_totals &shared)
{
  clear_picture (picture, HISTO_CUDA_PICTURE_THREADS, shared);
  if (picture.statistics & HISTO_STATISTIC_DIFFERENCE)
    for (unsigned c = 0; c < picture.component_count; c++) {
      const histo_cuda_picture_component &component = picture.components[c];
      const unsigned begin = min (component.height, blocks.mine () * component.band_rows);
      const unsigned end = min (component.height, begin + component.band_rows);
      const uint8_t *x = find_component (picture, c), *y = find_component (picture, c, true);
      const differences sums = component.sample_bytes == 1 ? find_differences<false> (component, x, y, begin, end)
                                                           : find_differences<true> (component, x, y, begin, end);

      add_to_total (shared.totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2], sums.absolute);
      add_to_total (shared.totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2 + 1], sums.squared);
    }
  if (picture.statistics & (HISTO_STATISTIC_HUE | HISTO_STATISTIC_SATURATION)) {
    const histo_cuda_picture_component &cb = picture.components[1];
    const unsigned begin = min (cb.height, blocks.mine () * cb.band_rows);

    count_chroma (picture, begin, min (cb.height, begin + cb.band_rows),
                  find_words (picture, blocks, picture.first_word).result + HISTO_CUDA_PICTURE_WORDS + HISTO_HUES);
  }
  if (GAMUT || picture.statistics & (HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS | HISTO_STATISTIC_OUT_OF_RANGE)) {
    if (picture.components[0].sample_bytes == 1)
      count_luma<false, GAMUT> (picture, blocks, shared);
    else
      count_luma<true, GAMUT> (picture, blocks, shared);
  }
  publish_picture (picture, blocks, HISTO_CUDA_PICTURE_THREADS, shared);
}

/* Adds the lanes' numbers to a total of the block. */
static __device__ __forceinline__ void
add_lanes (unsigned long long &total, unsigned value)
{
  const unsigned low = reduce_warp_word (value & 0xffff), high = reduce_warp_word (value >> 16);

  if (threadIdx.x % 32 == 0)
    atomicAdd (&total, (static_cast<unsigned long long> (high) << 16) + low);
}

/* The first tile of a block's share. */
template <typename own_blocks>
static __device__ __forceinline__ unsigned
find_first_tile (const histo_cuda_picture &picture, const own_blocks &blocks, unsigned block)
{
  return block * picture.tiles / blocks.count (); /* less than 2^32, see share_tiles of plan_picture.c */
}

template <bool GAMUT, typename own_blocks>
static __device__ __forceinline__ void
count_picture_cells (const histo_cuda_picture &picture, const own_blocks &blocks, picture_totals &shared)
{
  const histo_cuda_picture_component &luma = picture.components[0];
  const unsigned row_tiles = picture.row_tiles, lane_first = threadIdx.x % 32 * HISTO_CUDA_CELL_BYTES;
  const unsigned begin = find_first_tile (picture, blocks, blocks.mine ()),
                 end = find_first_tile (picture, blocks, blocks.mine () + 1);
  const unsigned first_band = (begin + row_tiles - 1) / row_tiles, end_band = (end + row_tiles - 1) / row_tiles;
  const bool has_repeats = picture.statistics & HISTO_STATISTIC_REPEATS;
  const unsigned last = has_repeats && first_band < end_band ? end_band * row_tiles : end;
  const cell_planes x = find_planes (picture, false), y = find_planes (picture, true);
  const chroma_order order = find_chroma_order (picture);
  cell_counts counts = {};

  clear_picture (picture, blockDim.x, shared);
  for (unsigned tile = begin + threadIdx.x / 32; tile < last; tile += blockDim.x / 32) {
    const unsigned band = tile / row_tiles, row = band * HISTO_CUDA_CELL_ROWS;
    const unsigned row_end = min (luma.height, row + HISTO_CUDA_CELL_ROWS);
    const unsigned first = (tile - band * row_tiles) * HISTO_CUDA_TILE_BYTES + lane_first;
    unsigned *row_distances
        = has_repeats && band >= first_band ? &shared.row_distances[(band - first_band) * HISTO_CUDA_CELL_ROWS] : nullptr;

    if (tile < end)
      count_tile<GAMUT> (picture, x, y, order, row, row_end, first, row_distances, counts);
    else
      find_tile_distances (x, luma.width, row, row_end, first, row_distances);
  }
  add_lanes (shared.totals[HISTO_NUMBER_OUTLIERS], counts.outliers);
  add_lanes (shared.totals[HISTO_NUMBER_OUT_OF_RANGE], counts.out_of_range);
  if (GAMUT)
    add_lanes (shared.totals[HISTO_NUMBER_GAMUT], counts.gamut_errors);
#pragma unroll
  for (unsigned c = 0; c < 3; c++) {
    add_lanes (shared.totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2], counts.absolute[c]);
    add_lanes (shared.totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2 + 1], counts.squared[c]);
  }
  count_repeats (picture, first_band * HISTO_CUDA_CELL_ROWS, min (luma.height, end_band * HISTO_CUDA_CELL_ROWS), shared);
  publish_picture (picture, blocks, blockDim.x, shared);
}

/* Fills `cell_colours`, one entry a thread. Launched once, before the other kernels. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_PICTURE_THREADS)
histo_picture_fill ()
{
  constexpr unsigned shift = HISTO_CUDA_PICTURE_COLUMNS_LOG2 + 2;
  const unsigned pair = blockIdx.x * HISTO_CUDA_PICTURE_THREADS + threadIdx.x;
  const int cb = static_cast<int> (pair & 0xff) - 128, cr = static_cast<int> (pair >> 8) - 128;

  cell_colours[pair] = (HISTO_HUES + find_saturation (cb, cr)) << shift << 16 | find_hue (cb, cr) << shift;
}

/* ---- frames that are alike --------------------------------------------------------------------------------------------- */

#define PICTURES(name, count, threads)                             \
  extern "C" __global__ void __launch_bounds__ (threads)           \
  name (const __grid_constant__ histo_cuda_picture picture)        \
  {                                                                \
    __shared__ picture_totals shared;                              \
                                                                   \
    count (picture, row_of_blocks{}, shared);                      \
  }

/* For any frame. A block counts a band of rows of each component. The limit is instruction issue. */
PICTURES (histo_picture, count_picture<false>, HISTO_CUDA_PICTURE_THREADS)
PICTURES (histo_picture_gamut, count_picture<true>, HISTO_CUDA_PICTURE_THREADS)

/* For pictures with cells. A block counts a share of the tiles, in reading order. The block with the first tile of a row tests
 * the row for repeats, and reads it to its end. The bins are in shared memory. The limit is instruction issue and, for a single
 * frame, latency. */
PICTURES (histo_picture_cells, count_picture_cells<false>, HISTO_CUDA_CELL_THREADS)
PICTURES (histo_picture_cells_gamut, count_picture_cells<true>, HISTO_CUDA_CELL_THREADS)

/* ---- unlike frames ---------------------------------------------------------------------------------------------------- */

/* The kernels above, for up to HISTO_CUDA_UNLIKE unlike frames. Each block counts its own frame. It first waits for its frame's
 * parameter, which comes over the bus. */
#define UNLIKE_PICTURES(name, count, ...) \
  extern "C" __global__ void __launch_bounds__ (__VA_ARGS__) name (const __grid_constant__ histo_cuda_unlike unlike) \
  { \
    __shared__ picture_totals shared; \
    __shared__ __align__ (16) histo_cuda_picture picture; \
    const unsigned frame = find_frame (unlike); \
\
    load_parameter (unlike, frame, picture); \
    count (picture, part_of_blocks (unlike, frame), shared); \
  }

/* Blocks on a multiprocessor. Without this bound the compiler uses fewer registers, and spills some to local memory. */
#define UNLIKE_BLOCKS 2

UNLIKE_PICTURES (histo_picture_unlike, count_picture<false>, HISTO_CUDA_PICTURE_THREADS, UNLIKE_BLOCKS)
UNLIKE_PICTURES (histo_picture_gamut_unlike, count_picture<true>, HISTO_CUDA_PICTURE_THREADS, UNLIKE_BLOCKS)
UNLIKE_PICTURES (histo_picture_cells_unlike, count_picture_cells<false>, HISTO_CUDA_CELL_THREADS)
UNLIKE_PICTURES (histo_picture_cells_gamut_unlike, count_picture_cells<true>, HISTO_CUDA_CELL_THREADS)
