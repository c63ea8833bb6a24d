/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Further functions that GStreamer's CUDA library needs. */

#include "fake.h"

#include <string.h>

CUresult CUDAAPI
cuMemAllocPitch (CUdeviceptr *address, size_t *pitch, size_t row_bytes, size_t rows, unsigned element_bytes)
{
  CUresult result = enter (FUNCTION_cuMemAllocPitch);

  (void)element_bytes;
  *pitch = (row_bytes + 255) & ~(size_t)255;
  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemAllocPitch");
  if (result == CUDA_SUCCESS) {
    const struct memory *memory = add_memory (KIND_DEVICE_MEMORY, *pitch * rows);

    if (memory != NULL)
      *address = (CUdeviceptr)(uintptr_t)memory->bytes | DEVICE_TAG;
    else
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemAllocHost (void **pointer, size_t size)
{
  CUresult result = enter (FUNCTION_cuMemAllocHost);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemAllocHost");
  if (result == CUDA_SUCCESS) {
    const struct memory *memory = add_memory (KIND_HOST_MEMORY, size);

    if (memory != NULL)
      *pointer = memory->bytes;
    else
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

/* It waits for earlier operations, like the default stream. */
CUresult CUDAAPI
cuMemcpy2D (const CUDA_MEMCPY2D *copy)
{
  CUresult result = enter (FUNCTION_cuMemcpy2D);
  size_t to_bytes = copy->Height > 0 ? (copy->Height - 1) * copy->dstPitch + copy->WidthInBytes : 0;
  size_t from_bytes = copy->Height > 0 ? (copy->Height - 1) * copy->srcPitch + copy->WidthInBytes : 0;
  const uint8_t *from = copy->srcHost;
  uint8_t *to = copy->dstHost;

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemcpy2D");
  if (result == CUDA_SUCCESS && copy->srcMemoryType == CU_MEMORYTYPE_DEVICE)
    from = find_memory (current_context (), copy->srcDevice, from_bytes, true);
  if (result == CUDA_SUCCESS && copy->dstMemoryType == CU_MEMORYTYPE_DEVICE)
    to = find_memory (current_context (), copy->dstDevice, to_bytes, true);
  if (result == CUDA_SUCCESS && (from == NULL || to == NULL)) {
    blame ("cuMemcpy2D outside of memory");
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    wait_idle ();
    for (size_t row = 0; row < copy->Height; row++)
      memcpy (to + row * copy->dstPitch, from + row * copy->srcPitch, copy->WidthInBytes);
  }
  return leave (result);
}

CUresult CUDAAPI
cuDeviceCanAccessPeer (int *can_access, CUdevice device, CUdevice peer)
{
  (void)device;
  (void)peer;
  *can_access = 0;
  return CUDA_SUCCESS;
}

/* No header declares the following functions. */
#pragma GCC visibility push(default)

#undef cuStreamDestroy /* GStreamer looks up the first version of this function */
CUresult CUDAAPI cuStreamDestroy (CUstream stream);
CUresult CUDAAPI
cuStreamDestroy (CUstream stream)
{
  return release_object (FUNCTION_cuStreamDestroy, KIND_STREAM, stream);
}

/* GStreamer looks these functions up, but does not call them. They have other names in C, since cuda.h may declare them with
 * other arguments. */
#define NO_FUNCTION(name)                     \
  CUresult fake_##name (void) __asm__(#name); \
  CUresult fake_##name (void)                 \
  {                                           \
    return CUDA_ERROR_NOT_SUPPORTED;          \
  }
NO_FUNCTION (cuCtxEnablePeerAccess)
NO_FUNCTION (cuCtxDisablePeerAccess)
NO_FUNCTION (cuGLGetDevices_v2)
NO_FUNCTION (cuGraphicsGLRegisterBuffer)
NO_FUNCTION (cuGraphicsGLRegisterImage)
NO_FUNCTION (cuGraphicsMapResources)
NO_FUNCTION (cuGraphicsResourceGetMappedPointer_v2)
NO_FUNCTION (cuGraphicsResourceSetMapFlags_v2)
NO_FUNCTION (cuGraphicsSubResourceGetMappedArray)
NO_FUNCTION (cuGraphicsUnmapResources)
NO_FUNCTION (cuGraphicsUnregisterResource)
NO_FUNCTION (cuTexObjectCreate)
NO_FUNCTION (cuTexObjectDestroy)
/* since 1.24 */
NO_FUNCTION (cuCtxGetLimit)
NO_FUNCTION (cuCtxSetLimit)
NO_FUNCTION (cuCtxSynchronize)
NO_FUNCTION (cuDestroyExternalMemory)
NO_FUNCTION (cuDestroyExternalSemaphore)
NO_FUNCTION (cuExternalMemoryGetMappedBuffer)
NO_FUNCTION (cuExternalMemoryGetMappedMipmappedArray)
NO_FUNCTION (cuImportExternalMemory)
NO_FUNCTION (cuImportExternalSemaphore)
NO_FUNCTION (cuIpcCloseMemHandle)
NO_FUNCTION (cuIpcGetEventHandle)
NO_FUNCTION (cuIpcGetMemHandle)
NO_FUNCTION (cuIpcOpenEventHandle)
NO_FUNCTION (cuIpcOpenMemHandle)
NO_FUNCTION (cuMemAddressFree)
NO_FUNCTION (cuMemAddressReserve)
NO_FUNCTION (cuMemAllocAsync)
NO_FUNCTION (cuMemAllocFromPoolAsync)
NO_FUNCTION (cuMemCreate)
NO_FUNCTION (cuMemExportToShareableHandle)
NO_FUNCTION (cuMemFreeAsync)
NO_FUNCTION (cuMemGetAccess)
NO_FUNCTION (cuMemGetAllocationGranularity)
NO_FUNCTION (cuMemGetAllocationPropertiesFromHandle)
NO_FUNCTION (cuMemImportFromShareableHandle)
NO_FUNCTION (cuMemMap)
NO_FUNCTION (cuMemPoolCreate)
NO_FUNCTION (cuMemPoolDestroy)
NO_FUNCTION (cuMemPoolGetAttribute)
NO_FUNCTION (cuMemPoolSetAttribute)
NO_FUNCTION (cuMemRelease)
NO_FUNCTION (cuMemRetainAllocationHandle)
NO_FUNCTION (cuMemSetAccess)
NO_FUNCTION (cuMemUnmap)
NO_FUNCTION (cuMemcpyDtoDAsync_v2)
NO_FUNCTION (cuMemcpyDtoD_v2)
NO_FUNCTION (cuMemcpyDtoH_v2)
NO_FUNCTION (cuMemsetD2D16Async)
NO_FUNCTION (cuMemsetD2D16_v2)
NO_FUNCTION (cuMemsetD2D32Async)
NO_FUNCTION (cuMemsetD2D32_v2)
NO_FUNCTION (cuMemsetD2D8Async)
NO_FUNCTION (cuMemsetD2D8_v2)
NO_FUNCTION (cuSignalExternalSemaphoresAsync)
NO_FUNCTION (cuWaitExternalSemaphoresAsync)

#pragma GCC visibility pop
