/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pass: one walk over the rows of a plane that counts every component in it, whatever the pixel layout. The fast backends
 * need no format list: GRAY8, NV12's chroma, RGB, ARGB and YUY2 differ in `period` and `component_at` alone. 8-bit samples. */

#ifndef HISTO_PASS_H
#define HISTO_PASS_H

#include <cudahisto/histo.h>

#define HISTO_MAX_PERIOD 4

struct histo_pass {
  const uint8_t *data;    /* plane, row 0 */
  const uint8_t *operand; /* the operand's plane, row 0; NULL: none */
  size_t stride_bytes, operand_stride_bytes;
  uint32_t height; /* rows, never 0 */

  /* Bytes [begin, end) of a row hold every component in a pattern that repeats each `period` bytes (1, 2, 3 or 4): byte
   * begin + i belongs to component_at[i % period], an index in histo_frame.components, or to none (-1). end - begin is a
   * multiple of the period. Samples outside (at the edges of a cropped YUY2, say) are the component's own: see head and
   * tail. begin == end where the layout has no such pattern; then everything is head. */
  size_t begin, end;
  unsigned period;
  int8_t component_at[HISTO_MAX_PERIOD];

  /* The components in this plane, and for each the samples of a row before and after [begin, end). */
  unsigned component_count;
  struct histo_pass_component {
    unsigned index; /* in histo_frame.components */
    size_t offset_bytes, step_bytes;
    uint64_t width;
    uint64_t head; /* samples 0 .. head-1 lie before begin */
    uint64_t tail; /* samples width-tail .. width-1 lie at or after end */
  } components[HISTO_MAX_COMPONENTS];
};

/* Fills `passes` for a valid frame, one for each plane that holds samples, and returns their number (0: nothing to count).
 * Rows that follow each other without a gap become one long row, where they hold such a pattern. */
unsigned histo_plan_passes (const struct histo_frame *frame, struct histo_pass passes[HISTO_MAX_PLANES]);

#endif
