/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams and events. */

#include "fake.h"

#include <stdlib.h>

bool
is_idle (const struct CUstream_st *stream)
{
  return stream->first == NULL && stream->running == NULL;
}

void
free_stream (CUstream stream)
{
  CUstream *link = &fake.streams;

  if (!stream->is_destroyed || !is_idle (stream))
    return;
  while (*link != stream)
    link = &(*link)->next;
  *link = stream->next;
  free (stream);
}

void
remove_stream (CUstream stream)
{
  forget_object (&stream->object);
  stream->is_destroyed = true;
  free_stream (stream);
}

CUresult CUDAAPI
cuStreamCreate (CUstream *stream, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuStreamCreate);

  (void)flags;
  if (result == CUDA_SUCCESS)
    result = require_context ("cuStreamCreate");
  if (result == CUDA_SUCCESS) {
    *stream = add_object (KIND_STREAM, sizeof **stream);
    if (*stream != NULL) {
      (*stream)->end = &(*stream)->first;
      (*stream)->next = fake.streams;
      fake.streams = *stream;
    } else {
      result = CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  return leave (result);
}

CUresult CUDAAPI
cuStreamDestroy (CUstream stream)
{
  return release_object (FUNCTION_cuStreamDestroy, KIND_STREAM, stream);
}

CUresult CUDAAPI
cuStreamSynchronize (CUstream stream)
{
  CUresult result = enter (FUNCTION_cuStreamSynchronize);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuStreamSynchronize", KIND_STREAM, stream);
  if (result == CUDA_SUCCESS) {
    fake.waiting++;
    pthread_cond_broadcast (&fake.changed);
    while (!is_idle (stream))
      pthread_cond_wait (&fake.changed, &fake.lock);
    fake.waiting--;
    result = fake.lost;
  }
  return leave (result);
}

#ifndef FAKECUDA_LACKS_FUNCTION
CUresult CUDAAPI
cuStreamWaitEvent (CUstream stream, CUevent event, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuStreamWaitEvent);

  (void)flags;
  if (result == CUDA_SUCCESS)
    result = require_object ("cuStreamWaitEvent", KIND_EVENT, event);
  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_WAIT, .record = event->record };
    result = add_operation ("cuStreamWaitEvent", stream, &operation);
  }
  return leave (result);
}
#endif

CUresult CUDAAPI
cuEventCreate (CUevent *event, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuEventCreate);

  (void)flags;
  if (result == CUDA_SUCCESS)
    result = require_context ("cuEventCreate");
  if (result == CUDA_SUCCESS) {
    *event = add_object (KIND_EVENT, sizeof **event);
    if (*event == NULL)
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

CUresult CUDAAPI
cuEventDestroy (CUevent event)
{
  return release_object (FUNCTION_cuEventDestroy, KIND_EVENT, event);
}

CUresult CUDAAPI
cuEventRecord (CUevent event, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuEventRecord);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuEventRecord", KIND_EVENT, event);
  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_RECORD, .record = fake.last_record + 1 };
    result = add_operation ("cuEventRecord", stream, &operation);
  }
  if (result == CUDA_SUCCESS)
    event->record = ++fake.last_record;
  return leave (result);
}

CUresult CUDAAPI
cuEventQuery (CUevent event)
{
  CUresult result = enter (FUNCTION_cuEventQuery);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuEventQuery", KIND_EVENT, event);
  if (result == CUDA_SUCCESS && is_pending (event->record))
    result = CUDA_ERROR_NOT_READY;
  return leave (result);
}

CUresult CUDAAPI
cuEventSynchronize (CUevent event)
{
  CUresult result = enter (FUNCTION_cuEventSynchronize);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuEventSynchronize", KIND_EVENT, event);
  if (result == CUDA_SUCCESS) {
    struct waiter waiter = { fake.waiters, event->record }, **link = &fake.waiters;

    fake.waiters = &waiter;
    pthread_cond_broadcast (&fake.changed);
    while (fake.lost == CUDA_SUCCESS && is_pending (waiter.record))
      pthread_cond_wait (&fake.changed, &fake.lock);
    while (*link != &waiter)
      link = &(*link)->next;
    *link = waiter.next;
    result = fake.lost;
  }
  return leave (result);
}
