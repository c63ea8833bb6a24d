/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "derive_slice.h"

#include "tile.h"

void
histo_cpu_find_derived (struct histo_cpu_derived *derived, const struct histo_frame *frame, const struct histo_cpu_pass *passes,
                        unsigned pass_count)
{
  const unsigned count = frame->derived_count;

  *derived = (struct histo_cpu_derived){ .first_pass = pass_count };
  if (count == 0 || pass_count < count || passes[pass_count - count].pass.components[0].index != 0)
    return; /* none, or without samples */
  derived->count = count;
  derived->first_pass = pass_count - count;
  derived->has_operand = passes[derived->first_pass].pass.operand;
  for (unsigned c = 0; c < count; c++)
    derived->derivations[c] = histo_find_derivation (frame, c);
  for (unsigned c = 0; c < 3; c++) {
    derived->sources[0][c] = histo_cpu_describe_component (frame, count + c);
    if (derived->has_operand)
      derived->sources[1][c] = histo_cpu_describe_component (frame->operand, count + c);
  }
  if (frame->statistics & HISTO_STATISTIC_OUTLIERS)
    derived->above = derived->below = HISTO_OUTLIER_REACH;
  if (frame->statistics & HISTO_STATISTIC_REPEATS)
    derived->above = HISTO_REPEAT_DISTANCE;
  derived->stride_bytes = passes[derived->first_pass].pass.stride_bytes;
  derived->plane_bytes = (passes[derived->first_pass].rows + derived->above + derived->below) * derived->stride_bytes;
}

size_t
histo_cpu_count_derived (const struct histo_cpu_derived *derived)
{
  return derived->plane_bytes * derived->count * (derived->has_operand ? 2 : 1);
}

/* The plane of component `c`, of the frame or of its operand, in a worker's memory. */
static uint8_t *
find_plane (const struct histo_cpu_derived *derived, uint8_t *memory, unsigned c, bool of_operand)
{
  return memory + (c + (of_operand ? derived->count : 0)) * derived->plane_bytes;
}

/* Derives samples first .. first + count - 1, at most HISTO_CPU_TILE, of components 0 .. components - 1. */
static void
derive_bytes (const struct histo_cpu_task *task, const struct histo_cpu_derived *derived,
              const struct histo_cpu_component sources[3], uint32_t y, uint32_t first, uint32_t count, uint8_t *const rows[])
{
  uint8_t buffers[3][HISTO_CPU_TILE];
  const uint8_t *rgb[3];

  for (unsigned c = 0; c < 3; c++)
    rgb[c] = histo_cpu_gather_bytes (task->isa, &sources[c], y, first, count, buffers[c]);
  for (unsigned c = 0; c < derived->count && rows[c]; c++)
    task->isa->derive_bytes (rgb, count, &derived->derivations[c], rows[c] + first);
}

static void
derive_words (const struct histo_cpu_task *task, const struct histo_cpu_derived *derived,
              const struct histo_cpu_component sources[3], uint32_t y, uint32_t first, uint32_t count, uint8_t *const rows[])
{
  uint16_t buffers[3][HISTO_CPU_TILE];
  const uint16_t *rgb[3];

  for (unsigned c = 0; c < 3; c++) {
    task->isa->words (histo_cpu_find_sample (&sources[c], y, first), sources[c].step_bytes, count, &sources[c].format,
                      buffers[c]);
    rgb[c] = buffers[c];
  }
  for (unsigned c = 0; c < derived->count && rows[c]; c++)
    task->isa->derive_words (rgb, count, &derived->derivations[c], (uint16_t *)(void *)rows[c] + first);
}

/* The samples of a row that the slice needs. */
static struct histo_cpu_range
find_columns (const struct histo_cpu_task *task, uint32_t width)
{
  const struct histo_cpu_slice *slice = &task->slice;
  const unsigned sample_bytes = slice->sliced->pass.sample_bytes;
  uint32_t begin = (uint32_t)(slice->begin / sample_bytes), end = (uint32_t)(slice->end / sample_bytes);

  if (slice->has_edges) {
    end = width;
    if (slice->sliced->pass.begin == slice->sliced->pass.end || histo_cpu_looks_at_rows (slice->sliced))
      begin = 0;
  }
  return (struct histo_cpu_range){ begin, end - begin };
}

/* The first derived row of a slice. */
static uint32_t
find_first_row (const struct histo_cpu_task *task, const struct histo_cpu_derived *derived)
{
  const uint32_t row = (uint32_t)task->slice.first_row;

  return row > derived->above ? row - derived->above : 0;
}

/* Derives row y of the frame or of its operand; chroma only in the rows of the slice itself. */
static void
derive_row (const struct histo_cpu_task *task, const struct histo_cpu_derived *derived, uint8_t *memory, bool of_operand,
            uint32_t y, struct histo_cpu_range columns)
{
  const struct histo_cpu_component *sources = derived->sources[of_operand];
  const bool is_inside = y >= task->slice.first_row && y < task->slice.first_row + task->slice.rows;
  uint8_t *rows[HISTO_MAX_DERIVED] = { NULL };

  for (unsigned c = 0; c < (is_inside ? derived->count : 1); c++)
    rows[c]
        = find_plane (derived, memory, c, of_operand) + (size_t)(y - find_first_row (task, derived)) * derived->stride_bytes;
  for (uint64_t first = columns.first; first < columns.first + columns.count; first += HISTO_CPU_TILE) {
    const uint64_t left = columns.first + columns.count - first;
    const uint32_t count = left < HISTO_CPU_TILE ? (uint32_t)left : HISTO_CPU_TILE;

    if (sources[0].format.sample_bytes == 1)
      derive_bytes (task, derived, sources, y, (uint32_t)first, count, rows);
    else
      derive_words (task, derived, sources, y, (uint32_t)first, count, rows);
  }
}

void
histo_cpu_derive (const struct histo_cpu_task *task, const struct histo_cpu_derived *derived, uint8_t *memory,
                  struct histo_cpu_picture *picture)
{
  const uint32_t first = find_first_row (task, derived), height = picture->components[LUMA].height;
  const uint64_t last = task->slice.first_row + task->slice.rows;
  const struct histo_cpu_range columns = find_columns (task, picture->components[LUMA].width);

  for (uint32_t y = first; y < height && y < last + derived->below; y++)
    derive_row (task, derived, memory, false, y, columns);
  for (uint64_t y = task->slice.first_row; derived->has_operand && y < last; y++)
    derive_row (task, derived, memory, true, (uint32_t)y, columns);
  for (unsigned c = 0; c < derived->count; c++) {
    picture->components[c].data = find_plane (derived, memory, c, false);
    picture->components[c].first_row = first;
  }
}

void
histo_cpu_enter_derived (struct histo_cpu_task *task, const struct histo_cpu_derived *derived, uint8_t *memory, unsigned c)
{
  task->data = find_plane (derived, memory, c, false);
  task->operand = derived->has_operand ? find_plane (derived, memory, c, true) : NULL;
  task->first_row = find_first_row (task, derived);
}
