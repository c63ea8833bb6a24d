/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/launch/sums.h"

#include <stdlib.h>
#include <string.h>

static void
free_sums (const struct histo_cuda_driver *driver, struct histo_cuda_sums *sums)
{
  if (sums->device)
    driver->cuMemFree (sums->device);
  if (sums->host)
    driver->cuMemFreeHost (sums->host);
  free (sums);
}

void
histo_cuda_sums_pool_open (struct histo_cuda_sums_pool *pool, const struct histo_cuda_driver *driver)
{
  pool->driver = driver;
  pool->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  pool->idle = NULL;
}

void
histo_cuda_sums_pool_close (struct histo_cuda_sums_pool *pool)
{
  while (pool->idle) {
    struct histo_cuda_sums *sums = pool->idle;

    pool->idle = sums->next;
    free_sums (pool->driver, sums);
  }
  pthread_mutex_destroy (&pool->lock);
}

/* The first idle sums with that capacity; NULL if there are none. */
static struct histo_cuda_sums *
take_idle (struct histo_cuda_sums_pool *pool, size_t capacity)
{
  struct histo_cuda_sums *sums, **place;

  pthread_mutex_lock (&pool->lock);
  for (place = &pool->idle; *place && (*place)->capacity < capacity; place = &(*place)->next)
    ;
  sums = *place;
  if (sums)
    *place = sums->next;
  pthread_mutex_unlock (&pool->lock);
  return sums;
}

static enum histo_status
make_sums (const struct histo_cuda_driver *driver, size_t capacity, struct histo_cuda_sums **sums_out)
{
  struct histo_cuda_sums *sums = calloc (1, sizeof *sums);
  const size_t size = capacity * sizeof *sums->host;
  enum histo_status status = HISTO_OK;

  *sums_out = NULL;
  if (!sums)
    return histo_cuda_lack_memory (driver->config);
  HISTO_CUDA_TRY_MEMORY (status, driver, cuMemAlloc (&sums->device, size), "allocating device memory for arrays of numbers");
  if (status != HISTO_OK) {
    sums->device = 0;
  } else {
    HISTO_CUDA_TRY_MEMORY (status, driver,
                           cuMemHostAlloc ((void **)&sums->host, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                           "allocating pinned memory for arrays of numbers");
    if (status != HISTO_OK)
      sums->host = NULL;
    HISTO_CUDA_TRY (status, driver, cuMemHostGetDevicePointer (&sums->host_address, sums->host, 0), "mapping pinned memory");
  }
  if (status != HISTO_OK) {
    free_sums (driver, sums);
    return status;
  }
  sums->capacity = capacity;
  sums->is_new = true;
  *sums_out = sums;
  return HISTO_OK;
}

enum histo_status
histo_cuda_sums_take (struct histo_cuda_sums_pool *pool, unsigned frames,
                      const struct histo_cuda_sums_part parts[HISTO_MAX_COUNTED], struct histo_cuda_sums **sums_out)
{
  enum histo_status status = HISTO_OK;
  struct histo_cuda_sums *sums;
  size_t used = 0;

  for (unsigned c = 0; c < HISTO_MAX_COUNTED; c++)
    used += frames * (parts[c].rows + parts[c].columns);
  sums = take_idle (pool, used);
  if (!sums)
    status = make_sums (pool->driver, used, &sums);
  *sums_out = sums;
  if (status != HISTO_OK)
    return status;
  used = 0;
  for (unsigned c = 0; c < HISTO_MAX_COUNTED; c++) {
    sums->parts[c] = (struct histo_cuda_sums_part){ .first = used, .rows = parts[c].rows, .columns = parts[c].columns };
    used += frames * (parts[c].rows + parts[c].columns);
  }
  sums->used = used;
  sums->frames = sums->references = frames;
  return HISTO_OK;
}

void
histo_cuda_sums_drop (struct histo_cuda_sums_pool *pool, struct histo_cuda_sums *sums)
{
  if (!sums)
    return;
  pthread_mutex_lock (&pool->lock);
  if (--sums->references == 0) {
    sums->next = pool->idle;
    pool->idle = sums;
  }
  pthread_mutex_unlock (&pool->lock);
}
