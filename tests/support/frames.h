/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames to count: every pixel layout that the element accepts and some others, at any size and address. Bytes that must not be
 * counted are random. Writes to the memory, and reads past an end of it, fault. */

#pragma once

#include <cudahisto/histo.h>

#include "../../kernels/statistic_table.h"
#include "random.h"

/* `TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };` clears the frame at the end of its block. `clear` accepts a
 * variable that is still zero. Of several variables, the last is cleared first. */
#define TEST_AT_END(clear) __attribute__ ((cleanup (clear)))

/* The values of the samples. */
enum test_fill {
  TEST_FILL_RANDOM,
  TEST_FILL_ZERO,
  TEST_FILL_MAX,        /* the largest value */
  TEST_FILL_ONE_BIN,    /* one value per component */
  TEST_FILL_TWO_VALUES, /* two values per component, at random */
  TEST_FILL_ALIAS,      /* values that are equal modulo 32 */
  TEST_FILL_RAMP,       /* increasing along the row, shifted from row to row */
  TEST_FILL_SKEWED,     /* mostly one value, otherwise any */
  TEST_FILL_COUNT
};

const char *test_fill_name (enum test_fill fill);

struct test_layout {
  const char *name;
  unsigned plane_count;
  unsigned component_count;
  unsigned height_shift[HISTO_MAX_PLANES]; /* rows of a plane: those of the picture >> this, rounded up */
  struct {
    unsigned plane;
    size_t offset_bytes, step_bytes;
    unsigned width_shift; /* samples in a row: the picture's width >> this, rounded up */
  } components[HISTO_MAX_COMPONENTS];
  struct {
    unsigned sample_bytes, depth, shift; /* as in histo_component; all zeros: one byte */
    bool big_endian;
    unsigned bins;
  } samples[HISTO_MAX_COMPONENTS];
};

/* The layouts: pixel formats of bytes, then unusual layouts of bytes, then layouts with samples of two bytes. */
extern const struct test_layout test_layouts[];
extern const unsigned test_layout_count;

/* Returns the layout of this name, or NULL. */
const struct test_layout *test_layout_find (const char *name);

/* The end of a plane's memory that is next to an unreadable page. */
enum test_guard { TEST_GUARD_NONE, TEST_GUARD_END, TEST_GUARD_START };

struct test_geometry {
  uint32_t width, height;            /* pixels to count */
  uint32_t left, top, right, bottom; /* pixels around these, which are stored but not counted */
  size_t extra_stride_bytes;         /* after each row */
  unsigned base_offset; /* bytes from a multiple of 256 to the first stored byte of each plane; ignored with GUARD_END */
  enum test_guard guard;
};

struct test_frame {
  /* Ready to submit. It has id 0 and no operand, but requests the dot product. `chroma` follows from the layout and the crop.
   * `waveform_columns` is random. */
  struct histo_frame frame;
  const struct test_layout *layout;
  struct test_geometry geometry;
  enum test_fill fill;
  struct {
    uint8_t *map; /* including the guard pages */
    size_t map_bytes;
    uint8_t *bytes; /* the stored bytes, read-only */
    size_t size;
  } memory[HISTO_MAX_PLANES];
};

/* Makes a frame; test_frame_clear() frees it. Exits if memory is exhausted. */
void test_frame_init (struct test_frame *frame, const struct test_layout *layout, const struct test_geometry *geometry,
                      enum test_fill fill, struct test_random *random);

/* Makes a byte stream of `size` bytes. It begins base_offset bytes after a multiple of 256 or, with GUARD_END, ends directly
 * before an unreadable page. */
void test_frame_init_bytes (struct test_frame *frame, size_t size, unsigned base_offset, enum test_guard guard,
                            enum test_fill fill, struct test_random *random);

/* Fills the frame again, including its padding. */
void test_frame_refill (struct test_frame *frame, enum test_fill fill, struct test_random *random);

/* Accepts an all-zero frame. */
void test_frame_clear (struct test_frame *frame);

