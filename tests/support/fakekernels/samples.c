/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "kernels.h"

#include <stdlib.h>

#include "watch.h"

struct numbers *
make_numbers (const struct histo_cuda_pass *pass, uint32_t bins)
{
  const size_t words = pass != NULL ? (size_t)1 << pass->words_log2 : 0;
  const size_t size = bins * sizeof (uint64_t) + words * sizeof (uint32_t);
  struct numbers *numbers = calloc (1, HISTO_CUDA_COMPONENTS * (sizeof *numbers + size));
  uint8_t *next = (uint8_t *)(numbers + HISTO_CUDA_COMPONENTS);

  for (unsigned c = 0; numbers != NULL && c < HISTO_CUDA_COMPONENTS; c++, next += size) {
    numbers[c].pass = pass;
    numbers[c].histogram = (uint64_t *)(void *)next;
    numbers[c].table = (uint32_t *)(void *)(numbers[c].histogram + bins);
    numbers[c].bins = pass != NULL && c < pass->component_count ? pass->components[c].bins : bins;
  }
  return numbers;
}

bool
describe_component (const struct fakekernel_driver *driver, const struct histo_cuda_picture_component *component, uint64_t data,
                    uint64_t stride_bytes, struct histo_frame *frame)
{
  const unsigned c = frame->component_count++;
  struct histo_plane *plane = &frame->planes[frame->plane_count++];

  *plane = (struct histo_plane){ .stride_bytes = stride_bytes };
  frame->components[c] = (struct histo_component){
    .plane = c,
    .step_bytes = component->step_bytes,
    .width = component->width,
    .sample_bytes = component->sample_bytes,
    .depth = component->depth,
    .shift = component->shift,
    .big_endian = component->big_endian,
    .bins = 1u << component->depth,
  };
  if (component->mask != (1u << component->depth) - 1) {
    driver->blame ("the mask of component %u is not that of its depth", c);
    return false;
  }
  if (component->width == 0 || component->height == 0)
    return true;
  plane->height = component->height;
  plane->data = find_rows (driver, data, stride_bytes, component->height, 0,
                           (int64_t)((component->width - 1) * component->step_bytes) + component->sample_bytes);
  return plane->data != NULL;
}

void
watch_component (const struct histo_frame *frame, unsigned c)
{
  const struct histo_component *component = &frame->components[c];

  for (uint32_t row = 0; row < frame->planes[c].height; row++)
    test_watch_read ((const uint8_t *)frame->planes[c].data + row * frame->planes[c].stride_bytes,
                     (component->width - 1) * component->step_bytes + component->sample_bytes);
}

/* Adds 1 to a bin of the table, and corrections for the overflow to the histogram: see HISTO_CUDA_CARRY_TABLE_BYTES. */
static TEST_UNWATCHED void
count_with_carry (struct numbers *numbers, uint32_t bin)
{
  const struct histo_cuda_pass *pass = numbers->pass;
  const uint32_t words = 1u << pass->words_log2, place = bin / words << pass->bits_log2;
  uint32_t *word = &numbers->table[bin % words], before = *word >> place;

  *word += 1u << place;
  while (bin < numbers->bins && (before & pass->counter_mask) == pass->counter_mask) {
    numbers->histogram[bin] += pass->counter_mask + UINT64_C (1);
    bin += words;
    if (bin >= numbers->bins)
      break;
    numbers->histogram[bin]--;
    before >>= 1u << pass->bits_log2;
  }
}

static TEST_UNWATCHED void
count_value (struct numbers *numbers, uint32_t bin, uint64_t x, uint64_t y)
{
  if (numbers->pass != NULL)
    count_with_carry (numbers, bin);
  else
    numbers->histogram[bin]++;
  numbers->sum += x;
  numbers->squares += x * x;
  numbers->dot += x * y;
}

