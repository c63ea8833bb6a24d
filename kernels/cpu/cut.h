/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a pass is cut into slices for the workers, and how its samples are counted. Arithmetic alone. */

#ifndef HISTO_CPU_CUT_H
#define HISTO_CPU_CUT_H

#include "histogram.h"
#include "picture.h"

/* A block and its operand stay in the first-level cache between histogram and dot product, beside the tables. */
#define HISTO_CPU_BLOCK_BYTES (42 * HISTO_BLOCK_GRAIN)
/* A slice is long compared with the cost of taking one, and short compared with a frame. */
#define HISTO_CPU_SLICE_BYTES (16 * HISTO_CPU_BLOCK_BYTES)
/* Of a projected frame a slice is a strip of a band of rows: the sums of its columns stay in the first-level cache. */
#define HISTO_CPU_STRIP_BYTES (21 * HISTO_BLOCK_GRAIN)
#define HISTO_CPU_BAND_ROWS 256

/* The same of a plane whose picture is looked at: rows that are read again are still in the second-level cache. */
#define HISTO_CPU_PICTURE_BYTES (8 * HISTO_CPU_BLOCK_BYTES)
#define HISTO_CPU_PICTURE_ROWS 4 /* and their number is a multiple of this: that of luma that share a row of chroma */

#define HISTO_CPU_TURNS 3 /* passes that may take turns, at most: planes of luma and chroma */

/* What is asked of the picture of a frame, and where its luma and its chroma are. */
struct histo_cpu_picture {
  uint32_t statistics; /* of HISTO_STATISTICS_PICTURE */
  struct histo_chroma chroma;
  struct histo_range range;
  struct histo_gamut gamut;
  const uint32_t *colours; /* see histo_colour_table; NULL: not needed */
  struct histo_cpu_component {
    const uint8_t *data; /* sample 0 of row 0 */
    size_t stride_bytes, step_bytes;
    uint32_t width, height; /* samples in a row, rows */
    struct histo_format format;
  } components[HISTO_MAX_COMPONENTS]; /* those beyond luma only where they are asked for */
};

/* A pass, cut into slices: bands of `rows` rows, of which each has `parts` parts of `part_bytes` bytes of the pattern. */
struct histo_cpu_pass {
  struct histo_pass pass;
  struct histo_format format;        /* of the samples of the pattern */
  uint64_t first_slice, slice_count; /* slices number first_slice, first_slice + turns ... */
  unsigned turns;                    /* 1, or the number of passes that take turns */
  unsigned tables;                   /* of a worker's, those that count it: below HISTO_CPU_TURNS */
  uint64_t rows;
  uint64_t parts;
  size_t part_bytes;
  bool has_luma, has_chroma; /* its slices look at rows of the picture: of luma, of chroma */
  bool has_waveforms;        /* and count all rows of its components by column */
  uint32_t plane_rows;       /* of the plane, which the pass may have joined */
  uint32_t picture_rows;     /* of them in a slice */
};

/* What a worker counts at a time: bytes [begin, end) of the pattern in rows first_row .. first_row + rows - 1. */
struct histo_cpu_slice {
  const struct histo_cpu_pass *sliced;
  uint64_t first_row, rows;
  size_t begin, end;
  bool has_edges; /* and the samples of these rows that are outside of the pattern */

  uint32_t first_picture_row, picture_rows; /* rows of the picture that are looked at */
};

/* What is asked of the picture of a frame; `colours` stays NULL. */
void histo_cpu_find_picture (struct histo_cpu_picture *picture, const struct histo_frame *frame);

/* Cuts the passes of a frame into slices, and returns their number. Where passes take turns, some may be of no pass. */
uint64_t histo_cpu_slice_passes (struct histo_cpu_pass *sliced, const struct histo_pass *passes, unsigned count,
                                 const struct histo_frame *frame, const struct histo_cpu_picture *picture);

/* The slice of that number; false: it is of no pass. */
bool histo_cpu_find_slice (const struct histo_cpu_pass *passes, unsigned count, uint64_t number, struct histo_cpu_slice *slice);

/* How samples of component `c` of the pass outside of the pattern are counted: as those in it, where there is one. */
struct histo_format histo_cpu_edge_format (const struct histo_cpu_pass *sliced, unsigned c);

/* Whether any samples are counted in wide tables. */
bool histo_cpu_pass_is_wide (const struct histo_cpu_pass *sliced);

#endif
