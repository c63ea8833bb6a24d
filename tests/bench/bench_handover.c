/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_handover.h"
#include "require.h"
#include "timing.h"

#define BLOCK ((size_t)512 << 10) /* bytes that are handed over together */
#define BLOCKS 3                  /* two may be read while one is filled */
#define MOST_READERS 4
#define ROUNDS 11

enum way { KEPT, FILLED, READ, COPIED, WAYS };

struct ring {
  _Alignas(64) atomic_size_t filled; /* blocks */
  uint8_t *bytes;
  unsigned reader_count;
  size_t block_count;
};

struct reader {
  _Alignas(64) atomic_size_t read; /* blocks */
  struct ring *ring;
  unsigned number;
  uint64_t sum; /* sum of the words in its part of each block */
  pthread_t thread;
};

static void *
read_blocks (void *data)
{
  struct reader *reader = data;
  const struct ring *ring = reader->ring;
  const size_t words = BLOCK / ring->reader_count / sizeof (uint64_t);

  for (size_t b = 0; b < ring->block_count; b++) {
    const uint64_t *from = (const uint64_t *)(ring->bytes + b % BLOCKS * BLOCK) + reader->number * words;

    while (atomic_load_explicit (&ring->filled, memory_order_acquire) <= b)
      ;
    for (size_t i = 0; i < words; i++)
      reader->sum += from[i];
    atomic_store_explicit (&reader->read, b + 1, memory_order_release);
  }
  return NULL;
}

static void
wait_for_readers (const struct reader *readers, unsigned count, size_t blocks)
{
  for (unsigned i = 0; i < count; i++)
    while (atomic_load_explicit (&readers[i].read, memory_order_acquire) < blocks)
      ;
}

/* Returns the seconds for reading the file in pieces of `size` bytes. A block is a multiple of `size`. */
static double
play (enum way way, int fd, size_t file_bytes, size_t size, uint8_t *buffer, struct ring *ring, struct reader *readers)
{
  const unsigned reader_count = way == READ || way == COPIED ? ring->reader_count : 0;
  const double start = seconds_now ();

  for (size_t done = 0; done < file_bytes; done += size) {
    uint8_t *place = ring->bytes + done % (BLOCKS * BLOCK);

    if (done >= BLOCKS * BLOCK)
      wait_for_readers (readers, reader_count, done / BLOCK + 1 - BLOCKS);
    require (pread (fd, way == FILLED || way == READ ? place : buffer, size, (off_t)done) == (ssize_t)size, "the file is read");
    if (way == COPIED)
      memcpy (place, buffer, size);
    atomic_store_explicit (&ring->filled, (done + size) / BLOCK, memory_order_release);
  }
  return seconds_now () - start;
}

static uint64_t
sum_file (int fd, size_t file_bytes, uint8_t *buffer)
{
  uint64_t sum = 0;

  for (size_t done = 0; done < file_bytes; done += BLOCK) {
    require (pread (fd, buffer, BLOCK, (off_t)done) == (ssize_t)BLOCK, "the file is read");
    for (size_t i = 0; i < BLOCK / sizeof (uint64_t); i++)
      sum += ((const uint64_t *)buffer)[i];
  }
  return sum;
}

static double
measure (enum way way, int fd, size_t file_bytes, size_t size, uint8_t *buffer, struct ring *ring, uint64_t expected)
{
  struct reader readers[MOST_READERS];
  uint64_t sum = 0;
  double seconds;

  memset (readers, 0, sizeof readers);
  atomic_store (&ring->filled, 0);
  for (unsigned i = 0; i < ring->reader_count; i++) {
    readers[i].ring = ring;
    readers[i].number = i;
    if (way == READ || way == COPIED)
      require (pthread_create (&readers[i].thread, NULL, read_blocks, &readers[i]) == 0, "a thread");
  }
  seconds = play (way, fd, file_bytes, size, buffer, ring, readers);
  if (way == KEPT || way == FILLED)
    return seconds;
  for (unsigned i = 0; i < ring->reader_count; i++) {
    pthread_join (readers[i].thread, NULL);
    sum += readers[i].sum;
  }
  require (sum == expected, "what was read is what the file has");
  return seconds;
}

void
bench_handover (int fd, size_t file_bytes)
{
  static const size_t sizes[] = { 4096, 65536, BLOCK };
  const long cores = sysconf (_SC_NPROCESSORS_ONLN);
  struct ring ring = { .block_count = file_bytes / BLOCK };
  uint8_t *buffer = aligned_alloc (4096, BLOCK);
  uint64_t expected;

  ring.reader_count = cores > MOST_READERS ? MOST_READERS : 1;
  ring.bytes = aligned_alloc (4096, BLOCKS * BLOCK);
  require (buffer && ring.bytes, "memory");
  memset (ring.bytes, 0, BLOCKS * BLOCK);
  expected = sum_file (fd, file_bytes, buffer);
  printf ("the limit: %zu MiB read in blocks, us a block, median of %d, in brackets how much more than in the first column; a "
          "ring\n"
          "of %d x %zu KiB, which %u threads read that are awake\n",
          file_bytes >> 20, ROUNDS, BLOCKS, BLOCK >> 10, ring.reader_count);
  printf ("  %-10s %14s %22s %22s %22s\n", "blocks", "one buffer", "a ring nobody reads", "that others read",
          "copied into that");
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const double blocks = (double)(file_bytes / sizes[s]);
    double seconds[WAYS][ROUNDS], us[WAYS];

    for (unsigned r = 0; r < ROUNDS; r++)
      for (unsigned w = 0; w < WAYS; w++)
        seconds[w][r] = measure ((enum way)w, fd, file_bytes, sizes[s], buffer, &ring, expected);
    for (unsigned w = 0; w < WAYS; w++)
      us[w] = median (seconds[w], ROUNDS) / blocks * 1e6;
    printf ("  %4zu KiB %16.2f", sizes[s] >> 10, us[KEPT]);
    for (unsigned w = FILLED; w < WAYS; w++)
      printf (" %12.2f (%+.2f)", us[w], us[w] - us[KEPT]);
    printf ("\n");
  }
  printf ("\n");
  free (ring.bytes);
  free (buffer);
}
