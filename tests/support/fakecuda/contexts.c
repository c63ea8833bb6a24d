/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Contexts, and the current context of each thread. */

#include "fake.h"

void
remove_context (CUcontext context)
{
  unsigned left = 0;

  for (const struct CUstream_st *stream = fake.streams; stream != NULL; stream = stream->next)
    if (stream->object.context == context && !is_idle (stream) && !fake.has_failed)
      blame ("a context goes while a stream of it has something to do");

  for (unsigned kind = 0; kind < KINDS; kind++)
    for (const struct object *object = fake.objects[kind]; kind != KIND_CONTEXT && object != NULL; object = object->next)
      left += object->context == context;
  if (left > 0)
    blame ("a context goes while %u of its objects are alive", left);
  for (unsigned i = 0; i < thread.depth; i++)
    if (thread.contexts[i] == context)
      blame ("a context goes while it is current");
  remove_object (context);
}

static CUresult
make_context (CUdevice device, unsigned retained, CUcontext *context)
{
  *context = fake.contexts_left > 0 ? add_object (KIND_CONTEXT, sizeof **context) : NULL;
  if (*context == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  fake.contexts_left--;
  (*context)->object.context = *context;
  (*context)->device = device;
  (*context)->retained = retained;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI
cuDevicePrimaryCtxRetain (CUcontext *context, CUdevice device)
{
  CUresult result = enter (FUNCTION_cuDevicePrimaryCtxRetain);

  if (result == CUDA_SUCCESS)
    result = require_device (device);
  if (result == CUDA_SUCCESS && device == fake.failing_device)
    result = CUDA_ERROR_DEVICE_UNAVAILABLE;
  if (result == CUDA_SUCCESS && fake.primary[device] == NULL)
    result = make_context (device, 0, &fake.primary[device]);
  if (result == CUDA_SUCCESS) {
    fake.primary[device]->retained++;
    *context = fake.primary[device];
  }
  return leave (result);
}

CUresult CUDAAPI
cuDevicePrimaryCtxRelease (CUdevice device)
{
  CUresult scripted = enter (FUNCTION_cuDevicePrimaryCtxRelease), result = require_device (device);

  if (result == CUDA_SUCCESS && fake.primary[device] == NULL) {
    blame ("cuDevicePrimaryCtxRelease without a retain");
    result = CUDA_ERROR_INVALID_CONTEXT;
  }
  if (result == CUDA_SUCCESS && --fake.primary[device]->retained == 0) {
    remove_context (fake.primary[device]);
    fake.primary[device] = NULL;
  }
  return leave (scripted != CUDA_SUCCESS ? scripted : result);
}

CUresult CUDAAPI
cuCtxCreate_v2 (CUcontext *context, unsigned flags, CUdevice device)
{
  CUresult result = enter (FUNCTION_cuCtxCreate);

  (void)flags;
  if (result == CUDA_SUCCESS)
    result = require_device (device);
  if (result == CUDA_SUCCESS && thread.depth == MAX_DEPTH)
    result = CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_SUCCESS)
    result = make_context (device, 0, context);
  if (result == CUDA_SUCCESS)
    thread.contexts[thread.depth++] = *context;
  return leave (result);
}

CUresult CUDAAPI
cuCtxDestroy (CUcontext context)
{
  if (context == current_context ())
    thread.depth--;
  return release_object (FUNCTION_cuCtxDestroy, KIND_CONTEXT, context);
}

CUresult CUDAAPI
cuCtxPushCurrent (CUcontext context)
{
  CUresult result = enter (FUNCTION_cuCtxPushCurrent);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuCtxPushCurrent", KIND_CONTEXT, context);
  if (result == CUDA_SUCCESS && thread.depth == MAX_DEPTH) {
    blame ("cuCtxPushCurrent: %d contexts were pushed and not popped", MAX_DEPTH);
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result == CUDA_SUCCESS)
    thread.contexts[thread.depth++] = context;
  return leave (result);
}

CUresult CUDAAPI
cuCtxPopCurrent (CUcontext *context)
{
  CUresult scripted = enter (FUNCTION_cuCtxPopCurrent), result = require_context ("cuCtxPopCurrent");

  if (thread.depth > 0) {
    thread.depth--;
    if (context != NULL)
      *context = thread.contexts[thread.depth];
  }
  return leave (scripted != CUDA_SUCCESS ? scripted : result);
}

CUresult CUDAAPI
cuCtxGetDevice (CUdevice *device)
{
  CUresult result = enter (FUNCTION_cuCtxGetDevice);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuCtxGetDevice");
  if (result == CUDA_SUCCESS)
    *device = current_context ()->device;
  return leave (result);
}
