/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pass: one walk over the rows of a plane that counts every component in it, whatever the pixel layout. The fast backends
 * need no format list: GRAY8, NV12's chroma, RGB, ARGB and YUY2 differ in `period` and `component_at` alone, and their 16-bit
 * relatives in `sample_bytes`. */

#ifndef HISTO_PASS_H
#define HISTO_PASS_H

#include <cudahisto/histo.h>

#define HISTO_MAX_PERIOD 4

struct histo_pass {
  const uint8_t *data;    /* plane, row 0 */
  const uint8_t *operand; /* the operand's plane, row 0; NULL: no statistic needs it */
  size_t stride_bytes, operand_stride_bytes;
  uint32_t height; /* rows, never 0 */
  bool project;    /* row and column sums are wanted: the rows are the plane's own, never joined */

  /* Bytes [begin, end) of a row hold every component in a pattern of samples of sample_bytes (1 or 2) each, at any address,
   * that repeats each `period` samples (1, 2, 3 or 4): the sample at byte begin + i * sample_bytes belongs to component_at[i %
   * period], an index in histo_frame.components, or to none (-1). end - begin is a multiple of period * sample_bytes. Samples
   * outside (at the edges of a cropped YUY2, say) are read component by component: see head and tail. begin == end where the
   * layout has no such pattern, as where samples of one and of two bytes share the plane; then everything is head. */
  size_t begin, end;
  unsigned sample_bytes;
  unsigned period;
  int8_t component_at[HISTO_MAX_PERIOD];

  /* The components in this plane, and for each the samples of a row before and after [begin, end). */
  unsigned component_count;
  struct histo_pass_component {
    unsigned index; /* in histo_frame.components */
    size_t offset_bytes, step_bytes;
    uint64_t width;
    unsigned sample_bytes, depth, shift; /* as in histo_component */
    bool big_endian;
    unsigned bins;
    uint64_t head; /* samples 0 .. head-1 lie before begin */
    uint64_t tail; /* samples width-tail .. width-1 lie at or after end */
  } components[HISTO_MAX_COMPONENTS];
};

/* Fills `passes` for a valid frame, one for each plane that holds samples, and returns their number (0: nothing to count). Rows
 * that follow each other without a gap become one long row, where they hold such a pattern and the frame does not project. */
unsigned histo_plan_passes (const struct histo_frame *frame, struct histo_pass passes[HISTO_MAX_PLANES]);

#endif
