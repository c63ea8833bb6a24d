/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counts a slice, with or without row and column sums. */

#pragma once

#include "isa.h"
#include "scratch.h"

/* A slice, and the data that its worker uses. */
struct histo_cpu_task {
  const struct histo_cpu_isa *isa;
  const struct histo_weights *weights; /* of each component of the frame */
  struct histo_cpu_scratch *scratch;   /* the worker's own */
  struct histo_cpu_total *total;
  uint32_t statistics; /* that the frame requests */
  const struct histo_cpu_picture *picture;
  struct histo_cpu_slice slice;
  const uint8_t *data, *operand; /* row first_row of the pass; operand NULL: none */
  uint64_t first_row;            /* 0, except of rows that the worker has derived */
};

/* Samples first .. first + count - 1 of a component in a row. */
struct histo_cpu_range {
  uint64_t first, count;
};

/* Row y of the task's pass. */
static inline const uint8_t *
histo_cpu_find_row (const struct histo_cpu_task *task, uint64_t y)
{
  return task->data + (y - task->first_row) * task->slice.sliced->pass.stride_bytes;
}

/* Row y of the operand. */
static inline const uint8_t *
histo_cpu_find_operand_row (const struct histo_cpu_task *task, uint64_t y)
{
  const struct histo_pass *pass = &task->slice.sliced->pass;

  return task->operand + (y - task->first_row) * pass->operand_stride_bytes;
}

/* Counts the slice into the scratch memory. */
void histo_cpu_count_slice (const struct histo_cpu_task *task);

/* Counts the slice, and adds its row and column sums to the total. */
void histo_cpu_project_slice (const struct histo_cpu_task *task);

/* Computes the picture's statistics for the slice's rows. */
void histo_cpu_count_picture (const struct histo_cpu_task *task);

/* Each of them: histo_cpu_NAME returns the number NAME of struct histo_picture_stats for the slice, or counts the slice into
 * the histogram NAME. */
#define PICTURE_NUMBER(id, name, ...) uint64_t histo_cpu_##name (const struct histo_cpu_task *task);
#define PICTURE_HISTOGRAM(id, name, ...) void histo_cpu_##name (const struct histo_cpu_task *task);
#include "statistic_list.h"

/* Counts the slice's rows into the waveforms of the pass's components. */
void histo_cpu_count_waveforms (const struct histo_cpu_task *task);

/* Parts of count_slice and project_slice. Counts bytes [begin, end) of row y, which begin at position 0 of the pattern. */
void histo_cpu_count_span (const struct histo_cpu_task *task, uint64_t y, size_t begin, size_t end);

/* Counts samples of component `c` of the pass in row y, outside the pattern. */
void histo_cpu_count_edge (const struct histo_cpu_task *task, unsigned c, uint64_t y, struct histo_cpu_range range);

/* The samples before and after the pattern. */
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
