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
