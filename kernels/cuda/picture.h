/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interface between the host and the kernels for statistics of a picture. Included by C, CUDA C++ and the fake driver of
 * the tests.
 *
 * The words of a picture follow those of the frame's components, and are published as count.h describes: totals of two words
 * each, then the histograms in the order of the list of statistics, except the vectorscope, which another kernel counts. */

#pragma once

#include "../statistic_table.h"
#include "count.h"

/* The totals, in words from the picture's first: the numbers of the list, and two of the difference of each component. They are
 * published if any statistic of the picture is requested. */
#define HISTO_CUDA_PICTURE_NUMBER(number) (2 * (number)) /* HISTO_NUMBER_... */
#define HISTO_CUDA_PICTURE_DIFFERENCE(component) \
  (2 * HISTO_PICTURE_NUMBERS + 4 * (component))                                    /* absolute; squared is two words later */
#define HISTO_CUDA_PICTURE_TOTALS (HISTO_PICTURE_NUMBERS + 2 * HISTO_CUDA_COUNTED) /* pairs of words */
#define HISTO_CUDA_PICTURE_WORDS (2 * HISTO_CUDA_PICTURE_TOTALS)

/* The statistics that `histo_picture_cells` counts. */
#define HISTO_CUDA_CELL_STATISTICS                                                                                \
  (HISTO_STATISTIC_DIFFERENCE | HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS | HISTO_STATISTIC_OUT_OF_RANGE \
   | HISTO_STATISTIC_GAMUT | HISTO_STATISTIC_HUE | HISTO_STATISTIC_SATURATION)

#define HISTO_CUDA_GAMUT_LOG2 14 /* of HISTO_GAMUT_ONE */

/* A block counts a band of rows of each component. */
#define HISTO_CUDA_PICTURE_THREADS 256
#define HISTO_CUDA_PICTURE_ROWS 128 /* maximum number of luma rows that a block tests for repeats */

/* A block of `histo_picture_cells` counts a share of the picture's tiles; a warp counts a tile at a time. Measured on an NVIDIA
 * H200: eighteen warps, one block on a multiprocessor, give one warp for each tile of 1080p, and half as many tables to clear
 * and to add up as two blocks of nine warps. For many pictures smaller blocks are faster: while one clears or publishes, the
 * other counts. */
#define HISTO_CUDA_CELL_THREADS 576
#define HISTO_CUDA_CELL_THREADS_OF_MANY 288
#define HISTO_CUDA_CELL_ROWS 4
#define HISTO_CUDA_CELL_MAX_WIDTH 16384
#define HISTO_CUDA_CELL_MAX_HEIGHT 65536
#define HISTO_CUDA_CELL_BYTES 8 /* of a row of a cell; addresses, strides and widths of luma are multiples */
#define HISTO_CUDA_TILE_BYTES (32 * HISTO_CUDA_CELL_BYTES)
#define HISTO_CUDA_CELL_COLOURS (1 << 16) /* pairs of chroma samples, each with its hue and saturation in a table */
/* The maximum share of a block, in bands of tiles. A share that begins within a band has tiles of one band more:
 * (HISTO_CUDA_SHARE_BANDS + 1) * HISTO_CUDA_CELL_ROWS <= HISTO_CUDA_PICTURE_ROWS. */
#define HISTO_CUDA_SHARE_BANDS 30

/* Tables of hues and saturations have this number of columns, or fewer if they do not fit into this much shared memory. If the
 * saturations alone do not fit (samples of more than 12 bits), they have no table: they are counted in the result, which is
 * then cumulative. */
#define HISTO_CUDA_PICTURE_COLUMNS_LOG2 3 /* always in `histo_picture_cells`, whose first tables are the histograms */
#define HISTO_CUDA_PICTURE_SHARED_BYTES (44 * 1024)
#define HISTO_CUDA_PICTURE_SATURATIONS 2897

struct histo_cuda_picture_component {
  uint64_t data, operand; /* the first sample; operand 0: none */
  uint64_t stride_bytes, operand_stride_bytes, step_bytes;
  int64_t offset_bytes;   /* from the start of the pass, see histo_cuda_picture.addresses */
  uint32_t pass;          /* index of the component's pass in `addresses` */
  uint32_t width, height; /* samples in a row, rows */
  uint32_t band_rows;     /* in a band; the last may have fewer, or none */
  uint32_t mask;          /* of the significant bits, after the shift */
  uint32_t first_word;    /* of the component, see histo_cuda_component */
  uint32_t padding;
  uint8_t sample_bytes, shift, big_endian, depth;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_picture_component, 80);

/* The parameter of the kernels `histo_picture` and `histo_picture_cells`: one frame, or many that differ only in addresses,
 * with a row of blocks each. `histo_picture_cells` takes bytes in 4:2:0 with planar or semi-planar chroma, whose addresses and
 * strides are multiples of half a cell's bytes, or of a cell's. For the gamut there are `histo_picture_gamut` and
 * `histo_picture_cells_gamut`, so that the other kernels need no registers for it. */
struct histo_cuda_picture {
  uint64_t workspace, result;      /* the frame's first words */
  uint64_t addresses, pitch_bytes; /* as in histo_cuda_count */
  uint32_t frame_words, tag;       /* as in histo_cuda_count */
  uint32_t first_word;             /* of the picture */
  uint32_t frame_count, pass_count;
  uint32_t statistics; /* bits of enum histo_statistic. HISTO_STATISTIC_GAMUT: only for the kernels named _gamut */
  uint32_t component_count;
  uint32_t saturation_count;                           /* 0: not requested */
  uint32_t columns_log2;                               /* of the tables */
  uint32_t luma_min, luma_max, chroma_min, chroma_max; /* the broadcast range */
  uint8_t shift_x, shift_y, phase_x, phase_y;          /* as in histo_chroma */
  int32_t gamut_min, gamut_max;                        /* as in histo_gamut */
  int32_t gamut_red, gamut_green, gamut_blue;          /* coefficient of Cb in the low half, of Cr in the high half */
  uint32_t gamut_is_rgb;
  /* `histo_picture_cells` */
  uint32_t counts;           /* also counts the histograms, into the components' words */
  uint32_t tiles, row_tiles; /* of the picture, and of a row of tiles: each tile is HISTO_CUDA_CELL_ROWS high */
  uint32_t gamut_component;  /* the first that the gamut tests; not 0 only for `histo_picture_gamut` */
  struct histo_cuda_picture_component components[HISTO_CUDA_COUNTED];
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_picture, 128 + 80 * HISTO_CUDA_COUNTED);
