/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pass: one walk over the rows of a plane that counts every component in it, whatever the pixel layout. The fast backends
 * need no format list: GRAY8, NV12's chroma, RGB, ARGB and YUY2 differ only in `period` and `component_at`, and their 16-bit
 * variants in `sample_bytes`. */

#pragma once

#include <cudahisto/histo.h>

#define HISTO_MAX_PERIOD 4
#define HISTO_MAX_PASSES (HISTO_MAX_PLANES + HISTO_MAX_DERIVED)

struct histo_pass {
  const uint8_t *data;    /* plane, row 0 */
  const uint8_t *operand; /* the operand's plane, row 0; NULL: no statistic needs it */
  size_t stride_bytes, operand_stride_bytes;
  uint32_t height; /* rows, never 0 */
  bool project;    /* with row and column sums; then rows are not joined */

  /* Bytes [begin, end) of a row hold every component in a repeating pattern. The pattern has `period` (1, 2, 3 or 4) samples of
   * sample_bytes (1 or 2) each, at any address. The sample at byte begin + i * sample_bytes belongs to component_at[i %
   * period], an index in histo_frame.components, or to none (-1). end - begin is a multiple of period * sample_bytes. Samples
   * outside the pattern, for example at the edges of a cropped YUY2, are read component by component: see head and tail. If the
   * layout has no such pattern, for example if one-byte and two-byte samples share the plane, begin == end and all samples
   * belong to the head. */
  size_t begin, end;
  unsigned sample_bytes;
  unsigned period;
  int8_t component_at[HISTO_MAX_PERIOD];

  /* The components in this plane. Each has the number of samples of a row before and after [begin, end). */
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

/* Fills `passes` for a valid frame, one for each plane with samples, and returns their number (0: nothing to count). Rows
 * without a gap between them become one long row if they hold such a pattern and the frame does not project. */
unsigned histo_plan_passes (const struct histo_frame *frame, struct histo_pass passes[HISTO_MAX_PASSES]);
