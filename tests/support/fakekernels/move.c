/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "kernels.h"

bool
move_vectors (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_move *move = &launch->parameter.move;
  const uint64_t size = (uint64_t)move->vectors * 16;
  void *from, *to;

  if (move->vectors == 0 || launch->blocks_x != (move->vectors - 1) / HISTO_CUDA_MOVE_THREADS + 1 || launch->blocks_y != 1
      || launch->shared_bytes != 0 || move->from % 16 != 0 || move->to % 16 != 0) {
    driver->blame ("a move of numbers contradicts itself or the launch");
    return false;
  }
  from = driver->find (move->from, size, true);
  to = find_any_memory (driver, move->to, size);
  if (from == NULL || to == NULL) {
    driver->blame ("the numbers to move are not where they should be");
    return false;
  }
  test_watch_write (from, size);
  test_watch_write (to, size);
  memcpy (to, from, size);
  memset (from, 0, size);
  return true;
}

bool
move_uses (const struct histo_cuda_move *move, uint64_t begin, uint64_t size)
{
  return is_within (move->from, begin, size) || is_within (move->to, begin, size);
}

bool
store_tables (const struct fakekernel_driver *driver, const struct histo_cuda_count *count, const struct histo_cuda_pass *pass,
              const struct numbers *numbers)
{
  const uint64_t block_bytes = count->frame_words * sizeof (uint64_t), size = pass->block_count * block_bytes;
  uint8_t *tables = driver->find (count->workspace + pass->first_block * block_bytes, size, true);

  if (tables == NULL || count->workspace % 16 != 0 || block_bytes % 16 != 0
      || (uint64_t)pass->component_count * pass->table_bytes > block_bytes) {
    driver->blame ("the memory for tables is not where it should be");
    return false;
  }
  test_watch_write (tables, size);
  memset (tables, 0, size);
  for (unsigned c = 0; c < pass->component_count; c++)
    for (uint32_t i = 0; i < pass->table_bytes / sizeof (uint32_t); i++)
      memcpy (tables + i % pass->block_count * block_bytes + (uint64_t)c * pass->table_bytes + i * sizeof (uint32_t),
              &numbers[c].table[i], sizeof (uint32_t));
  return true;
}

/* Adds the tables of a component to its corrections. */
static TEST_UNWATCHED void
add_component (const struct histo_cuda_tables *tables, const uint8_t *first, uint64_t block_bytes, uint64_t *pairs)
{
  const uint32_t words = 1u << tables->words_log2, bits = 1u << tables->bits_log2;

  for (uint32_t bin = 0; bin < tables->bins; bin++) {
    uint64_t sum = 0;

    for (uint32_t b = 0; b < tables->block_count; b++) {
      const uint32_t *table = (const uint32_t *)(const void *)(first + b * block_bytes);

      sum += table[bin % words] >> (bin / words * bits) & UINT32_MAX >> (32 - bits);
    }
    pairs[bin / 2] += sum << (bin % 2 * 32);
  }
}

static void
move_words (uint64_t *from, uint64_t *to, uint32_t count)
{
  test_watch_write (from, count * sizeof *from);
  test_watch_write (to, count * sizeof *to);
  memcpy (to, from, count * sizeof *to);
  memset (from, 0, count * sizeof *from);
}

/* Adds up and moves the words of component `c`, whose blocks begin at `block` of the grid. Returns the next component's. 0: a
 * field is not valid. */
static uint32_t
add_tables_of (const struct histo_cuda_add_tables *add, unsigned c, uint32_t block, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_tables *tables = &add->components[c];
  const uint64_t at = tables->first_word * sizeof (uint64_t);
  const uint32_t words = HISTO_CUDA_CARRY_WORDS (tables->bins);
  uint64_t *from, *to, table_bytes;
  const uint8_t *first;

  if (tables->bits_log2 > 5 || tables->words_log2 < 2 || tables->words_log2 > 16 || tables->block_count == 0
      || tables->first_word % 2 != 0 || tables->bins > (32u >> tables->bits_log2) << tables->words_log2
      || tables->first_block != block)
    return 0;
  table_bytes = UINT64_C (4) << tables->words_log2;
  from = driver->find (add->from + at, words * sizeof *from, true);
  to = find_any_memory (driver, add->to + at, words * sizeof *to);
  first = driver->find (tables->first, (tables->block_count - 1) * add->block_bytes + table_bytes, true);
  if (from == NULL || to == NULL || first == NULL || tables->first % 16 != 0)
    return 0;
  for (uint32_t b = 0; b < tables->block_count; b++)
    test_watch_read (first + b * add->block_bytes, table_bytes);
  test_watch_write (from, words * sizeof *from);
  add_component (tables, first, add->block_bytes, from);
  move_words (from, to, words);
  return block + histo_cuda_count_add_blocks (tables->words_log2, tables->bits_log2);
}

bool
add_tables (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_add_tables *add = &launch->parameter.add_tables;
  const uint64_t at = add->other_word * sizeof (uint64_t);
  bool is_good = add->from % 16 == 0 && add->to % 16 == 0 && add->block_bytes % 16 == 0 && add->component_count >= 1
                 && add->component_count <= HISTO_CUDA_COUNTED && launch->shared_bytes == 0 && launch->blocks_y == 1;
  uint32_t blocks = 0;

  for (unsigned c = 0; is_good && c < add->component_count; c++) {
    blocks = add_tables_of (add, c, blocks, driver);
    is_good = blocks > 0;
  }
  is_good = is_good && add->other_block == blocks
            && launch->blocks_x == blocks + (add->other_words + HISTO_CUDA_ADD_THREADS - 1) / HISTO_CUDA_ADD_THREADS;
  if (is_good && add->other_words > 0) {
    uint64_t *from = driver->find (add->from + at, add->other_words * sizeof *from, true),
             *to = find_any_memory (driver, add->to + at, add->other_words * sizeof *to);

    is_good = from != NULL && to != NULL;
    if (is_good)
      move_words (from, to, add->other_words);
  }
  if (!is_good)
    driver->blame ("an addition of tables contradicts itself or the launch, or its memory is not where it should be");
  return is_good;
}

bool
add_tables_uses (const struct histo_cuda_add_tables *add, uint64_t begin, uint64_t size)
{
  for (unsigned c = 0; c < add->component_count && c < HISTO_CUDA_COUNTED; c++)
    if (is_within (add->components[c].first, begin, size))
      return true;
  return is_within (add->from, begin, size) || is_within (add->to, begin, size);
}
