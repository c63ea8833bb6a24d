/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counting a slice, with or without row and column sums. */

#ifndef HISTO_CPU_SLICE_H
#define HISTO_CPU_SLICE_H

#include "isa.h"
#include "scratch.h"

/* A slice, and what the worker that counts it works with. */
struct histo_cpu_task {
  const struct histo_cpu_isa *isa;
  const struct histo_weights *weights; /* of each component of the frame */
  struct histo_cpu_scratch *scratch;   /* the worker's own */
  struct histo_cpu_total *total;
  uint32_t statistics; /* that the frame is asked for */
  const struct histo_cpu_picture *picture;
  struct histo_cpu_slice slice;
};

/* Samples first .. first + count - 1 of a component in a row. */
struct histo_cpu_range {
  uint64_t first, count;
};

/* Counts the slice into the scratch. */
void histo_cpu_count_slice (const struct histo_cpu_task *task);

/* Counts it, and adds its row and column sums to the total. */
void histo_cpu_project_slice (const struct histo_cpu_task *task);

/* Looks at its rows of the picture: of luma, and of chroma. */
void histo_cpu_count_luma (const struct histo_cpu_task *task);
void histo_cpu_count_chroma (const struct histo_cpu_task *task);

/* Counts its rows into the waveforms of the pass's components, and those of chroma into the vectorscope. */
void histo_cpu_count_waveforms (const struct histo_cpu_task *task);
void histo_cpu_count_vectorscope (const struct histo_cpu_task *task);

/* The parts of count_slice and project_slice. Bytes [begin, end) of row y, which begin at position 0 of the pattern. */
void histo_cpu_count_span (const struct histo_cpu_task *task, uint64_t y, size_t begin, size_t end);

/* Samples of component `c` of the pass in row y, outside of the pattern. */
void histo_cpu_count_edge (const struct histo_cpu_task *task, unsigned c, uint64_t y, struct histo_cpu_range range);

/* Those before and after the pattern. */
static inline struct histo_cpu_range
histo_cpu_head_of (const struct histo_pass_component *component)
{
  return (struct histo_cpu_range){ 0, component->head };
}

static inline struct histo_cpu_range
histo_cpu_tail_of (const struct histo_pass_component *component)
{
  return (struct histo_cpu_range){ component->width - component->tail, component->tail };
}

#endif
