/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads the rows of a picture, a tile at a time: luma, with its chroma or alone. */

#pragma once

#include "slice.h"

#define HISTO_CPU_TILE 1024 /* samples that stay in the first-level cache with the rows around them */

static inline const uint8_t *
histo_cpu_find_sample (const struct histo_cpu_component *component, uint32_t y, uint32_t first)
{
  return component->data + (size_t)(y - component->first_row) * component->stride_bytes + (size_t)first * component->step_bytes;
}

static inline bool
histo_cpu_is_dense (const struct histo_cpu_component *component)
{
  return component->step_bytes == component->format.sample_bytes;
}

/* The bytes of samples first .. first + count - 1 of row y: in place, or in `buffer`. */
static inline const uint8_t *
histo_cpu_gather_bytes (const struct histo_cpu_isa *isa, const struct histo_cpu_component *component, uint32_t y,
                        uint32_t first, uint32_t count, uint8_t *buffer)
{
  const uint8_t *sample = histo_cpu_find_sample (component, y, first);

  if (component->format.sample_bytes == 1 && histo_cpu_is_dense (component))
    return sample;
  isa->bytes (sample, component->step_bytes, count, &component->format, buffer);
  return buffer;
}

/* The same of component `c` of the picture. */
static inline const uint8_t *
histo_cpu_read_bytes (const struct histo_cpu_task *task, unsigned c, uint32_t y, uint32_t first, uint32_t count,
                      uint8_t *buffer)
{
  return histo_cpu_gather_bytes (task->isa, &task->picture->components[c], y, first, count, buffer);
}

/* The same samples as words, always in `buffer`. */
static inline void
histo_cpu_read_words (const struct histo_cpu_task *task, unsigned c, uint32_t y, uint32_t first, uint32_t count,
                      uint16_t *buffer)
{
  const struct histo_cpu_component *component = &task->picture->components[c];

  task->isa->words (histo_cpu_find_sample (component, y, first), component->step_bytes, count, &component->format, buffer);
}

/* The format for reading gathered words again as samples. */
static inline struct histo_format
histo_cpu_find_word_format (const struct histo_cpu_component *component)
{
  return (struct histo_format){
    .sample_bytes = 2,
    .depth = component->format.depth,
    .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
  };
}

/* A tile of luma with its chroma. If chroma has a phase, its first sample also covers `skipped` luma samples before the row. */
struct histo_cpu_tile {
  uint32_t first, count, skipped;
  uint32_t first_chroma, chroma_count;
  uint32_t next; /* start of the next tile, counted from the first luma sample that the first chroma sample covers */
};

/* False after the last tile. All zeros finds the first. */
static inline bool
histo_cpu_find_next_tile (const struct histo_cpu_task *task, struct histo_cpu_tile *tile)
{
  const struct histo_chroma *chroma = &task->picture->chroma;
  const uint32_t width = task->picture->components[LUMA].width + chroma->phase_x, begin = tile->next;
  const uint32_t end = begin < width && width - begin < HISTO_CPU_TILE ? width : begin + HISTO_CPU_TILE;

  if (begin >= width)
    return false;
  tile->skipped = begin == 0 ? chroma->phase_x : 0;
  tile->first = begin + tile->skipped - chroma->phase_x;
  tile->count = end - begin - tile->skipped;
  tile->first_chroma = begin >> chroma->shift_x;
  tile->chroma_count = ((end - 1) >> chroma->shift_x) + 1 - tile->first_chroma;
  tile->next = end;
  return true;
}
