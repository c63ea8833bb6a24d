/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cells: eight luma samples in four rows, with their chroma, of a 4:2:0 picture of bytes. A thread loads a cell, its operand's
 * cell and the rows around it at once. It computes with four bytes in a register; a flag for a byte is its highest bit. The
 * adjacent cells of a warp form a tile; the tiles from left to right form a band. */

#ifndef HISTO_CUDA_CELL_CUH
#define HISTO_CUDA_CELL_CUH

#include "chroma.cuh"
#include "gamut.cuh"
#include "neighbours.cuh"

#define CELL_ABOVE 4
#define CELL_BELOW 2
#define CELL_FLAGS 0x80808080u

struct cell {
  uint2 luma[CELL_ABOVE + HISTO_CUDA_CELL_ROWS + CELL_BELOW], luma_operand[HISTO_CUDA_CELL_ROWS];
  uint2 chroma[HISTO_CUDA_CELL_ROWS / 2], chroma_operand[HISTO_CUDA_CELL_ROWS / 2]; /* Cb, Cr, Cb ... */
};

/* The hue and the saturation of each pair of bytes, as byte offsets of their bins, the hue's in the lower half. Cr is the upper
 * byte of the index. `histo_picture_fill` writes it. */
static __device__ unsigned cell_colours[HISTO_CUDA_CELL_COLOURS];

/* The totals of a thread. */
struct cell_counts {
  unsigned outliers, out_of_range, gamut_errors;
  unsigned absolute[3], squared[3];
};

static __device__ __forceinline__ uint2
load_eight (const uint8_t *at)
{
  return *reinterpret_cast<const uint2 *> (at);
}

/* The planes of a frame or its operand. */
struct cell_planes {
  const uint8_t *luma, *cb, *cr; /* for interleaved chroma `cb` points to the pairs */
  unsigned luma_stride, cb_stride, cr_stride;
};

enum chroma_order { CHROMA_PLANAR, CHROMA_CB_FIRST, CHROMA_CR_FIRST };

static __device__ __forceinline__ cell_planes
find_planes (const histo_cuda_picture &picture, bool of_operand)
{
  const histo_cuda_picture_component *components = picture.components;
  cell_planes planes = {
    find_component (picture, 0, of_operand),
    find_component (picture, 1, of_operand),
    find_component (picture, 2, of_operand),
    static_cast<unsigned> (of_operand ? components[0].operand_stride_bytes : components[0].stride_bytes),
    static_cast<unsigned> (of_operand ? components[1].operand_stride_bytes : components[1].stride_bytes),
    static_cast<unsigned> (of_operand ? components[2].operand_stride_bytes : components[2].stride_bytes),
  };

  if (components[1].step_bytes == 2 && planes.cr < planes.cb)
    planes.cb = planes.cr;
  return planes;
}

static __device__ __forceinline__ chroma_order
find_chroma_order (const histo_cuda_picture &picture)
{
  return picture.components[1].step_bytes == 1                                                      ? CHROMA_PLANAR
         : picture.components[1].offset_bytes < picture.components[2].offset_bytes ? CHROMA_CB_FIRST
                                                                                                    : CHROMA_CR_FIRST;
}

/* Four samples of Cb and four of Cr. */
static __device__ __forceinline__ uint2
load_chroma (const cell_planes &planes, chroma_order order, unsigned row, unsigned first)
{
  const uint8_t *cb = planes.cb + static_cast<uint64_t> (row) * planes.cb_stride;

  if (order == CHROMA_PLANAR) {
    const uint8_t *cr = planes.cr + static_cast<uint64_t> (row) * planes.cr_stride;
    const unsigned u = *reinterpret_cast<const unsigned *> (cb + first), v = *reinterpret_cast<const unsigned *> (cr + first);

    return make_uint2 (__byte_perm (u, v, 0x5140), __byte_perm (u, v, 0x7362));
  }

  const uint2 pairs = load_eight (cb + 2 * first);

  return order == CHROMA_CB_FIRST ? pairs : make_uint2 (__byte_perm (pairs.x, 0, 0x2301), __byte_perm (pairs.y, 0, 0x2301));
}

/* Loads the cell whose first sample is `first` in row `row` of luma. Rows outside the picture and rows that no statistic needs
 * are zeros. */