/* Loads a sample of two bytes as the kernel takes it from a word. Returns false if the other sample of the word changes it. */
static TEST_UNWATCHED bool
load_deep (const struct histo_cuda_pass *pass, bool carries, const uint8_t *at, uint32_t *value, uint32_t *bin)
{
  uint32_t raw = pass->byte_order == 0x2301 ? (uint32_t)at[0] << 8 | at[1] : at[0] | (uint32_t)at[1] << 8;
  uint32_t offsets[2], values[2];

  for (unsigned i = 0; i < 2; i++) {
    uint32_t word = raw | (i > 0 ? 0xffff0000u : 0);
    unsigned rotation = carries ? 0 : pass->row_rotation % 32;

    values[i] = word >> pass->shift & pass->mask & 0xffff;
    if (carries)
      offsets[i] = values[i] >> pass->components[0].bin_shift;
    else
      offsets[i] = (rotation > 0 ? word << rotation | word >> (32 - rotation) : word) & pass->row_mask;
  }
  *value = values[0];
  *bin = carries ? offsets[0] : offsets[0] >> (pass->columns_log2 + 2);
  return offsets[0] == offsets[1] && values[0] == values[1];
}

static TEST_UNWATCHED void
count_samples (const struct histo_cuda_component *component, const uint8_t *x, const uint8_t *y, uint64_t first, uint64_t last,
               struct numbers *numbers)
{
  for (uint64_t i = first; i < last; i++) {
    int64_t at = component->offset_bytes + (int64_t)(i * component->step_bytes);

    test_watch_read (x + at, component->sample_bytes);
    if (y != NULL)
      test_watch_read (y + at, component->sample_bytes);
    uint32_t value = load_sample (component, x + at);

    count_value (numbers, value >> component->bin_shift, value, y != NULL ? load_sample (component, y + at) : 0);
  }
}

/* Counts every `step`-th of `length` bytes. */
static TEST_UNWATCHED void
count_bytes (const uint8_t *x, const uint8_t *y, uint64_t length, unsigned step, struct numbers *numbers)
{
  uint64_t sum = 0, squares = 0, dot = 0;

  for (uint64_t at = 0; at < length; at += step) {
    const uint64_t value = x[at];

    numbers->histogram[value]++;
    sum += value;
    squares += value * value;
    dot += y != NULL ? value * y[at] : 0;
  }
  numbers->sum += sum;
  numbers->squares += squares;
  numbers->dot += dot;
}

TEST_UNWATCHED bool
count_pass (const struct histo_cuda_pass *pass, const struct fakekernel *kernel, const uint8_t *x, const uint8_t *y,
            struct numbers *numbers)
{
  const bool deep = takes_deep (kernel), carries = kernel->kind == FAKEKERNEL_CARRY;
  unsigned tables[HISTO_CUDA_COMPONENTS];
  bool is_good = true;

  for (unsigned place = 0; place < HISTO_CUDA_COMPONENTS; place++)
    tables[place] = pass->table_at >> (8 * place) & 0xff;
  for (uint32_t row = 0; row < pass->height; row++) {
    test_watch_read (x, pass->length);
    if (y != NULL)
      test_watch_read (y, pass->length);
    for (unsigned place = 0; place < pass->period && place < pass->length; place++) {
      /* Other places belong to no component. A copy of the frame may lack them. */
      if (!deep && tables[place] < pass->component_count)
        count_bytes (x + place, y != NULL ? y + place : NULL, pass->length - place, pass->period, &numbers[tables[place]]);
    }
    for (uint64_t at = 0; deep && at < pass->length; at += 2) {
      const unsigned table = tables[at / 2 % pass->period];
      uint32_t value, bin, other = 0, other_bin;

      if (table >= pass->component_count)
        continue;
      is_good &= load_deep (pass, carries, x + at, &value, &bin);
      if (y != NULL)
        is_good &= load_deep (pass, carries, y + at, &other, &other_bin);
      count_value (&numbers[table], bin, value, other);
    }
    for (unsigned c = 0; c < pass->component_count; c++) {
      const struct histo_cuda_component *component = &pass->components[c];

      count_samples (component, x, y, 0, component->head, &numbers[c]);
      count_samples (component, x, y, component->width - component->tail, component->width, &numbers[c]);
    }
    x += pass->stride_bytes;
    y = y != NULL ? y + pass->operand_stride_bytes : NULL;
  }
  return is_good;
}
