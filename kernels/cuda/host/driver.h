/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA driver as a table of functions, loaded with dlopen. Nothing links against libcuda. A machine without a driver costs
 * one failed dlopen. */

#pragma once

#include <cuda.h>

#include <cudahisto/histo.h>

/* Results that older toolkits' cuda.h does not name: CALL_REQUIRES_NEWER_DRIVER and UNSUPPORTED_DEVSIDE_SYNC. */
#define HISTO_CUDA_ERROR_NEWER_DRIVER ((CUresult)36)
#define HISTO_CUDA_ERROR_DEVSIDE_SYNC ((CUresult)225)

/* Every driver function that the engine calls. cuda.h maps the plain name to the versioned symbol (cuMemAlloc_v2). */
#define HISTO_CUDA_FUNCTIONS(X) \
  X (cuInit)                    \
  X (cuDriverGetVersion)        \
  X (cuGetErrorName)            \
  X (cuGetErrorString)          \
  X (cuDeviceGetCount)          \
  X (cuDeviceGet)               \
  X (cuDeviceGetName)           \
  X (cuDeviceGetAttribute)      \
  X (cuDevicePrimaryCtxRetain)  \
  X (cuDevicePrimaryCtxRelease) \
  X (cuCtxPushCurrent)          \
  X (cuCtxPopCurrent)           \
  X (cuCtxGetDevice)            \
  X (cuModuleLoadData)          \
  X (cuModuleUnload)            \
  X (cuModuleGetFunction)       \
  X (cuFuncSetAttribute)        \
  X (cuStreamCreate)            \
  X (cuStreamDestroy)           \
  X (cuStreamSynchronize)       \
  X (cuStreamWaitEvent)         \
  X (cuEventCreate)             \
  X (cuEventDestroy)            \
  X (cuEventRecord)             \
  X (cuEventQuery)              \
  X (cuEventSynchronize)        \
  X (cuMemAlloc)                \
  X (cuMemFree)                 \
  X (cuMemHostAlloc)            \
  X (cuMemFreeHost)             \
  X (cuMemHostGetDevicePointer) \
  X (cuPointerGetAttributes)    \
  X (cuMemcpy2DAsync)           \
  X (cuMemcpyHtoDAsync)         \
  X (cuMemcpyDtoHAsync)         \
  X (cuMemsetD8Async)           \
  X (cuLaunchKernel)

struct histo_cuda_driver {
  void *library;
  const struct histo_config *config; /* its log gets the failures */
#define HISTO_CUDA_MEMBER(function) __typeof__ (&function) function;
  HISTO_CUDA_FUNCTIONS (HISTO_CUDA_MEMBER)
#undef HISTO_CUDA_MEMBER
};

/* Loads libcuda.so.1 and initialises it. On failure the log has the cause in the loader's or the driver's words, and nothing
 * stays loaded: NO_DRIVER if the library or a symbol is missing, NO_DEVICE if cuInit finds no device. histo_cuda_refuse reports
 * a driver that exists but cannot be used; a missing one causes no warning. `config` outlives the table. */
enum histo_status histo_cuda_driver_load (const struct histo_config *config, struct histo_cuda_driver *driver);

/* The last result that histo_cuda_check has logged on this thread. CUDA_SUCCESS if histo_cuda_lack_memory was called later:
 * host memory failed, not the driver. */
CUresult histo_cuda_last_failure (void);

/* Logs that host memory is exhausted, and returns NO_MEMORY. */
enum histo_status histo_cuda_lack_memory (const struct histo_config *config);

/* Accepts a table that is not loaded. */
void histo_cuda_driver_unload (struct histo_cuda_driver *driver);

/* Returns HISTO_OK for CUDA_SUCCESS. Otherwise it logs `what` with the driver's name and text for `result`, and returns
 * HISTO_ERROR_DEVICE. */
enum histo_status histo_cuda_check (const struct histo_cuda_driver *driver, CUresult result, const char *what);

/* The same for a call that allocates: if memory is exhausted it returns HISTO_ERROR_NO_MEMORY, and the device stays usable. */
enum histo_status histo_cuda_check_memory (const struct histo_cuda_driver *driver, CUresult result, const char *what);

/* If `status` is HISTO_OK, calls a function of the driver and sets `status` to the outcome. A sequence of these stops at the
 * first failure. */
#define HISTO_CUDA_TRY(status, driver, call, what)                    \
  do {                                                                \
    if ((status) == HISTO_OK)                                         \
      (status) = histo_cuda_check ((driver), (driver)->call, (what)); \
  } while (0)
#define HISTO_CUDA_TRY_MEMORY(status, driver, call, what)                    \
  do {                                                                       \
    if ((status) == HISTO_OK)                                                \
      (status) = histo_cuda_check_memory ((driver), (driver)->call, (what)); \
  } while (0)