template <bool GAMUT>
static __device__ __forceinline__ void
load_cell (const histo_cuda_picture &picture, const cell_planes &x, const cell_planes &y, chroma_order order, unsigned row,
           unsigned end, unsigned first, cell &cell)
{
  const unsigned statistics = picture.statistics, height = picture.components[0].height;
  const uint8_t *at = x.luma + static_cast<uint64_t> (row) * x.luma_stride + first;
  const unsigned above = statistics & HISTO_STATISTIC_REPEATS ? 4 : statistics & HISTO_STATISTIC_OUTLIERS ? 2 : 0;
  const unsigned below = statistics & HISTO_STATISTIC_OUTLIERS ? 2 : 0;
  const bool takes_chroma
      = GAMUT || picture.counts
        || statistics
               & (HISTO_STATISTIC_OUT_OF_RANGE | HISTO_STATISTIC_HUE | HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_DIFFERENCE);

#pragma unroll
  for (int i = -CELL_ABOVE; i < HISTO_CUDA_CELL_ROWS + CELL_BELOW; i++) {
    uint2 &samples = cell.luma[CELL_ABOVE + i];

    samples = make_uint2 (0, 0);
    if (i < 0 ? above >= -i && row >= static_cast<unsigned> (-i)
              : row + i < height && (i < HISTO_CUDA_CELL_ROWS || below > 0))
      samples = load_eight (at + i * static_cast<int64_t> (x.luma_stride));
  }
  if (statistics & HISTO_STATISTIC_DIFFERENCE) {
    at = y.luma + static_cast<uint64_t> (row) * y.luma_stride + first;
#pragma unroll
    for (unsigned i = 0; i < HISTO_CUDA_CELL_ROWS; i++)
      if (row + i < end)
        cell.luma_operand[i] = load_eight (at + i * static_cast<uint64_t> (y.luma_stride));
  }
#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_CELL_ROWS / 2; i++) {
    if (takes_chroma && row + 2 * i < end)
      cell.chroma[i] = load_chroma (x, order, row / 2 + i, first / 2);
    if (statistics & HISTO_STATISTIC_DIFFERENCE && row + 2 * i < end)
      cell.chroma_operand[i] = load_chroma (y, order, row / 2 + i, first / 2);
  }
}

/* A flag for each byte that is at least `least`, a positive constant. */
static __device__ __forceinline__ unsigned
flag_at_least (unsigned bytes, unsigned least)
{
  const unsigned low = (bytes & ~CELL_FLAGS) + (least <= 128 ? 128 - least : 256 - least) * 0x01010101u;

  return (least <= 128 ? low | bytes : low & bytes) & CELL_FLAGS;
}

/* A flag for each byte of `a` that is at least the byte of `b`. */
static __device__ __forceinline__ unsigned
flag_not_below (unsigned a, unsigned b)
{
  const unsigned low = (a | CELL_FLAGS) - (b & ~CELL_FLAGS);

  return ((a & ~b) | (~(a ^ b) & low)) & CELL_FLAGS;
}

/* A flag for each sample that is unlike those above and below: is_unlike () of neighbours.cuh for four bytes. */
static __device__ __forceinline__ unsigned
flag_unlike (unsigned above, unsigned sample, unsigned below)
{
  const unsigned p = __vabsdiffu4 (above, sample), q = __vabsdiffu4 (below, sample), apart = __vabsdiffu4 (above, below);
  const unsigned half = (p & q) + (((p ^ q) & 0xfefefefeu) >> 1); /* (p + q) / 2 */

  return flag_not_below (half, apart) & flag_at_least (__vabsdiffu4 (half, apart), 5);
}

/* Moves the flags of four bytes to bits 0 .. 3. */
static __device__ __forceinline__ unsigned
gather_flags (unsigned flags)
{
  return (flags >> 7) * 0x10204080u >> 28;
}

/* The number of outliers in a row. The flags of the neighbouring samples are in the neighbouring lanes, if any. All lanes call
 * it. */
static __device__ __forceinline__ unsigned
count_cell_outliers (const histo_cuda_picture_component &luma, const uint8_t *x, unsigned row, unsigned first, bool is_there,
                     const uint2 *rows)
{
  const bool is_double = row >= 2 && row + 2 < luma.height;
  const unsigned lane = threadIdx.x % 32;
  uint2 flags = make_uint2 (flag_unlike (rows[1].x, rows[2].x, rows[3].x), flag_unlike (rows[1].y, rows[2].y, rows[3].y));

  if (!__any_sync (0xffffffffu, is_there && (flags.x | flags.y)))
    return 0;
  if (is_double) {
    flags.x &= flag_unlike (rows[0].x, rows[2].x, rows[4].x);
    flags.y &= flag_unlike (rows[0].y, rows[2].y, rows[4].y);
  }

  const unsigned unlike = is_there ? gather_flags (flags.x) | gather_flags (flags.y) << 4 : 0;
  unsigned left = __shfl_up_sync (0xffffffffu, unlike, 1) >> 7, right = __shfl_down_sync (0xffffffffu, unlike, 1) & 1;

  if (lane == 0)
    left = (unlike & 3) == 3 && first > 0 && is_unlike_at (luma, x, row, first - 1);
  if (lane == 31)
    right = (unlike & 0xc0) == 0xc0 && first + 8 < luma.width && is_unlike_at (luma, x, row, first + 8);

  unsigned outliers = unlike & (unlike << 1 | left) & (unlike >> 1 | right << 7);

  if (first == 0)
    outliers &= ~1u;
  if (first + 8 >= luma.width)
    outliers &= 0x7f;
  return __popc (outliers);
}

