/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/upload/staging.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cores.h"
#include "pool.h"

/* A frame is split into one slice for each thread. A slice is at most a chunk, and large enough for the copy engine and for the
 * calls of a copy. */
#define THREADS 8                           /* maximum, and never more than cores */
#define CHUNKS 4                            /* of a thread: it fills one while others are copied to the device */
#define CHUNK_BYTES ((size_t)512 << 10)     /* the largest slice */
#define MIN_SLICE_BYTES ((size_t)128 << 10) /* minimum, except for the end of a plane */
#define SLICE_ALIGNMENT ((size_t)4096)

struct chunk {
  uint8_t *memory; /* pinned, CHUNK_BYTES */
  CUevent copied;  /* the device has its contents */
};

/* The chunks of a thread, used in turn. */
struct ring {
  struct chunk chunks[CHUNKS];
  unsigned next;
};

struct job {
  struct histo_cuda_rows planes[HISTO_CUDA_STAGING_ROWS];
  size_t slice_bytes;             /* of a plane's copy */
  atomic_uint_fast64_t remaining; /* slices not yet enqueued */
};

struct histo_cuda_staging {
  struct histo_cuda_target target;
  struct histo_config config; /* the engine's, except for the pool's threads and jobs */
  uint8_t *memory;            /* of all chunks */
  struct ring rings[THREADS]; /* by thread index: see pool.h */
  struct job *jobs;
  struct histo_pool *pool;
  atomic_int status; /* enum histo_status: the first failure */
};

/* ---- copying -------------------------------------------------------------------------------------------------------- */

static enum histo_status
copy_slice (struct histo_cuda_staging *staging, struct chunk *chunk, const struct histo_cuda_rows *rows, size_t begin,
            size_t end)
{
  const struct histo_cuda_driver *driver = staging->target.driver;
  enum histo_status status = histo_cuda_check (staging->target.driver, driver->cuEventSynchronize (chunk->copied),
                                               "waiting for a copy to the device");

  if (status != HISTO_OK)
    return status;
  histo_cuda_gather (rows, begin, end, chunk->memory);
  status = histo_cuda_check (staging->target.driver,
                             driver->cuMemcpyHtoDAsync (rows->to + begin, chunk->memory, end - begin, staging->target.stream),
                             "copying a frame to the device");
  if (status == HISTO_OK)
    status = histo_cuda_check (staging->target.driver, driver->cuEventRecord (chunk->copied, staging->target.stream),
                               "recording an event");
  return status;
}

static uint64_t
count_slices (const struct histo_cuda_rows *rows, size_t slice_bytes)
{
  return (histo_cuda_copy_bytes (rows) + slice_bytes - 1) / slice_bytes;
}

/* Finds slice `slice` of a job in its planes. */
static enum histo_status
copy_slice_of_job (struct histo_cuda_staging *staging, struct chunk *chunk, const struct job *job, uint64_t slice)
{
  const struct histo_cuda_rows *rows = job->planes;
  size_t begin, end;

  for (; slice >= count_slices (rows, job->slice_bytes); rows++)
    slice -= count_slices (rows, job->slice_bytes);
  begin = slice * job->slice_bytes;
  end = histo_cuda_copy_bytes (rows);
  return copy_slice (staging, chunk, rows, begin, end - begin > job->slice_bytes ? begin + job->slice_bytes : end);
}

static void
run_slice (void *data, void *scratch, unsigned thread_index, unsigned index, uint64_t slice)
{
  struct histo_cuda_staging *staging = data;
  struct ring *ring = &staging->rings[thread_index];
  struct job *job = &staging->jobs[index];
  enum histo_status status = (enum histo_status)atomic_load (&staging->status);
  bool is_current = false;
  CUcontext popped;

  (void)scratch;
  if (status == HISTO_OK) {
    status = histo_cuda_check (staging->target.driver, staging->target.driver->cuCtxPushCurrent (staging->target.context),
                               "using the CUDA context");
    is_current = status == HISTO_OK;
  }
  if (status == HISTO_OK)
    status = copy_slice_of_job (staging, &ring->chunks[ring->next++ % CHUNKS], job, slice);
  if (status != HISTO_OK)
    atomic_store (&staging->status, (int)status);
  if (atomic_fetch_sub (&job->remaining, 1) == 1) {
    status = is_current ? (enum histo_status)atomic_load (&staging->status) : HISTO_ERROR_DEVICE;
    staging->target.staged (staging->target.data, index, status);
  }
  if (is_current)
    staging->target.driver->cuCtxPopCurrent (&popped);
}

