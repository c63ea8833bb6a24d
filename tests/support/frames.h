/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames to count: every pixel layout that the element accepts and some that it does not, at any size and address, with random
 * bytes (canaries) wherever nothing may be counted, and with memory that faults when it is written or read past an end. */

#ifndef TEST_FRAMES_H
#define TEST_FRAMES_H

#include <cudahisto/histo.h>

#include "random.h"

/* What the samples are. */
enum test_fill {
  TEST_FILL_RANDOM,
  TEST_FILL_ZERO,
  TEST_FILL_MAX,        /* the highest value everywhere */
  TEST_FILL_ONE_BIN,    /* one value a component */
  TEST_FILL_TWO_VALUES, /* two values a component, at random */
  TEST_FILL_ALIAS,      /* values that are equal modulo 32 */
  TEST_FILL_RAMP,       /* along the row, shifted from row to row */
  TEST_FILL_SKEWED,     /* mostly one value, the rest anything */
  TEST_FILL_COUNT
};

const char *test_fill_name (enum test_fill fill);

struct test_layout {
  const char *name;
  unsigned plane_count;
  unsigned component_count;
  unsigned height_shift[HISTO_MAX_PLANES]; /* rows of a plane are the picture's rows >> this, rounded up */
  struct {
    unsigned plane;
    size_t offset_bytes, step_bytes;
    unsigned width_shift; /* samples in a row are the picture's width >> this, rounded up */
  } components[HISTO_MAX_COMPONENTS];
  struct {
    unsigned sample_bytes, depth, shift; /* as in histo_component; all zeros: one byte */
    bool big_endian;
    unsigned bins;
  } samples[HISTO_MAX_COMPONENTS];
};

/* The layouts: of bytes those of pixel formats first and then odd ones, then those with samples of two bytes. */
extern const struct test_layout test_layouts[];
extern const unsigned test_layout_count;

/* The layout of that name; NULL: none. */
const struct test_layout *test_layout_find (const char *name);

/* Which end of a plane's memory meets a page that cannot be read. */
enum test_guard { TEST_GUARD_NONE, TEST_GUARD_END, TEST_GUARD_START };

struct test_geometry {
  uint32_t width, height;            /* pixels to count */
  uint32_t left, top, right, bottom; /* pixels around them, stored and not to be counted */
  size_t extra_stride_bytes;         /* after each row */
  unsigned base_offset; /* bytes from a multiple of 256 to the first stored byte of each plane; not with GUARD_END */
  enum test_guard guard;
};

struct test_frame {
  struct histo_frame frame; /* ready to submit; id 0, no operand, but asked for the dot product with one; its `chroma`
                              * is that of the layout and the crop, its `waveform_columns` anything */
  const struct test_layout *layout;
  struct test_geometry geometry;
  enum test_fill fill;
  struct {
    uint8_t *map; /* with the guard pages */
    size_t map_bytes;
    uint8_t *bytes; /* stored bytes, read only */
    size_t size;
  } memory[HISTO_MAX_PLANES];
};

/* Makes a frame; test_frame_clear() frees it. Exits where memory is exhausted. */
void test_frame_init (struct test_frame *frame, const struct test_layout *layout, const struct test_geometry *geometry,
                      enum test_fill fill, struct test_random *random);

/* A plain byte stream: `size` bytes, base_offset bytes off a multiple of 256 or,
 * with GUARD_END, right before a page that cannot be read. */
void test_frame_init_bytes (struct test_frame *frame, size_t size, unsigned base_offset, enum test_guard guard,
                            enum test_fill fill, struct test_random *random);

/* Fills the frame anew, padding included. */
void test_frame_refill (struct test_frame *frame, enum test_fill fill, struct test_random *random);

/* Accepts an all-zero frame. */
void test_frame_clear (struct test_frame *frame);

/* Sets each sample of a component, within it row by row: `painter` gives the value of the `column`-th sample of row `row`, of
 * which the lowest bits count. Other bytes stay as they are. */
typedef uint32_t (*test_painter) (void *data, uint64_t column, uint32_t row);
void test_frame_paint (struct test_frame *frame, unsigned component, test_painter painter, void *data);

/* One of many gamuts, by `choice`: none, all zeros, of a frame without colours, and where choice % 8 is 0 or 1. A new frame has
 * one that its size and its crop choose. */
void test_frame_set_gamut (struct test_frame *frame, unsigned choice);

/* All that the frame can be asked for, bits of enum histo_statistic: what takes colours is in it where the second and the third
 * component can be Cb and Cr, and the gamut where the frame has one. */
uint32_t test_frame_statistics (const struct test_frame *frame);

/* The same, but waveforms and a vectorscope in a quarter of the frames alone: they are hundreds of thousands of counters,
 * however small the frame is. */
uint32_t test_frame_choose_statistics (const struct test_frame *frame, struct test_random *random);

/* Asks a frame for statistics, bits of enum histo_statistic, or no longer. */
static inline void
test_frame_ask (struct histo_frame *frame, uint32_t statistics, bool asked)
{
  frame->statistics = asked ? frame->statistics | statistics : frame->statistics & ~statistics;
}

/* Random stride, base address, crop and guard for a picture of that size. */
struct test_geometry test_geometry_random (uint32_t width, uint32_t height, struct test_random *random);

/* "NV12 640x480 at +3, crop 1,0,2,5, stride +7, guard end, fill alias". */
void test_frame_describe (const struct test_frame *frame, char *text, size_t size);

#define TEST_MAX_SATURATIONS 46341 /* those that two samples of 16 bits can have */

/* Numbers counted by loops of the tests' own: the frame's samples one after another. `frame->operand` gives the dot product and
 * the differences. */
struct test_count {
  struct histo_stats stats; /* must not be given to histo_stats_reset, _clear or as a total to _add */
  struct histo_component_stats components[HISTO_MAX_COMPONENTS]; /* what `stats` points to */
  uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_MAX_BINS];
  struct histo_picture_stats picture; /* what `stats` points to, where it was asked for */
  uint64_t saturation[TEST_MAX_SATURATIONS], hue[HISTO_HUES], vectorscope[HISTO_VECTORSCOPE];
  int64_t *sums;       /* of a projected frame; test_count_clear() frees them */
  uint64_t *waveforms; /* of a frame that asks for them, likewise */
};
void test_frame_count (const struct histo_frame *frame, struct test_count *count);

/* The hue and the saturation of one chroma sample, Cb and Cr each less the middle of their range, as docs/statistics.md defines
 * them. */
unsigned test_hue (int32_t cb, int32_t cr);
unsigned test_saturation (int32_t cb, int32_t cr);

/* Projects a frame with weights for each component. Other numbers than the projections stay as they are. */
void test_frame_project (const struct histo_frame *frame, const struct histo_weights weights[HISTO_MAX_COMPONENTS],
                         struct test_count *count);
void test_count_clear (struct test_count *count);

/* NULL where `actual` equals `expected` bit for bit; else the first difference in words, static, of the calling thread. */
const char *test_stats_difference (const struct histo_stats *expected, const struct histo_stats *actual);

#endif
