/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pool of equal blocks of memory, one for each worker of an engine. Allocated for the first frame that needs them. */

#pragma once

#include <cudahisto/histo.h>
#include <pthread.h>

struct histo_cpu_block {
  struct histo_cpu_block *next; /* in the list of free blocks */
  size_t size;                  /* of `bytes` */
  _Alignas(16) uint8_t bytes[];
};

/* All zeros except `lock`, which is initialized, has no blocks. */
struct histo_cpu_memory {
  pthread_mutex_t lock; /* protects the others */
  size_t size;          /* of the free blocks */
  struct histo_cpu_block *free_blocks;
};

/* Ensures that each of `workers` workers can take a block of at least `size` bytes. New blocks are zeroed. NO_MEMORY. */
enum histo_status histo_cpu_memory_reserve (struct histo_cpu_memory *memory, unsigned workers, size_t size);

/* Takes a block for a worker, which returns it. It has the bytes that the previous worker left. */
struct histo_cpu_block *histo_cpu_memory_take (struct histo_cpu_memory *memory);
void histo_cpu_memory_return (struct histo_cpu_memory *memory, struct histo_cpu_block *block);

void histo_cpu_memory_clear (struct histo_cpu_memory *memory);
