/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Splits a pass into slices for the workers, and chooses how samples are counted. Arithmetic only. */

#pragma once

#include "histogram.h"
#include "picture.h"
#include "statistic_table.h"

/* A block and its operand stay in the first-level cache, beside the tables, between histogram and dot product. */
#define HISTO_CPU_BLOCK_BYTES (42 * HISTO_BLOCK_GRAIN)
/* A slice takes long compared with the cost of fetching one, and is short compared with a frame. */
#define HISTO_CPU_SLICE_BYTES (16 * HISTO_CPU_BLOCK_BYTES)
/* With projections, a slice is a strip of a band of rows: its column sums stay in the first-level cache. */
#define HISTO_CPU_STRIP_BYTES (21 * HISTO_BLOCK_GRAIN)
#define HISTO_CPU_BAND_ROWS 256

/* With statistics of the picture, slices are smaller: rows that are read again are still in the second-level cache. */
#define HISTO_CPU_PICTURE_BYTES (8 * HISTO_CPU_BLOCK_BYTES)
#define HISTO_CPU_PICTURE_ROWS 4 /* a slice has a multiple of this: the luma rows that may share a row of chroma */

/* With derived components, a slice has the rows of their planes that fit into this memory. Bins of wide samples are added up
 * after each component of a slice: more rows make that rare. */
#define HISTO_CPU_DERIVED_BYTES (32 * HISTO_CPU_BLOCK_BYTES)
#define HISTO_CPU_WIDE_DERIVED_BYTES (512 * HISTO_CPU_BLOCK_BYTES)
#define HISTO_CPU_DERIVED_ROWS 16 /* at least, so that few rows around a slice are derived twice */

#define HISTO_CPU_TURNS 3 /* maximum number of passes that alternate: planes of luma and chroma */
#define HISTO_CPU_TABLES HISTO_MAX_PASSES

/* The components of a picture. */
enum { LUMA, CB, CR };

/* The statistics of a picture that a frame requests, and its luma and chroma. */
struct histo_cpu_picture {
  uint32_t statistics; /* of HISTO_STATISTICS_PICTURE */
  struct histo_chroma chroma;
  struct histo_range range;
  struct histo_gamut gamut;
  struct histo_light light;
  unsigned gamut_component; /* the first that the gamut tests */
  unsigned light_component; /* the first whose light is measured */
  const uint32_t *colours;  /* see histo_colour_table; NULL: not needed */
  struct histo_cpu_component {
    const uint8_t *data; /* sample 0 of row first_row */
    uint32_t first_row;  /* 0, except of rows that a worker has derived */
    size_t stride_bytes, step_bytes;
    uint32_t width, height; /* samples in a row, rows */
    struct histo_format format;
  } components[HISTO_MAX_COUNTED]; /* beyond luma only if needed */
};

/* A pass, split into slices: bands of `rows` rows, each with `parts` parts of `part_bytes` bytes of the pattern. */
struct histo_cpu_pass {
  struct histo_pass pass;
  struct histo_format format;        /* of the samples of the pattern */
  uint64_t first_slice, slice_count; /* slices first_slice, first_slice + turns ... */
  unsigned turns;                    /* 1, or the number of passes that alternate */
  unsigned tables;                   /* index of the worker's tables for it: below HISTO_CPU_TABLES */
  uint64_t rows;
  uint64_t parts;
  size_t part_bytes;
  uint32_t statistics;   /* of the picture, for which its slices read whole rows of luma, or of chroma */
  bool has_waveforms;    /* they also count all rows of its components by column */
  uint32_t plane_rows;   /* rows of the plane, before the pass joined them */
  uint32_t picture_rows; /* rows of the plane in a slice */
};

/* The part of a pass that a worker counts at a time: bytes [begin, end) of the pattern in rows first_row .. first_row + rows -
 * 1. */
struct histo_cpu_slice {
  const struct histo_cpu_pass *sliced;
  uint64_t first_row, rows;
  size_t begin, end;
  bool has_edges; /* also the samples of these rows outside the pattern */

  uint32_t first_picture_row, picture_rows; /* rows of the picture in this slice */
};

/* Fills *picture, except `colours`, which stays NULL. */
void histo_cpu_find_picture (struct histo_cpu_picture *picture, const struct histo_frame *frame);

/* Describes component `c` of a frame. All zeros if it has no samples. */
struct histo_cpu_component histo_cpu_describe_component (const struct histo_frame *frame, unsigned c);

/* Whether slices of the pass read whole rows. */
bool histo_cpu_looks_at_rows (const struct histo_cpu_pass *sliced);

/* Splits the passes of a frame into slices, and returns their number. If passes alternate, some slices may belong to no
 * pass. The slices of the first derived component are also those of the others, which have none of their own. */
uint64_t histo_cpu_slice_passes (struct histo_cpu_pass *sliced, const struct histo_pass *passes, unsigned count,
                                 const struct histo_frame *frame, const struct histo_cpu_picture *picture);

/* Finds slice `number`. False if it belongs to no pass. */
bool histo_cpu_find_slice (const struct histo_cpu_pass *passes, unsigned count, uint64_t number, struct histo_cpu_slice *slice);

/* The format of samples of component `c` outside the pattern: that of the pattern, if there is one. */
struct histo_format histo_cpu_edge_format (const struct histo_cpu_pass *sliced, unsigned c);

/* Whether any samples are counted in wide tables. */
bool histo_cpu_pass_is_wide (const struct histo_cpu_pass *sliced);