static const struct histo_pool_work work = { .thread_name = "histo-staging", .run = run_slice };

static size_t
choose_slice_bytes (const struct histo_cuda_staging *staging, const struct histo_cuda_rows *planes, unsigned count)
{
  size_t bytes = 0;

  for (unsigned p = 0; p < count; p++)
    bytes += histo_cuda_copy_bytes (&planes[p]);
  bytes = bytes / staging->config.threads + 1;
  bytes = (bytes + SLICE_ALIGNMENT - 1) / SLICE_ALIGNMENT * SLICE_ALIGNMENT;
  if (bytes < MIN_SLICE_BYTES)
    return MIN_SLICE_BYTES;
  return bytes > CHUNK_BYTES ? CHUNK_BYTES : bytes;
}

void
histo_cuda_staging_begin (struct histo_cuda_staging *staging, unsigned index, const struct histo_cuda_rows *planes,
                          unsigned count)
{
  struct job *job = &staging->jobs[index];
  uint64_t slices = 0;

  /* The thread that last called `staged` may not have left the job yet. */
  histo_pool_wait (staging->pool, index);
  job->slice_bytes = choose_slice_bytes (staging, planes, count);
  for (unsigned p = 0; p < count; p++) {
    job->planes[p] = planes[p];
    slices += count_slices (&planes[p], job->slice_bytes);
  }
  atomic_store (&job->remaining, slices);
  histo_pool_submit (staging->pool, index, slices); /* always succeeds without scratch */
}

void
histo_cuda_staging_wait (struct histo_cuda_staging *staging, unsigned job)
{
  histo_pool_wait (staging->pool, job);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static enum histo_status
create_chunks (struct histo_cuda_staging *staging)
{
  const struct histo_cuda_driver *driver = staging->target.driver;
  unsigned chunks = staging->config.threads * CHUNKS;
  size_t size = chunks * CHUNK_BYTES;
  enum histo_status status = histo_cuda_check_memory (
      driver, driver->cuMemHostAlloc ((void **)&staging->memory, size, CU_MEMHOSTALLOC_PORTABLE), "allocating pinned memory");

  if (status != HISTO_OK) {
    staging->memory = NULL;
    return status;
  }
  memset (staging->memory, 0, size); /* gaps between rows are also copied */
  for (unsigned i = 0; status == HISTO_OK && i < chunks; i++) {
    struct chunk *chunk = &staging->rings[i / CHUNKS].chunks[i % CHUNKS];

    chunk->memory = staging->memory + i * CHUNK_BYTES;
    status = histo_cuda_check (staging->target.driver, driver->cuEventCreate (&chunk->copied, CU_EVENT_DISABLE_TIMING),
                               "creating an event");
    if (status != HISTO_OK)
      chunk->copied = NULL;
  }
  return status;
}

enum histo_status
histo_cuda_staging_open (const struct histo_cuda_target *target, unsigned jobs, struct histo_cuda_staging **staging_out)
{
  struct histo_cuda_staging *staging = calloc (1, sizeof *staging);
  const unsigned cores = histo_usable_cores ();
  enum histo_status status;

  *staging_out = NULL;
  if (staging)
    staging->jobs = calloc (jobs, sizeof *staging->jobs);
  if (!staging || !staging->jobs) {
    free (staging);
    return histo_cuda_lack_memory (target->config);
  }
  staging->target = *target;
  staging->config = *target->config;
  staging->config.threads = cores < THREADS ? cores : THREADS;
  staging->config.max_in_flight = jobs;

  status = create_chunks (staging);
  if (status == HISTO_OK)
    status = histo_pool_open (&staging->config, &work, staging, &staging->pool);
  if (status == HISTO_OK)
    *staging_out = staging;
  else
    histo_cuda_staging_close (staging);
  return status;
}

void
histo_cuda_staging_stop (struct histo_cuda_staging *staging)
{
  histo_pool_close (staging->pool);
  staging->pool = NULL;
}

void
histo_cuda_staging_close (struct histo_cuda_staging *staging)
{
  if (!staging)
    return;
  for (unsigned i = 0; i < THREADS * CHUNKS; i++) {
    CUevent copied = staging->rings[i / CHUNKS].chunks[i % CHUNKS].copied;

    if (copied)
      staging->target.driver->cuEventDestroy (copied);
  }
  if (staging->memory)
    staging->target.driver->cuMemFreeHost (staging->memory);
  free (staging->jobs);
  free (staging);
}
