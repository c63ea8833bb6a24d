/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA driver as a table of functions, loaded with dlopen: nothing links against libcuda, and a machine without a driver
 * pays one failed dlopen. */

#ifndef HISTO_CUDA_DRIVER_H
#define HISTO_CUDA_DRIVER_H

#include <cuda.h>

#include <cudahisto/histo.h>

/* Results that not every toolkit's cuda.h has a name for: CALL_REQUIRES_NEWER_DRIVER and UNSUPPORTED_DEVSIDE_SYNC. */
#define HISTO_CUDA_ERROR_NEWER_DRIVER ((CUresult)36)
#define HISTO_CUDA_ERROR_DEVSIDE_SYNC ((CUresult)225)

/* The remedy where the driver is of an earlier major version than the toolkit. From these on drivers run what any toolkit of
 * the same major version has made: NVIDIA's minor version compatibility. */
#if CUDA_VERSION < 12000
#define HISTO_CUDA_UPDATE "update the driver to 450.80.02 or later"
#elif CUDA_VERSION < 13000
#define HISTO_CUDA_UPDATE "update the driver to 525.60.13 or later"
#elif CUDA_VERSION < 14000
#define HISTO_CUDA_UPDATE "update the driver to 580 or later"
#else
#define HISTO_CUDA_UPDATE "update the driver"
#endif

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
  const struct histo_config *config; /* whose log has what fails */
#define HISTO_CUDA_MEMBER(function) __typeof__ (&function) function;
  HISTO_CUDA_FUNCTIONS (HISTO_CUDA_MEMBER)
#undef HISTO_CUDA_MEMBER
};

/* Loads libcuda.so.1 and initialises it. On failure the log has the reason in the loader's or the driver's words and nothing
 * stays loaded: NO_DRIVER where the library or a symbol is missing, NO_DEVICE where cuInit finds none. What is there and cannot
 * be used is reported as by histo_cuda_refuse; a missing library or device is no cause for a warning. `config` outlives what is
 * checked below. */
enum histo_status histo_cuda_driver_load (const struct histo_config *config, struct histo_cuda_driver *driver);

/* Says in one sentence why a driver or a device that is there cannot be used, and what to do about it: a warning where the CPU
 * may count instead (HISTO_BACKEND_AUTO), else the error. `format` begins with a capital and ends without a full stop. */
void histo_cuda_refuse (const struct histo_config *config, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/* The same of `what` ("NVIDIA's driver", "CUDA device 0 (NVIDIA H200)") for a result as histo_cuda_last_failure gives it. */
void histo_cuda_refuse_result (const struct histo_config *config, const struct histo_cuda_driver *driver, CUresult result,
                               const char *what);

/* The last result on this thread that histo_cuda_check has logged; CUDA_SUCCESS where histo_cuda_lack_memory was called after
 * it: host memory failed, and not the driver. */
CUresult histo_cuda_last_failure (void);

/* NO_MEMORY, after logging that host memory is exhausted. */
enum histo_status histo_cuda_lack_memory (const struct histo_config *config);

/* Accepts a table that was never loaded. */
void histo_cuda_driver_unload (struct histo_cuda_driver *driver);

/* HISTO_OK for CUDA_SUCCESS; else HISTO_ERROR_DEVICE, after logging `what` with the driver's name and text for `result`. */
enum histo_status histo_cuda_check (const struct histo_cuda_driver *driver, CUresult result, const char *what);

/* The same of a call that allocates: memory that is not there is HISTO_ERROR_NO_MEMORY, and the device goes on. */
enum histo_status histo_cuda_check_memory (const struct histo_cuda_driver *driver, CUresult result, const char *what);

/* Calls a function of the driver where `status` is HISTO_OK, and sets `status` to the outcome: a sequence of these stops at the
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

#endif