/* Sets each sample of a component, row by row. `painter` returns the value of sample `column` of row `row`; only the bits of a
 * sample are used. Other bytes stay unchanged. */
typedef uint32_t (*test_painter) (void *data, uint64_t column, uint32_t row);
void test_frame_paint (struct test_frame *frame, unsigned component, test_painter painter, void *data);

/* Sets one of many gamuts, by `choice`. It is all zeros (no gamut) for a frame without colours, and if choice % 8 is 0 or 1.
 * The gamut of a new frame depends on its size and its crop. */
void test_frame_set_gamut (struct test_frame *frame, unsigned choice);

/* The same for light; its luma is 0 without light. */
void test_frame_set_light (struct test_frame *frame, unsigned choice);

/* Returns whether luma and chroma can be derived from the frame's first three components. */
bool test_frame_can_derive (const struct test_frame *frame);

/* Derives one or three components of such a frame, with one of many matrices, by `choice`; none if choice % 4 is 0. */
void test_frame_derive (struct test_frame *frame, unsigned choice);

/* Returns all statistics that the frame can have, bits of enum histo_statistic. Those of colours need a second and a third
 * component that can be Cb and Cr; the gamut and the light need a frame with a gamut, or with light. */
uint32_t test_frame_statistics (const struct test_frame *frame);

/* The same, but with waveforms and a vectorscope in only a quarter of the frames: they have hundreds of thousands of bins even
 * for a small frame. */
uint32_t test_frame_choose_statistics (const struct test_frame *frame, struct test_random *random);

/* Adds statistics, bits of enum histo_statistic, to a frame's request, or removes them. */
static inline void
test_frame_ask (struct histo_frame *frame, uint32_t statistics, bool asked)
{
  frame->statistics = asked ? frame->statistics | statistics : frame->statistics & ~statistics;
}

/* Returns a random stride, base address, crop and guard for a picture of this size. */
struct test_geometry test_geometry_random (uint32_t width, uint32_t height, struct test_random *random);

/* "NV12 640x480 at +3, crop 1,0,2,5, stride +7, guard end, fill alias". */
void test_frame_describe (const struct test_frame *frame, char *text, size_t size);

#define TEST_MAX_SATURATIONS 46341 /* saturations that two samples of 16 bits can have */

/* Numbers that separate, plain loops count, sample by sample. The dot product and the differences are those with
 * `frame->operand`. */
struct test_count {
  struct histo_stats stats; /* do not pass it to histo_stats_reset, to _clear, or as the total to _add */
  struct histo_component_stats components[HISTO_MAX_COUNTED]; /* `stats` points to them */
  uint64_t histograms[HISTO_MAX_COUNTED][HISTO_MAX_BINS];
  struct histo_picture_stats picture; /* `stats` points to it if it was requested */
  struct {
#define PICTURE_HISTOGRAM(id, name, needs, most, bins, ...) uint64_t name[(bins) > 0 ? (bins) : TEST_MAX_SATURATIONS];
#include "../../kernels/statistic_list.h"
  } bins;              /* of its histograms */
  int64_t *sums;       /* of a frame with projections; test_count_clear() frees them */
  uint64_t *waveforms; /* of a frame that requests them; test_count_clear() frees them */
};
void test_frame_count (const struct histo_frame *frame, struct test_count *count);

/* Return the hue and the saturation of a pair of chroma samples, as docs/statistics.md defines them. `cb`, `cr`: relative to
 * the middle of their range. */
unsigned test_hue (int32_t cb, int32_t cr);
unsigned test_saturation (int32_t cb, int32_t cr);

/* Projects a frame with weights for each component. Leaves all other numbers unchanged. */
void test_frame_project (const struct histo_frame *frame, const struct histo_weights weights[HISTO_MAX_COUNTED],
                         struct test_count *count);
void test_count_clear (struct test_count *count);

/* Returns NULL if `actual` equals `expected` bit for bit. Otherwise returns a description of the first difference. It is
 * static, one for each thread. */
const char *test_stats_difference (const struct histo_stats *expected, const struct histo_stats *actual);
