/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies and sets. */

#include "fake.h"

#include <stdlib.h>
#include <string.h>

static CUresult
require_host_pointer (const char *function, const void *pointer)
{
  if (pointer != NULL && ((CUdeviceptr)(uintptr_t)pointer & (DEVICE_TAG | MAPPED_TAG)) == 0)
    return CUDA_SUCCESS;
  blame ("%s: the source is not in host memory", function);
  return CUDA_ERROR_INVALID_VALUE;
}

/* From pageable memory, it returns once the data is staged. The data may reach the device later, in any order relative to
 * non-blocking streams. See "API synchronization behavior" in CUDA's documentation. */
CUresult CUDAAPI
cuMemcpyHtoD (CUdeviceptr to, const void *from, size_t size)
{
  CUresult result = enter (FUNCTION_cuMemcpyHtoD);
  struct operation operation = { .kind = OPERATION_COPY, .to = to, .row_bytes = size, .rows = 1 };

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemcpyHtoD");
  if (result == CUDA_SUCCESS)
    result = require_host_pointer ("cuMemcpyHtoD", from);
  if (result == CUDA_SUCCESS && find_memory (current_context (), to, size, true) == NULL) {
    blame ("cuMemcpyHtoD: %zu bytes to outside of device memory", size);
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    operation.staged = malloc (size);
    if (operation.staged == NULL)
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result == CUDA_SUCCESS) {
    operation.from = memcpy (operation.staged, from, size);
    result = append_operation (&fake.default_stream, &operation);
    if (result != CUDA_SUCCESS)
      free (operation.staged);
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemcpyHtoDAsync (CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuMemcpyHtoDAsync);

  if (result == CUDA_SUCCESS)
    result = require_host_pointer ("cuMemcpyHtoDAsync", from);
  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_COPY, .to = to, .from = from, .row_bytes = size, .rows = 1 };
    result = add_operation ("cuMemcpyHtoDAsync", stream, &operation);
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemcpyDtoHAsync (void *to, CUdeviceptr from, size_t size, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuMemcpyDtoHAsync);

  if (result == CUDA_SUCCESS)
    result = require_host_pointer ("cuMemcpyDtoHAsync", to);
  if (result == CUDA_SUCCESS) {
    struct operation operation
        = { .kind = OPERATION_FETCH, .to = (CUdeviceptr)(uintptr_t)to, .from_device = from, .row_bytes = size, .rows = 1 };
    result = add_operation ("cuMemcpyDtoHAsync", stream, &operation);
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemcpy2DAsync (const CUDA_MEMCPY2D *copy, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuMemcpy2DAsync);

  if (result == CUDA_SUCCESS) {
    if ((copy->srcMemoryType != CU_MEMORYTYPE_HOST || copy->dstMemoryType != CU_MEMORYTYPE_DEVICE)
        && (copy->srcMemoryType != CU_MEMORYTYPE_DEVICE || copy->dstMemoryType != CU_MEMORYTYPE_HOST)) {
      blame ("cuMemcpy2DAsync: this fake has no such copy");
      result = CUDA_ERROR_INVALID_VALUE;
    } else if (copy->srcXInBytes != 0 || copy->srcY != 0 || copy->dstXInBytes != 0 || copy->dstY != 0 || copy->WidthInBytes == 0
               || copy->Height == 0 || copy->srcPitch < copy->WidthInBytes || copy->dstPitch < copy->WidthInBytes
               || copy->srcPitch > INT32_MAX || copy->dstPitch > INT32_MAX) {
      blame ("cuMemcpy2DAsync of %zux%zu bytes, pitch %zu to %zu: the driver refuses that, or this fake has no such copy",
             copy->WidthInBytes, copy->Height, copy->srcPitch, copy->dstPitch);
      result = CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (result == CUDA_SUCCESS)
    result
        = require_host_pointer ("cuMemcpy2DAsync", copy->srcMemoryType == CU_MEMORYTYPE_HOST ? copy->srcHost : copy->dstHost);
  if (result == CUDA_SUCCESS) {
    bool is_fetch = copy->srcMemoryType == CU_MEMORYTYPE_DEVICE;
    struct operation operation = { .kind = is_fetch ? OPERATION_FETCH : OPERATION_COPY,
                                   .to = is_fetch ? (CUdeviceptr)(uintptr_t)copy->dstHost : copy->dstDevice,
                                   .from = is_fetch ? NULL : copy->srcHost,
                                   .from_device = is_fetch ? copy->srcDevice : 0,
                                   .to_pitch = copy->dstPitch,
                                   .from_pitch = copy->srcPitch,
                                   .row_bytes = copy->WidthInBytes,
                                   .rows = copy->Height };
    result = add_operation ("cuMemcpy2DAsync", stream, &operation);
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemsetD8Async (CUdeviceptr to, unsigned char value, size_t size, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuMemsetD8Async);

  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_SET, .to = to, .value = value, .row_bytes = size, .rows = 1 };
    result = add_operation ("cuMemsetD8Async", stream, &operation);
  }
  return leave (result);
}
