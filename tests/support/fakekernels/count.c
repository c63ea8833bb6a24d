/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "kernels.h"

#include <stdlib.h>

/* Counts one frame. Called with the lock, which it releases while it counts. `addresses`: NULL if frames are at equal
 * distances. */
static bool
count_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, const uint64_t *addresses,
             unsigned index)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const bool deep = takes_deep (launch->kernel), carries = launch->kernel->kind == FAKEKERNEL_CARRY;
  const bool with_dot = launch->kernel->with_dot;
  const uint64_t skipped = (uint64_t)index * count->frame_words;
  uint32_t blocks = 0;

  /* Results without a tag are cumulative. Kernels that carry have no tag. Many frames, and a frame with too many saturations,
   * may have none. Small buffers have one. */
  if (count->tag > UINT16_MAX
      || (carries ? count->tag != 0 || count->frame_count != 1 : count->tag == 0 && launch->kernel->kind == FAKEKERNEL_SMALL)) {
    driver->blame ("the kernel got the tag %u", count->tag);
    return false;
  }
  for (unsigned p = 0; p < count->pass_count; p++) {
    const struct histo_cuda_pass *pass = &count->passes[p];
    const uint64_t at = (uint64_t)p * count->frame_count + index,
                   operand_at = at + (uint64_t)count->pass_count * count->frame_count;
    const uint64_t distance = index * count->pitch_bytes, data = addresses != NULL ? addresses[at] : pass->data + distance,
                   operand = pass->operand == 0  ? 0
                             : addresses != NULL ? addresses[operand_at]
                                                 : pass->operand + distance;
    const uint8_t *x, *y = NULL;
    struct numbers *numbers;
    uint64_t *words[HISTO_CUDA_COMPONENTS];
    int64_t first, last;
    bool is_good;

    if (!pass_is_valid (launch, pass, data, with_dot ? operand : 0) || !find_row (pass, &first, &last)
        || pass->first_block != blocks || count->first_block[p] != blocks || (with_dot && pass->operand == 0)) {
      driver->blame ("pass %u contradicts itself or the launch", p);
      return false;
    }
    blocks += pass->block_count;
    x = find_rows (driver, data, pass->stride_bytes, pass->height, first, last);
    if (with_dot)
      y = find_rows (driver, operand, pass->operand_stride_bytes, pass->height, first, last);
    if (x == NULL || (with_dot && y == NULL))
      return false;
    for (unsigned c = 0; c < pass->component_count; c++) {
      uint64_t word = (skipped + pass->components[c].first_word) * sizeof (uint64_t);

      const uint32_t bins = pass->components[c].bins,
                     count_here = carries ? HISTO_CUDA_CARRY_WORDS (bins) : HISTO_CUDA_WORDS (bins);

      words[c] = find_words (driver, carries ? count->result + word : count->workspace + word, count->result + word, count_here,
                             count->tag);
      if (words[c] == NULL)
        return false;
      if (carries && !are_zeros (words[c], count_here)) {
        driver->blame ("the result of a kernel that carries is not zero");
        return false;
      }
    }
    numbers = make_numbers (carries ? pass : NULL, deep ? pass->bins : HISTO_CUDA_BINS);
    if (numbers == NULL)
      return false;
    driver->unlock ();
    is_good = count_pass (pass, launch->kernel, x, y, numbers);
    driver->lock (); /* a thread that sees the numbers must find them complete */
    if (carries && !store_tables (driver, count, pass, numbers)) {
      free (numbers);
      return false;
    }
    for (unsigned c = 0; c < pass->component_count; c++)
      if (carries)
        store_carried (words[c], pass->components[c].bins, &numbers[c], with_dot);
      else
        store_numbers (words[c], pass->components[c].bins, &numbers[c], with_dot, deep, count->tag);
    free (numbers);
    if (!is_good) {
      driver->blame ("a sample of pass %u depends on its neighbour", p);
      return false;
    }
  }
  if (launch->kernel->kind != FAKEKERNEL_SMALL && blocks != launch->blocks_x) {
    driver->blame ("%u blocks were launched, %u have work", launch->blocks_x, blocks);
    return false;
  }
  return true;
}

bool
count_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const enum fakekernel_kind kind = launch->kernel->kind;
  const uint64_t *addresses = NULL;

  if (count->pass_count < 1 || count->pass_count > (takes_one_plane (launch->kernel) ? 1 : HISTO_CUDA_PASSES)) {
    driver->blame ("the kernel got %u passes", count->pass_count);
    return false;
  }
  if (!grid_is_valid (launch)) {
    driver->blame ("%ux%u blocks were launched for %u frames", launch->blocks_x, launch->blocks_y, count->frame_count);
    return false;
  }
  if (kind == FAKEKERNEL_LISTED) {
    addresses = launch->listed;
  } else if (kind != FAKEKERNEL_PLANE && count->addresses != 0) {
    const unsigned parts = launch->kernel->with_dot ? 2 : 1;

    addresses = find_addresses (driver, count->addresses, (uint64_t)parts * count->pass_count * count->frame_count);
    if (addresses == NULL)
      return false;
  }
  for (uint32_t i = 0; i < count->frame_count; i++)
    if (!count_frame (launch, driver, addresses, i))
      return false;
  return true;
}
