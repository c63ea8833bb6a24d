/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/staging.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "pool.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define CHUNKS 8 /* a thread's: it fills one while others are on their way to the device */
#define THREADS 8

struct chunk {
  uint8_t *memory; /* pinned, CHUNK_BYTES */
  CUevent copied;  /* the device has what was in it */
};

/* A thread's own. */
struct scratch {
  struct chunk *chunks; /* CHUNKS; NULL before its first slice */
  unsigned next_chunk;
};

struct histo_cuda_staging {
  struct histo_config config; /* the engine's, but for the pool's threads and jobs */
  const struct histo_cuda_driver *driver;
  CUcontext context;
  CUstream stream;
  uint8_t *memory; /* of all chunks */
  struct chunk chunks[THREADS * CHUNKS];
  atomic_uint threads_seen;
  struct histo_pool *pool; /* one job: `planes`, a slice being up to CHUNK_BYTES of a plane's copy */
  struct histo_cuda_rows planes[HISTO_MAX_PLANES];
  atomic_int status; /* enum histo_status: the first failure */
};

static enum histo_status
check (const struct histo_cuda_staging *staging, CUresult result, const char *what)
{
  return histo_cuda_check (&staging->config, staging->driver, result, what);
}

/* ---- copying -------------------------------------------------------------------------------------------------------- */

/* The bytes of the copy in device memory, gaps between rows included. */
static size_t
copy_bytes (const struct histo_cuda_rows *rows)
{
  return rows->to_stride_bytes * (rows->height - 1) + rows->row_bytes;
}

/* Fills `memory` with bytes [begin, end) of the copy. Gaps keep what they had. */
static void
gather_rows (const struct histo_cuda_rows *rows, size_t begin, size_t end, uint8_t *memory)
{
  for (size_t row = begin / rows->to_stride_bytes; row * rows->to_stride_bytes < end; row++) {
    size_t row_begin = row * rows->to_stride_bytes, row_end = row_begin + rows->row_bytes;
    size_t first = row_begin > begin ? row_begin : begin, last = row_end < end ? row_end : end;

    if (first < last)
      memcpy (memory + (first - begin), rows->from + row * rows->from_stride_bytes + (first - row_begin), last - first);
  }
}

static enum histo_status
copy_part (struct histo_cuda_staging *staging, struct chunk *chunk, const struct histo_cuda_rows *rows, uint64_t part)
{
  const struct histo_cuda_driver *driver = staging->driver;
  size_t begin = part * CHUNK_BYTES, end = copy_bytes (rows);
  enum histo_status status;

  if (end - begin > CHUNK_BYTES)
    end = begin + CHUNK_BYTES;
  status = check (staging, driver->cuEventSynchronize (chunk->copied), "waiting for a copy to the device");
  if (status != HISTO_OK)
    return status;
  gather_rows (rows, begin, end, chunk->memory);
  status = check (staging, driver->cuMemcpyHtoDAsync (rows->to + begin, chunk->memory, end - begin, staging->stream),
                  "copying a frame to the device");
  if (status == HISTO_OK)
    status = check (staging, driver->cuEventRecord (chunk->copied, staging->stream), "recording an event");
  return status;
}

static uint64_t
count_parts (const struct histo_cuda_rows *rows)
{
  return (copy_bytes (rows) + CHUNK_BYTES - 1) / CHUNK_BYTES;
}

static void
run_slice (void *data, void *scratch_in, unsigned job, uint64_t slice)
{
  struct histo_cuda_staging *staging = data;
  struct scratch *scratch = scratch_in;
  const struct histo_cuda_rows *rows = staging->planes;
  enum histo_status status = (enum histo_status)atomic_load (&staging->status);
  CUcontext popped;

  (void)job;
  if (status != HISTO_OK)
    return;
  for (; slice >= count_parts (rows); rows++)
    slice -= count_parts (rows);
  if (!scratch->chunks)
    scratch->chunks = &staging->chunks[atomic_fetch_add (&staging->threads_seen, 1) * CHUNKS];
  status = check (staging, staging->driver->cuCtxPushCurrent (staging->context), "using the CUDA context");
  if (status == HISTO_OK) {
    status = copy_part (staging, &scratch->chunks[scratch->next_chunk++ % CHUNKS], rows, slice);
    staging->driver->cuCtxPopCurrent (&popped);
  }
  if (status != HISTO_OK)
    atomic_store (&staging->status, (int)status);
}

static void
merge (void *data, void *scratch, unsigned job)
{
  (void)data;
  (void)scratch;
  (void)job;
}

static const struct histo_pool_work work = { .scratch_bytes = sizeof (struct scratch), .run = run_slice, .merge = merge };

enum histo_status
histo_cuda_staging_copy (struct histo_cuda_staging *staging, const struct histo_cuda_rows *planes, unsigned count)
{
  uint64_t parts = 0;

  for (unsigned p = 0; p < count; p++) {
    staging->planes[p] = planes[p];
    parts += count_parts (&planes[p]);
  }
  histo_pool_submit (staging->pool, 0, parts);
  histo_pool_wait (staging->pool, 0);
  return (enum histo_status)atomic_load (&staging->status);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static enum histo_status
create_chunks (struct histo_cuda_staging *staging)
{
  const struct histo_cuda_driver *driver = staging->driver;
  unsigned chunks = staging->config.threads * CHUNKS;
  size_t size = chunks * CHUNK_BYTES;
  enum histo_status status = check (staging, driver->cuMemHostAlloc ((void **)&staging->memory, size, CU_MEMHOSTALLOC_PORTABLE),
                                    "allocating pinned memory");

  if (status != HISTO_OK) {
    staging->memory = NULL;
    return status;
  }
  memset (staging->memory, 0, size); /* gaps between rows travel too */
  for (unsigned i = 0; status == HISTO_OK && i < chunks; i++) {
    staging->chunks[i].memory = staging->memory + i * CHUNK_BYTES;
    status = check (staging, driver->cuEventCreate (&staging->chunks[i].copied, CU_EVENT_DISABLE_TIMING), "creating an event");
    if (status != HISTO_OK)
      staging->chunks[i].copied = NULL;
  }
  return status;
}

enum histo_status
histo_cuda_staging_open (const struct histo_config *config, const struct histo_cuda_driver *driver, CUcontext context,
                         CUstream stream, struct histo_cuda_staging **staging_out)
{
  struct histo_cuda_staging *staging = calloc (1, sizeof *staging);
  enum histo_status status;

  *staging_out = NULL;
  if (!staging) {
    histo_log (config, HISTO_LOG_ERROR, "%s", histo_status_text (HISTO_ERROR_NO_MEMORY));
    return HISTO_ERROR_NO_MEMORY;
  }
  staging->config = *config;
  staging->config.threads = histo_pool_usable_cores () < THREADS ? histo_pool_usable_cores () : THREADS;
  staging->config.max_in_flight = 1;
  staging->driver = driver;
  staging->context = context;
  staging->stream = stream;

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
histo_cuda_staging_close (struct histo_cuda_staging *staging)
{
  if (!staging)
    return;
  histo_pool_close (staging->pool);
  for (unsigned i = 0; i < THREADS * CHUNKS; i++)
    if (staging->chunks[i].copied)
      staging->driver->cuEventDestroy (staging->chunks[i].copied);
  if (staging->memory)
    staging->driver->cuMemFreeHost (staging->memory);
  free (staging);
}