/* A flag for each of the four luma samples of two pairs of chroma samples where either is out of range. */
static __device__ __forceinline__ unsigned
flag_chroma_out_of_range (unsigned pairs)
{
  const unsigned out = flag_at_least (pairs, 241) | (~flag_at_least (pairs, 16) & CELL_FLAGS), either = out | out >> 8;

  return __byte_perm (either, 0, 0x2200);
}

static __device__ __forceinline__ unsigned
flag_luma_out_of_range (unsigned samples)
{
  return flag_at_least (samples, 236) | (~flag_at_least (samples, 16) & CELL_FLAGS);
}

/* The number of the four samples outside their bounds. */
static __device__ __forceinline__ unsigned
count_beyond (unsigned samples, const gamut_bytes &bounds)
{
  return __popc (~(flag_not_below (samples, bounds.low) & flag_not_below (bounds.high, samples)) & CELL_FLAGS);
}

static __device__ __forceinline__ void
add_cell_differences (const uint2 &a, const uint2 &b, unsigned &absolute, unsigned &squared)
{
  const unsigned x = __vabsdiffu4 (a.x, b.x), y = __vabsdiffu4 (a.y, b.y);

  absolute = __dp4a (y, 0x01010101u, __dp4a (x, 0x01010101u, absolute));
  squared = __dp4a (y, y, __dp4a (x, x, squared));
}

/* The same for Cb and Cr, which alternate. */
static __device__ __forceinline__ void
add_chroma_differences (const uint2 &a, const uint2 &b, cell_counts &counts)
{
  const unsigned x = __vabsdiffu4 (a.x, b.x), y = __vabsdiffu4 (a.y, b.y);

#pragma unroll
  for (unsigned c = 1; c < 3; c++) {
    const unsigned ones = c == 1 ? 0x00010001u : 0x01000100u;

    counts.absolute[c] = __dp4a (y, ones, __dp4a (x, ones, counts.absolute[c]));
    counts.squared[c] = __dp4a (y & ones * 0xff, y, __dp4a (x & ones * 0xff, x, counts.squared[c]));
  }
}

/* Counts luma, Cb and Cr in the first tables. */
static __device__ __forceinline__ void
count_cell_luma (const uint2 &samples, unsigned column)
{
  histogram_count_bytes<1 << HISTO_CUDA_PICTURE_COLUMNS_LOG2> (samples.x, column, column, column, column);
  histogram_count_bytes<1 << HISTO_CUDA_PICTURE_COLUMNS_LOG2> (samples.y, column, column, column, column);
}

static __device__ __forceinline__ void
count_cell_chroma (const uint2 &pairs, unsigned column)
{
  constexpr unsigned columns = 1 << HISTO_CUDA_PICTURE_COLUMNS_LOG2;
  const unsigned cb = column + HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, columns);
  const unsigned cr = cb + HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, columns);

  histogram_count_bytes<columns> (pairs.x, cb, cr, cb, cr);
  histogram_count_bytes<columns> (pairs.y, cb, cr, cb, cr);
}

/* Counts hues and saturations of two pairs. `column`: of the hues' table, in bytes. */
static __device__ __forceinline__ void
count_cell_colours (const histo_cuda_picture &picture, unsigned pairs, unsigned column)
{
#pragma unroll
  for (unsigned i = 0; i < 2; i++) {
    const unsigned colour = __ldg (&cell_colours[__byte_perm (pairs, 0, i == 0 ? 0x4410 : 0x4432)]);

    if (picture.statistics & HISTO_STATISTIC_HUE)
      histogram_increment ((colour & 0xffff) + column);
    if (picture.statistics & HISTO_STATISTIC_SATURATION)
      histogram_increment ((colour >> 16) + column);
  }
}

