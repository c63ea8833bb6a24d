/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The driver, its errors and its devices. */

#include "fake.h"

#include <stdio.h>

CUresult CUDAAPI
cuInit (unsigned flags)
{
  CUresult result = enter (FUNCTION_cuInit);

  if (result == CUDA_SUCCESS && flags != 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && fake.devices == 0)
    result = CUDA_ERROR_NO_DEVICE;
  if (result == CUDA_SUCCESS)
    fake.is_initialised = true;
  return leave (result);
}

/* Counts a call of a function that needs neither a device nor cuInit. */
static void
count_call (enum function function)
{
  pthread_mutex_lock (&fake.lock);
  fake.calls++;
  fake.function_calls[function]++;
  pthread_mutex_unlock (&fake.lock);
}

CUresult CUDAAPI
cuDriverGetVersion (int *version)
{
  count_call (FUNCTION_cuDriverGetVersion);
  *version = fake.driver_version;
  return CUDA_SUCCESS;
}

static const struct {
  CUresult result;
  const char *name, *text;
} errors[] = {
  { CUDA_SUCCESS, "CUDA_SUCCESS", "no error" },
  { CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
  { CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
  { CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
  { CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable" },
  { CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
  { CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
  { CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
  { CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device" },
  { CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
  { CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
  { CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
  { CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready" },
  { CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered" },
  { CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
  { CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    "system has unsupported display driver / cuda driver combination" },
  { CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error" },
};

CUresult CUDAAPI
cuGetErrorName (CUresult error, const char **name)
{
  count_call (FUNCTION_cuGetErrorName);
  *name = NULL;
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].result == error)
      *name = errors[i].name;
  return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI
cuGetErrorString (CUresult error, const char **text)
{
  count_call (FUNCTION_cuGetErrorString);
  *text = NULL;
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].result == error)
      *text = errors[i].text;
  return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI
cuDeviceGetCount (int *count)
{
  CUresult result = enter (FUNCTION_cuDeviceGetCount);

  if (result == CUDA_SUCCESS)
    *count = fake.devices;
  return leave (result);
}

CUresult
require_device (CUdevice device)
{
  return device >= 0 && device < fake.devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult CUDAAPI
cuDeviceGet (CUdevice *device, int number)
{
  CUresult result = enter (FUNCTION_cuDeviceGet);

  if (result == CUDA_SUCCESS)
    result = require_device (number);
  if (result == CUDA_SUCCESS)
    *device = number;
  return leave (result);
}

CUresult CUDAAPI
cuDeviceGetName (char *name, int size, CUdevice device)
{
  CUresult result = enter (FUNCTION_cuDeviceGetName);

  if (result == CUDA_SUCCESS)
    result = require_device (device);
  if (result == CUDA_SUCCESS)
    snprintf (name, (size_t)size, "Fake GPU %d", device);
  return leave (result);
}

CUresult CUDAAPI
cuDeviceGetAttribute (int *value, CUdevice_attribute attribute, CUdevice device)
{
  CUresult result = enter (FUNCTION_cuDeviceGetAttribute);

  if (result == CUDA_SUCCESS)
    result = require_device (device);
  if (result == CUDA_SUCCESS) {
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 4;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 227 * 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = (int)fake.capability / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = (int)fake.capability % 10;
      break;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
      *value = 1;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      *value = INT32_MAX;
      break;
    default:
      *value = 0;
    }
  }
  return leave (result);
}
