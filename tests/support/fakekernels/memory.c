/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "kernels.h"

#include <string.h>

#include "watch.h"

void *
find_any_memory (const struct fakekernel_driver *driver, uint64_t address, uint64_t size)
{
  void *memory = driver->find (address, size, true);

  return memory != NULL ? memory : driver->find (address, size, false);
}

const uint8_t *
find_rows (const struct fakekernel_driver *driver, uint64_t data, uint64_t stride, uint32_t height, int64_t first, int64_t last)
{
  uint64_t size = (height - 1) * stride + (uint64_t)(last - first);
  const uint8_t *bytes = find_any_memory (driver, data + (uint64_t)first, size);

  if (bytes == NULL) {
    driver->blame ("the kernel would read %llu bytes at %#llx, outside of device memory", (unsigned long long)size,
                   (unsigned long long)(data + (uint64_t)first));
    return NULL;
  }
  return bytes - first;
}

const uint64_t *
find_addresses (const struct fakekernel_driver *driver, uint64_t addresses, uint64_t count)
{
  const uint64_t *found = find_any_memory (driver, addresses, count * sizeof *found);

  if (found == NULL)
    driver->blame ("the addresses of the frames are not where they should be");
  return found;
}

static void
store (uint64_t *word, uint64_t value, uint64_t tag)
{
  if (tag == 0)
    __atomic_fetch_add (word, value << 16, __ATOMIC_RELEASE);
  else
    __atomic_store_n (word, value << 16 | tag, __ATOMIC_RELEASE);
}

static void
store_total (uint64_t *words, uint64_t total, uint64_t tag)
{
  store (&words[0], total & ((1u << HISTO_CUDA_LOW_BITS) - 1), tag);
  store (&words[1], total >> HISTO_CUDA_LOW_BITS, tag);
}

static void
store_totals (uint64_t *words, const struct numbers *numbers, bool with_dot, bool with_sums, uint64_t tag)
{
  if (with_dot)
    store_total (words + HISTO_CUDA_DOT, numbers->dot, tag);
  if (with_sums) {
    store_total (words + HISTO_CUDA_SUM, numbers->sum, tag);
    store_total (words + HISTO_CUDA_SQUARES, numbers->squares, tag);
  }
}

void
store_numbers (uint64_t *words, unsigned bins, const struct numbers *numbers, bool with_dot, bool with_sums, uint64_t tag)
{
  for (unsigned bin = 0; bin < bins; bin++)
    store (&words[bin], numbers->histogram[bin], tag);
  store_totals (words + bins, numbers, with_dot, with_sums, tag);
}

void
store_carried (uint64_t *words, unsigned bins, const struct numbers *numbers, bool with_dot)
{
  test_watch_write (words, bins / 2 * sizeof *words);
  for (unsigned bin = 0; bin < bins; bin += 2)
    words[bin / 2] = numbers->histogram[bin] + (numbers->histogram[bin + 1] << 32);
  store_totals (words + HISTO_CUDA_CARRY_WORDS (bins) - HISTO_CUDA_TOTALS, numbers, with_dot, true, 0);
}

TEST_UNWATCHED bool
are_zeros (const uint64_t *words, uint64_t count)
{
  uint64_t bits = 0;

  test_watch_read (words, count * sizeof *words);
  for (uint64_t i = 0; i < count; i++)
    bits |= words[i];
  return bits == 0;
}

static TEST_UNWATCHED bool
have_tag (const uint64_t *words, uint64_t count, uint64_t tag)
{
  bool found = false;

  test_watch_read (words, count * sizeof *words);
  for (uint64_t i = 0; i < count; i++)
    found |= (words[i] & UINT16_MAX) == tag;
  return found;
}

uint64_t *
find_words (const struct fakekernel_driver *driver, uint64_t workspace_address, uint64_t result_address, uint64_t count,
            uint64_t tag)
{
  uint64_t *workspace = driver->find (workspace_address, count * sizeof *workspace, true);
  uint64_t *result = find_any_memory (driver, result_address, count * sizeof *result);

  if (workspace == NULL || result == NULL || workspace_address % 8 != 0 || result_address % 8 != 0) {
    driver->blame ("the kernel's workspace or result is not where it should be");
    return NULL;
  }
  if (tag == 0)
    return result;
  if (!are_zeros (workspace, count)) {
    driver->blame ("the kernel's workspace is not zero");
    return NULL;
  }
  if (have_tag (result, count, tag)) {
    driver->blame ("the result has the launch's tag from an earlier one");
    return NULL;
  }
  memset (workspace, 0xa5, count * sizeof *workspace); /* in place of the blocks' sums, until fakekernel_end() */
  return result;
}

void
clear_words (const struct fakekernel_driver *driver, uint64_t workspace_address, uint64_t count)
{
  uint64_t *workspace = driver->find (workspace_address, count * sizeof *workspace, true);

  if (workspace == NULL)
    driver->blame ("the kernel's workspace went before its end");
  else
    memset (workspace, 0, count * sizeof *workspace);
}