/* Adds the differences of rows [begin, end) of a cell from the fourth rows above. All lanes call it. */
static __device__ __forceinline__ void
add_row_distances (const cell &cell, unsigned begin, unsigned end, unsigned *row_distances)
{
#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_CELL_ROWS; i++) {
    const uint2 &now = cell.luma[CELL_ABOVE + i], &above = cell.luma[i];

    if (begin >= CELL_ABOVE && begin + i < end) {
      const unsigned distance = reduce_warp_word (__vsadu4 (now.x, above.x) + __vsadu4 (now.y, above.y));

      if (threadIdx.x % 32 == 0)
        atomicAdd (&row_distances[i], distance);
    }
  }
}

/* Counts the rows [begin, end) of luma of a tile, and all that belongs to them. `first`: the first sample of the lane's cell.
 * `row_distances`: of those rows, or NULL. All lanes call it. */
template <bool GAMUT>
static __device__ __forceinline__ void
count_tile (const histo_cuda_picture &picture, const cell_planes &x, const cell_planes &y, chroma_order order, unsigned begin,
            unsigned end, unsigned first, unsigned *row_distances, cell_counts &counts)
{
  constexpr unsigned columns = 1 << HISTO_CUDA_PICTURE_COLUMNS_LOG2;
  const histo_cuda_picture_component &luma = picture.components[0];
  const unsigned statistics = picture.statistics, column = histogram_column (columns);
  const unsigned hue_column = column + (picture.counts ? 3 * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, columns) : 0);
  const bool is_there = first < luma.width;
  cell cell = {};

  if (is_there)
    load_cell<GAMUT> (picture, x, y, order, begin, end, first, cell);
  if (row_distances != nullptr)
    add_row_distances (cell, begin, end, row_distances);
#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_CELL_ROWS; i++) {
    const unsigned row = begin + i;
    const uint2 &now = cell.luma[CELL_ABOVE + i];

    if (row >= end)
      break;
    if (statistics & HISTO_STATISTIC_OUTLIERS && row >= 1 && row + 1 < luma.height)
      counts.outliers += count_cell_outliers (luma, x.luma, row, first, is_there, &cell.luma[CELL_ABOVE + i - 2]);
    if (statistics & HISTO_STATISTIC_OUT_OF_RANGE && is_there)
      counts.out_of_range += __popc (flag_luma_out_of_range (now.x) | flag_chroma_out_of_range (cell.chroma[i / 2].x))
                             + __popc (flag_luma_out_of_range (now.y) | flag_chroma_out_of_range (cell.chroma[i / 2].y));
    if (statistics & HISTO_STATISTIC_DIFFERENCE)
      add_cell_differences (now, cell.luma_operand[i], counts.absolute[0], counts.squared[0]);
    if (picture.counts && is_there)
      count_cell_luma (now, column);
  }
#pragma unroll
  for (unsigned i = 0; i < HISTO_CUDA_CELL_ROWS / 2; i++) {
    if (begin + 2 * i >= end || !is_there)
      break;
    if (GAMUT) {
      const gamut_bytes left = bound_pairs (picture, cell.chroma[i].x), right = bound_pairs (picture, cell.chroma[i].y);

#pragma unroll
      for (unsigned k = 2 * i; k < 2 * i + 2; k++)
        if (begin + k < end)
          counts.gamut_errors
              += count_beyond (cell.luma[CELL_ABOVE + k].x, left) + count_beyond (cell.luma[CELL_ABOVE + k].y, right);
    }
    if (statistics & HISTO_STATISTIC_DIFFERENCE)
      add_chroma_differences (cell.chroma[i], cell.chroma_operand[i], counts);
    if (statistics & (HISTO_STATISTIC_HUE | HISTO_STATISTIC_SATURATION)) {
      count_cell_colours (picture, cell.chroma[i].x, hue_column);
      count_cell_colours (picture, cell.chroma[i].y, hue_column);
    }
    if (picture.counts)
      count_cell_chroma (cell.chroma[i], column);
  }
}

/* Computes the row distances of a tile that another block counts, but whose distances this block needs. All lanes call it. */
static __device__ __forceinline__ void
find_tile_distances (const cell_planes &x, unsigned width, unsigned begin, unsigned end, unsigned first,
                     unsigned *row_distances)
{
  const uint8_t *at = x.luma + static_cast<uint64_t> (begin) * x.luma_stride + first;
  cell cell = {};

#pragma unroll
  for (int i = -CELL_ABOVE; i < HISTO_CUDA_CELL_ROWS; i++)
    if (first < width && begin >= CELL_ABOVE && (i < 0 || begin + i < end))
      cell.luma[CELL_ABOVE + i] = load_eight (at + i * static_cast<int64_t> (x.luma_stride));
  add_row_distances (cell, begin, end, row_distances);
}

#endif
