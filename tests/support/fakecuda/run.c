/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs the operations of streams, on a thread that represents the device. */

#include "fake.h"

#include <stdlib.h>
#include <string.h>

static void
free_operation (struct operation *operation)
{
  free (operation->staged);
  fakekernel_clear (&operation->launch);
  free (operation);
}

static void
drop_operations (void)
{
  for (CUstream stream = fake.streams; stream != NULL; stream = stream->next) {
    while (stream->first != NULL) {
      struct operation *operation = stream->first;
      stream->first = operation->next;
      free_operation (operation);
    }
    stream->end = &stream->first;
  }
}

void
lose_device (CUresult result, bool all_calls_fail)
{
  fake.has_failed = true;
  fake.lost = result;
  fake.all_calls_fail = all_calls_fail;
  drop_operations ();
  pthread_cond_broadcast (&fake.changed);
}

static void *
find_for_kernel (uint64_t address, uint64_t size, bool is_device)
{
  return find_memory (fake.running_context, address, size, is_device);
}

static void
unlock_for_kernel (void)
{
  pthread_mutex_unlock (&fake.lock);
}

static void
lock_after_kernel (void)
{
  pthread_mutex_lock (&fake.lock);
}

static const struct fakekernel_driver kernel_driver
    = { .find = find_for_kernel, .blame = blame, .unlock = unlock_for_kernel, .lock = lock_after_kernel };

/* Runs a kernel. Called with the lock, which it releases while it counts. Returns false if the kernel faults. */
static bool
run_kernel (const struct operation *operation)
{
  if (++fake.kernels == fake.failing_kernel)
    return false;
  if (fake.kernels == fake.skipped_kernel) {
    fake.has_failed = true;
    return true;
  }
  return fakekernel_run (&operation->launch, &kernel_driver);
}

/* Runs a copy. Called with the lock, which it releases while it copies. */
static bool
run_copy (const struct operation *operation)
{
  uint64_t size = (operation->rows - 1) * operation->to_pitch + operation->row_bytes;
  const bool is_fetch = operation->kind == OPERATION_FETCH;
  uint8_t *to;
  const uint8_t *from = operation->from;

  to = find_memory (operation->context, is_fetch ? operation->to | MAPPED_TAG : operation->to, size, !is_fetch);
  if (is_fetch) {
    from = find_memory (operation->context, operation->from_device,
                        (operation->rows - 1) * operation->from_pitch + operation->row_bytes, true);
    if (from == NULL) {
      blame ("a copy of %zux%zu bytes from outside of device memory", operation->row_bytes, operation->rows);
      return false;
    }
  }
  if (to == NULL) {
    blame ("a copy or a set of %llu bytes at %#llx, outside of device memory", (unsigned long long)size,
           (unsigned long long)operation->to);
    return false;
  }
  pthread_mutex_unlock (&fake.lock);
  for (size_t row = 0; row < operation->rows; row++) {
    if (operation->kind != OPERATION_SET)
      memcpy (to + row * operation->to_pitch, from + row * operation->from_pitch, operation->row_bytes);
    else
      memset (to + row * operation->to_pitch, operation->value, operation->row_bytes);
  }
  pthread_mutex_lock (&fake.lock);
  return true;
}

/* Ends a kernel that has written its numbers, unless its end is held. */
static void
end_kernel (CUstream stream, struct operation *operation)
{
  if (fake.held != FAKECUDA_HOLD_TAILS || fake.lost != CUDA_SUCCESS) {
    fakekernel_end (&operation->launch, &kernel_driver);
    free_operation (operation);
    return;
  }
  operation->kind = OPERATION_TAIL;
  operation->next = stream->first;
  if (stream->first == NULL)
    stream->end = &operation->next;
  stream->first = operation;
}

/* Runs an operation. Called with the lock, which it may release meanwhile. */
static void
run_first (CUstream stream)
{
  struct operation *operation = stream->first;
  bool is_good = true;

  stream->first = operation->next;
  if (stream->first == NULL)
    stream->end = &stream->first;
  stream->running = operation;
  fake.running_context = operation->context;
  switch (operation->kind) {
  case OPERATION_COPY:
  case OPERATION_FETCH:
  case OPERATION_SET:
    is_good = run_copy (operation);
    break;
  case OPERATION_KERNEL:
    is_good = run_kernel (operation);
    break;
  case OPERATION_TAIL:
    fakekernel_end (&operation->launch, &kernel_driver);
    break;
  case OPERATION_RECORD: /* done by leaving the stream */
  case OPERATION_WAIT:
    break;
  }
  stream->running = NULL;
  if (operation->kind == OPERATION_KERNEL && is_good)
    end_kernel (stream, operation);
  else
    free_operation (operation);
  if (!is_good && fake.lost == CUDA_SUCCESS)
    lose_device (CUDA_ERROR_ILLEGAL_ADDRESS, false);
  free_stream (stream);
  pthread_cond_broadcast (&fake.changed);
}

