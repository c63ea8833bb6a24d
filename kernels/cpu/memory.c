/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/memory.h"

#include <stdlib.h>

static void
free_blocks (struct histo_cpu_block *blocks)
{
  while (blocks) {
    struct histo_cpu_block *next = blocks->next;

    free (blocks);
    blocks = next;
  }
}

enum histo_status
histo_cpu_memory_reserve (struct histo_cpu_memory *memory, unsigned workers, size_t size)
{
  struct histo_cpu_block *blocks = NULL, *old;

  if (size <= memory->size) /* only this function changes it */
    return HISTO_OK;
  for (unsigned w = 0; w < workers; w++) {
    struct histo_cpu_block *block = calloc (1, sizeof *block + size);

    if (!block) {
      free_blocks (blocks);
      return HISTO_ERROR_NO_MEMORY;
    }
    block->size = size;
    block->next = blocks;
    blocks = block;
  }
  pthread_mutex_lock (&memory->lock);
  old = memory->free_blocks;
  memory->free_blocks = blocks;
  memory->size = size;
  pthread_mutex_unlock (&memory->lock);
  free_blocks (old);
  return HISTO_OK;
}

struct histo_cpu_block *
histo_cpu_memory_take (struct histo_cpu_memory *memory)
{
  struct histo_cpu_block *block;

  pthread_mutex_lock (&memory->lock);
  block = memory->free_blocks;
  memory->free_blocks = block->next;
  pthread_mutex_unlock (&memory->lock);
  return block;
}

void
histo_cpu_memory_return (struct histo_cpu_memory *memory, struct histo_cpu_block *block)
{
  pthread_mutex_lock (&memory->lock);
  if (block->size == memory->size) {
    block->next = memory->free_blocks;
    memory->free_blocks = block;
    block = NULL;
  }
  pthread_mutex_unlock (&memory->lock);
  free (block); /* larger blocks have replaced it */
}

void
histo_cpu_memory_clear (struct histo_cpu_memory *memory)
{
  pthread_mutex_destroy (&memory->lock);
  free_blocks (memory->free_blocks);
}
