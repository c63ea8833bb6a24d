/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Device memory and pinned memory. */

#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JUNK_BYTES 65536

/* Returns the device address of the first byte. */
static CUdeviceptr
device_address (const struct memory *memory)
{
  return (CUdeviceptr)(uintptr_t)memory->bytes | (memory->object.kind == KIND_DEVICE_MEMORY ? DEVICE_TAG : MAPPED_TAG);
}

/* Returns the allocation, of any context, that contains [address, address + size), or NULL. */
static const struct memory *
find_allocation (CUdeviceptr address, uint64_t size, bool is_device)
{
  const struct object *object = fake.objects[is_device ? KIND_DEVICE_MEMORY : KIND_HOST_MEMORY];

  for (; object != NULL; object = object->next) {
    const struct memory *memory = (const struct memory *)object;
    const CUdeviceptr begin = device_address (memory);

    if (address >= begin && address - begin <= memory->size && size <= memory->size - (address - begin))
      return memory;
  }
  return NULL;
}

static bool
is_visible (const struct memory *memory, CUcontext context)
{
  return memory->object.kind == KIND_HOST_MEMORY || memory->object.context == context;
}

uint8_t *
find_memory (CUcontext context, CUdeviceptr address, uint64_t size, bool is_device)
{
  const struct memory *memory = find_allocation (address, size, is_device);

  if (memory == NULL)
    return NULL;
  if (!is_visible (memory, context)) {
    blame ("%llu bytes at %#llx are memory of another context", (unsigned long long)size, (unsigned long long)address);
    return NULL;
  }
  return memory->bytes + (address - device_address (memory));
}

struct memory *
add_memory (enum kind kind, size_t size)
{
  void *bytes;
  struct memory *memory;

  /* The driver pins whole pages. */
  if (posix_memalign (&bytes, kind == KIND_HOST_MEMORY ? (size_t)sysconf (_SC_PAGESIZE) : 256, size) != 0)
    return NULL;
  memory = add_object (kind, sizeof *memory);
  if (memory == NULL) {
    free (bytes);
    return NULL;
  }
  /* The memory is not zero, since CUDA does not promise that. In a large allocation, filling the beginning is enough. */
  memset (bytes, 0xa5, size < JUNK_BYTES ? size : JUNK_BYTES);
  memory->bytes = bytes;
  memory->size = size;
  return memory;
}

/* Releases the allocation that begins at `bytes`, and frees its bytes. Does not wait for the device: according to the
 * documentation, cuMemFree only "may perform implicit synchronization", and it promises nothing for cuMemFreeHost. */
static CUresult
release_memory (enum function function, enum kind kind, const uint8_t *bytes)
{
  CUresult scripted = enter (function), result = CUDA_SUCCESS;
  struct object *object = fake.objects[kind];

  while (object != NULL && ((struct memory *)object)->bytes != bytes)
    object = object->next;
  if (object == NULL || !fake.has_failed)
    result = require_context (function_names[function]);
  if (object == NULL) {
    blame ("%s: no such memory, or freed before", function_names[function]);
    result = CUDA_ERROR_INVALID_VALUE;
  } else if (!fake.has_failed && object->context != current_context ()) {
    blame ("%s: memory of another context", function_names[function]);
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    const struct memory *memory = (const struct memory *)object;
    const CUdeviceptr tag = kind == KIND_HOST_MEMORY ? MAPPED_TAG : DEVICE_TAG;

    if (is_in_use ((CUdeviceptr)(uintptr_t)bytes | tag, memory->size, NULL)) {
      if (!fake.has_failed)
        blame ("%s: the device still has to do with that memory", function_names[function]);
      wait_idle ();
    }
    free (memory->bytes);
    remove_object (object);
  }
  return leave (scripted != CUDA_SUCCESS ? scripted : result);
}

CUresult CUDAAPI
cuMemAlloc (CUdeviceptr *address, size_t size)
{
  CUresult result = enter (FUNCTION_cuMemAlloc);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemAlloc");
  if (result == CUDA_SUCCESS && size == 0) {
    blame ("cuMemAlloc of 0 bytes");
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    const struct memory *memory = add_memory (KIND_DEVICE_MEMORY, size);

    if (memory != NULL)
      *address = (CUdeviceptr)(uintptr_t)memory->bytes | DEVICE_TAG;
    else
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemFree (CUdeviceptr address)
{
  return release_memory (FUNCTION_cuMemFree, KIND_DEVICE_MEMORY, (const uint8_t *)(uintptr_t)(address & ~DEVICE_TAG));
}

CUresult CUDAAPI
cuMemHostAlloc (void **pointer, size_t size, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuMemHostAlloc);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemHostAlloc");
  if (result == CUDA_SUCCESS && size == 0) {
    blame ("cuMemHostAlloc of 0 bytes");
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    struct memory *memory = add_memory (KIND_HOST_MEMORY, size);

    if (memory != NULL) {
      memory->flags = flags;
      *pointer = memory->bytes;
    } else {
      result = CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemFreeHost (void *pointer)
{
  return release_memory (FUNCTION_cuMemFreeHost, KIND_HOST_MEMORY, pointer);
}

CUresult CUDAAPI
cuMemHostGetDevicePointer (CUdeviceptr *address, void *pointer, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuMemHostGetDevicePointer);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemHostGetDevicePointer");
  if (result == CUDA_SUCCESS
      && (flags != 0 || find_allocation ((CUdeviceptr)(uintptr_t)pointer | MAPPED_TAG, 1, false) == NULL)) {
    blame ("cuMemHostGetDevicePointer: no pinned memory");
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS)
    *address = (CUdeviceptr)(uintptr_t)pointer | MAPPED_TAG;
  return leave (result);
}

CUresult CUDAAPI
cuPointerGetAttributes (unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer)
{
  CUresult result = enter (FUNCTION_cuPointerGetAttributes);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuPointerGetAttributes");
  for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++) {
    bool is_host = find_allocation (pointer | MAPPED_TAG, 1, false) != NULL;
    const struct memory *device_memory = is_host ? NULL : find_allocation (pointer, 1, true);
    bool is_device = device_memory != NULL && is_visible (device_memory, current_context ());

    /* Like the driver: no error for memory of others, and an address only in a context that can use it. */
    if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      *(CUmemorytype *)data[i] = is_host ? CU_MEMORYTYPE_HOST : device_memory != NULL ? CU_MEMORYTYPE_DEVICE : 0;
    else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
      *(CUdeviceptr *)data[i] = is_host ? pointer | MAPPED_TAG : is_device ? pointer : 0;
    else
      result = CUDA_ERROR_INVALID_VALUE;
  }
  return leave (result);
}