static void *
run_device (void *unused)
{
  (void)unused;
  pthread_mutex_lock (&fake.lock);
  for (;;) {
    uint64_t deadline_us = UINT64_MAX;
    CUstream stream = choose_stream (&deadline_us);

    if (stream != NULL) {
      run_first (stream);
    } else if (deadline_us != UINT64_MAX) {
      struct timespec deadline = { (time_t)(deadline_us / 1000000), (long)(deadline_us % 1000000 * 1000) };
      pthread_cond_timedwait (&fake.changed, &fake.lock, &deadline);
    } else {
      pthread_cond_wait (&fake.changed, &fake.lock);
    }
  }
  return NULL;
}

CUresult
append_operation (CUstream stream, const struct operation *operation)
{
  struct operation *added;

  if (!fake.has_worker) {
    pthread_t worker;

    if (pthread_create (&worker, NULL, run_device, NULL) != 0)
      return CUDA_ERROR_OPERATING_SYSTEM;
    pthread_detach (worker);
    fake.has_worker = true;
  }
  added = malloc (sizeof *added);
  if (added == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *added = *operation;
  added->next = NULL;
  added->context = stream != &fake.default_stream ? stream->object.context : current_context ();
  *stream->end = added;
  stream->end = &added->next;
  pthread_cond_broadcast (&fake.changed);
  return CUDA_SUCCESS;
}

CUresult
add_operation (const char *function, CUstream stream, const struct operation *operation)
{
  CUresult result = require_context (function);

  if (result == CUDA_SUCCESS && (stream == NULL || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)) {
    blame ("%s on a default stream", function);
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (result == CUDA_SUCCESS)
    result = require_object (function, KIND_STREAM, stream);
  return result == CUDA_SUCCESS ? append_operation (stream, operation) : result;
}

void
wait_idle (void)
{
  CUstream stream = fake.streams;

  fake.waiting++;
  pthread_cond_broadcast (&fake.changed);
  while (stream != NULL) {
    if (!is_idle (stream)) {
      pthread_cond_wait (&fake.changed, &fake.lock);
      stream = fake.streams;
    } else {
      stream = stream->next;
    }
  }
  fake.waiting--;
}

/* Returns whether the operation uses the device memory [begin, begin + size), or a kernel of the module. */
static bool
uses (const struct operation *operation, CUdeviceptr begin, uint64_t size, const struct CUmod_st *module)
{
  const uint64_t rows = operation->rows - 1;
  const struct {
    CUdeviceptr begin;
    uint64_t size;
  } parts[] = {
    { operation->to, rows * operation->to_pitch + operation->row_bytes },
    { operation->to | MAPPED_TAG, rows * operation->to_pitch + operation->row_bytes },
    { (CUdeviceptr)(uintptr_t)operation->from | MAPPED_TAG, rows * operation->from_pitch + operation->row_bytes },
    { operation->from_device, rows * operation->from_pitch + operation->row_bytes },
  };

  switch (operation->kind) {
  case OPERATION_COPY:
  case OPERATION_FETCH:
  case OPERATION_SET:
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
      if (size > 0 && parts[i].begin < begin + size && begin < parts[i].begin + parts[i].size)
        return true;
    return false;
  case OPERATION_KERNEL:
    return operation->module == module || (size > 0 && fakekernel_uses (&operation->launch, begin, size));
  case OPERATION_TAIL: /* the samples have been read, and the result has been written */
    return operation->module == module || (size > 0 && fakekernel_clears (&operation->launch, begin, size));
  case OPERATION_RECORD:
  case OPERATION_WAIT:
    break;
  }
  return false;
}

bool
is_in_use (CUdeviceptr begin, uint64_t size, const struct CUmod_st *module)
{
  for (const struct CUstream_st *stream = fake.streams; stream != NULL; stream = stream->next) {
    if (stream->running != NULL && uses (stream->running, begin, size, module))
      return true;
    for (const struct operation *operation = stream->first; operation != NULL; operation = operation->next)
      if (uses (operation, begin, size, module))
        return true;
  }
  return false;
}
